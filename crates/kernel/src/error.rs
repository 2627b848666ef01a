//! `Error`: every reason why a request fails, each with a stable code.

use std::error::Error as StdError;

use crate::ErrorCode;
use crate::input::Faults;
use crate::types::Timestamp;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error whose text is the `message` that a client reads. `http::error` chooses the status.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("The API key is missing or invalid.")]
    Unauthorized,
    #[error("X-API-Key and Authorization hold different keys. Send one of them.")]
    AmbiguousKey,
    /// Any one of these permissions is enough.
    #[error("This operation needs the permission {}.", .0.join(" or "))]
    MissingPermission(&'static [&'static str]),
    #[error("This operation needs a key that has at least one permission.")]
    NoPermission,
    #[error(
        "An API key cannot change or grant more than its own permissions and restrictions allow."
    )]
    PrivilegeEscalation,
    #[error("The previous value of a rotated key cannot change API keys. Use the new value.")]
    PreviousKeyValue,
    /// Forbidden for a reason other than a missing permission.
    #[error("{message}")]
    Forbidden {
        code: ErrorCode,
        message: &'static str,
    },
    #[error("There is no such {0}.")]
    NotFound(&'static str),
    /// Something other than the resource in the path is missing.
    #[error("There is no such {what}.")]
    Missing { code: ErrorCode, what: &'static str },
    #[error("There is no resource at this path.")]
    NoSuchPath,
    #[error("This path does not support this method.")]
    MethodNotAllowed,
    #[error("{}", .0.message())]
    Invalid(Faults),
    /// The request is invalid as a whole, not in one field.
    #[error("{message}")]
    Rejected {
        code: ErrorCode,
        message: &'static str,
    },
    /// The request conflicts with other stored data.
    #[error("{message}")]
    Conflict {
        code: ErrorCode,
        message: &'static str,
    },
    /// Steam or Discord could not be reached, or failed itself.
    #[error(
        "The provider of the profile cannot be reached. Nothing was used up; retry in a moment."
    )]
    ProviderUnavailable,
    /// A game server could not be reached or gave an unusable answer.
    #[error("{message}")]
    GameServer {
        code: ErrorCode,
        message: &'static str,
    },
    #[error("The user is blocked.")]
    UserBlocked {
        reason: String,
        until: Option<Timestamp>,
    },
    /// A rate limit was exceeded; `retry_after` is in seconds.
    #[error("{message}")]
    TooManyRequests {
        code: ErrorCode,
        message: &'static str,
        retry_after: u64,
    },
    #[error("The resource has changed since it was read. Read it again and retry.")]
    PreconditionFailed,
    #[error("The request has both Transfer-Encoding and Content-Length. Send one of them.")]
    AmbiguousLength,
    #[error("The request must have exactly one Host header.")]
    MissingHost,
    #[error("The body is too large.")]
    BodyTooLarge,
    #[error("The body must be sent as application/json, without a Content-Encoding.")]
    UnsupportedMediaType,
    #[error("This is available as {} only. Change the header Accept.", .0.join(" or "))]
    NotAcceptable(&'static [&'static str]),
    #[error("The request did not arrive in time.")]
    SlowRequest,
    #[error("The request took too long. It may or may not have been carried out.")]
    TookTooLong,
    #[error("The service is busy. Retry in a moment.")]
    Busy,
    #[error("The database cannot be reached. Retry in a moment.")]
    Unavailable,
    #[error(
        "The database cannot be written at the moment. Nothing was changed. Retry in a moment."
    )]
    NotWritable,
    #[error(
        "The database did not confirm the write. It may or may not have happened; \
         a retry with the same Idempotency-Key is safe."
    )]
    OutcomeUnknown,
    #[error("This instance is being stopped. Send requests to another one.")]
    Stopping,
    #[error("The secret key was changed. Restart this instance.")]
    SecretKeyChanged,
    #[error("An internal error occurred. The log has its cause under the request id.")]
    Internal(#[source] Box<dyn StdError + Send + Sync>),
}

impl Error {
    /// A stable code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Unauthorized => ErrorCode::Unauthorized,
            Self::AmbiguousKey => ErrorCode::AmbiguousKey,
            Self::MissingPermission(_) | Self::NoPermission => ErrorCode::MissingPermission,
            Self::PrivilegeEscalation => ErrorCode::PrivilegeEscalation,
            Self::PreviousKeyValue => ErrorCode::PreviousKeyValue,
            Self::NotFound(_) | Self::NoSuchPath => ErrorCode::NotFound,
            Self::MethodNotAllowed => ErrorCode::MethodNotAllowed,
            Self::Invalid(_) => ErrorCode::ValidationFailed,
            Self::Missing { code, .. }
            | Self::Rejected { code, .. }
            | Self::Conflict { code, .. }
            | Self::Forbidden { code, .. }
            | Self::GameServer { code, .. }
            | Self::TooManyRequests { code, .. } => *code,
            Self::ProviderUnavailable => ErrorCode::ProviderUnavailable,
            Self::UserBlocked { .. } => ErrorCode::UserBlocked,
            Self::PreconditionFailed => ErrorCode::PreconditionFailed,
            Self::AmbiguousLength => ErrorCode::AmbiguousLength,
            Self::MissingHost => ErrorCode::MissingHost,
            Self::BodyTooLarge => ErrorCode::BodyTooLarge,
            Self::UnsupportedMediaType => ErrorCode::UnsupportedMediaType,
            Self::NotAcceptable(_) => ErrorCode::NotAcceptable,
            Self::SlowRequest => ErrorCode::RequestTimeout,
            Self::TookTooLong => ErrorCode::Timeout,
            Self::Busy => ErrorCode::Busy,
            Self::Unavailable | Self::NotWritable | Self::SecretKeyChanged => {
                ErrorCode::Unavailable
            }
            Self::OutcomeUnknown => ErrorCode::OutcomeUnknown,
            Self::Stopping => ErrorCode::Stopping,
            Self::Internal(_) => ErrorCode::InternalError,
        }
    }

    pub fn internal(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Internal(error.into())
    }
}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Self {
        Self::Invalid(faults)
    }
}

impl From<db::Error> for Error {
    fn from(error: db::Error) -> Self {
        match error {
            db::Error::Busy => Self::Busy,
            // Nothing was written, so a retry is safe. The cause was logged when the commit failed.
            db::Error::NotCommitted => Self::Busy,
            db::Error::Rejected(cause) => {
                tracing::error!(%cause, "the database server refused the connection");
                Self::Unavailable
            }
            db::Error::Insecure(cause) => {
                tracing::error!(%cause, "cannot connect securely to the database server");
                Self::Unavailable
            }
            db::Error::NotWritable(cause) => {
                tracing::error!(%cause, "cannot write to the database");
                Self::NotWritable
            }
            db::Error::OutcomeUnknown(cause) => {
                tracing::error!(%cause, "the database did not confirm a commit");
                Self::OutcomeUnknown
            }
            db::Error::Unreachable(cause) => {
                tracing::error!(%cause, "cannot reach the database");
                Self::Unavailable
            }
            db::Error::Nul => Self::Rejected {
                code: ErrorCode::InvalidText,
                message: "Text must not contain the NUL character.",
            },
            other => Self::internal(other),
        }
    }
}
