//! The operation that streams events.

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::{FromRef, FromRequestParts, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};

use super::Events;
use super::stream::{Stream, Wanted};
use kernel::auth::permission::AnyPermission;
use kernel::http::Caller;
use kernel::http::query::Query;
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::input::{Fault, Faults, Int, Place, Raw, Rule, Text, TextFormat, text_that};
use kernel::{Error, Kernel, Result, inline_schema, input};

const LAST_EVENT_ID: &str = "last-event-id";
/// Tells nginx not to buffer events.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
const EVENT_STREAM: &str = "text/event-stream";

input! {
    /// Selects the events, and the position to begin at.
    struct EventQuery {
        /// Only events of this type of resource, such as `roles`.
        resource: Option<Text<1, 100>>,
        /// Only events of this action, such as `roles.update`.
        action: Option<Text<1, 100>>,
        /// Begins after the event with this cursor. `Last-Event-ID` takes precedence.
        after: Option<EventCursor>,
        /// `off` leaves out the line `event`. A browser passes an event with a name only to
        /// listeners for that name, and one without to `onmessage`.
        event_names: Option<EventNames>,
    }
}

/// Whether events have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventNames {
    On,
    Off,
}

impl Rule for EventNames {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let known = |text: &str| ["on", "off"].contains(&text);
        let name = text_that(raw, place, known, Fault::not_one_of(&["on", "off"]))?;
        Some(match &*name {
            "off" => Self::Off,
            _ => Self::On,
        })
    }
}

inline_schema!(EventNames, { "type": "string", "enum": ["on", "off"] });

/// The `id` of an event, or 0 for all stored events.
#[derive(Debug)]
struct EventCursor(i64);

impl Rule for EventCursor {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let Int(id) = Int::<0, { i64::MAX }>::read(raw, place)?;
        Some(Self(id))
    }
}

inline_schema!(EventCursor, { "type": "string" });

/// The cursor that a browser sends when it reconnects.
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
            None => {
                let fault = Fault::wrong_format(TextFormat::EventId);
                Err(Faults::one("Last-Event-ID", fault).into())
            }
        }
    }
}

/// The response: an endless stream.
struct EventStream(Stream);

async fn listen(
    State(events): State<Events>,
    caller: Caller<AnyPermission>,
    LastEventId(last): LastEventId,
    Query(query): Query<EventQuery>,
) -> Result<EventStream> {
    let EventQuery {
        resource,
        action,
        after,
        event_names,
    } = query;
    let wanted = Wanted {
        resource: resource.map(Text::into_string),
        action: action.map(Text::into_string),
        has_names: event_names != Some(EventNames::Off),
    };
    let after = last.or(after.map(|after| after.0));
    let stream = Stream::begin(events, caller.actor().clone(), wanted, after).await?;
    Ok(EventStream(stream))
}

impl IntoResponse for EventStream {
    fn into_response(self) -> Response {
        // A first comment makes proxies forward the response head at once.
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

#[cfg(feature = "openapi")]
mod description {
    use aide::generate::GenContext;
    use aide::openapi::{Operation, Response};
    use aide::{OperationInput, OperationOutput};
    use kernel::http::openapi;
    use serde_json::json;

    use super::{EVENT_STREAM, EventStream, LastEventId};

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

    impl OperationOutput for EventStream {
        type Inner = String;

        fn inferred_responses(
            _: &mut GenContext,
            _: &mut Operation,
        ) -> Vec<(Option<u16>, Response)> {
            vec![(Some(200), openapi::stream(EVENT_STREAM))]
        }
    }
}

/// Lets the extractors of the kernel take their state from the events.
impl FromRef<Events> for Kernel {
    fn from_ref(events: &Events) -> Self {
        events.kernel().clone()
    }
}

pub fn routes() -> ApiRouter<Events> {
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
