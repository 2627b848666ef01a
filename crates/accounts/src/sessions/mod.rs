//! Sessions of signed-in users, each on its own device.

mod activity;
mod attempt;
mod failures;
pub mod http;
mod store;
mod token;

use std::net::IpAddr;
use std::sync::Arc;

use db::Conn;
use serde::Serialize;

pub use self::activity::{Activity, write_uses};
pub use self::attempt::{Attempt, ClientIp, SignIn, attempt};
pub use self::failures::{Attempted, Failures, record as record_failure};
pub use self::token::Token;

use crate::passwords::{Passwords, limits};
use crate::users::devices::{self, Device};
use crate::users::identities::{Identity, Provider};
use crate::users::{self, NewDevice, User};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Kernel, Result, input};

/// The state of the slice. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub kernel: Kernel,
    pub passwords: Arc<Passwords>,
    pub activity: Arc<Activity>,
    pub failures: Arc<Failures>,
    pub features: Features,
}

/// Optional parts of the service that the operator has configured.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Features {
    /// Whether there is a folder for backups; without one, the operations of backups are 409.
    pub backups: bool,
    /// Whether players can sign in with Steam.
    pub steam_sign_in: bool,
    /// Whether players can sign in with Discord.
    pub discord_sign_in: bool,
}

const DAY: i64 = 24 * 60 * 60;
/// The use of a session is stored at most this often, in seconds.
const NOTED_EVERY: i64 = 60;
/// The number of rows removed in one transaction; small, so that writers wait only briefly.
const REMOVED_AT_ONCE: i64 = 1000;

const ENDED: Error = Error::Rejected {
    code: ErrorCode::SessionInvalid,
    message: "There is no such session, or it has ended.",
};

/// A session. A device has at most one, so its id is that of the device.
#[derive(Clone, Debug, Serialize)]
pub struct Session {
    pub user_id: i64,
    pub device: Device,
    /// The address of the person who signed in, if it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_ip: Option<IpAddr>,
    /// Who verified the profile that the person signed in with; `None` for a password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// The id of the row. A later session of the device has another one.
    #[serde(skip)]
    pub row_id: i64,
}

impl Resource for Session {
    const PLURAL: &'static str = "sessions";
    const SINGULAR: &'static str = "session";
    const SECRETS: &'static [&'static str] = &["token"];

    fn id(&self) -> i64 {
        self.device.id
    }

    fn user_id(&self) -> Option<i64> {
        Some(self.user_id)
    }
}

input! {
    /// A session, identified by its token.
    pub struct SessionToken {
        /// The token from the reply to signing in.
        token: Token,
    }
}

/// A user who has just signed in.
pub struct SignedIn {
    pub token: Token,
    pub user: User,
    pub device: Device,
}

/// Signs a user in after a successful attempt; otherwise fails with the reason.
pub async fn create(
    edit: &mut Edit,
    sign_in: SignIn,
    attempt: Attempt,
) -> Result<Change<SignedIn>> {
    let user = attempt.decide(edit).await?;
    let SignIn {
        login: _,
        password: _,
        device_name,
        user_agent,
        client_ip,
    } = sign_in;
    let visit = Visit {
        device: NewDevice {
            name: device_name,
            user_agent,
        },
        client_ip: client_ip.map(|ClientIp(ip)| ip),
        identity: None,
    };
    begin(edit, user, visit).await
}

/// The facts of a sign-in besides the user.
pub struct Visit {
    pub device: NewDevice,
    pub client_ip: Option<IpAddr>,
    /// The profile that the person signed in with. `None` for a password.
    pub identity: Option<Identity>,
}

/// Begins a session of a locked user.
pub async fn begin(edit: &mut Edit, mut user: User, visit: Visit) -> Result<Change<SignedIn>> {
    let Visit {
        device,
        client_ip,
        identity,
    } = visit;
    let device = devices::register(edit, &mut user, device).await?;
    let token = Token::generate();
    // A session that begins after the clock was set back must not be expired at once.
    let now = edit.core().expiry_now();
    let identity_id = identity.as_ref().map(|identity| identity.id);
    let row_id = store::insert(edit, device.id, &token.hash(), identity_id, now).await?;
    let session = Session {
        user_id: user.id,
        device: device.clone(),
        client_ip,
        provider: identity.map(|identity| identity.provider),
        row_id,
    };
    // A session has no path: its token identifies it.
    let change = Change::created(session).without_path().revealing_secret();
    Ok(change.map(|_| SignedIn {
        token,
        user,
        device,
    }))
}

/// The user and the device of a session. Verifying a session counts as using it.
pub async fn verify(state: &State, token: &Token) -> Result<(User, Device)> {
    let now = state.kernel.core.expiry_now();
    let mut read = state.kernel.core.db.read().await?;
    let mut session = live(&mut read, state, token).await?.ok_or(ENDED)?;
    // The user may have been deleted between the two statements.
    let user = users::sign_in::user(&mut read, now, session.user_id).await?;
    let mut user = user.ok_or(ENDED)?;
    drop(read);
    refuse_blocked(&mut user)?;
    let device = &mut session.device;
    device.last_active = activity::record(state, device.id, device.last_active, now).await;
    Ok((user, session.device))
}

/// Refuses a blocked user with 403 and the terms of the block.
pub fn refuse_blocked(user: &mut User) -> Result<()> {
    match user.block.take() {
        Some(users::Block { reason, until }) => Err(Error::UserBlocked { reason, until }),
        None => Ok(()),
    }
}

/// The session to end, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, state: &State, token: &Token) -> Result<Target<Session>> {
    store::lock(edit, &token.hash()).await?;
    let session = live(edit, state, token).await?;
    edit.target(Some(session.ok_or(ENDED)?))
}

/// Ends the session. The device stays.
pub async fn delete(edit: &mut Edit, session: Target<Session>) -> Result<Change<Session>> {
    store::delete(edit, session.device.id).await?;
    Ok(Change::deleted(session))
}

/// The session of a user who is not blocked. Other than [`verify`], this does not count as using it.
pub async fn current(state: &State, token: &Token) -> Result<Session> {
    let mut read = state.kernel.core.db.read().await?;
    let session = live(&mut read, state, token).await?.ok_or(ENDED)?;
    let now = state.kernel.core.expiry_now();
    let user = users::sign_in::user(&mut read, now, session.user_id).await?;
    refuse_blocked(&mut user.ok_or(ENDED)?)?;
    Ok(session)
}

/// Finds a session that has neither ended nor expired.
async fn live(conn: &mut Conn, state: &State, token: &Token) -> Result<Option<Session>> {
    let now = state.kernel.core.expiry_now();
    let (unused_since, begun_by) = (unused_since(state, now), begun_by(state, now));
    Ok(store::find(conn, &token.hash(), unused_since, begun_by).await?)
}

/// Sessions last used at or before this time have expired.
fn unused_since(state: &State, now: Timestamp) -> Timestamp {
    let days = i64::from(state.kernel.limits.session_days);
    Timestamp::from_unix(now.unix() - days * DAY)
}

/// Sessions that began at or before this time have expired, if there is such an option.
fn begun_by(state: &State, now: Timestamp) -> Option<Timestamp> {
    let days = state.kernel.limits.session_max_days.map(i64::from);
    days.map(|days| Timestamp::from_unix(now.unix() - days * DAY))
}

/// Removes expired sessions with their devices, and expired sign-in attempts.
pub async fn forget_expired(state: &State) -> Result<()> {
    // A session whose last use is not stored yet has not expired.
    write_uses(state).await?;
    let (db, now) = (&state.kernel.core.db, state.kernel.core.retention_now());
    store::delete_unused(db, unused_since(state, now), REMOVED_AT_ONCE).await?;
    if let Some(begun_by) = begun_by(state, now) {
        store::delete_begun_by(db, begun_by, REMOVED_AT_ONCE).await?;
    }
    limits::forget_expired(&state.kernel.core).await
}
