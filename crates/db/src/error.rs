use std::error::Error as StdError;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong, told apart as far as a caller can act on it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A unique constraint, by name: `users_email_key`.
    #[error("the unique constraint {0} does not hold")]
    Unique(String),
    /// A foreign key, by name: `role_permissions_role_id_fkey`.
    #[error("the foreign key {0} does not hold")]
    ForeignKey(String),
    /// A check constraint, by name.
    #[error("the check {0} does not hold")]
    Check(String),
    /// PostgreSQL cannot store NUL in text, so neither engine takes it.
    #[error("text must not contain the NUL character")]
    Nul,
    /// Another writer held on for too long, or no connection came free. Trying again may help.
    #[error("the database is busy")]
    Busy,
    #[error("the database cannot be reached: {0}")]
    Unreachable(#[source] Box<dyn StdError + Send + Sync>),
    /// The transaction, or the group it was in, could not be made durable; nothing was written.
    #[error("the transaction could not be committed")]
    NotCommitted,
    #[error("expected one row, found none")]
    NoRow,
    #[error("{0}")]
    Url(String),
    #[error(
        "the database is at migration {found}, but this program knows only {known}: \
         it was written by a newer version"
    )]
    Newer { found: i64, known: i64 },
    #[error(
        "migration {version} was applied in another form than this program has it: \
         it must not be edited after its release"
    )]
    Diverged { version: i64 },
    #[error("migration {name} failed: {source}")]
    Migration { name: String, source: Box<Error> },
    #[error("database: {0}")]
    Engine(#[source] Box<dyn StdError + Send + Sync>),
}

impl Error {
    pub(crate) fn engine(error: impl StdError + Send + Sync + 'static) -> Self {
        Self::Engine(Box::new(error))
    }
}
