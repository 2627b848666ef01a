//! The part of users that signing in needs.

mod new_user;
mod store;

use db::Conn;

pub use self::new_user::register;
pub use self::store::credentials_of;
use super::User;
pub use super::store::find as user;
use kernel::Result;
use kernel::input::normalised;
use kernel::secret::Secret;
use kernel::types::case_fold::fold;
use kernel::write::Edit;

/// A user who may be signing in, and the hash of their password.
#[derive(Debug)]
pub struct Credentials {
    pub user_id: i64,
    pub password_hash: Secret<String>,
}

/// Folds a login in the same way as stored names and addresses.
pub fn folded(login: &str) -> String {
    fold(&normalised(login.to_owned()))
}

/// The user with this login as their address or, if there is none, as their name. Addresses are not
/// normalised, so one is also found as it was typed.
pub async fn credentials(conn: &mut Conn, login: &str) -> Result<Option<Credentials>> {
    let (normal, as_typed) = (folded(login), fold(login));
    let found = store::credentials(conn, &normal).await?;
    if found.is_some() || normal == as_typed {
        return Ok(found);
    }
    Ok(store::credentials(conn, &as_typed).await?)
}

/// Sets the password of a locked user.
pub async fn set_password(edit: &mut Edit, user_id: i64, hash: Secret<String>) -> Result<()> {
    let now = edit.now();
    Ok(store::set_password(edit, user_id, hash.reveal(), now).await?)
}

/// The user whose password was correct, locked until the end of the transaction, without links and
/// devices. `None` if the user was deleted or the password changed in the meantime.
pub async fn confirmed(edit: &mut Edit, credentials: &Credentials) -> Result<Option<User>> {
    store::lock(edit, credentials.user_id).await?;
    let now = edit.core().expiry_now();
    let user = user(edit, now, credentials.user_id).await?;
    let same = |user: &User| user.password_hash.reveal() == credentials.password_hash.reveal();
    Ok(user.filter(same))
}
