//! Confirms a session with a password, a code, or the API key it was begun with. Operations with the
//! right [`Confirmed`](kernel::auth::permission::Confirmed) require it.

use super::password::check_own;
use super::two_factor;
use super::{Owner, Session, operator_id, owner, store, target};
use crate::operators;
use crate::passwords::Password;
use crate::passwords::limits::Claimed;
use crate::sessions::State;
use crate::users::sign_in::{self as credentials, Credentials};
use kernel::auth::Actor;
use kernel::auth::console::token_hash;
use kernel::input::Text;
use kernel::types::client_network;
use kernel::write::{Change, Edit};
use kernel::{Error, ErrorCode, Result, input};

input! {
    /// A credential of the person who is signed in.
    pub struct ConsoleConfirmation {
        /// The operator's password. Up to 1024 bytes in UTF-8.
        password: Option<Password<1>>,
        /// A code of the operator's second factor, or a recovery code.
        code: Option<Text<1, 64>>,
        /// The API key that the session was begun with.
        api_key: Option<Text<1, 256>>,
    }
    exactly one of password, code, api_key
}

const WRONG: Error = Error::Rejected {
    code: ErrorCode::InvalidCredentials,
    message: "The password or the API key is wrong.",
};

/// A credential that was checked as far as possible before the transaction.
pub enum Confirmation {
    /// A correct password.
    Password(Credentials),
    /// A code, to be examined.
    Code(two_factor::Attempt),
    /// The key of the session.
    Key,
}

/// Checks the credential. The attempt counts as one to sign in; returns it with a correct password,
/// to be taken back.
pub async fn check_confirmation(
    state: &State,
    actor: &Actor,
    input: ConsoleConfirmation,
) -> Result<(Confirmation, Option<Claimed>)> {
    let ConsoleConfirmation {
        password,
        code,
        api_key,
    } = input;
    if let Some(password) = password {
        let (known, claimed) = check_own(state, actor, &password).await?;
        return Ok((Confirmation::Password(known), Some(claimed)));
    }
    if let Some(code) = code {
        let attempt = two_factor::Attempt::of_session(state, actor, code.as_str()).await?;
        return Ok((Confirmation::Code(attempt), None));
    }
    let hash = api_key.map(|value| token_hash(value.as_str()));
    let owner = owner(&mut *state.kernel.core.db.read().await?, actor).await?;
    match owner {
        Owner::Key(own) if Some(own) == hash => Ok((Confirmation::Key, None)),
        _ => Err(wrong_key(state, actor)),
    }
}

/// Counts a wrong key, as in any request.
fn wrong_key(state: &State, actor: &Actor) -> Error {
    let kernel = &state.kernel;
    let network = actor.ip.map(client_network);
    let counted = network.map(|from| kernel.wrong_keys.record(from, kernel.core.clock.elapsed()));
    match counted {
        Some(error @ Error::TooManyRequests { .. }) => error,
        _ => WRONG,
    }
}

/// Confirms the session of the request.
pub async fn confirm(edit: &mut Edit, confirmation: &Confirmation) -> Result<Change<Session>> {
    let own = edit.actor().session.as_ref().map_or(0, |own| own.id);
    let session = target(edit, own).await?;
    match confirmation {
        Confirmation::Password(known) => {
            credentials::confirmed(edit, known).await?.ok_or(WRONG)?;
        }
        Confirmation::Code(attempt) => {
            let user_id = operator_id(edit.actor())?;
            let operator = operators::find_and_lock(edit, user_id).await?;
            let operator = operator.ok_or(Error::Unauthorized)?;
            two_factor::prove(edit, &operator, attempt).await?;
        }
        Confirmation::Key => {}
    }
    let now = edit.core().expiry_now();
    store::confirm(edit, session.id, now).await?;
    let after = session.clone();
    Ok(Change::updated("confirm", &session, after))
}
