//! Finds users by their linked profiles.

pub mod http;
mod store;

use std::collections::HashMap;

use db::Conn;

use super::{User, identities, included, social};
use crate::social_networks::{self, SocialNetwork};
use kernel::input::{Fault, Faults, ListItems, Partial, Place, Raw, Referent, Rule, Text, items};
use kernel::types::{SteamId, Timestamp};
use kernel::write::Resource;
use kernel::{Error, Result, inline_schema, input};

/// How many profiles one request may look up.
const MOST: usize = 100;

input! {
    /// Profiles on a social network, to find the users who have linked them.
    pub struct UserLookup {
        /// The name of the network, or its id in digits.
        network: NetworkName,
        /// The linked profiles. A SteamID in any form, and the address of a profile on Steam or
        /// Discord, find the id. Duplicates are allowed.
        values: ProfileValues,
    }
}

/// The name of a network. The slice checks whether it exists.
pub type NetworkName = Text<1, 50>;

pub const UNKNOWN_NETWORK_NAME: Fault = Fault::UnknownName {
    resource: Referent::SocialNetwork,
};

/// One to [`MOST`] values.
#[derive(Debug)]
pub struct ProfileValues(pub Vec<String>);

impl Rule for ProfileValues {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, ListItems::Strings, 1..=MOST)?;
        let read = |(i, item)| Text::<1, 2048>::read(Raw::Json(item), &mut place.inside(i));
        let values = items.into_iter().enumerate().filter_map(read);
        Some(Self(values.map(Text::into_string).collect()))
    }
}

inline_schema!(ProfileValues, {
    "type": "array",
    "items": { "type": "string", "minLength": 1, "maxLength": 2048, "pattern": r"^[^\x00]*[^\s\x00][^\x00]*$" },
    "minItems": 1,
    "maxItems": MOST,
});

/// The network named in a request body.
pub async fn network(conn: &mut Conn, name: &NetworkName) -> Result<SocialNetwork> {
    let network = social_networks::named(conn, name.as_str()).await?;
    network.ok_or_else(|| Faults::one("network", UNKNOWN_NETWORK_NAME).into())
}

/// Checks a look-up against the database.
pub async fn check(conn: &mut Conn, wanted: Partial<UserLookup>) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(name) = &wanted.network {
        faults.gather(network(conn, name).await.map(|_| ()))?;
    }
    Ok(faults)
}

/// The user who has linked this profile.
pub async fn user(
    conn: &mut Conn,
    now: Timestamp,
    network: &SocialNetwork,
    value: String,
) -> Result<User> {
    let ids = user_ids(conn, network, &[value]).await?;
    let id = ids.into_iter().next().flatten();
    super::get(conn, now, id.ok_or(Error::NotFound(User::SINGULAR))?).await
}

/// The user who signs in with this Steam account, or else the one who linked it first.
pub async fn by_steam_id(conn: &mut Conn, now: Timestamp, id: SteamId) -> Result<Option<User>> {
    let verified = identities::user_of_steam_id(conn, &id.id64().to_string()).await?;
    if let Some(user_id) = verified {
        return Ok(super::store::find(conn, now, user_id).await?);
    }
    let Some(network) = social_networks::named(conn, "steam").await? else {
        return Ok(None);
    };
    let ids = user_ids(conn, &network, &[id.id64().to_string()]).await?;
    match ids.into_iter().next().flatten() {
        Some(id) => Ok(super::store::find(conn, now, id).await?),
        None => Ok(None),
    }
}

/// The users with these ids, with their roles.
pub async fn users(conn: &mut Conn, now: Timestamp, ids: &[i64]) -> Result<Vec<User>> {
    let mut users = super::store::find_many(conn, now, ids).await?;
    let mut roles = included::roles(conn, now, ids).await?;
    for user in &mut users {
        user.roles = roles.remove(&user.id).unwrap_or_default();
    }
    Ok(users)
}

/// For each of these profiles that somebody has linked, the user who did so first.
pub async fn first_linked(
    conn: &mut Conn,
    network: &str,
    values: &[String],
) -> Result<Vec<(String, i64)>> {
    match social_networks::named(conn, network).await? {
        Some(network) => Ok(store::first_links(conn, network.id, values).await?),
        None => Ok(Vec::new()),
    }
}

/// For each value, the id of the user who linked this profile first. A later link to another user's
/// profile thus changes nothing.
pub async fn user_ids(
    conn: &mut Conn,
    network: &SocialNetwork,
    values: &[String],
) -> Result<Vec<Option<i64>>> {
    let profiles = values.iter();
    let profiles = profiles.map(|value| social::canonical(&network.name, value));
    let profiles: Vec<String> = profiles.collect();
    let mut distinct = profiles.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let links = store::first_links(conn, network.id, &distinct).await?;
    let users: HashMap<String, i64> = links.into_iter().collect();
    Ok(profiles
        .iter()
        .map(|profile| users.get(profile).copied())
        .collect())
}
