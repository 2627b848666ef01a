//! The OpenAPI document, generated from the types of the handlers.
//!
//! Extractors and replies describe their part of an operation in full ([`extractors`], [`replies`]),
//! through the functions of [`parameters`] and [`responses`]. [`document`] then adds what all operations have in common,
//! merges the examples, and moves repeated parts into the document's components.

mod components;
mod every_operation;
mod examples;
mod extractors;
mod page;
mod parameters;
mod parts;
mod replies;
mod responses;
mod schemas;
pub mod version_3_0;

use std::cell::Cell;

use aide::axum::ApiRouter;
use aide::generate::{in_context, infer_responses};
pub use aide::openapi::OpenApi;
use aide::openapi::Operation;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::json;

pub use self::page::page;
pub use self::parameters::{add_parameter, add_write_headers, set_body};
pub use self::responses::{
    ETAG, INVALID, LINK, TOTAL_COUNT, TOTAL_COUNT_RELATION, add_error, error, file,
    no_such_resource, not_modified, stream, success,
};

use self::parts::typed;
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
loses digits: use a decimal type, such as `json.loads(text, parse_float=Decimal)` in Python.";

/// The contents of the document besides the operations.
pub struct Extras<'a> {
    /// Name and description of each tag, in the order of the document.
    pub tags: &'a [(&'a str, &'a str)],
    /// JSON: by operation id, an example of its request and its successful reply.
    pub examples: &'a str,
}

thread_local! {
    static IS_DESCRIBING: Cell<bool> = const { Cell::new(false) };
}

/// Returns `true` if registered handlers are described, and not only routed to.
pub fn is_describing() -> bool {
    IS_DESCRIBING.get()
}

pub(super) fn set_describing(is_describing: bool) {
    IS_DESCRIBING.set(is_describing);
    infer_responses(is_describing);
}

/// Generates the document of the routes that `add` makes and adds to it.
pub fn document(add: impl FnOnce(&mut OpenApi), extras: &Extras) -> OpenApi {
    // Handlers are described while `add` registers them.
    set_describing(true);
    reset_schemas();
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
    add(&mut document);
    every_operation::complete(&mut document);
    schemas::complete(&mut document);
    examples::merge(&mut document, extras.examples);
    components::share(&mut document);
    document
}

/// Adds routes to the document, with the schemas they refer to.
pub fn add<S>(document: &mut OpenApi, routes: ApiRouter<S>)
where
    S: Clone + Send + Sync + 'static,
{
    let _ = routes.finish_api(document);
    reset_schemas();
}

/// Sets up the generator of schemas, which aide replaces by its own whenever routes are added.
fn reset_schemas() {
    in_context(|context| context.schema = SchemaGenerator::new(schema_settings()));
}

/// Derived schemas describe replies, whose fields are all present unless they are skipped; requests
/// have their own schemas, see [`input`](crate::input).
fn schema_settings() -> SchemaSettings {
    SchemaSettings::draft07().for_serialize().with(|settings| {
        settings.definitions_path = "#/components/schemas/".into();
    })
}

/// Documents the permission that an operation needs.
pub fn require<R: Right>(operation: &mut Operation) {
    require_any(operation, R::NEEDS, R::NEEDS_SESSION);
    if let Some(description) = operation
        .description
        .as_mut()
        .filter(|_| R::NEEDS_CONFIRMATION)
    {
        *description += " A console session must have been confirmed within the last 15 minutes.";
    }
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
