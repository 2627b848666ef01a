use deadpool::managed::TimeoutType;
use tokio_postgres::error::SqlState;

use super::pool::PoolError;
use super::tls;
use crate::Error;

pub(super) fn from_pool(error: PoolError) -> Error {
    if let PoolError::Backend(error) = &error
        && let Some(fault) = tls::fault(error)
    {
        return Error::Insecure(fault);
    }
    let rejection = match &error {
        PoolError::Backend(error) => error.as_db_error().map(|reply| reply.message().to_owned()),
        _ => None,
    };
    match error {
        PoolError::Timeout(TimeoutType::Create) => {
            Error::Unreachable("no server answered in time".into())
        }
        PoolError::Timeout(_) => Error::Busy,
        PoolError::Backend(error) => match (from_postgres(error), rejection) {
            (Error::Engine(_), Some(message)) => Error::Rejected(message),
            (Error::Engine(error), None) => Error::Unreachable(error),
            (known, _) => known,
        },
        other => Error::Unreachable(Box::new(other)),
    }
}

/// Returns `true` if the server has reached its limit of connections.
pub(super) fn is_refused(error: &PoolError) -> bool {
    matches!(error, PoolError::Backend(error) if error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS))
}

pub(super) fn from_postgres(error: tokio_postgres::Error) -> Error {
    let Some(reply) = error.as_db_error() else {
        let is_lost = error.is_closed()
            || std::error::Error::source(&error)
                .is_some_and(|source| source.is::<std::io::Error>());
        return if is_lost {
            Error::Unreachable(Box::new(error))
        } else {
            Error::engine(error)
        };
    };
    let constraint = || reply.constraint().unwrap_or("unknown").to_owned();
    match *reply.code() {
        SqlState::UNIQUE_VIOLATION => Error::Unique(constraint()),
        SqlState::FOREIGN_KEY_VIOLATION => Error::ForeignKey(constraint()),
        SqlState::CHECK_VIOLATION => Error::Check(constraint()),
        SqlState::QUERY_CANCELED
        | SqlState::LOCK_NOT_AVAILABLE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::TOO_MANY_CONNECTIONS => Error::Busy,
        SqlState::ADMIN_SHUTDOWN | SqlState::CRASH_SHUTDOWN | SqlState::CANNOT_CONNECT_NOW => {
            Error::Unreachable(reply.message().into())
        }
        // This also happens when a write reaches a standby, as after a failover.
        SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::DISK_FULL => {
            Error::NotWritable(reply.message().to_owned())
        }
        // The detail of the reply may contain stored values, which must not be logged.
        ref code => Error::Engine(format!("{}: {}", code.code(), reply.message()).into()),
    }
}
