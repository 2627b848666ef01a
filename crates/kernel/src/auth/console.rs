//! Sessions of the console: people who signed in, as an operator or with an API key.
//!
//! A session is read from the database on every request, so revoking it takes effect at once.
//! Whatever ends a session announces [`TOPIC`](super::TOPIC), as a change of a key does, so that
//! running requests notice it as well.

use std::net::IpAddr;
use std::time::Duration;

use db::{Conn, Tx};

use super::admission::{Found, is_usable};
use super::permission::PermissionSet;
use super::{key_value, store};
use crate::types::Timestamp;
use crate::types::time::{DAY, HOUR, MINUTE};
use crate::{Core, Result};

/// Seconds without use after which a session expires.
pub const IDLE: i64 = 12 * HOUR;
/// Seconds after which a session expires in any case.
pub const LIFETIME: i64 = 7 * DAY;
/// Seconds for which a password or a code confirms a session.
pub const CONFIRMED_FOR: i64 = 15 * MINUTE;
/// Seconds between two writes of the last use of a session.
const NOTED_EVERY: i64 = 60;

/// A user who may use the console.
#[derive(Clone, Debug)]
pub struct Operator {
    pub user_id: i64,
    pub username: String,
    pub permissions: PermissionSet,
    pub has_two_factor: bool,
}

/// The holder of a session, whose permissions it has.
pub enum Holder {
    Operator(Operator),
    /// The key that was used to sign in.
    Key(Found),
}

impl Holder {
    pub fn permissions(&self) -> PermissionSet {
        match self {
            Self::Operator(operator) => operator.permissions,
            Self::Key(found) => found.key.permissions,
        }
    }

    /// When the value of the key expires, if it is the previous one.
    pub fn valid_until(&self) -> Option<Timestamp> {
        match self {
            Self::Operator(_) => None,
            Self::Key(found) => found.valid_until,
        }
    }
}

/// A session that has not expired.
pub struct ConsoleSession {
    pub id: i64,
    pub holder: Holder,
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
    /// When a password or a code was last given.
    pub confirmed_at: Timestamp,
}

impl ConsoleSession {
    /// When the session expires, however much it is used.
    pub fn expires_at(&self) -> Timestamp {
        Timestamp::from_unix(self.created_at.unix() + LIFETIME)
    }

    /// When the session expires if it is not used again.
    pub fn ends_at(&self) -> Timestamp {
        let idle = Timestamp::from_unix(self.last_used_at.unix() + IDLE);
        idle.min(self.expires_at())
    }
}

/// The hash that is stored and looked up in place of a token.
pub fn token_hash(token: &str) -> [u8; 32] {
    key_value::hash(token)
}

/// Finds the session with this token, if its holder may still use it from this address.
pub async fn find(
    conn: &mut Conn,
    token_hash: &[u8; 32],
    now: Timestamp,
    ip: Option<IpAddr>,
) -> Result<Option<ConsoleSession>> {
    let Some(stored) = store::console::find(conn, token_hash, now).await? else {
        return Ok(None);
    };
    let holder = match stored.key_hash {
        None => stored.operator.map(Holder::Operator),
        Some(hash) => {
            let keys = store::find_by_hash(conn, &hash).await?;
            Found::by_hash(keys, &hash)
                .filter(|found| is_usable(&found.key, found.valid_until, now, ip))
                .map(Holder::Key)
        }
    };
    let session = holder.map(|holder| ConsoleSession {
        id: stored.id,
        holder,
        created_at: stored.created_at,
        last_used_at: stored.last_used_at,
        confirmed_at: stored.confirmed_at,
    });
    Ok(session.filter(|session| now < session.ends_at()))
}

/// Ends the sessions of an operator, except for the one with the id `kept`. The caller announces the
/// change.
pub async fn end_of(tx: &mut Tx, user_id: i64, kept: Option<i64>) -> Result<()> {
    Ok(store::console::delete_of(tx, user_id, kept.unwrap_or(0)).await?)
}

/// Stores the last use of the session, at intervals. A failure does not fail the request.
pub async fn touch(core: &Core, session: &ConsoleSession, now: Timestamp, patience: Duration) {
    if session.last_used_at.unix() + NOTED_EVERY > now.unix() {
        return;
    }
    let write = async {
        let mut tx = core.db.begin().await?;
        store::console::touch(&mut tx, session.id, now).await?;
        tx.commit().await
    };
    match tokio::time::timeout(patience, write).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "cannot store the last use of a console session"),
        Err(_) => tracing::warn!("storing the last use of a console session timed out"),
    }
}
