//! Guards changes of users who are operators. A password gives access, so only a caller with the
//! operator's permissions may change it.

use super::{require_no_restrictions, require_permissions, store};
use kernel::auth::{TOPIC, console};
use kernel::write::Edit;
use kernel::{Error, Result};

/// The effect of a change on a user's access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Makes it possible to sign in as the user.
    TakesOver,
    /// Removes access, and ends the user's console sessions.
    Excludes,
    /// Gives back access that a block removed.
    Restores,
}

/// Locks the keys if a user is an operator. Call it before locking the users.
pub async fn lock_if_operators(edit: &mut Edit, user_ids: &[i64]) -> Result<()> {
    if !store::permissions_of(edit, user_ids).await?.is_empty() {
        edit.lock_api_keys().await?;
    }
    Ok(())
}

/// Requires the permissions of all operators among the locked users, or fails with 403. Makes their
/// running requests check access again. Returns whether there are any operators.
pub async fn require_covered(edit: &mut Edit, user_ids: &[i64], act: Act) -> Result<bool> {
    let operators = store::permissions_of(edit, user_ids).await?;
    if operators.is_empty() {
        return Ok(false);
    }
    // The user became an operator in the meantime. A retry takes the lock in time.
    if !edit.has_locked_api_keys() {
        return Err(Error::Busy);
    }
    for (_, permissions) in &operators {
        require_permissions(edit.actor(), *permissions)?;
    }
    match act {
        Act::TakesOver => require_no_restrictions(edit)?,
        Act::Excludes => {
            for (user_id, _) in operators {
                console::end_of(edit, user_id, None).await?;
            }
        }
        Act::Restores => {}
    }
    edit.announce(TOPIC).await?;
    Ok(true)
}

/// Requires the permissions of all operators among the users and among those who have linked this
/// SteamID64 or sign in with it, or fails with 403. For a change that takes no access away.
pub async fn require_power_over(
    edit: &mut Edit,
    user_ids: &[i64],
    steam_id64: Option<&str>,
) -> Result<()> {
    let mut operators = store::permissions_of(edit, user_ids).await?;
    if let Some(profile) = steam_id64 {
        operators.extend(store::permissions_by_steam_id(edit, profile).await?);
    }
    for (_, permissions) in operators {
        require_permissions(edit.actor(), permissions)?;
    }
    Ok(())
}
