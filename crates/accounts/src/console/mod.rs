//! The console: people sign in and get a session in a cookie.
//!
//! `kernel::auth::console` authenticates sessions; this slice begins and ends them. Programs use
//! API keys instead.

mod browser;
mod confirmation;
pub mod http;
pub mod invitations;
mod password;
mod setup;
mod sign_in;
mod store;
mod token;
mod totp;
pub mod two_factor;
mod wrong_codes;

use std::net::IpAddr;

use db::Conn;
use serde::Serialize;

use crate::operators::{Failures, Operator};
use kernel::Core;
use kernel::auth::console::{IDLE, LIFETIME};
use kernel::auth::{Actor, TOPIC};
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};

pub use self::confirmation::{Confirmation, ConsoleConfirmation, check_confirmation, confirm};
pub use self::password::{ConsolePassword, change_password};
pub use self::setup::{
    ConsoleSetup, Purpose, SETUP_HOURS, SetupToken, check_token, first_token, invite,
    is_link_valid, is_needed, set_up, setup_link,
};
pub use self::sign_in::{ConsoleSignIn, SignedIn, sign_in};
pub use self::token::Token;

/// How many sessions an operator or a key may have. Another one ends the oldest.
const MOST: i64 = 100;
/// The number of rows removed in one transaction.
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

    fn user_id(&self) -> Option<i64> {
        self.user_id
    }
}

/// The browser from which a person signs in.
#[derive(Clone, Debug)]
pub struct Visit {
    pub ip: Option<IpAddr>,
    pub user_agent: String,
    /// Proves that an operator has signed in with this browser before; see [`browser`].
    pub proof: Option<String>,
}

/// The owner of sessions.
#[derive(Clone, Copy)]
pub enum Owner {
    Operator(i64),
    /// The hash of the API key that was used to sign in.
    Key([u8; 32]),
}

/// Begins a session for the owner, after these failures.
pub async fn begin(
    edit: &mut Edit,
    owner: Owner,
    visit: &Visit,
    failures: Failures,
) -> Result<(Token, Change<Session>)> {
    let token = Token::generate();
    // A session that begins after the clock was set back must not be expired at once.
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
    session.id = store::insert(edit, owner, &token.hash(), &session, failures).await?;
    Ok((token, Change::created(session)))
}

/// The operator of a request; 403 for a session of an API key.
pub fn operator_id(actor: &Actor) -> Result<i64> {
    actor.user_id.ok_or(Error::Forbidden {
        code: ErrorCode::NotAnOperator,
        message: "This session belongs to an API key, which has neither a password nor a second \
                  factor.",
    })
}

/// The owner of the session of a request.
pub async fn owner(conn: &mut Conn, actor: &Actor) -> Result<Owner> {
    let owner = match (actor.user_id, &actor.session) {
        (Some(user_id), Some(_)) => Some(Owner::Operator(user_id)),
        (None, Some(session)) => store::key_hash(conn, session.id).await?.map(Owner::Key),
        _ => None,
    };
    owner.ok_or(Error::Unauthorized)
}

/// The wrong passwords and codes between the operator's sign-in before and this session.
pub async fn failures(conn: &mut Conn, session_id: i64) -> Result<Failures> {
    let failures = store::failures(conn, session_id).await?;
    failures.ok_or(Error::Unauthorized)
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

/// The times after which an unexpired session began and was last used.
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

/// One of the caller's own sessions, to be ended.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Session>> {
    // Without this lock, ending the caller's own session would refuse the request.
    edit.lock_api_keys().await?;
    let actor = edit.actor().clone();
    let owner = owner(edit, &actor).await?;
    let session = find(edit, owner, id).await?;
    edit.target(session)
}

/// A session of another operator, to be ended. The caller has locked the keys.
pub async fn session_of(
    edit: &mut Edit,
    operator: &Target<Operator>,
    id: i64,
) -> Result<Target<Session>> {
    let session = find(edit, Owner::Operator(operator.user_id), id).await?;
    edit.part(session)
}

async fn find(edit: &mut Edit, owner: Owner, id: i64) -> Result<Option<Session>> {
    let now = edit.core().expiry_now();
    Ok(store::find(edit, owner, Live::at(now), id).await?)
}

pub async fn end(edit: &mut Edit, session: Target<Session>) -> Result<Change<Session>> {
    store::delete(edit, session.id).await?;
    edit.announce(TOPIC).await?;
    Ok(Change::deleted(session))
}

/// Removes expired sessions, and counts of wrong codes whose browser or session has expired.
pub async fn forget_expired(core: &Core) -> Result<()> {
    let now = core.retention_now();
    store::delete_expired(&core.db, Live::at(now), REMOVED_AT_ONCE).await?;
    let before = Timestamp::from_unix(now.unix() - browser::PROOF_SECONDS);
    Ok(store::wrong_codes::delete_before(&core.db, before, REMOVED_AT_ONCE).await?)
}
