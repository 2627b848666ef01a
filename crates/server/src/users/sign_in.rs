//! What signing in needs to know of users.

use db::Conn;

use super::{User, store};
use kernel::Result;
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::write::Edit;

/// Who somebody claims to be, and what shows whether they are.
#[derive(Debug)]
pub struct Credentials {
    pub user_id: i64,
    pub password_hash: Secret<String>,
}

/// A login as it is compared.
pub fn folded(login: &str) -> String {
    fold(login)
}

/// Whom a folded login names: by address or, if it is nobody's address, by name.
pub async fn credentials(conn: &mut Conn, folded: &str) -> Result<Option<Credentials>> {
    Ok(store::sign_in::credentials(conn, folded).await?)
}

/// A user without their links and devices.
pub async fn user(conn: &mut Conn, now: Timestamp, id: i64) -> Result<Option<User>> {
    Ok(store::find(conn, now, id).await?)
}

/// The user whose password was found right, held until the end of the transaction; none if they
/// have gone or have another password by now. Their devices and the like are left out.
pub async fn confirmed(edit: &mut Edit, credentials: &Credentials) -> Result<Option<User>> {
    store::sign_in::hold(edit, credentials.user_id).await?;
    let now = edit.now();
    let user = user(edit, now, credentials.user_id).await?;
    let same = |user: &User| user.password_hash.reveal() == credentials.password_hash.reveal();
    Ok(user.filter(same))
}
