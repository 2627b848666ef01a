//! Links to a user's profiles on social networks.

pub mod http;
mod input;
mod profile;
mod store;

use db::Conn;
use serde::Serialize;

use self::input::{NetworkId, UNKNOWN_NETWORK};
pub use self::input::{NewSocialLink, ProfileUrl};
pub use self::profile::canonical;
pub(super) use self::store::delete_all;
pub use self::store::list;

use super::User;
use super::save::{count_part_change, no_fields, part_fields, save};
use crate::social_networks;
use kernel::input::{Fault, Faults, Partial};
use kernel::write::{Change, Edit, Fact, Target};
use kernel::{Error, Result};

/// The name of the field in the audit log.
const FIELD: &str = "social_networks";

/// The name of Discord's network.
pub const DISCORD: &str = "discord";

#[derive(Clone, Debug, Serialize)]
pub struct SocialLink {
    pub id: i64,
    pub network: String,
    pub profile_url: String,
    #[serde(skip)]
    pub network_id: i64,
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
    // This is free of races: the user is locked.
    let mut links = list(edit, user.id).await?.into_iter();
    if links.any(|link| link.network_id == network_id) {
        return Err(Faults::one("network_id", Fault::Taken {}).into());
    }
    let mut link = SocialLink {
        id: 0,
        profile_url: canonical(&network.name, &profile_url),
        network: network.name,
        network_id,
    };
    link.id = store::insert(edit, user.id, &link).await?;
    tell(edit, user.id, &link).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let (id, fields) = (link.id, part_fields(FIELD, link.id, &link));
    let change = Change::of_part("add_social_network", &before, &no_fields(), &fields, link);
    Ok(change.creating_part(id).with_etag_of(&user))
}

/// Adds a link to a verified profile, if the user has none of this network and it exists.
pub async fn add_verified(
    edit: &mut Edit,
    user: Target<User>,
    network: &str,
    profile: &str,
) -> Result<Option<Change<SocialLink>>> {
    let Some(network) = social_networks::named(edit, network).await? else {
        return Ok(None);
    };
    let mut links = list(edit, user.id).await?.into_iter();
    if links.any(|link| link.network_id == network.id) {
        return Ok(None);
    }
    let new = NewSocialLink {
        network_id: NetworkId(network.id),
        profile_url: ProfileUrl(profile.to_owned()),
    };
    add(edit, user, new).await.map(Some)
}

/// Checks a link to add against the database.
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
            faults.at("network_id").add(Fault::Taken {});
        }
    }
    Ok(faults)
}

/// Discord roles may follow a link.
async fn tell(edit: &mut Edit, user_id: i64, link: &SocialLink) -> Result<()> {
    if link.network != DISCORD {
        return Ok(());
    }
    let user_ids = &[user_id];
    edit.tell(Fact::UsersChanged { user_ids }).await
}

pub async fn delete(edit: &mut Edit, before: Target<User>, id: i64) -> Result<Change<()>> {
    let mut links = list(edit, before.id).await?.into_iter();
    let link = links.find(|link| link.id == id);
    let link = link.ok_or(Error::NotFound("social network link"))?;
    let mut user = before.clone();
    tell(edit, user.id, &link).await?;
    store::delete(edit, id).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let fields = part_fields(FIELD, id, &link);
    let change = Change::of_part("remove_social_network", &before, &fields, &no_fields(), ());
    Ok(change.with_etag_of(&user))
}
