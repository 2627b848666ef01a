//! The one place that turns an [`Error`] into a response.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Error;
use crate::input::Faults;
use crate::types::Timestamp;

/// Every error looks like this.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub struct ErrorBody<'a> {
    /// One sentence for a person.
    message: String,
    /// A stable word for programs.
    code: &'static str,
    /// By field, with a dotted path where fields are nested: what is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, Vec<String>>", default)]
    errors: Option<&'a Faults>,
    #[serde(flatten)]
    block: Option<Terms<'a>>,
    /// Also in the header `X-Request-Id`.
    request_id: &'a str,
}

/// With `user_blocked` only: the terms of the block.
#[derive(Serialize, JsonSchema)]
struct Terms<'a> {
    /// Why the user is blocked, with `user_blocked`.
    reason: &'a str,
    /// Until when the user is blocked, with `user_blocked`; null is for good.
    until: Option<Timestamp>,
}

impl<'a> ErrorBody<'a> {
    pub fn new(error: &'a Error, request_id: &'a str) -> Self {
        let errors = match error {
            Error::Invalid(faults) => Some(faults),
            _ => None,
        };
        let block = match error {
            Error::UserBlocked { reason, until } => Some(Terms {
                reason,
                until: *until,
            }),
            _ => None,
        };
        Self {
            message: error.to_string(),
            code: error.code(),
            errors,
            block,
            request_id,
        }
    }
}

pub fn status(error: &Error) -> StatusCode {
    match error {
        Error::Unauthorized => StatusCode::UNAUTHORIZED,
        Error::MissingPermission(_)
        | Error::NoPermission
        | Error::PrivilegeEscalation
        | Error::UserBlocked { .. } => StatusCode::FORBIDDEN,
        Error::NotFound(_) | Error::Missing { .. } | Error::NoSuchPath => StatusCode::NOT_FOUND,
        Error::Conflict { .. } => StatusCode::CONFLICT,
        Error::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Error::Invalid(_) | Error::Rejected { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Error::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
        Error::ChangedMeanwhile => StatusCode::PRECONDITION_FAILED,
        Error::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Error::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Error::NotAcceptable(_) => StatusCode::NOT_ACCEPTABLE,
        Error::SlowRequest => StatusCode::REQUEST_TIMEOUT,
        Error::Busy | Error::TookTooLong | Error::Unavailable | Error::SecretKeyChanged => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Error::GameServer { .. } => StatusCode::BAD_GATEWAY,
        Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// After how many seconds it is worth trying again.
fn retry_after(error: &Error) -> Option<u64> {
    match error {
        Error::TooManyRequests { retry_after, .. } => Some(*retry_after),
        _ => (status(error) == StatusCode::SERVICE_UNAVAILABLE).then_some(1),
    }
}

/// The error travels with the response until [`render`] writes the body, because only the
/// outermost layer knows the request's id.
impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = status(&self).into_response();
        response.extensions_mut().insert(Failure(Arc::new(self)));
        response
    }
}

/// The statuses that an operation can fail with come from its extractors.
impl aide::OperationOutput for Error {
    type Inner = ErrorBody<'static>;
}

#[derive(Clone)]
pub struct Failure(pub Arc<Error>);

/// Writes the body of a response that an error was turned into; headers it already has stay.
pub fn render(response: Response, error: &Error, request_id: &str) -> Response {
    if let Error::Internal(cause) = error {
        tracing::error!(request_id, %cause, "internal error");
    }
    let mut headers = response.into_parts().0.headers;
    if let Some(seconds) = retry_after(error) {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    let body = Json(ErrorBody::new(error, request_id));
    (status(error), headers, body).into_response()
}
