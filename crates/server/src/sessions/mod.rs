//! Sessions: signed-in users, each session on its own device.

mod attempt;
pub mod http;
mod rate_limit;
mod store;
mod token;

use db::Conn;
use serde::Serialize;

pub use self::attempt::{Attempt, SignIn, attempt};
pub use self::token::Token;

use crate::app::App;
use crate::users::devices::{self, Device};
use crate::users::{self, NewDevice, User};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result, input};

const DAY: i64 = 24 * 60 * 60;
/// The use of a session is stored at most this often, in seconds.
const NOTED_EVERY: i64 = 60;
/// How many rows are removed in one transaction. Few, so that writers wait only briefly.
const REMOVED_AT_ONCE: i64 = 1000;

const ENDED: Error = Error::Rejected {
    code: "session_invalid",
    message: "There is no such session, or it has ended.",
};

/// A device has at most one session, so its id is the id of the device.
#[derive(Clone, Debug, Serialize)]
pub struct Session {
    pub user_id: i64,
    pub device: Device,
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
    } = sign_in;
    let new = NewDevice {
        name: device_name,
        user_agent,
    };
    let device = devices::register(edit, &mut user, new).await?;
    let token = Token::generate();
    let now = edit.now();
    store::insert(edit, device.id, &token.hash(), now).await?;
    let session = Session {
        user_id: user.id,
        device: device.clone(),
    };
    Ok(Change::created(session).map(|_| SignedIn {
        token,
        user,
        device,
    }))
}

/// The user and the device of a session. Verifying a session counts as using it.
pub async fn verify(app: &App, token: &Token) -> Result<(User, Device)> {
    let now = app.clock.now();
    let mut read = app.db.read().await?;
    let mut session = live(&mut read, app, token).await?.ok_or(ENDED)?;
    // The user may have been deleted between the two statements.
    let user = users::sign_in::user(&mut read, now, session.user_id).await?;
    let mut user = user.ok_or(ENDED)?;
    drop(read);
    refuse_blocked(&mut user)?;
    if session.device.last_active.unix() + NOTED_EVERY <= now.unix() {
        let mut tx = app.db.begin().await?;
        devices::touch(&mut tx, session.device.id, now).await?;
        store::touch(&mut tx, session.device.id, now).await?;
        tx.commit().await?;
        session.device.last_active = now;
    }
    Ok((user, session.device))
}

fn refuse_blocked(user: &mut User) -> Result<()> {
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
    Ok(store::find(conn, &token.hash(), unused_since(app)).await?)
}

/// A session that was last used at this moment or earlier has expired.
fn unused_since(app: &App) -> Timestamp {
    let days = i64::from(app.limits.session_days);
    Timestamp::from_unix(app.clock.now().unix() - days * DAY)
}

/// Removes expired sessions, and attempts to sign in that no longer count.
pub async fn forget_expired(app: &App) -> Result<()> {
    store::delete_unused(&app.db, unused_since(app), REMOVED_AT_ONCE).await?;
    rate_limit::forget_expired(app).await
}
