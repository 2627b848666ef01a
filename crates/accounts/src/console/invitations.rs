//! Invitations: links with which a person becomes an operator with given permissions.

use db::Conn;
use serde::Serialize;

use super::{Token, store};
use crate::operators;
use crate::users::{self, ACTIVE};
use kernel::auth::permission::PermissionSet;
use kernel::auth::{Actor, Restrictions};
use kernel::input::Line;
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::types::time::HOUR;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result, input};
use platform::api_keys;
use platform::audit::events::EventActor;

/// How long a link is valid.
pub const INVITATION_HOURS: i64 = 72;

/// An invitation, without its token.
#[derive(Clone, Debug, Serialize)]
pub struct Invitation {
    pub id: i64,
    pub note: String,
    pub permissions: PermissionSet,
    pub expires_at: Timestamp,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub inviter: Inviter,
    /// The present name of the inviter. Not serialised: the audit log has the id.
    #[serde(skip)]
    pub inviter_name: String,
}

/// The operator or the API key that invited.
#[derive(Clone, Copy, Debug)]
pub struct Inviter {
    pub user_id: Option<i64>,
    pub key_id: Option<i64>,
}

impl Invitation {
    pub fn invited_by(&self) -> EventActor {
        let Inviter { user_id, key_id } = self.inviter;
        EventActor::of_stored(key_id, user_id, self.inviter_name.clone())
    }
}

impl Resource for Invitation {
    const PLURAL: &'static str = "operator_invitations";
    const SINGULAR: &'static str = "invitation";
    const SECRETS: &'static [&'static str] = &["token"];

    fn id(&self) -> i64 {
        self.id
    }
}

input! {
    /// An invitation to become an operator.
    pub struct NewOperatorInvitation {
        /// Ids from the catalogue of permissions, which the operator will have.
        permission_ids: PermissionSet,
        /// For whom or what it is, up to 100 characters.
        note: Option<Line<0, 100>>,
    }
}

/// An invitation and its token, which is not stored.
pub struct Issued {
    pub invitation: Invitation,
    pub token: Token,
}

/// The invitations that have not expired, oldest first.
pub async fn list(conn: &mut Conn, now: Timestamp, window: Window) -> Result<Vec<Invitation>> {
    Ok(store::invitations::list(conn, now, window).await?)
}

pub async fn count(conn: &mut Conn, now: Timestamp) -> Result<i64> {
    Ok(store::invitations::count(conn, now).await?)
}

pub async fn get(conn: &mut Conn, id: i64, now: Timestamp) -> Result<Invitation> {
    let found = store::invitations::find(conn, id, now).await?;
    found.ok_or(Error::NotFound(Invitation::SINGULAR))
}

/// Checks that the caller may invite at all. An operator has no restrictions, so a restricted key
/// would escalate.
pub async fn lock(edit: &mut Edit) -> Result<()> {
    edit.lock_api_keys().await?;
    operators::require_no_restrictions(edit)
}

/// Makes a link. The caller has called [`lock`].
pub async fn create(edit: &mut Edit, new: NewOperatorInvitation) -> Result<Change<Issued>> {
    let NewOperatorInvitation {
        permission_ids,
        note,
    } = new;
    operators::require_permissions(edit.actor(), permission_ids)?;
    let token = Token::generate();
    let now = edit.core().expiry_now();
    let Actor {
        user_id, key_id, ..
    } = *edit.actor();
    let mut invitation = Invitation {
        id: 0,
        note: note.unwrap_or_default().into_string(),
        permissions: permission_ids,
        expires_at: Timestamp::from_unix(now.unix() + INVITATION_HOURS * HOUR),
        created_at: edit.now(),
        inviter: Inviter { user_id, key_id },
        inviter_name: EventActor::of_actor(edit.actor()).name,
    };
    store::invitations::delete_expired(edit, now).await?;
    invitation.id = store::invitations::insert(edit, &token.hash(), &invitation).await?;
    let change = Change::created(invitation).revealing_secret();
    Ok(change.map(|invitation| Issued { invitation, token }))
}

/// The invitation to withdraw. Its permissions must be covered by the caller's.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Invitation>> {
    edit.lock_api_keys().await?;
    let now = edit.core().expiry_now();
    let found = get(edit, id, now).await?;
    operators::require_permissions(edit.actor(), found.permissions)?;
    edit.target(Some(found))
}

pub async fn delete(edit: &mut Edit, found: Target<Invitation>) -> Result<Change<Invitation>> {
    store::invitations::delete(edit, found.id).await?;
    Ok(Change::deleted(found))
}

/// The invitation of a token, if it has not expired and the inviter could still grant what it
/// grants.
pub(super) async fn find_valid(
    conn: &mut Conn,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<Option<Invitation>> {
    let Some(found) = store::invitations::find_by_hash(conn, hash, now).await? else {
        return Ok(None);
    };
    let present = present_permissions(conn, found.inviter, now).await?;
    Ok(Some(found).filter(|found| present.covers(found.permissions)))
}

/// The permissions that the inviter could grant now.
async fn present_permissions(
    conn: &mut Conn,
    inviter: Inviter,
    now: Timestamp,
) -> Result<PermissionSet> {
    if let Some(user_id) = inviter.user_id {
        let operator = operators::find(conn, user_id).await?;
        let Some(operator) = operator.filter(|operator| operator.active) else {
            return Ok(PermissionSet::default());
        };
        let user = users::get(conn, now, user_id).await?;
        return Ok(match user.status.as_str() {
            ACTIVE => operator.permissions,
            _ => PermissionSet::default(),
        });
    }
    let Some(key_id) = inviter.key_id else {
        return Ok(PermissionSet::default());
    };
    let key = api_keys::get(conn, key_id).await?;
    let is_unrestricted = Restrictions::default().are_within(&key.restrictions);
    Ok(match key.active && is_unrestricted {
        true => key.permissions,
        false => PermissionSet::default(),
    })
}
