//! Why an answer signs nobody in.

use std::borrow::Cow;
use std::error::Error as _;

use http_client::FetchFailure;

use crate::users::identities::Provider;
use kernel::auth::Actor;
use kernel::{Error, ErrorCode};

/// The reasons are for the log: they would help who forges answers.
#[derive(Debug)]
pub enum Refusal {
    /// A check failed.
    Failed(Cow<'static, str>),
    /// The visitor declined.
    Cancelled,
    /// The provider could not be asked.
    Unavailable(String),
    /// The service itself failed.
    Error(Error),
}

impl Refusal {
    pub fn failed(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Failed(reason.into())
    }

    /// The error for the client, after the reason was logged.
    pub fn into_error(self, provider: Provider, actor: &Actor) -> Error {
        let (request_id, client_request_id) = (&actor.request_id, &actor.client_request_id);
        match self {
            Self::Failed(reason) => {
                tracing::info!(
                    request_id,
                    client_request_id,
                    %provider,
                    %reason,
                    "an answer signed nobody in"
                );
                Error::Rejected {
                    code: ErrorCode::SignInFailed,
                    message: "The sign-in failed. Begin again; the log of the service has the \
                              reason.",
                }
            }
            Self::Cancelled => Error::Rejected {
                code: ErrorCode::SignInCancelled,
                message: "The visitor cancelled the sign-in.",
            },
            Self::Unavailable(reason) => {
                tracing::warn!(
                    request_id,
                    client_request_id,
                    %provider,
                    reason,
                    "a provider could not be asked"
                );
                Error::ProviderUnavailable
            }
            Self::Error(error) => error,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<db::Error> for Refusal {
    fn from(error: db::Error) -> Self {
        Self::Error(error.into())
    }
}

impl From<FetchFailure> for Refusal {
    fn from(failure: FetchFailure) -> Self {
        match failure {
            FetchFailure::Redirect | FetchFailure::TooLarge => {
                Self::Failed(failure.to_string().into())
            }
            FetchFailure::NoAnswer(failure) => Self::Unavailable(match failure.source() {
                Some(cause) => format!("{failure} {cause}"),
                None => failure.to_string(),
            }),
        }
    }
}
