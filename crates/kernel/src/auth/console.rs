//! Sessions of the console: people who signed in, as an operator or with an API key.
//!
//! A session is read from the database on every request, so its end holds from the next request on.
//! Everything that ends one announces [`TOPIC`](super::TOPIC), as a change of a key does, so that
//! requests under way notice it as well.

use std::net::IpAddr;
use std::time::Duration;

use db::Conn;

use super::admission::{Found, is_usable};
use super::permission::PermissionSet;
use super::{key_value, store};
use crate::types::Timestamp;
use crate::types::time::{DAY, HOUR};
use crate::{Core, Result};

/// After how many seconds without use a session ends.
pub const IDLE: i64 = 12 * HOUR;
/// After how many seconds it ends in any case.
pub const LIFETIME: i64 = 7 * DAY;
/// The use of a session is stored at most this often, in seconds.
const NOTED_EVERY: i64 = 60;
/// How long a request waits for its use to be stored.
const PATIENCE: Duration = Duration::from_millis(250);

/// A user who may use the console.
#[derive(Clone, Debug)]
pub struct Operator {
    pub user_id: i64,
    pub username: String,
    pub permissions: PermissionSet,
    pub has_two_factor: bool,
}

/// Whose permissions a session has.
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

    /// When the value of the key expires, if it is a previous one.
    pub fn valid_until(&self) -> Option<Timestamp> {
        match self {
            Self::Operator(_) => None,
            Self::Key(found) => found.valid_until,
        }
    }
}

/// A session that has not ended.
pub struct ConsoleSession {
    pub id: i64,
    pub holder: Holder,
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
}

impl ConsoleSession {
    /// When it ends, if it is used until then.
    pub fn expires_at(&self) -> Timestamp {
        Timestamp::from_unix(self.created_at.unix() + LIFETIME)
    }

    /// When it ends, if it is not used again.
    pub fn ends_at(&self) -> Timestamp {
        let idle = Timestamp::from_unix(self.last_used_at.unix() + IDLE);
        idle.min(self.expires_at())
    }
}

/// The hash that is stored and looked up instead of a token.
pub fn token_hash(token: &str) -> [u8; 32] {
    key_value::hash(token)
}

/// The session with this token, if its holder may still use it, from this address.
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
    });
    Ok(session.filter(|session| now < session.ends_at()))
}

/// Stores that the session is in use, now and then. A request does not fail because of it.
pub async fn touch(core: &Core, session: &ConsoleSession, now: Timestamp) {
    if session.last_used_at.unix() + NOTED_EVERY > now.unix() {
        return;
    }
    let write = async {
        let mut tx = core.db.begin().await?;
        store::console::touch(&mut tx, session.id, now).await?;
        tx.commit().await
    };
    match tokio::time::timeout(PATIENCE, write).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the use of a console session was not stored"),
        Err(_) => tracing::warn!("the use of a console session was not stored in time"),
    }
}
