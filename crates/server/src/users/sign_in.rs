//! What signing in needs from users.

use db::Conn;

use super::{User, store};
use kernel::Result;
use kernel::input::normalised;
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::write::Edit;

/// A user who may be signing in, and the hash to compare the password with.
#[derive(Debug)]
pub struct Credentials {
    pub user_id: i64,
    pub password_hash: Secret<String>,
}

/// A login as names and addresses are stored for comparison.
pub fn folded(login: &str) -> String {
    fold(&normalised(login.to_owned()))
}

/// The user with this login as their address or, if there is none, as their name. A name that is
/// older than the rule that normalises names is found as it is.
pub async fn credentials(conn: &mut Conn, login: &str) -> Result<Option<Credentials>> {
    let (normal, as_typed) = (folded(login), fold(login));
    let found = store::sign_in::credentials(conn, &normal).await?;
    if found.is_some() || normal == as_typed {
        return Ok(found);
    }
    Ok(store::sign_in::credentials(conn, &as_typed).await?)
}

/// The same for a user who is known already.
pub async fn credentials_of(conn: &mut Conn, user_id: i64) -> Result<Option<Credentials>> {
    Ok(store::sign_in::credentials_of(conn, user_id).await?)
}

/// Sets the password of a user who is locked.
pub async fn set_password(edit: &mut Edit, user_id: i64, hash: Secret<String>) -> Result<()> {
    let now = edit.now();
    Ok(store::sign_in::set_password(edit, user_id, hash.reveal(), now).await?)
}

/// A user without their links and devices.
pub async fn user(conn: &mut Conn, now: Timestamp, id: i64) -> Result<Option<User>> {
    Ok(store::find(conn, now, id).await?)
}

/// The user whose password was right, locked until the end of the transaction. None if the user was
/// deleted or has got another password in the meantime. Without links and devices.
pub async fn confirmed(edit: &mut Edit, credentials: &Credentials) -> Result<Option<User>> {
    store::sign_in::lock(edit, credentials.user_id).await?;
    let now = edit.core().expiry_now();
    let user = user(edit, now, credentials.user_id).await?;
    let same = |user: &User| user.password_hash.reveal() == credentials.password_hash.reveal();
    Ok(user.filter(same))
}
