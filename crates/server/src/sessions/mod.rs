//! Sessions: signed-in users, each session on its own device.

mod activity;
mod attempt;
mod failures;
pub mod http;
mod store;
mod token;

use std::net::IpAddr;

use db::Conn;
use serde::Serialize;

pub use self::activity::{Activity, write_uses};
use self::attempt::ClientIp;
pub use self::attempt::{Attempt, SignIn, attempt};
pub use self::failures::{Attempted, Failures, record as record_failure};
pub use self::token::Token;

use crate::app::App;
use crate::passwords::limits;
use crate::users::devices::{self, Device};
use crate::users::{self, NewDevice, User};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result, input};

const DAY: i64 = 24 * 60 * 60;
/// The use of a session is stored at most this often, in seconds.
const NOTED_EVERY: i64 = 60;
/// How many rows are removed in one transaction. Few, so that writers wait only briefly.
const REMOVED_AT_ONCE: i64 = 1000;

const ENDED: Error = Error::Rejected {
    code: ErrorCode::SessionInvalid,
    message: "There is no such session, or it has ended.",
};

/// A device has at most one session, so its id is the id of the device.
#[derive(Clone, Debug, Serialize)]
pub struct Session {
    pub user_id: i64,
    pub device: Device,
    /// The address of the person who signed in, if it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_ip: Option<IpAddr>,
}

impl Resource for Session {
    const PLURAL: &'static str = "sessions";
    const SINGULAR: &'static str = "session";
    const SECRETS: &'static [&'static str] = &["token"];

    fn id(&self) -> i64 {
        self.device.id
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

/// Signs a user in after a successful attempt; otherwise says why not.
pub async fn create(
    edit: &mut Edit,
    sign_in: SignIn,
    attempt: Attempt,
) -> Result<Change<SignedIn>> {
    let mut user = attempt.decide(edit).await?;
    let SignIn {
        login: _,
        password: _,
        device_name,
        user_agent,
        client_ip,
    } = sign_in;
    let new = NewDevice {
        name: device_name,
        user_agent,
    };
    let device = devices::register(edit, &mut user, new).await?;
    let token = Token::generate();
    // A session that begins after the clock was set back must not be expired already.
    let now = edit.core().expiry_now();
    store::insert(edit, device.id, &token.hash(), now).await?;
    let session = Session {
        user_id: user.id,
        device: device.clone(),
        client_ip: client_ip.map(|ClientIp(ip)| ip),
    };
    // Its token names it, not a path.
    let change = Change::created(session).without_path().revealing_secret();
    Ok(change.map(|_| SignedIn {
        token,
        user,
        device,
    }))
}

/// The user and the device of a session. Verifying a session counts as using it.
pub async fn verify(app: &App, token: &Token) -> Result<(User, Device)> {
    let now = app.expiry_now();
    let mut read = app.db.read().await?;
    let mut session = live(&mut read, app, token).await?.ok_or(ENDED)?;
    // The user may have been deleted between the two statements.
    let user = users::sign_in::user(&mut read, now, session.user_id).await?;
    let mut user = user.ok_or(ENDED)?;
    drop(read);
    refuse_blocked(&mut user)?;
    let device = &mut session.device;
    device.last_active = activity::record(app, device.id, device.last_active, now).await;
    Ok((user, session.device))
}

/// 403 with the terms of the block.
pub fn refuse_blocked(user: &mut User) -> Result<()> {
    match user.block.take() {
        Some(users::Block { reason, until }) => Err(Error::UserBlocked { reason, until }),
        None => Ok(()),
    }
}

/// The session to end, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, app: &App, token: &Token) -> Result<Target<Session>> {
    store::lock(edit, &token.hash()).await?;
    let session = live(edit, app, token).await?;
    edit.target(Some(session.ok_or(ENDED)?))
}

/// Ends the session. The device stays.
pub async fn delete(edit: &mut Edit, session: Target<Session>) -> Result<Change<Session>> {
    store::delete(edit, session.device.id).await?;
    Ok(Change::deleted(session))
}

/// Ends all sessions of a user. The devices stay.
pub async fn end_all_of(edit: &mut Edit, user_id: i64) -> Result<()> {
    Ok(store::delete_of(edit, user_id).await?)
}

/// A session that is neither closed nor expired.
async fn live(conn: &mut Conn, app: &App, token: &Token) -> Result<Option<Session>> {
    Ok(store::find(conn, &token.hash(), unused_since(app, app.expiry_now())).await?)
}

/// A session that was last used at this moment or earlier has expired.
fn unused_since(app: &App, now: Timestamp) -> Timestamp {
    let days = i64::from(app.limits.session_days);
    Timestamp::from_unix(now.unix() - days * DAY)
}

/// Removes expired sessions with their devices, and attempts to sign in that no longer count.
pub async fn forget_expired(app: &App) -> Result<()> {
    // A session whose last use is not stored yet has not expired.
    write_uses(app).await?;
    let unused_since = unused_since(app, app.retention_now());
    store::delete_unused(&app.db, unused_since, REMOVED_AT_ONCE).await?;
    limits::forget_expired(app).await
}
