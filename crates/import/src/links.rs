//! Profiles on social networks: links, and the identities that users sign in with.
//!
//! Which user has an identity is known only when all rows are read, so the links are written in the
//! pass after it.

use std::collections::{HashMap, HashSet};

use accounts::users::imported::{self, Identity};
use accounts::users::{ProfileUrl, SocialLink, canonical};
use futures_util::future::LocalBoxFuture;
use kernel::Result;
use kernel::input::is_blank;
use kernel::types::{SteamId, Timestamp};
use kernel::write::Edit;

use crate::parts::{user_is_absent, users_by_id};
use crate::pass::Stage;
use crate::record::{Kept, Moment, Record};
use crate::report::Output;
use crate::text::valid;

const TABLE: &str = "user_social_networks";
const STEAM: &str = "steam";
const DISCORD: &str = "discord";
/// The digits of a Discord id.
const DISCORD_ID: std::ops::RangeInclusive<usize> = 17..=20;

/// The ids and names of networks, by their ids in the dump.
type Networks = HashMap<i64, (i64, String)>;

/// A profile of the dump.
struct Profile {
    kept: Kept,
    user_id: i64,
    /// The id and the name.
    network: Option<(i64, String)>,
    value: String,
    identity: Option<(&'static str, String)>,
    linked_at: Moment,
    changes: Vec<String>,
}

impl Profile {
    fn read(record: Record<'_>, networks: &Networks) -> Result<Self> {
        let mut changes = Vec::new();
        let text = record.string("value")?;
        let network_id = record.required("socialNetwork_id")?;
        let network = networks.get(&network_id).cloned();
        let trimmed = text.trim_matches(is_blank);
        let name = network.as_ref().map_or("", |(_, name)| name);
        let value = canonical(name, trimmed);
        if value != text {
            changes.push(format!(
                "the profile is written as {}",
                value.escape_debug()
            ));
        }
        // As it is stored: the other program finds nobody by another spelling.
        let identity = identity(name, trimmed);
        if identity.is_none() && [STEAM, DISCORD].contains(&name) {
            changes.push(
                "nobody can sign in with this profile: it is not written as an id".to_owned(),
            );
        }
        Ok(Self {
            kept: record.keep()?,
            user_id: record.required("user_id")?,
            network,
            value,
            identity,
            linked_at: record.moment("linked_at")?,
            changes,
        })
    }
}

/// The provider and the subject of a profile that somebody may sign in with.
fn identity(network: &str, value: &str) -> Option<(&'static str, String)> {
    match network {
        STEAM => {
            let id = SteamId::parse(value)?.id64().to_string();
            (id == value).then_some((STEAM, id))
        }
        DISCORD => {
            let is_id = DISCORD_ID.contains(&value.len())
                && value.bytes().all(|digit| digit.is_ascii_digit())
                && !value.starts_with('0')
                && value.parse::<u64>().is_ok();
            is_id.then(|| (DISCORD, value.to_owned()))
        }
        _ => None,
    }
}

/// The users of those of the identities that are known.
async fn holders(
    edit: &mut Edit,
    profiles: &[Profile],
) -> Result<HashMap<(&'static str, String), i64>> {
    let mut holders = HashMap::new();
    for provider in [STEAM, DISCORD] {
        let identities = profiles
            .iter()
            .filter_map(|profile| profile.identity.as_ref());
        let of_provider = identities.filter(|(name, _)| *name == provider);
        let subjects: Vec<String> = of_provider.map(|(_, subject)| subject.clone()).collect();
        let found = imported::identities_of(edit, provider, &subjects).await?;
        holders.extend(
            found
                .into_iter()
                .map(|(subject, id)| ((provider, subject), id)),
        );
    }
    Ok(holders)
}

/// Finds the user of each identity: the one with the lowest id.
pub struct Identities<'a> {
    pub now: Timestamp,
    pub networks: &'a Networks,
    batch: Vec<Profile>,
}

impl<'a> Identities<'a> {
    pub fn new(now: Timestamp, networks: &'a Networks) -> Self {
        Self {
            now,
            networks,
            batch: Vec::new(),
        }
    }

    async fn write_batch(&mut self, edit: &mut Edit) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let users = users_by_id(edit, batch.iter().map(|profile| profile.user_id)).await?;
        let known = holders(edit, &batch).await?;
        let mut lowest: HashMap<(&'static str, String), Identity> = HashMap::new();
        for profile in batch {
            let Some(key) = profile.identity else {
                continue;
            };
            let is_lower = |other: &i64| profile.user_id < *other;
            let in_batch = lowest.get(&key).map(|identity| identity.user_id);
            let is_first =
                known.get(&key).is_none_or(is_lower) && in_batch.as_ref().is_none_or(is_lower);
            if is_first && users.contains_key(&profile.user_id) {
                let linked_at = match profile.linked_at {
                    Moment::At(at) => at,
                    Moment::Null | Moment::Impossible => self.now,
                };
                let identity = Identity {
                    user_id: profile.user_id,
                    provider: key.0,
                    subject: key.1.clone(),
                    linked_at,
                };
                lowest.insert(key, identity);
            }
        }
        let mut new = Vec::new();
        for (key, identity) in lowest {
            match known.contains_key(&key) {
                true => imported::move_identity(edit, &identity).await?,
                false => new.push(identity),
            }
        }
        // Their ids follow the order in which they are written.
        new.sort_by(|a, b| (a.user_id, &a.subject).cmp(&(b.user_id, &b.subject)));
        Ok(imported::load_identities(edit, &new).await?)
    }
}

impl Stage for Identities<'_> {
    fn table(&self) -> &'static str {
        TABLE
    }

    fn take(&mut self, record: Record<'_>, _: &mut Output<'_>) -> Result<usize> {
        self.batch.push(Profile::read(record, self.networks)?);
        Ok(record.size())
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        _: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit))
    }
}

/// Writes the links, once the identities are.
pub struct Links<'a> {
    networks: &'a Networks,
    batch: Vec<Profile>,
}

impl<'a> Links<'a> {
    pub fn new(networks: &'a Networks) -> Self {
        Self {
            networks,
            batch: Vec::new(),
        }
    }

    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let users = users_by_id(edit, batch.iter().map(|profile| profile.user_id)).await?;
        let holders = holders(edit, &batch).await?;
        let user_ids: Vec<i64> = users.keys().copied().collect();
        let linked = imported::linked(edit, &user_ids).await?;
        let mut linked: HashSet<(i64, i64)> = linked.into_iter().collect();
        let mut links = Vec::with_capacity(batch.len());
        for mut profile in batch {
            let user_id = profile.user_id;
            let holder = profile.identity.as_ref().and_then(|key| holders.get(key));
            let other = holder.filter(|holder| **holder != user_id);
            let reason = match (&profile.network, other) {
                _ if !users.contains_key(&user_id) => user_is_absent(user_id),
                (None, _) => "the network is not there".to_owned(),
                _ if valid::<ProfileUrl>(&profile.value).is_none() => {
                    "the profile is not a valid one".to_owned()
                }
                (_, Some(other)) => format!("user {other} has the same profile"),
                (Some((network_id, name)), None) if !linked.insert((user_id, *network_id)) => {
                    let signs_in = match profile.identity {
                        Some(_) => "; the user can sign in with it nevertheless",
                        None => "",
                    };
                    format!("the user has a link on {name} already{signs_in}")
                }
                (Some((network_id, name)), None) => {
                    profile.linked_at.or_none("linked_at", &mut profile.changes);
                    output.write(TABLE, profile.kept.id, &profile.changes)?;
                    let link = SocialLink {
                        id: profile.kept.id,
                        network: name.clone(),
                        profile_url: profile.value,
                        network_id: *network_id,
                    };
                    links.push((user_id, link));
                    continue;
                }
            };
            output.leave_out(TABLE, &profile.kept, &reason)?;
        }
        Ok(imported::load_links(edit, &links).await?)
    }
}

impl Stage for Links<'_> {
    fn table(&self) -> &'static str {
        TABLE
    }

    fn take(&mut self, record: Record<'_>, _: &mut Output<'_>) -> Result<usize> {
        self.batch.push(Profile::read(record, self.networks)?);
        Ok(record.size())
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}

#[cfg(test)]
mod tests {
    use super::{DISCORD, STEAM, identity};

    #[test]
    fn only_valid_ids_are_identities() {
        for id in ["76561201960266839", "76561197960265729"] {
            assert_eq!(identity(STEAM, id), Some((STEAM, id.to_owned())));
        }
        for id in ["80351110224678912", "18446744073709551615"] {
            assert_eq!(identity(DISCORD, id), Some((DISCORD, id.to_owned())));
        }
        for (network, value) in [
            (STEAM, "gordon"),
            (STEAM, "STEAM_0:1:1500"),
            (STEAM, "80351110224678912"),
            (DISCORD, "0"),
            (DISCORD, "00000000000000017"),
            (DISCORD, "18446744073709551616"),
            (DISCORD, "8035111022467891a"),
            ("vk", "900000001000000000"),
        ] {
            assert_eq!(identity(network, value), None, "{network} {value}");
        }
    }
}
