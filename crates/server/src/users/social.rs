//! Links to a user's profiles on social networks.

use db::Conn;
use serde::Serialize;

use super::input::{NetworkId, NewSocialLink, ProfileUrl, UNKNOWN_NETWORK};
use super::parts::{no_fields, part_fields};
use super::{User, count_part_change, save, store};
use crate::social_networks;
use kernel::input::{Faults, Partial, TAKEN};
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result};

/// As the audit log names links.
const FIELD: &str = "social_networks";

#[derive(Clone, Debug, Serialize)]
pub struct SocialLink {
    pub id: i64,
    pub network: String,
    pub profile_url: String,
    #[serde(skip)]
    pub network_id: i64,
}

pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<SocialLink>> {
    Ok(store::social::list(conn, user_id).await?)
}

pub async fn add(
    edit: &mut Edit,
    before: Target<User>,
    new: NewSocialLink,
) -> Result<Change<SocialLink>> {
    let NewSocialLink {
        network_id: NetworkId(network_id),
        profile_url: ProfileUrl(profile_url),
    } = new;
    let Some(network) = social_networks::find_and_lock(edit, network_id).await? else {
        return Err(Faults::one("network_id", UNKNOWN_NETWORK).into());
    };
    let mut user = before.clone();
    // No race: the user is locked.
    let mut links = list(edit, user.id).await?.into_iter();
    if links.any(|link| link.network_id == network_id) {
        return Err(Faults::one("network_id", TAKEN).into());
    }
    let mut link = SocialLink {
        id: 0,
        network: network.name,
        profile_url,
        network_id,
    };
    link.id = store::social::insert(edit, user.id, &link).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let (id, fields) = (link.id, part_fields(FIELD, link.id, &link));
    let change = Change::of_part("add_social_network", &before, &no_fields(), &fields, link);
    Ok(change.creating_part(id).with_etag_of(&user))
}

/// The faults of a link to add that need the database.
pub async fn check_new(
    conn: &mut Conn,
    user_id: i64,
    new: Partial<NewSocialLink>,
) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(NetworkId(network_id)) = new.network_id {
        let mut links = list(conn, user_id).await?.into_iter();
        if !social_networks::exists(conn, network_id).await? {
            faults.at("network_id").add(UNKNOWN_NETWORK);
        } else if links.any(|link| link.network_id == network_id) {
            faults.at("network_id").add(TAKEN);
        }
    }
    Ok(faults)
}

pub async fn delete(edit: &mut Edit, before: Target<User>, id: i64) -> Result<Change<()>> {
    let mut links = list(edit, before.id).await?.into_iter();
    let link = links.find(|link| link.id == id);
    let link = link.ok_or(Error::NotFound("social network link"))?;
    let mut user = before.clone();
    store::social::delete(edit, id).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let fields = part_fields(FIELD, id, &link);
    let change = Change::of_part("remove_social_network", &before, &fields, &no_fields(), ());
    Ok(change.with_etag_of(&user))
}
