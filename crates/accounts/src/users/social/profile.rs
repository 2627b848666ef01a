//! One spelling for each profile, in which links are stored and looked up.

use kernel::types::SteamId;

/// The digits of a Discord id.
const DISCORD_ID: std::ops::RangeInclusive<usize> = 17..=20;

/// The spelling of a profile in which it is stored. On `steam`, a SteamID in any of its forms and
/// the address of its profile become the SteamID64; on `discord`, the address of a user becomes the
/// id. Everything else stays as it is.
pub fn canonical(network: &str, text: &str) -> String {
    let id = match network {
        "steam" => steam(text),
        "discord" => discord(text),
        _ => None,
    };
    id.unwrap_or_else(|| text.to_owned())
}

fn steam(text: &str) -> Option<String> {
    let id = page(text, &["steamcommunity.com"], "profiles").unwrap_or(text);
    Some(SteamId::parse(id)?.id64().to_string())
}

fn discord(text: &str) -> Option<String> {
    let id = page(text, &["discord.com", "discordapp.com"], "users")?;
    let is_id = DISCORD_ID.contains(&id.len()) && id.bytes().all(|digit| digit.is_ascii_digit());
    is_id.then(|| id.to_owned())
}

/// The segment after `folder` in an address of one of these hosts, with or without a scheme and
/// `www.`.
fn page<'a>(text: &'a str, hosts: &[&str], folder: &str) -> Option<&'a str> {
    let rest = without_prefix(text, "https://").or_else(|| without_prefix(text, "http://"));
    let rest = rest.unwrap_or(text);
    let rest = without_prefix(rest, "www.").unwrap_or(rest);
    let rest = hosts.iter().find_map(|host| without_prefix(rest, host))?;
    let rest = rest.strip_prefix('/')?.strip_prefix(folder)?;
    rest.strip_prefix('/')?.split(['/', '?', '#']).next()
}

/// Ignores case, as browsers do in schemes and hosts.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn profiles_of_steam_become_the_steam_id_64() {
        for text in [
            "76561197969249708",
            "STEAM_0:0:4491990",
            "STEAM_1:0:4491990",
            "[U:1:8983980]",
            "https://steamcommunity.com/profiles/76561197969249708",
            "https://steamcommunity.com/profiles/76561197969249708/",
            "https://steamcommunity.com/profiles/76561197969249708/games?tab=all#top",
            "http://www.steamcommunity.com/profiles/76561197969249708?l=en",
            "HTTPS://SteamCommunity.com/profiles/[U:1:8983980]",
            "steamcommunity.com/profiles/76561197969249708",
        ] {
            assert_eq!(canonical("steam", text), "76561197969249708", "{text}");
        }
    }

    #[test]
    fn addresses_of_discord_become_the_id() {
        for text in [
            "80351110224678912",
            "https://discord.com/users/80351110224678912",
            "discord.com/users/80351110224678912/",
            "https://discordapp.com/users/80351110224678912",
        ] {
            assert_eq!(canonical("discord", text), "80351110224678912", "{text}");
        }
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for (network, text) in [
            ("steam", "gordon"),
            ("steam", "https://steamcommunity.com/id/gordon"),
            ("steam", "https://steamcommunity.com/profiles/gordon"),
            ("steam", "https://steamcommunity.com/profiles/"),
            ("steam", "https://steamcommunity.com/profiles"),
            ("steam", "https://example.com/profiles/76561197969249708"),
            (
                "steam",
                "https://steamcommunity.com.example/profiles/76561197969249708",
            ),
            ("steam", "https://discord.com/users/80351110224678912"),
            ("discord", "gordon"),
            ("discord", "https://discord.com/users/gordon"),
            ("discord", "https://discord.com/users/8035111022467891"),
            ("discord", "https://discord.gg/80351110224678912"),
            ("discord", "[U:1:8983980]"),
            (
                "website",
                "https://steamcommunity.com/profiles/76561197969249708",
            ),
        ] {
            assert_eq!(canonical(network, text), text);
        }
    }
}
