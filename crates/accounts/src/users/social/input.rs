use crate::users::input::is_blank_or_control;
use kernel::input::{
    Fault, Faults, Place, Positive, Raw, Referent, Rule, Text, TextFormat, is_web_address,
};
use kernel::{inline_schema, input};

input! {
    /// A profile to link to.
    pub struct NewSocialLink {
        /// The id of a network; a user has at most one link per network. Predefined networks: 1
        /// steam, 2 discord, 3 vk, 4 telegram, 5 youtube, 6 twitch, 7 x, 8 facebook, 9 instagram,
        /// 10 tiktok, 11 github, 12 website.
        network_id: NetworkId,
        /// An http or https address, or a handle without spaces. On `steam`, a SteamID in any form
        /// and `steamcommunity.com/profiles/<id>` are stored as the SteamID64; on `discord`,
        /// `discord.com/users/<id>` as the id.
        profile_url: ProfileUrl,
    }
}

pub const UNKNOWN_NETWORK: Fault = Fault::unknown_id(Referent::SocialNetwork);

/// The id of a network. The slice checks whether it exists.
#[derive(Debug)]
pub struct NetworkId(pub i64);

impl Rule for NetworkId {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let mut ignored = Faults::default();
        let id = Positive::read(raw, &mut ignored.at("network_id"));
        if id.is_none() {
            place.add(UNKNOWN_NETWORK);
        }
        id.map(|Positive(id)| Self(id))
    }
}

inline_schema!(NetworkId, { "type": "integer", "format": "int64", "minimum": 1 });

/// A web address or a handle. Other schemes are refused, since the value may be shown as a link.
#[derive(Debug)]
pub struct ProfileUrl(pub String);

impl Rule for ProfileUrl {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = Text::<1, 2048>::read(raw, place)?.into_string();
        if text.contains(is_blank_or_control) || !is_web_or_handle(&text) {
            place.add(Fault::wrong_format(TextFormat::Profile));
            return None;
        }
        Some(Self(text))
    }
}

fn is_web_or_handle(text: &str) -> bool {
    if is_web_address(text) {
        return true;
    }
    let Some((scheme, _)) = text.split_once(':') else {
        return true;
    };
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-');
    !(scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(in_scheme))
}

inline_schema!(ProfileUrl, {
    "type": "string",
    "minLength": 1,
    "maxLength": 2048,
    "pattern": r"^(?:[hH][tT][tT][pP][sS]?://[^\s/?#:@\x00-\x1f\x7f][^\s\x00-\x1f\x7f]*|(?![A-Za-z][A-Za-z0-9+.\-]*:)[^\s\x00-\x1f\x7f]+)$",
});

#[cfg(test)]
mod tests {
    use super::is_web_or_handle;

    #[test]
    fn a_profile_url_is_a_web_address_or_a_handle() {
        for good in [
            "https://example.com/a?b=c#d",
            "HTTP://example.com",
            "https://пример.рф",
            "@handle",
            "name#1234",
            "STEAM_0:1:4491990",
            "[U:1:8983980]",
            "example.com/me",
        ] {
            assert!(is_web_or_handle(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "mailto:a@example.com",
            "ftp://example.com",
            "https:",
            "https:/example.com",
            "https://",
            "https:///path",
            "http://:80",
        ] {
            assert!(!is_web_or_handle(bad), "{bad}");
        }
    }
}
