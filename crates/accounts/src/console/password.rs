//! Changes the operator's own password.

use super::browser;
use super::operator_id;
use super::sign_in::check;
use crate::operators;
use crate::operators::Operator;
use crate::passwords::limits::{Account, Claimed, Origin};
use crate::passwords::{self, Password, Waiter};
use crate::sessions::State;
use crate::users::sign_in::{self as credentials, Credentials};
use crate::users::{self};
use kernel::auth::console::end_of;
use kernel::auth::{Actor, TOPIC};
use kernel::secret::Secret;
use kernel::write::{Change, Edit};
use kernel::{Error, ErrorCode, Result, input};

input! {
    /// A new password for the operator who is signed in.
    pub struct ConsolePassword {
        /// The current password.
        current_password: Password<1>,
        /// 8 to 1024 bytes in UTF-8. It is stored only as a hash.
        password: Password,
    }
}

const WRONG: Error = Error::Rejected {
    code: ErrorCode::InvalidCredentials,
    message: "The current password is wrong.",
};

/// Verifies the operator's password; counts as a sign-in attempt unless the whole request succeeds,
/// since the request may also be guessing a code. Attempts of others do not limit it.
pub async fn check_own(
    state: &State,
    actor: &Actor,
    password: &Password<1>,
) -> Result<(Credentials, Claimed)> {
    let user_id = operator_id(actor)?;
    let mut read = state.kernel.core.db.read().await?;
    let known = credentials::credentials_of(&mut read, user_id).await?;
    let mut known = known.ok_or(Error::Unauthorized)?;
    drop(read);
    let attempt = passwords::Attempt {
        account: Account::User(user_id),
        origin: Origin::Session {
            id: actor.session.as_ref().map_or(0, |session| session.id),
            ip: actor.ip,
        },
        waiter: Waiter::Browser(actor.ip),
    };
    let stored = Some(&mut known.password_hash);
    let claimed = check(state, attempt, password, stored).await?;
    let claimed = claimed.ok_or(WRONG)?;
    Ok((known, claimed))
}

/// A proof for the operator's browser, since a new password withdraws all others.
pub async fn new_proof(state: &State, user_id: i64) -> Result<Option<String>> {
    let core = &state.kernel.core;
    let known = credentials::credentials_of(&mut *core.db.read().await?, user_id).await?;
    Ok(known.map(|known| browser::prove(core, &known)))
}

/// Sets the password and ends the operator's other sessions.
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
    users::devices::sign_out_all(edit, user.id).await?;
    let kept = edit.actor().session.as_ref().map(|session| session.id);
    end_of(edit, user.id, kept).await?;
    edit.announce(TOPIC).await?;
    let after = before.clone();
    Ok(Change::updated("password", &before, after).with_new_secret("password"))
}
