//! What both engines do. The reads are the same statements: parameters appear in the order of their
//! numbers, so that SQLite, which numbers `$1` by first appearance, gives them the same ones.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use kernel::types::Timestamp;

use crate::bodies::{ActiveBan, Invoice, ListedUser, NewInvoice, Role, UserDetail};

pub const KEYS: &str = "SELECT hash, id, name FROM api_keys WHERE active";

pub const USER: &str = "
    SELECT u.username, u.email, u.status, u.created_at, u.updated_at, u.blocked_until, r.id, r.name,
           r.description
    FROM users u
    LEFT JOIN user_roles h ON h.user_id = u.id AND h.expires_at > $1
    LEFT JOIN roles r ON r.id = h.role_id
    WHERE u.id = $2 ORDER BY h.role_id";

pub const USERS: &str = "
    SELECT id, username, email, status, created_at, blocked_until FROM users
    ORDER BY id LIMIT 20 OFFSET $1";

pub const BANS: &str = "
    SELECT id, kind, reason, expires_at FROM bans
    WHERE steam_account = $1 AND lifted_at IS NULL AND expires_at > $2
    UNION ALL
    SELECT b.id, b.kind, b.reason, b.expires_at
    FROM ban_ip_lengths l
    CROSS JOIN bans b
    WHERE l.network = $3 AND b.ip_bits = substr($4, 1, CAST(l.length AS INTEGER))
      AND b.lifted_at IS NULL AND b.expires_at > $2
    LIMIT 100";

/// The database of one engine.
pub trait Store: Send + Sync + 'static {
    /// The active API keys, by the SHA-256 of their values.
    fn keys(&self) -> impl Future<Output = Result<Vec<(Vec<u8>, Key)>>> + Send;

    fn user(
        &self,
        id: i64,
        now: Timestamp,
    ) -> impl Future<Output = Result<Option<UserDetail>>> + Send;

    fn users(
        &self,
        offset: i64,
        now: Timestamp,
    ) -> impl Future<Output = Result<Vec<ListedUser>>> + Send;

    fn bans(
        &self,
        player: &Player,
        now: Timestamp,
    ) -> impl Future<Output = Result<Vec<ActiveBan>>> + Send;

    /// Creates a role, and returns its id.
    fn create_role(&self, role: Role, author: Author) -> impl Future<Output = Result<i64>> + Send;

    /// `None` if the user or the currency does not exist, the gateway is not enabled, or the amount
    /// is below the minimum.
    fn create_invoice(
        &self,
        new: NewInvoice,
        author: Author,
    ) -> impl Future<Output = Result<Option<Invoice>>> + Send;
}

#[derive(Debug)]
pub struct Key {
    pub id: i64,
    pub name: String,
}

/// A player who joins a server.
pub struct Player {
    pub account: Option<i64>,
    /// The beginning of the bits that all ranges around the address have, and all bits.
    pub network: Option<String>,
    pub bits: Option<String>,
}

/// Who writes, for the audit entry.
pub struct Author {
    pub key: Arc<Key>,
    pub ip: String,
    pub request_id: String,
    pub now: Timestamp,
}

pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// The status of a refused request.
#[derive(Debug)]
pub struct Failure(pub StatusCode);

impl Failure {
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        eprintln!("{cause}");
        Self(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::internal(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::internal(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}
