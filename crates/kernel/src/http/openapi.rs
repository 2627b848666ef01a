//! The OpenAPI document, put together from the types of the handlers.
//!
//! Extractors and replies say what they add to an operation; what every operation has is added at
//! the end, in [`finish`].

use aide::axum::ApiRouter;
use aide::generate::GenContext;
use aide::openapi::{
    OpenApi, Operation, Parameter, ReferenceOr, RequestBody, Response, StatusCode,
};
use aide::transform::TransformOperation;
use axum::Router;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::error::ErrorBody;
use crate::auth::permission::Right;
use crate::{API_VERSION, VERSION};

const SCHEME: &str = "ApiKey";
/// What every write takes, and nothing else does.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

pub const INVALID: &str = "The request is invalid; `errors` names each field and its faults.";

/// A header of a response: name, description, schema type, and whether it is always there.
pub struct HeaderDoc(&'static str, &'static str, &'static str, bool);

const REQUEST_ID: HeaderDoc = HeaderDoc(
    "X-Request-Id",
    "The id of this request, also in the logs.",
    "string",
    true,
);
pub const ETAG: HeaderDoc = HeaderDoc(
    "ETag",
    "Changes when anything changed that an update can set.",
    "string",
    true,
);
pub const TOTAL_COUNT: HeaderDoc = HeaderDoc(
    "X-Total-Count",
    "How many items there are in all.",
    "integer",
    true,
);
pub const LINK: HeaderDoc = HeaderDoc(
    "Link",
    "Other pages of the list (RFC 8288): first, prev, next, last.",
    "string",
    false,
);
const CONTENT_DISPOSITION: HeaderDoc = HeaderDoc(
    "Content-Disposition",
    "A name for the file.",
    "string",
    true,
);
const REPLAYED: HeaderDoc = HeaderDoc(
    "Idempotent-Replayed",
    "`true` when this is the reply to an earlier request under the same `Idempotency-Key`.",
    "string",
    false,
);
const RETRY_AFTER: HeaderDoc = HeaderDoc(
    "Retry-After",
    "After how many seconds it is worth trying again.",
    "integer",
    true,
);

/// These stand at nearly every response, and are described once.
const SHARED: [HeaderDoc; 2] = [RATE_LIMIT, RATE_LIMIT_POLICY];
const RATE_LIMIT: HeaderDoc = HeaderDoc(
    "RateLimit",
    "How many more requests (`r`) the key may make within so many seconds (`t`); only with a key \
     that has a limit.",
    "string",
    false,
);
const RATE_LIMIT_POLICY: HeaderDoc = HeaderDoc(
    "RateLimit-Policy",
    "How many requests (`q`) the key may make in any period of so many seconds (`w`); only with a \
     key that has a limit.",
    "string",
    false,
);

/// The document for all routes in `router`.
pub fn document<S>(router: ApiRouter<S>) -> (OpenApi, Router<S>)
where
    S: Clone + Send + Sync + 'static,
{
    let mut api = OpenApi {
        info: typed(json!({
            "title": "Steward",
            "version": API_VERSION,
            "summary": "Administration of a game community",
            "description": DESCRIPTION,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            "x-program-version": VERSION,
        })),
        components: typed(json!({
            "headers": SHARED.iter().map(header).collect::<Map<_, _>>(),
            "securitySchemes": {
                SCHEME: {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-API-Key",
                    "description": "Each operation lists the permission that the key needs. \
                                    A permission covers those below it: `admin.users` covers \
                                    `admin.users.read`.",
                },
            },
        })),
        ..OpenApi::default()
    };
    let router = router.finish_api(&mut api);
    finish(&mut api);
    (api, router)
}

const DESCRIPTION: &str = "\
Every request carries an API key in `X-API-Key`. Bodies are JSON. Timestamps are UTC, in whole \
seconds. Unknown fields are ignored, or refused with `Prefer: handling=strict`. All errors have \
one shape. Any write can be repeated safely under an `Idempotency-Key`, and made conditional \
with `If-Match`.";

/// Names an operation for people and for generated clients.
pub fn named(
    id: &'static str,
    summary: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    move |operation| operation.id(id).summary(summary)
}

/// The same, for an operation that can also fail in a way of its own.
pub fn named_failing(
    id: &'static str,
    summary: &'static str,
    status: u16,
    why: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    move |operation| failing(named(id, summary)(operation), status, why)
}

/// The same operation with one more way to fail.
pub fn failing<'t>(
    mut operation: TransformOperation<'t>,
    status: u16,
    why: &str,
) -> TransformOperation<'t> {
    respond(operation.inner_mut(), status, error_response(why));
    operation
}

pub fn require<R: Right>(operation: &mut Operation) {
    let needs = match R::NEEDS {
        [] => "a valid key".to_owned(),
        any => any.join(" or "),
    };
    operation.description = Some(format!("Needs {needs}."));
    let enough = |permissions: &[&str]| {
        let permissions = permissions.iter().map(|name| (*name).to_owned()).collect();
        [(SCHEME.to_owned(), permissions)].into_iter().collect()
    };
    // Each is a requirement of its own, of which any one is to be met.
    operation.security = match R::NEEDS {
        [] => vec![enough(&[])],
        any => any.iter().map(|name| enough(&[name])).collect(),
    };
}

pub fn add_write_headers(operation: &mut Operation) {
    add_parameter(
        operation,
        "header",
        IDEMPOTENCY_KEY,
        "Sent again within 24 hours, the same request is answered by the same reply and carried \
         out once.",
        json!({ "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" }),
    );
}

pub fn add_parameter(
    operation: &mut Operation,
    place: &str,
    name: &str,
    description: &str,
    schema: Value,
) {
    let parameter: Parameter = typed(json!({
        "in": place,
        "name": name,
        "description": description,
        "required": place == "path",
        "schema": schema,
        "style": "simple",
    }));
    operation.parameters.push(ReferenceOr::Item(parameter));
}

pub fn set_body<T: JsonSchema>(ctx: &mut GenContext, operation: &mut Operation, required: bool) {
    let schema = ctx.schema.subschema_for::<T>();
    let body: RequestBody = typed(json!({
        "required": required,
        "content": { "application/json": { "schema": schema } },
    }));
    operation.request_body = Some(ReferenceOr::Item(body));
}

pub fn success<T: JsonSchema>(ctx: &mut GenContext, headers: &[HeaderDoc]) -> Response {
    let schema = ctx.schema.subschema_for::<T>();
    let mut response = typed(json!({
        "description": "Success.",
        "content": { "application/json": { "schema": schema } },
    }));
    for header in headers {
        add_header(&mut response, header);
    }
    response
}

/// Something to be saved, in one of these forms.
pub fn file(media_types: &[&str]) -> Response {
    let content: Map<String, Value> = media_types
        .iter()
        .map(|kind| {
            (
                (*kind).to_owned(),
                json!({ "schema": { "type": "string" } }),
            )
        })
        .collect();
    let mut response = typed(json!({ "description": "Success.", "content": content }));
    add_header(&mut response, &CONTENT_DISPOSITION);
    response
}

pub fn not_modified() -> Response {
    let mut response = typed(json!({ "description": "The caller has it already." }));
    add_header(&mut response, &ETAG);
    response
}

pub fn error(ctx: &mut GenContext, status: u16, description: &str) -> (Option<u16>, Response) {
    // Makes sure that the schema is among the components.
    ctx.schema.subschema_for::<ErrorBody>();
    (Some(status), error_response(description))
}

fn error_response(description: &str) -> Response {
    let schema = json!({ "$ref": "#/components/schemas/Error" });
    typed(json!({
        "description": description,
        "content": { "application/json": { "schema": schema } },
    }))
}

fn add_header(response: &mut Response, documented: &HeaderDoc) {
    let (name, described) = header(documented);
    response
        .headers
        .insert(name, ReferenceOr::Item(typed(described)));
}

fn add_shared_headers(response: &mut Response) {
    for HeaderDoc(name, ..) in SHARED {
        let reference = ReferenceOr::Reference {
            reference: format!("#/components/headers/{name}"),
            summary: None,
            description: None,
        };
        response.headers.insert(name.to_owned(), reference);
    }
}

fn header(HeaderDoc(name, description, kind, always): &HeaderDoc) -> (String, Value) {
    let described = json!({
        "description": description,
        "required": always,
        "schema": { "type": kind },
        "style": "simple",
    });
    ((*name).to_owned(), described)
}

/// Adds what holds for every operation, or for every write to something that exists.
fn finish(api: &mut OpenApi) {
    let paths = api
        .paths
        .iter_mut()
        .flat_map(|paths| paths.paths.iter_mut());
    for (path, item) in paths {
        let Some(item) = item.as_item_mut() else {
            continue;
        };
        let has_target = path.contains('{');
        let methods = [
            item.get.as_mut(),
            item.post.as_mut(),
            item.put.as_mut(),
            item.delete.as_mut(),
        ];
        for operation in methods.into_iter().flatten() {
            let writes = has_header(operation, IDEMPOTENCY_KEY);
            finish_operation(operation, writes, writes && has_target);
        }
    }
}

fn has_header(operation: &Operation, name: &str) -> bool {
    let parameters = operation.parameters.iter().filter_map(ReferenceOr::as_item);
    let mut headers = parameters.filter(|parameter| matches!(parameter, Parameter::Header { .. }));
    headers.any(|header| header.parameter_data_ref().name == name)
}

fn finish_operation(operation: &mut Operation, writes: bool, changes_existing: bool) {
    if changes_existing {
        add_parameter(
            operation,
            "header",
            "If-Match",
            "The entity tag the resource must have; otherwise 412.",
            json!({ "type": "string" }),
        );
        respond(
            operation,
            412,
            error_response("The resource has changed meanwhile."),
        );
    }
    if responds(operation, 304) {
        add_parameter(
            operation,
            "header",
            "If-None-Match",
            "An entity tag the caller has; 304 if it is still right.",
            json!({ "type": "string" }),
        );
    }
    if responds(operation, 413) {
        respond(
            operation,
            408,
            error_response("The body did not arrive in time."),
        );
    }
    if responds(operation, 422) {
        add_parameter(
            operation,
            "header",
            "Prefer",
            "`handling=strict` refuses fields that are not known (RFC 7240).",
            json!({ "type": "string" }),
        );
    }
    add_parameter(
        operation,
        "header",
        "X-Request-Id",
        "An id of the caller's own for this request: 1 to 64 of letters, digits, `.`, `_`, `-`. \
         Any other value is replaced.",
        json!({ "type": "string" }),
    );
    respond(
        operation,
        500,
        error_response("Something went wrong on our side."),
    );
    let authenticates = responds(operation, 401);
    if authenticates && !responds(operation, 429) {
        respond(
            operation,
            429,
            error_response("The key has made too many requests."),
        );
    }
    let busy = error_response("The service is busy, or its database cannot be reached.");
    respond(operation, 503, busy);
    let responses = operation.responses.iter_mut();
    for (status, response) in responses.flat_map(|responses| responses.responses.iter_mut()) {
        if let Some(response) = response.as_item_mut() {
            if matches!(status, StatusCode::Code(429 | 503)) {
                add_header(response, &RETRY_AFTER);
            }
            add_header(response, &REQUEST_ID);
            if authenticates && !matches!(status, StatusCode::Code(401)) {
                add_shared_headers(response);
            }
            if writes && matches!(status, StatusCode::Code(200..300)) {
                add_header(response, &REPLAYED);
            }
        }
    }
    if let Some(responses) = &mut operation.responses {
        responses
            .responses
            .sort_unstable_by(|a, _, b, _| a.to_string().cmp(&b.to_string()));
    }
}

fn responds(operation: &Operation, status: u16) -> bool {
    let responses = operation.responses.as_ref();
    responses.is_some_and(|known| known.responses.contains_key(&StatusCode::Code(status)))
}

fn respond(operation: &mut Operation, status: u16, response: Response) {
    let responses = operation.responses.get_or_insert_default();
    let response = ReferenceOr::Item(response);
    responses
        .responses
        .insert(StatusCode::Code(status), response);
}

/// Parts of the document are written as the JSON they become, which is shorter and easier to
/// compare with the specification than their types.
fn typed<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("a part of the document is well-formed")
}
