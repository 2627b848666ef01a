//! Changing one's own password.

use super::sign_in::claim;
use crate::app::App;
use crate::operators::Operator;
use crate::passwords::limits::{Claimed, Origin};
use crate::users::sign_in::{self as credentials, Credentials};
use crate::users::{self, Password};
use crate::{operators, sessions};
use kernel::auth::{Actor, TOPIC};
use kernel::secret::Secret;
use kernel::write::{Change, Edit};
use kernel::{Error, ErrorCode, Result, input};

input! {
    /// A new password for the operator who is signed in.
    pub struct ConsolePassword {
        /// The one that is valid now.
        current_password: Password<1>,
        /// 8 to 1024 bytes in UTF-8. It is stored only as a hash.
        password: Password,
    }
}

const WRONG: Error = Error::Rejected {
    code: ErrorCode::InvalidCredentials,
    message: "The current password is wrong.",
};

/// The operator of a request; 403 if it is made with the session of an API key.
pub fn operator_id(actor: &Actor) -> Result<i64> {
    actor.user_id.ok_or(Error::Forbidden {
        code: ErrorCode::NotAnOperator,
        message: "This session belongs to an API key, which has neither a password nor a second \
                  factor.",
    })
}

/// Checks the operator's own password, within the limits of attempts to sign in. The attempt is
/// forgiven when the whole request succeeds: it may also guess a code.
pub async fn check_own(
    app: &App,
    actor: &Actor,
    password: &Password<1>,
) -> Result<(Credentials, Claimed)> {
    let user_id = operator_id(actor)?;
    let mut read = app.db.read().await?;
    let brief = users::brief(&mut read, user_id).await?;
    let login = brief.ok_or(Error::Unauthorized)?.username;
    let known = credentials::credentials_of(&mut read, user_id).await?;
    let known = known.ok_or(Error::Unauthorized)?;
    drop(read);
    let place = app.passwords.queue()?;
    let origin = actor.ip.map_or(Origin::Program(None), Origin::Person);
    let claimed = claim(app, &credentials::folded(&login), origin).await?;
    if !place.check(password, Some(&known.password_hash)).await? {
        return Err(WRONG);
    }
    Ok((known, claimed))
}

/// Sets the password and ends all sessions of the operator but the one that asks.
pub async fn change_password(
    edit: &mut Edit,
    known: &Credentials,
    hash: Secret<String>,
) -> Result<Change<Operator>> {
    edit.lock_api_keys().await?;
    let current = credentials::confirmed(edit, known).await?;
    let user = current.ok_or(WRONG)?;
    let operator = operators::find_and_lock(edit, user.id).await?;
    let before = edit.target(operator)?;
    credentials::set_password(edit, user.id, hash).await?;
    sessions::end_all_of(edit, user.id).await?;
    let kept = edit
        .actor()
        .session
        .as_ref()
        .map_or(0, |session| session.id);
    super::end_others_of(edit, user.id, kept).await?;
    edit.announce(TOPIC).await?;
    let after = before.clone();
    Ok(Change::updated("password", &before, after).with_new_secret("password"))
}
