//! The console: people sign in, and their browser gets a session in a cookie.
//!
//! `kernel::auth::console` authenticates a session; this slice begins and ends them. Programs use
//! API keys instead.

mod browser;
pub mod http;
mod password;
mod setup;
mod sign_in;
mod store;
mod token;
mod totp;
pub mod two_factor;

use std::net::IpAddr;

use db::Conn;
use serde::Serialize;

use crate::app::App;
use kernel::auth::console::{IDLE, LIFETIME};
use kernel::auth::{Actor, TOPIC};
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result};

pub use self::password::{ConsolePassword, change_password};
pub use self::setup::{ConsoleSetup, SETUP_HOURS, first_token, invite, set_up, setup_link};
pub use self::sign_in::{ConsoleSignIn, SignedIn, sign_in};
pub use self::token::Token;

/// How many sessions an operator or a key may have. When another begins, the oldest ends.
const MOST: i64 = 100;
/// How many rows are removed in one transaction.
const REMOVED_AT_ONCE: i64 = 1000;

/// A session in the audit log and in the list of sessions.
#[derive(Clone, Debug, Serialize)]
pub struct Session {
    pub id: i64,
    /// The operator who signed in; `None` if an API key was used.
    pub user_id: Option<i64>,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub last_used_at: Timestamp,
    #[serde(skip)]
    pub ip: Option<String>,
    #[serde(skip)]
    pub user_agent: String,
}

impl Resource for Session {
    const PLURAL: &'static str = "console_sessions";
    const SINGULAR: &'static str = "session";

    fn id(&self) -> i64 {
        self.id
    }
}

/// Where a person signs in.
#[derive(Clone, Debug)]
pub struct Visit {
    pub ip: Option<IpAddr>,
    pub user_agent: String,
    /// Proves that an operator signed in with this browser before; see [`trust`].
    pub proof: Option<String>,
}

/// Whose sessions.
#[derive(Clone, Copy)]
pub enum Owner {
    Operator(i64),
    /// The hash of the API key that was used to sign in.
    Key([u8; 32]),
}

/// Begins a session for the owner.
pub async fn begin(
    edit: &mut Edit,
    owner: Owner,
    visit: &Visit,
) -> Result<(Token, Change<Session>)> {
    let token = Token::generate();
    // A session that begins after the clock was set back must not be expired already.
    let now = edit.core().expiry_now();
    let mut session = Session {
        id: 0,
        user_id: match owner {
            Owner::Operator(user_id) => Some(user_id),
            Owner::Key(_) => None,
        },
        created_at: now,
        last_used_at: now,
        ip: visit.ip.map(|ip| ip.to_string()),
        user_agent: visit.user_agent.clone(),
    };
    store::delete_oldest(edit, owner, MOST - 1).await?;
    session.id = store::insert(edit, owner, &token.hash(), &session).await?;
    Ok((token, Change::created(session)))
}

/// The owner of the session that a request is made with.
pub async fn owner(conn: &mut Conn, actor: &Actor) -> Result<Owner> {
    let owner = match (actor.user_id, &actor.session) {
        (Some(user_id), Some(_)) => Some(Owner::Operator(user_id)),
        (None, Some(session)) => store::key_hash(conn, session.id).await?.map(Owner::Key),
        _ => None,
    };
    owner.ok_or(Error::Unauthorized)
}

/// The sessions of an owner, oldest first.
pub async fn list(
    conn: &mut Conn,
    owner: Owner,
    now: Timestamp,
    window: Window,
) -> Result<Vec<Session>> {
    Ok(store::list(conn, owner, Live::at(now), window).await?)
}

pub async fn count(conn: &mut Conn, owner: Owner, now: Timestamp) -> Result<i64> {
    Ok(store::count(conn, owner, Live::at(now)).await?)
}

/// Sessions that began and were used after these moments have not expired.
#[derive(Clone, Copy)]
pub struct Live {
    pub created_after: Timestamp,
    pub used_after: Timestamp,
}

impl Live {
    fn at(now: Timestamp) -> Self {
        Self {
            created_after: Timestamp::from_unix(now.unix() - LIFETIME),
            used_after: Timestamp::from_unix(now.unix() - IDLE),
        }
    }
}

/// One of the caller's own sessions, to end it.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Session>> {
    // Without this lock, the end of the caller's own session would refuse the request.
    edit.lock_api_keys().await?;
    let actor = edit.actor().clone();
    let owner = owner(edit, &actor).await?;
    let now = edit.core().expiry_now();
    let session = store::find(edit, owner, Live::at(now), id).await?;
    edit.target(session)
}

pub async fn end(edit: &mut Edit, session: Target<Session>) -> Result<Change<Session>> {
    store::delete(edit, session.id).await?;
    edit.announce(TOPIC).await?;
    Ok(Change::deleted(session))
}

/// Ends all sessions of an operator. The caller announces it.
pub async fn end_all_of(edit: &mut Edit, user_id: i64) -> Result<()> {
    end_others_of(edit, user_id, 0).await
}

/// The same, except for one session.
pub async fn end_others_of(edit: &mut Edit, user_id: i64, kept: i64) -> Result<()> {
    Ok(store::delete_of(edit, user_id, kept).await?)
}

/// Removes expired sessions.
pub async fn forget_expired(app: &App) -> Result<()> {
    let live = Live::at(app.retention_now());
    Ok(store::delete_expired(&app.db, live, REMOVED_AT_ONCE).await?)
}
