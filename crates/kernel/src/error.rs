use std::error::Error as StdError;

use crate::input::Faults;
use crate::types::Timestamp;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can stop a request. How it looks over HTTP is said in `http::error`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("The API key is missing or invalid.")]
    Unauthorized,
    /// Any one of these would have been enough.
    #[error("This operation needs the permission {}.", .0.join(" or "))]
    MissingPermission(&'static [&'static str]),
    #[error("This operation needs a key that has at least one permission.")]
    NoPermission,
    #[error("This key can neither change nor grant more than it may do itself.")]
    PrivilegeEscalation,
    #[error("There is no such {0}.")]
    NotFound(&'static str),
    /// Something that a request refers to is missing, and not what its path names.
    #[error("There is no such {what}.")]
    Missing {
        code: &'static str,
        what: &'static str,
    },
    #[error("There is nothing at this path.")]
    NoSuchPath,
    #[error("This path does not take this method.")]
    MethodNotAllowed,
    #[error("{}", .0.message())]
    Invalid(Faults),
    /// Invalid as a whole, not in one field.
    #[error("{message}")]
    Rejected {
        code: &'static str,
        message: &'static str,
    },
    /// At odds with what else there is.
    #[error("{message}")]
    Conflict {
        code: &'static str,
        message: &'static str,
    },
    /// A game server does not do its part.
    #[error("{message}")]
    GameServer {
        code: &'static str,
        message: &'static str,
    },
    #[error("The user is blocked.")]
    UserBlocked {
        reason: String,
        until: Option<Timestamp>,
    },
    /// Too much of something; in so many seconds it is worth trying again.
    #[error("{message}")]
    TooManyRequests {
        code: &'static str,
        message: &'static str,
        retry_after: u64,
    },
    #[error("The resource has changed since it was read.")]
    ChangedMeanwhile,
    #[error("The body is larger than this service takes.")]
    BodyTooLarge,
    #[error("The body must be sent as application/json.")]
    UnsupportedMediaType,
    #[error("This comes as {}, and Accept allows neither.", .0.join(" or "))]
    NotAcceptable(&'static [&'static str]),
    #[error("The request did not arrive in time.")]
    SlowRequest,
    #[error("The request took too long. It may or may not have been carried out.")]
    TookTooLong,
    #[error("The service is busy. Try again in a moment.")]
    Busy,
    #[error("The database cannot be reached. Try again in a moment.")]
    Unavailable,
    #[error("The secret key was changed. This instance must be restarted.")]
    SecretKeyChanged,
    #[error("Something went wrong on our side.")]
    Internal(#[source] Box<dyn StdError + Send + Sync>),
}

impl Error {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unauthorized => "unauthorized",
            Self::MissingPermission(_) | Self::NoPermission => "missing_permission",
            Self::PrivilegeEscalation => "privilege_escalation",
            Self::NotFound(_) | Self::NoSuchPath => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::Invalid(_) => "validation_failed",
            Self::Missing { code, .. }
            | Self::Rejected { code, .. }
            | Self::Conflict { code, .. }
            | Self::GameServer { code, .. }
            | Self::TooManyRequests { code, .. } => code,
            Self::UserBlocked { .. } => "user_blocked",
            Self::ChangedMeanwhile => "changed_meanwhile",
            Self::BodyTooLarge => "body_too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::NotAcceptable(_) => "not_acceptable",
            Self::SlowRequest => "request_timeout",
            Self::TookTooLong => "timeout",
            Self::Busy => "busy",
            Self::Unavailable | Self::SecretKeyChanged => "unavailable",
            Self::Internal(_) => "internal_error",
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
            db::Error::Unreachable(cause) => {
                tracing::error!(%cause, "the database cannot be reached");
                Self::Unavailable
            }
            db::Error::Nul => Self::Rejected {
                code: "invalid_text",
                message: "Text must not contain the NUL character.",
            },
            other => Self::internal(other),
        }
    }
}
