use std::error::Error as StdError;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A database error, with one variant for each case that a caller can act on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name of the violated unique constraint: `users_email_key`.
    #[error("the unique constraint {0} is violated")]
    Unique(String),
    /// The name of the violated foreign key: `role_permissions_role_id_fkey`.
    #[error("the foreign key {0} is violated")]
    ForeignKey(String),
    /// The name of the violated check constraint.
    #[error("the check constraint {0} is violated")]
    Check(String),
    /// PostgreSQL cannot store NUL in text, so neither engine accepts it.
    #[error("text must not contain the NUL character")]
    Nul,
    /// Another writer held a lock for too long, or no connection became free. A retry may succeed.
    #[error("the database is busy; try again in a moment")]
    Busy,
    #[error("the database cannot be reached: {0}")]
    Unreachable(#[source] Box<dyn StdError + Send + Sync>),
    /// The server answers, but rejects this user or database.
    #[error("the database server refused the connection: {0}")]
    Rejected(String),
    /// TLS is required, and the server has none or cannot be trusted.
    #[error("cannot connect securely to the database server: {0}")]
    Insecure(String),
    /// The disk is full or the server is read-only; nothing was written.
    #[error("the database cannot be written: {0}")]
    NotWritable(String),
    /// The connection was lost before the server confirmed a `COMMIT`: the transaction may or may
    /// not be durable.
    #[error("the database did not confirm the commit: {0}")]
    OutcomeUnknown(#[source] Box<dyn StdError + Send + Sync>),
    /// The transaction, or the group it was in, could not be made durable; nothing was written.
    #[error("the transaction could not be committed; nothing was written")]
    NotCommitted,
    #[error("expected one row, found none")]
    NoRow,
    #[error("the row has no column {0}")]
    NoColumn(usize),
    #[error("{0}")]
    Url(String),
    #[error("this file is not an SQLite database")]
    NotADatabase,
    #[error(
        "the database is at migration {found}, but this program knows only {known}: \
         it was written by a newer version; install that version or a later one"
    )]
    Newer { found: i64, known: i64 },
    #[error(
        "migration {version} of this program differs from the one that was applied to the \
         database; run an unmodified release"
    )]
    Diverged { version: i64 },
    #[error("migration {name} failed: {source}")]
    Migration { name: String, source: Box<Error> },
    /// Copied rows do not read back as they were.
    #[error("the copy of the table {table} differs from the original; nothing was written")]
    Differs { table: &'static str },
    #[error("database: {0}")]
    Engine(#[source] Box<dyn StdError + Send + Sync>),
}

impl Error {
    pub(crate) fn engine(error: impl StdError + Send + Sync + 'static) -> Self {
        Self::Engine(Box::new(error))
    }
}
