use aide::generate::GenContext;
use aide::openapi::{Operation, ReferenceOr, Response, StatusCode};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::parts::typed;
use crate::http::error::ErrorBody;

pub const INVALID: &str = "The request is invalid; `errors` lists the faults of each field.";

/// A header of a response.
pub struct HeaderDoc {
    name: &'static str,
    description: &'static str,
    schema_type: &'static str,
    /// Whether the header is always present.
    required: bool,
}

pub(super) const REQUEST_ID: HeaderDoc = HeaderDoc {
    name: "X-Request-Id",
    description: "The id of this request, also in the logs.",
    schema_type: "string",
    required: true,
};
pub const ETAG: HeaderDoc = HeaderDoc {
    name: "ETag",
    description: "The entity tag of the resource, for `If-Match` and `If-None-Match`. It changes \
                  whenever a field that an update can set changes. A resource that shows others \
                  has a longer tag in the reply to a GET, which also changes with those; \
                  `If-Match` accepts either.",
    schema_type: "string",
    required: true,
};
pub(super) const ETAG_OF_WRITE: HeaderDoc = HeaderDoc {
    name: "ETag",
    description: "The entity tag of the resource that was changed, for `If-Match`. Absent if the \
                  write deletes it, changes several, or none.",
    schema_type: "string",
    required: false,
};
pub const TOTAL_COUNT: HeaderDoc = HeaderDoc {
    name: "X-Total-Count",
    description: "Total number of items.",
    schema_type: "integer",
    required: true,
};
pub const TOTAL_COUNT_RELATION: HeaderDoc = HeaderDoc {
    name: "X-Total-Count-Relation",
    description: "`at-least` if there are more items than `X-Total-Count` says, because they are \
                  not counted further. Absent if the count is exact.",
    schema_type: "string",
    required: false,
};
pub const LINK: HeaderDoc = HeaderDoc {
    name: "Link",
    description: "Other pages of the list (RFC 8288): first, prev, next, last.",
    schema_type: "string",
    required: false,
};
const CONTENT_DISPOSITION: HeaderDoc = HeaderDoc {
    name: "Content-Disposition",
    description: "A name for the file.",
    schema_type: "string",
    required: true,
};
pub(super) const REPLAYED: HeaderDoc = HeaderDoc {
    name: "Idempotent-Replayed",
    description: "`true` if this is the reply to an earlier request with the same \
                  `Idempotency-Key`.",
    schema_type: "string",
    required: false,
};
pub(super) const LOCATION: HeaderDoc = HeaderDoc {
    name: "Location",
    description: "The path of what was created.",
    schema_type: "string",
    required: true,
};
pub(super) const PREFERENCE_APPLIED: HeaderDoc = HeaderDoc {
    name: "Preference-Applied",
    description: "The preferences in `Prefer` that were honoured (RFC 7240).",
    schema_type: "string",
    required: false,
};
pub(super) const RETRY_AFTER: HeaderDoc = HeaderDoc {
    name: "Retry-After",
    description: "Seconds to wait before a retry.",
    schema_type: "integer",
    required: true,
};
pub(super) const WWW_AUTHENTICATE: HeaderDoc = HeaderDoc {
    name: "WWW-Authenticate",
    description: "How to authenticate.",
    schema_type: "string",
    required: true,
};
pub(super) const RATE_LIMIT: HeaderDoc = HeaderDoc {
    name: "RateLimit",
    description: "Number of requests (`r`) that the key has left for the next seconds (`t`). Only \
                  with a key that has a rate limit.",
    schema_type: "string",
    required: false,
};
pub(super) const RATE_LIMIT_POLICY: HeaderDoc = HeaderDoc {
    name: "RateLimit-Policy",
    description: "Number of requests (`q`) that the key may make in a period of seconds (`w`). \
                  Only with a key that has a rate limit.",
    schema_type: "string",
    required: false,
};

pub(super) fn add_header(response: &mut Response, header: &HeaderDoc) {
    let documented = typed(json!({
        "description": header.description,
        "required": header.required,
        "schema": { "type": header.schema_type },
        "style": "simple",
    }));
    let name = header.name.to_owned();
    response.headers.insert(name, ReferenceOr::Item(documented));
}

pub fn success<T: JsonSchema>(ctx: &mut GenContext, headers: &[HeaderDoc]) -> Response {
    success_with(ctx.schema.subschema_for::<T>(), headers)
}

fn success_with(schema: Schema, headers: &[HeaderDoc]) -> Response {
    let mut response = typed(json!({
        "description": "Success.",
        "content": { "application/json": { "schema": schema } },
    }));
    for header in headers {
        add_header(&mut response, header);
    }
    response
}

/// A file to download, in one of these media types.
pub fn file(media_types: &[&str], headers: &[HeaderDoc]) -> Response {
    let content: Map<String, Value> = media_types
        .iter()
        .map(|media_type| {
            let schema = json!({ "schema": { "type": "string" } });
            ((*media_type).to_owned(), schema)
        })
        .collect();
    let mut response = typed(json!({ "description": "Success.", "content": content }));
    add_header(&mut response, &CONTENT_DISPOSITION);
    for header in headers {
        add_header(&mut response, header);
    }
    response
}

/// An endless response.
pub fn stream(media_type: &str) -> Response {
    typed(json!({
        "description": "Success.",
        "content": { media_type: { "schema": { "type": "string" } } },
    }))
}

pub fn not_modified() -> Response {
    let mut response = typed(json!({ "description": "The client's copy is current." }));
    add_header(&mut response, &ETAG);
    response
}

pub fn error(ctx: &mut GenContext, status: u16, description: &str) -> (Option<u16>, Response) {
    // Adds the schema to the components.
    ctx.schema.subschema_for::<ErrorBody>();
    (Some(status), error_response(description))
}

/// The error of a path that names nothing.
pub fn no_such_resource(ctx: &mut GenContext) -> (Option<u16>, Response) {
    error(ctx, 404, "There is no such resource.")
}

/// Adds one more way to fail to an operation.
pub fn add_error(operation: &mut Operation, status: u16, why: &str) {
    respond(operation, status, error_response(why));
}

pub(super) fn error_response(description: &str) -> Response {
    let schema = json!({ "$ref": "#/components/schemas/ApiError" });
    typed(json!({
        "description": description,
        "content": { "application/json": { "schema": schema } },
    }))
}

pub(super) fn has_response(operation: &Operation, status: u16) -> bool {
    let responses = operation.responses.as_ref();
    responses.is_some_and(|known| known.responses.contains_key(&StatusCode::Code(status)))
}

/// Adds a response, or replaces the one of the same status.
pub(super) fn respond(operation: &mut Operation, status: u16, response: Response) {
    let responses = operation.responses.get_or_insert_default();
    let response = ReferenceOr::Item(response);
    responses
        .responses
        .insert(StatusCode::Code(status), response);
}

/// All responses that are not references, with their status.
pub(super) fn responses(operation: &mut Operation) -> impl Iterator<Item = (u16, &mut Response)> {
    let responses = operation.responses.iter_mut();
    let responses = responses.flat_map(|responses| responses.responses.iter_mut());
    responses.filter_map(|(status, response)| match status {
        StatusCode::Code(status) => Some((*status, response.as_item_mut()?)),
        StatusCode::Range(_) => None,
    })
}
