//! The operation that streams events.

use std::convert::Infallible;

use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response as Documented};
use aide::{OperationInput, OperationOutput};
use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use serde_json::json;

use super::stream::{Stream, Wanted};
use crate::app::App;
use kernel::auth::permission::AnyPermission;
use kernel::http::Caller;
use kernel::http::openapi::{self, named};
use kernel::http::query::Query;
use kernel::input::{Faults, Int, Place, Raw, Rule, Text};
use kernel::{Error, Result, inline_schema, input};

const LAST_EVENT_ID: &str = "last-event-id";
/// Asks nginx not to hold events back.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
const EVENT_STREAM: &str = "text/event-stream";

input! {
    /// Which events, and from where on.
    struct EventQuery {
        /// Only events of this type of resource, such as `roles`.
        resource: Option<Text<1, 100>>,
        /// Only events of this action, such as `roles.update`.
        action: Option<Text<1, 100>>,
        /// Begins after the event with this cursor. `Last-Event-ID` takes precedence.
        after: Option<EventCursor>,
    }
}

/// The `id` of an event, or 0 for all that are stored.
#[derive(Debug)]
struct EventCursor(i64);

impl Rule for EventCursor {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let Int(id) = Int::<0, { i64::MAX }>::read(raw, place)?;
        Some(Self(id))
    }
}

inline_schema!(EventCursor, { "type": "string" });

/// The cursor that a browser sends when it connects again.
struct LastEventId(Option<i64>);

impl<S: Sync> FromRequestParts<S> for LastEventId {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let Some(value) = parts.headers.get(LAST_EVENT_ID) else {
            return Ok(Self(None));
        };
        let id = value.to_str().ok().and_then(|text| text.parse().ok());
        match id.filter(|id: &i64| *id >= 0) {
            Some(id) => Ok(Self(Some(id))),
            None => Err(Faults::one("Last-Event-ID", "must be the id of an event").into()),
        }
    }
}

impl OperationInput for LastEventId {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        openapi::add_parameter(
            operation,
            "header",
            "Last-Event-ID",
            "The `id` of the last event received. The stream goes on after it.",
            json!({ "type": "string" }),
        );
    }
}

/// The response: a stream without an end.
struct EventStream(Stream);

async fn listen(
    State(app): State<App>,
    caller: Caller<AnyPermission>,
    LastEventId(last): LastEventId,
    Query(query): Query<EventQuery>,
) -> Result<EventStream> {
    let EventQuery {
        resource,
        action,
        after,
    } = query;
    let wanted = Wanted {
        resource: resource.map(Text::into_string),
        action: action.map(Text::into_string),
    };
    let after = last.or(after.map(|after| after.0));
    let stream = Stream::begin(app, caller.actor().clone(), wanted, after).await?;
    Ok(EventStream(stream))
}

impl IntoResponse for EventStream {
    fn into_response(self) -> Response {
        // A first comment, so that a proxy passes the head on at once.
        let first = stream::iter([b":\n\n".to_vec()]);
        let rest = stream::unfold(self.0, Stream::next);
        let body = first.chain(rest).map(Ok::<_, Infallible>);
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM)),
            (X_ACCEL_BUFFERING, HeaderValue::from_static("no")),
        ];
        (headers, Body::from_stream(body)).into_response()
    }
}

impl OperationOutput for EventStream {
    type Inner = String;

    fn inferred_responses(_: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Documented)> {
        vec![(Some(200), openapi::stream(EVENT_STREAM))]
    }
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/events",
            get_with(
                listen,
                named("listenToEvents", "Receive events as they happen"),
            ),
        )
        .with_path_items(|item| item.tag("Audit log"))
}
