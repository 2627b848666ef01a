//! Operators: users who may use the console. `kernel::auth` authenticates them; this slice manages
//! them and their permissions.
//!
//! The rules are those of API keys: a caller can grant only permissions it has, and can change only
//! operators who have no others.

mod guard;
pub mod http;
mod input;
mod store;

use db::{Conn, Tx};
use serde::Serialize;

use kernel::auth::permission::PermissionSet;
use kernel::auth::{Actor, TOPIC, console};
use kernel::input::Patch;
use kernel::list::Window;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result};

pub use self::guard::{Act, lock_if_operators, require_covered, require_power_over};
pub use self::input::OperatorChanges;

/// Wrong passwords and codes since the operator's last sign-in.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Failures {
    pub passwords: i64,
    /// Codes of the second factor.
    pub codes: i64,
}

/// An operator. Names and addresses are not serialised: the audit log has the id.
#[derive(Clone, Debug, Serialize)]
pub struct Operator {
    pub user_id: i64,
    pub active: bool,
    pub permissions: PermissionSet,
    pub two_factor: bool,
    /// Whether the operator also gets permissions that later versions add.
    #[serde(skip)]
    pub has_all_permissions: bool,
    #[serde(skip)]
    pub username: String,
    #[serde(skip)]
    pub email: String,
    #[serde(skip)]
    pub last_sign_in_at: Option<Timestamp>,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub failures: Failures,
}

impl Resource for Operator {
    const PLURAL: &'static str = "operators";
    const SINGULAR: &'static str = "operator";

    fn id(&self) -> i64 {
        self.user_id
    }

    fn user_id(&self) -> Option<i64> {
        Some(self.user_id)
    }
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Operator>> {
    Ok(store::list(conn, window).await?)
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    Ok(store::count(conn).await?)
}

pub async fn find(conn: &mut Conn, user_id: i64) -> Result<Option<Operator>> {
    Ok(store::find(conn, user_id).await?)
}

pub async fn get(conn: &mut Conn, user_id: i64) -> Result<Operator> {
    let operator = store::find(conn, user_id).await?;
    operator.ok_or(Error::NotFound(Operator::SINGULAR))
}

/// The operator, locked until the end of the transaction.
pub async fn find_and_lock(edit: &mut Edit, user_id: i64) -> Result<Option<Operator>> {
    store::lock(edit, user_id).await?;
    find(edit, user_id).await
}

/// The operator, if the caller has the same permissions or more.
pub async fn get_covered(conn: &mut Conn, actor: &Actor, user_id: i64) -> Result<Operator> {
    let operator = get(conn, user_id).await?;
    require_permissions(actor, operator.permissions)?;
    Ok(operator)
}

/// The operator whom the caller may change, locked. One lock serialises changes of operators and
/// keys.
pub async fn lock_covered(edit: &mut Edit, user_id: i64) -> Result<Operator> {
    edit.lock_api_keys().await?;
    let operator = find_and_lock(edit, user_id).await?;
    let operator = operator.ok_or(Error::NotFound(Operator::SINGULAR))?;
    require_permissions(edit.actor(), operator.permissions)?;
    Ok(operator)
}

/// The operator to change.
pub async fn target(edit: &mut Edit, user_id: i64) -> Result<Target<Operator>> {
    let operator = lock_covered(edit, user_id).await?;
    edit.target(Some(operator))
}

/// Grants a user access to the console, or changes it.
pub async fn put(
    edit: &mut Edit,
    user_id: i64,
    changes: impl FnOnce() -> Result<OperatorChanges>,
) -> Result<Change<Operator>> {
    edit.lock_api_keys().await?;
    let user = store::lock_and_find_user(edit, user_id).await?;
    let user = user.ok_or(Error::NotFound("user"))?;
    let current = find_and_lock(edit, user_id).await?;
    if let Some(current) = &current {
        require_permissions(edit.actor(), current.permissions)?;
    }
    // An operator has no restrictions, so a restricted key would escalate.
    require_no_restrictions(edit)?;
    let current = match current {
        Some(current) => Some(edit.target(Some(current))?),
        None => {
            edit.require_absent()?;
            None
        }
    };
    let OperatorChanges {
        permission_ids,
        active,
    } = changes()?;
    if let Patch::Set(permissions) = &permission_ids {
        require_permissions(edit.actor(), *permissions)?;
    }
    let Some(before) = current else {
        let operator = Operator {
            user_id,
            active: active.or(true),
            permissions: permission_ids.or(PermissionSet::default()),
            two_factor: false,
            has_all_permissions: false,
            username: user.username,
            email: user.email,
            last_sign_in_at: None,
            created_at: edit.now(),
            failures: Failures::default(),
        };
        return add(edit, operator).await;
    };
    let operator = Operator {
        has_all_permissions: before.has_all_permissions && matches!(permission_ids, Patch::Keep),
        permissions: permission_ids.or(before.permissions),
        active: active.or(before.active),
        ..before.clone()
    };
    store::update(edit, &operator).await?;
    if !operator.active {
        console::end_of(edit, user_id, None).await?;
    }
    edit.announce(TOPIC).await?;
    Ok(Change::updated("update", &before, operator))
}

/// Grants a user every permission, including those that later versions add.
pub async fn put_with_all(edit: &mut Edit, user_id: i64) -> Result<Change<Operator>> {
    let changes = || {
        Ok(OperatorChanges {
            permission_ids: Patch::Set(PermissionSet::all()),
            active: Patch::Set(true),
        })
    };
    let change = put(edit, user_id, changes).await?;
    store::set_all_permissions(edit, user_id).await?;
    Ok(change)
}

/// Adds an operator. The caller has locked the user and the keys.
pub async fn add(edit: &mut Edit, operator: Operator) -> Result<Change<Operator>> {
    store::insert(edit, &operator).await?;
    edit.announce(TOPIC).await?;
    Ok(Change::created(operator))
}

/// Removes the operator's access and ends their sessions.
pub async fn delete(edit: &mut Edit, operator: Target<Operator>) -> Result<Change<Operator>> {
    console::end_of(edit, operator.user_id, None).await?;
    store::delete(edit, operator.user_id).await?;
    edit.announce(TOPIC).await?;
    Ok(Change::deleted(operator))
}

/// Ends all sessions of the operator.
pub async fn end_sessions(edit: &mut Edit, operator: Target<Operator>) -> Result<Change<Operator>> {
    console::end_of(edit, operator.user_id, None).await?;
    edit.announce(TOPIC).await?;
    let after = operator.clone();
    Ok(Change::updated("end_sessions", &operator, after))
}

/// Counts a failed sign-in with a wrong password or, if `is_code`, a wrong code. Does nothing if the
/// user is not an operator.
pub async fn count_failure(tx: &mut Tx, user_id: i64, is_code: bool) -> Result<()> {
    Ok(store::count_failure(tx, user_id, is_code).await?)
}

/// Records a sign-in, and resets the failures before it.
pub async fn record_sign_in(tx: &mut Tx, user_id: i64, now: Timestamp) -> Result<()> {
    Ok(store::record_sign_in(tx, user_id, now).await?)
}

/// Refuses to grant or change permissions that the caller does not have.
pub fn require_permissions(actor: &Actor, permissions: PermissionSet) -> Result<()> {
    match actor.permissions.covers(permissions) {
        true => Ok(()),
        false => Err(Error::PrivilegeEscalation),
    }
}

/// Refuses a key that is valid only for a time or in some networks: a person has no such limits.
pub fn require_no_restrictions(edit: &Edit) -> Result<()> {
    match edit.actor().is_restricted() {
        true => Err(Error::PrivilegeEscalation),
        false => Ok(()),
    }
}
