//! Finding users by the profiles that they have linked.

use std::collections::HashMap;

use db::Conn;

use super::input::{NetworkName, UNKNOWN_NETWORK_NAME, UserLookup};
use super::steam_id::SteamId;
use super::{User, store};
use crate::social_networks::{self, SocialNetwork};
use kernel::input::{Faults, Partial};
use kernel::types::Timestamp;
use kernel::write::Resource;
use kernel::{Error, Result};

/// The network whose profiles have more than one spelling.
const STEAM: &str = "steam";

/// A link to a profile: its id, and the user who has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundLink {
    pub id: i64,
    pub user_id: i64,
}

/// The network that a request names in its body.
pub async fn network(conn: &mut Conn, name: &NetworkName) -> Result<SocialNetwork> {
    let network = social_networks::named(conn, name.as_str()).await?;
    network.ok_or_else(|| Faults::one("network", UNKNOWN_NETWORK_NAME).into())
}

/// The faults of a look-up that need the database.
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

/// These users with their roles.
pub async fn users(conn: &mut Conn, now: Timestamp, ids: &[i64]) -> Result<Vec<User>> {
    let mut users = store::bulk::find(conn, now, ids).await?;
    let mut roles = store::included::roles(conn, ids).await?;
    for user in &mut users {
        user.roles = roles.remove(&user.id).unwrap_or_default();
    }
    Ok(users)
}

/// For each value, the id of the user who has linked this profile. If there are several, it is the
/// one who linked it first, so that a later link to another's profile changes nothing.
pub async fn user_ids(
    conn: &mut Conn,
    network: &SocialNetwork,
    values: &[String],
) -> Result<Vec<Option<i64>>> {
    let spellings: Vec<Vec<String>> = values
        .iter()
        .map(|value| spellings(network, value))
        .collect();
    let mut distinct: Vec<String> = spellings.concat();
    distinct.sort_unstable();
    distinct.dedup();
    let links = store::lookup::first_links(conn, network.id, &distinct).await?;
    let links: HashMap<String, FoundLink> = links.into_iter().collect();
    let first = |spellings: &Vec<String>| {
        let links = spellings.iter().filter_map(|spelling| links.get(spelling));
        links.min().map(|link| link.user_id)
    };
    Ok(spellings.iter().map(first).collect())
}

/// Everything that a link to this profile can be.
fn spellings(network: &SocialNetwork, value: &str) -> Vec<String> {
    let steam_id = match network.name.as_str() {
        STEAM => SteamId::parse(value),
        _ => None,
    };
    match steam_id {
        Some(steam_id) => steam_id.spellings().into(),
        None => vec![value.to_owned()],
    }
}
