//! The catalogue of social networks.

use std::collections::HashMap;

use accounts::social_networks::{self, NewSocialNetwork};
use kernel::input::{Line, Word};
use kernel::write::Edit;
use kernel::{Error, Result};

use crate::report::Output;
use crate::small::Small;
use crate::text::{key, line, valid};

const TABLE: &str = "social_networks";

/// Finds the networks, or creates those that are absent. Returns the id and the name of each, by the
/// id in the dump.
pub async fn write(
    edit: &mut Edit,
    small: &Small,
    output: &mut Output<'_>,
) -> Result<HashMap<i64, (i64, String)>> {
    let mut found = HashMap::new();
    for (kept, flute) in &small.social_networks {
        let mut changes = Vec::new();
        let name = name(flute);
        let network = match social_networks::named(edit, &name).await? {
            Some(network) if !name.bytes().all(|byte| byte.is_ascii_digit()) => network,
            _ => {
                let fallback = || name.clone();
                let title = line(flute, 100, fallback, "the title", &mut changes);
                let (Some(name), Some(title)) =
                    (valid::<Word<50>>(&name), valid::<Line<1, 100>>(&title))
                else {
                    return Err(Error::internal(format!("a network cannot be named {name}")));
                };
                changes.push(format!("the network {} is new here", name.as_str()));
                let new = NewSocialNetwork {
                    name,
                    title,
                    url_template: None,
                };
                let created = social_networks::create(edit, new).await?;
                created.into_part()
            }
        };
        output.write(TABLE, kept.id, &changes)?;
        found.insert(kept.id, (network.id, network.name));
    }
    Ok(found)
}

/// The name of a network of Flute here.
fn name(flute: &str) -> String {
    let lower = flute.to_lowercase();
    let ours = match lower.as_str() {
        "steam" | "httpssteam" => "steam",
        "vkontakte" => "vk",
        "twitter" => "x",
        other => {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            let name = key(other, allowed, '-', 50);
            let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
            return match is_number {
                // A number would be taken for an id.
                true => key(&format!("network-{name}"), allowed, '-', 50),
                false => name,
            };
        }
    };
    ours.to_owned()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn networks_have_the_names_of_the_catalogue() {
        for (flute, ours) in [
            ("Steam", "steam"),
            ("HttpsSteam", "steam"),
            ("Discord", "discord"),
            ("Vkontakte", "vk"),
            ("Telegram", "telegram"),
            ("Twitch", "twitch"),
            ("Twitter", "x"),
            ("Faceit Pro", "faceit-pro"),
            ("2", "network-2"),
            ("", "network-"),
        ] {
            assert_eq!(name(flute), ours);
        }
    }
}
