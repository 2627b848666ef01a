//! `?money=string` and `Prefer: money=string`: amounts as JSON strings.
//!
//! Replies are serialised in many places, which do not see the request. That the form was asked for
//! is therefore a task-local, which exists only for those requests.

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::VARY;
use axum::response::Response;
use axum::routing::Route;

use super::layer;
use super::middleware::RequestInfo;
use super::query::prefers;
use crate::input::Faults;

/// A query parameter of every operation.
pub const PARAMETER: &str = "money";
const TEXT: &str = "string";
const NUMBER: &str = "number";
const PREFERENCE: &str = "money=string";

tokio::task_local! {
    static TEXT_FORM: ();
}

/// Whether the current request asks for amounts as strings.
pub fn is_text() -> bool {
    TEXT_FORM.try_with(|()| ()).is_ok()
}

/// Runs the request in the form that it asks for.
pub async fn run(request: Request, route: Route) -> Response {
    let queried = request.uri().query().and_then(last_value);
    // The query counts, if it has both.
    let is_preferred = queried.is_none() && prefers(request.headers(), PREFERENCE);
    let is_text = is_preferred || queried.is_some_and(|form| form == TEXT);
    if !is_text {
        return layer::run(route, request).await;
    }
    if is_preferred {
        RequestInfo::of(request.extensions()).record_preference(PREFERENCE);
    }
    let mut response = Box::pin(TEXT_FORM.scope((), layer::run(route, request))).await;
    if is_preferred {
        // In place of the value that every response has.
        response
            .headers_mut()
            .insert(VARY, HeaderValue::from_static("accept-encoding, prefer"));
    }
    response
}

/// The value of the parameter; the last one if it is repeated.
fn last_value(query: &str) -> Option<String> {
    if !query.contains(PARAMETER) {
        return None;
    }
    let pairs = form_urlencoded::parse(query.as_bytes());
    let values = pairs.filter(|(name, _)| name == PARAMETER);
    values.last().map(|(_, value)| value.into_owned())
}

/// What is wrong with a value of the parameter.
pub fn fault(value: &str) -> Option<Faults> {
    let is_valid = [TEXT, NUMBER].contains(&value);
    (!is_valid).then(|| Faults::one(PARAMETER, "must be string or number"))
}
