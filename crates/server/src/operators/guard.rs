//! Changes of users who are operators. A password is access, so only a caller who has the
//! operator's permissions may change what leads to it.

use super::{require_no_restrictions, require_permissions, store};
use kernel::auth::TOPIC;
use kernel::write::Edit;
use kernel::{Error, Result};

/// What is done to a user.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// It makes it possible to sign in as the user afterwards.
    TakesOver,
    /// It only takes access away.
    Excludes,
}

/// Comes before the users are locked: changes of operators exclude each other.
pub async fn lock_if_operators(edit: &mut Edit, user_ids: &[i64]) -> Result<()> {
    if !store::permissions_of(edit, user_ids).await?.is_empty() {
        edit.lock_api_keys().await?;
    }
    Ok(())
}

/// Comes when the users are locked: 403 unless the caller has all permissions of those who are
/// operators. Requests of theirs that are under way are checked again. Says whether there are any.
pub async fn require_covered(edit: &mut Edit, user_ids: &[i64], act: Act) -> Result<bool> {
    let operators = store::permissions_of(edit, user_ids).await?;
    if operators.is_empty() {
        return Ok(false);
    }
    // The user became an operator in the meantime. A retry finds that out in time.
    if !edit.has_locked_api_keys() {
        return Err(Error::Busy);
    }
    for permissions in operators {
        require_permissions(edit, permissions)?;
    }
    if act == Act::TakesOver {
        require_no_restrictions(edit)?;
    }
    edit.announce(TOPIC).await?;
    Ok(true)
}
