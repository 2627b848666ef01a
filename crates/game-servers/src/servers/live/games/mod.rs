//! The query protocols of games. Only [`table`] lists them.

mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

use game_query::Protocol;

pub use self::table::GAMES;

/// A known game.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    /// The value for the field `game` of a server.
    pub id: &'static str,
    pub name: &'static str,
    pub protocol: Protocol,
    pub default_query_port: u16,
    pub steam_app_ids: &'static [u32],
    pub aliases: &'static [&'static str],
}

/// The query protocol of a game, given as an id, an alias or a Steam app id. Case and punctuation
/// are ignored: `Counter-Strike_2` is `counterstrike2`. Unknown games use Valve's protocol, which
/// is the most common one.
pub fn protocol_of(game: &str) -> Protocol {
    static BY_NAME: LazyLock<HashMap<String, Protocol>> = LazyLock::new(by_name);
    let plain: String = game
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    BY_NAME.get(&plain).copied().unwrap_or(Protocol::Valve)
}

fn by_name() -> HashMap<String, Protocol> {
    let names = GAMES.iter().flat_map(|game| {
        let aliases = game.aliases.iter().map(|alias| (*alias).to_owned());
        let apps = game.steam_app_ids.iter().map(u32::to_string);
        let all = aliases.chain(apps).chain([game.id.to_owned()]);
        all.map(|name| (name, game.protocol))
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_belongs_to_one_game() {
        let mut seen = HashSet::new();
        for game in GAMES {
            let apps = game.steam_app_ids.iter().map(u32::to_string);
            let aliases = game.aliases.iter().map(|alias| (*alias).to_owned());
            for name in apps.chain(aliases).chain([game.id.to_owned()]) {
                let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
                assert!(name.chars().all(is_plain), "{name}");
                assert_eq!(protocol_of(&name), game.protocol, "{name}");
                assert!(seen.insert(name.clone()), "{name} twice");
            }
            assert!(game.default_query_port > 0, "{}", game.id);
        }
        let mut sorted: Vec<&str> = GAMES.iter().map(|game| game.id).collect();
        sorted.sort_unstable();
        assert!(sorted.iter().eq(GAMES.iter().map(|game| &game.id)));
    }

    #[test]
    fn protocol_of_accepts_common_names() {
        for (name, protocol) in [
            ("cs2", Protocol::Valve),
            ("730", Protocol::Valve),
            ("csgo", Protocol::Valve),
            ("cs1.6", Protocol::GoldSrc),
            ("TF2", Protocol::Valve),
            ("Counter-Strike_2", Protocol::Valve),
            ("quake3", Protocol::Quake3),
            ("openarena", Protocol::Quake3),
            ("minecraft", Protocol::Minecraft),
            ("ut2004", Protocol::Unreal2),
            ("never-heard-of", Protocol::Valve),
        ] {
            assert_eq!(protocol_of(name), protocol, "{name}");
        }
    }
}
