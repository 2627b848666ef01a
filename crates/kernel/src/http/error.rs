//! Turns an [`Error`] into a response: its status, headers and body.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::accept::{JSON, PROBLEM};
use crate::input::{Faults, ListedFault};
use crate::schema::JsonSchema;
use crate::types::Timestamp;
use crate::{Error, ErrorCode, json};

/// The ways to authenticate. HTTP requires them with every 401.
const CHALLENGE: &str = r#"Bearer realm="Steward", ApiKey realm="Steward""#;

/// The body of every error.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiError")]
pub struct ErrorBody<'a> {
    /// The error in a sentence, for people.
    message: String,
    code: ErrorCode,
    /// The faults of each field, by its name; a dotted path if it is nested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "std::collections::BTreeMap<String, Vec<String>>", default)]
    errors: Option<&'a Faults>,
    /// The same faults in the same order, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<ListedFault>", default)]
    faults: Option<Vec<ListedFault>>,
    #[serde(flatten)]
    block: Option<BlockTerms<'a>>,
    /// Also in the header `X-Request-Id`.
    request_id: &'a str,
}

/// The error in the form of RFC 9457. No type has its own URL: `code` tells them apart.
#[derive(Serialize)]
struct Problem<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(flatten)]
    error: ErrorBody<'a>,
}

impl<'a> Problem<'a> {
    fn new(error: &'a Error, request_id: &'a str) -> Self {
        let status = status(error);
        Self {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            detail: error.to_string(),
            error: ErrorBody::new(error, request_id),
        }
    }
}

/// The terms of the block, with `user_blocked` only.
#[derive(Serialize, JsonSchema)]
struct BlockTerms<'a> {
    /// Why the user is blocked, with `user_blocked`.
    reason: &'a str,
    /// When the block ends, with `user_blocked`; null if it does not.
    until: Option<Timestamp>,
}

impl<'a> ErrorBody<'a> {
    pub fn new(error: &'a Error, request_id: &'a str) -> Self {
        let errors = match error {
            Error::Invalid(faults) => Some(faults),
            _ => None,
        };
        let block = match error {
            Error::UserBlocked { reason, until } => Some(BlockTerms {
                reason,
                until: *until,
            }),
            _ => None,
        };
        Self {
            message: error.to_string(),
            code: error.code(),
            errors,
            faults: errors.map(Faults::list),
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
        | Error::PreviousKeyValue
        | Error::Forbidden { .. }
        | Error::UserBlocked { .. } => StatusCode::FORBIDDEN,
        Error::NotFound(_) | Error::Missing { .. } | Error::NoSuchPath => StatusCode::NOT_FOUND,
        Error::Conflict { .. } => StatusCode::CONFLICT,
        Error::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Error::Invalid(_) | Error::Rejected { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Error::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
        Error::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        Error::AmbiguousKey | Error::AmbiguousLength | Error::MissingHost => {
            StatusCode::BAD_REQUEST
        }
        Error::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Error::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Error::NotAcceptable(_) => StatusCode::NOT_ACCEPTABLE,
        Error::SlowRequest => StatusCode::REQUEST_TIMEOUT,
        Error::Busy
        | Error::ProviderUnavailable
        | Error::TookTooLong
        | Error::Unavailable
        | Error::NotWritable
        | Error::OutcomeUnknown
        | Error::Stopping
        | Error::SecretKeyChanged => StatusCode::SERVICE_UNAVAILABLE,
        Error::GameServer { .. } => StatusCode::BAD_GATEWAY,
        Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The value of `Retry-After`, in seconds.
fn retry_after(error: &Error) -> Option<u64> {
    match error {
        Error::TooManyRequests { retry_after, .. } => Some(*retry_after),
        _ => (status(error) == StatusCode::SERVICE_UNAVAILABLE).then_some(1),
    }
}

/// The response carries the error until [`render`] writes the body: only the outermost layer knows
/// the request id.
impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = status(&self).into_response();
        response.extensions_mut().insert(Failure(Arc::new(self)));
        response
    }
}

/// The error of a response whose body is not written yet.
#[derive(Clone)]
pub struct Failure(pub Arc<Error>);

/// Writes the body of an error response, in the form of RFC 9457 for a client that asks for it.
/// Headers that the response already has stay.
pub fn render(
    mut response: Response,
    error: &Error,
    request_id: &str,
    as_problem: bool,
) -> Response {
    *response.status_mut() = status(error);
    let headers = response.headers_mut();
    if let Some(seconds) = retry_after(error) {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    if let Error::Unauthorized = error {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
    }
    let (kind, body) = if as_problem {
        (PROBLEM, json::to_vec(&Problem::new(error, request_id)))
    } else {
        (JSON, json::to_vec(&ErrorBody::new(error, request_id)))
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    // The body has only strings and numbers, so writing it cannot fail.
    *response.body_mut() = Body::from(body.unwrap_or_default());
    response
}
