//! Identities: the profiles at Steam and Discord that a user signs in with. Unlike a social link, an
//! identity was verified by its provider.

pub mod http;
mod store;

use std::fmt;

use db::AdvisoryLock;
use serde::Serialize;

pub(super) use self::store::delete_all;
pub use self::store::{find, list, steam_ids, touch, user_of_steam_id, users_of};

use super::User;
use super::save::{count_part_change, no_fields, part_fields, save};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Fact, Target};
use kernel::{Error, ErrorCode, Result};

/// The name of the field in the audit log.
const FIELD: &str = "identities";

/// How many identities a user may have.
const MOST: usize = 50;

/// Who verified a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    Steam,
    Discord,
}

impl Provider {
    pub const ALL: [Self; 2] = [Self::Steam, Self::Discord];

    /// Also the name of its social network.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steam => "steam",
            Self::Discord => "discord",
        }
    }

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Identity {
    pub id: i64,
    #[serde(skip)]
    pub user_id: i64,
    pub provider: Provider,
    /// A SteamID64, or the id of a Discord user.
    pub subject: String,
    #[serde(skip)]
    pub linked_at: Timestamp,
    #[serde(skip)]
    pub last_used_at: Option<Timestamp>,
}

/// Prevents that another transaction links a profile until the end of this one. It comes before the
/// lock of the user.
pub async fn lock(edit: &mut Edit) -> Result<()> {
    Ok(edit.lock_advisory(AdvisoryLock::Identities).await?)
}

/// Links a verified profile that no user has. [`lock`] and the user's lock are held.
pub async fn link(
    edit: &mut Edit,
    before: Target<User>,
    provider: Provider,
    subject: String,
) -> Result<Change<Identity>> {
    if list(edit, before.id).await?.len() >= MOST {
        return Err(Error::Conflict {
            code: ErrorCode::TooManyIdentities,
            message: "This user has as many profiles to sign in with as possible. Unlink one first.",
        });
    }
    let mut user = before.clone();
    let mut identity = Identity {
        id: 0,
        user_id: user.id,
        provider,
        subject,
        linked_at: edit.now(),
        last_used_at: None,
    };
    identity.id = store::insert(edit, &identity).await?;
    tell(edit, &identity).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let fields = part_fields(FIELD, identity.id, &identity);
    let change = Change::of_part("link_identity", &before, &no_fields(), &fields, identity);
    Ok(change.with_etag_of(&user))
}

/// Discord roles follow their owner's profile.
async fn tell(edit: &mut Edit, identity: &Identity) -> Result<()> {
    match identity.provider {
        Provider::Discord => {
            let user_ids = &[identity.user_id];
            edit.tell(Fact::UsersChanged { user_ids }).await
        }
        Provider::Steam => Ok(()),
    }
}

/// Unlinks a profile and ends the sessions that were begun with it. The last way to sign in stays.
pub async fn unlink(edit: &mut Edit, before: Target<User>, id: i64) -> Result<Change<()>> {
    let identities = list(edit, before.id).await?;
    let identity = identities.iter().find(|identity| identity.id == id);
    let identity = identity.ok_or(Error::NotFound("identity"))?;
    if identities.len() == 1 && !before.has_password() {
        return Err(Error::Conflict {
            code: ErrorCode::LastSignInMethod,
            message: "This is the only way in which the user can sign in. Set a password or link \
                      another profile first.",
        });
    }
    let mut user = before.clone();
    tell(edit, identity).await?;
    // The sessions are deleted with it.
    store::delete(edit, id).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let fields = part_fields(FIELD, id, identity);
    let change = Change::of_part("unlink_identity", &before, &fields, &no_fields(), ());
    Ok(change.with_etag_of(&user))
}
