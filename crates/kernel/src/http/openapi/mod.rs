//! The OpenAPI document, generated from the types of the handlers.
//!
//! Extractors and replies describe their part of an operation in full, through the functions of
//! [`parameters`] and [`responses`]. [`document`] then adds what all operations have in common,
//! merges the examples, and moves repeated parts into the document's components.

mod components;
mod every_operation;
mod examples;
mod parameters;
mod responses;
mod schemas;
pub mod version_3_0;

use std::cell::Cell;

use aide::axum::ApiRouter;
use aide::generate::{in_context, infer_responses};
use aide::openapi::{OpenApi, Operation};
use aide::transform::TransformOperation;
use axum::Router;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use self::parameters::{add_parameter, add_write_headers, set_body};
pub use self::responses::{
    ETAG, INVALID, LINK, TOTAL_COUNT, TOTAL_COUNT_RELATION, error, file, not_modified, stream,
    success,
};

use self::responses::{error_response, respond};
use crate::auth::permission::Right;
use crate::{API_VERSION, VERSION};

const SCHEME: &str = "ApiKey";
const BEARER: &str = "Bearer";
const SESSION: &str = "Session";

const DESCRIPTION: &str = "\
Every request carries an API key in `X-API-Key` or as `Authorization: Bearer`, or the cookie of a \
console session. Bodies are JSON. Timestamps are UTC, in whole \
seconds. Unknown fields are ignored, or refused with `Prefer: handling=strict`. All errors have \
the same form, or that of RFC 9457 if `Accept` names `application/problem+json`. Every write can be repeated safely with an `Idempotency-Key`, and made conditional \
with `If-Match`.

Money is a JSON number, exact to the last digit. A client that reads it as binary floating point \
loses digits: use a decimal type, such as `json.loads(text, parse_float=Decimal)` in Python. Where \
there is none, `?money=string` or `Prefer: money=string` makes every decimal number of a reply a \
string of the same digits: `\"amount\": \"12.5\"`. Requests always send numbers.";

/// What the document contains besides the operations.
pub struct Extras<'a> {
    /// Name and description of each tag, in the order of the document.
    pub tags: &'a [(&'a str, &'a str)],
    /// JSON: by operation id, an example of its request and its successful reply.
    pub examples: &'a str,
}

thread_local! {
    static IS_DESCRIBING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the handlers that are registered are described, and not only routed to.
pub fn is_describing() -> bool {
    IS_DESCRIBING.get()
}

fn set_describing(is_describing: bool) {
    IS_DESCRIBING.set(is_describing);
    infer_responses(is_describing);
}

/// The routes of `api`, which are not described: that would take longer than the rest of the start.
pub fn router<S>(api: impl FnOnce() -> ApiRouter<S>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    set_describing(false);
    api().into()
}

/// Generates the document of the routes of `api`.
pub fn document<S>(api: impl FnOnce() -> ApiRouter<S>, extras: &Extras) -> OpenApi
where
    S: Clone + Send + Sync + 'static,
{
    // Handlers are described while `api` registers them.
    set_describing(true);
    in_context(|context| context.schema = SchemaGenerator::new(schema_settings()));
    let router = api();
    let tags = extras.tags.iter();
    let mut document = OpenApi {
        info: typed(json!({
            "title": "Steward",
            "version": API_VERSION,
            "summary": "Administration of a game community",
            "description": DESCRIPTION,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            "x-program-version": VERSION,
        })),
        servers: typed(json!([
            { "url": "/", "description": "The service that this document comes from." },
        ])),
        tags: tags
            .map(|(name, description)| typed(json!({ "name": name, "description": description })))
            .collect(),
        components: typed(json!({
            "securitySchemes": {
                SCHEME: {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-API-Key",
                    "description": "Each operation lists the permission that the key needs. \
                                    A permission covers those below it: `admin.users` covers \
                                    `admin.users.read`.",
                },
                BEARER: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The same API key in the header `Authorization`. With two \
                                    different keys in the two headers, the reply is 400 \
                                    `ambiguous_key`.",
                },
                SESSION: {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "steward",
                    "description": "The session of a person, who has the permissions of an operator \
                                    or of an API key. Over TLS the cookie is called \
                                    `__Host-steward`. A write must come from a page of this \
                                    service (`Sec-Fetch-Site: same-origin`, or else an equal \
                                    `Origin`): otherwise 403 `cross_site`. With an API key, that \
                                    counts instead.",
                },
            },
        })),
        ..OpenApi::default()
    };
    let _ = router.finish_api(&mut document);
    every_operation::complete(&mut document);
    schemas::complete(&mut document);
    examples::merge(&mut document, extras.examples);
    components::share(&mut document);
    document
}

/// The derived schemas describe replies, whose fields are all present unless they are skipped;
/// requests have schemas of their own, see [`input`](crate::input).
fn schema_settings() -> SchemaSettings {
    SchemaSettings::draft07().for_serialize().with(|settings| {
        settings.definitions_path = "#/components/schemas/".into();
    })
}

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

/// Why a reply that reveals a secret is not repeated under its `Idempotency-Key`.
pub const SECRET_REPLY: &str = "The request was carried out before, under this `Idempotency-Key`, and \
                                its reply cannot be read with the key's new value.";

/// Adds one more way to fail.
pub fn failing<'t>(
    mut operation: TransformOperation<'t>,
    status: u16,
    why: &str,
) -> TransformOperation<'t> {
    respond(operation.inner_mut(), status, error_response(why));
    operation
}

/// Documents the permission that an operation needs.
pub fn require<R: Right>(operation: &mut Operation) {
    require_any(operation, R::NEEDS, R::NEEDS_SESSION);
}

fn require_any(operation: &mut Operation, rights: &[&str], needs_session: bool) {
    let needs = match rights {
        [] if needs_session => "a session of the console".to_owned(),
        [] => "a valid key".to_owned(),
        any => any.join(" or "),
    };
    operation.description = Some(format!("Needs {needs}."));
    let enough = |scheme: &str, permissions: &[&str]| {
        let permissions = permissions.iter().map(|name| (*name).to_owned()).collect();
        [(scheme.to_owned(), permissions)].into_iter().collect()
    };
    let schemes: &[&str] = match needs_session {
        true => &[SESSION],
        false => &[SCHEME, BEARER, SESSION],
    };
    // The requirements are alternatives: any one of them is enough.
    let alternatives = schemes.iter().flat_map(|scheme| match rights {
        [] => vec![enough(scheme, &[])],
        any => any.iter().map(|name| enough(scheme, &[name])).collect(),
    });
    operation.security = alternatives.collect();
}

/// Every operation of the document, with its path and method.
fn operations(
    document: &mut OpenApi,
) -> impl Iterator<Item = (&str, &'static str, &mut Operation)> {
    let paths = document.paths.iter_mut();
    paths
        .flat_map(|paths| paths.paths.iter_mut())
        .filter_map(|(path, item)| Some((path, item.as_item_mut()?)))
        .flat_map(|(path, item)| {
            let methods = [
                ("GET", item.get.as_mut()),
                ("POST", item.post.as_mut()),
                ("PUT", item.put.as_mut()),
                ("DELETE", item.delete.as_mut()),
            ];
            methods
                .into_iter()
                .filter_map(move |(method, operation)| Some((path.as_str(), method, operation?)))
        })
}

/// Parts of the document are written as the JSON they become, which is shorter and easier to
/// compare with the specification than their types.
fn typed<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("a part of the document is well-formed")
}
