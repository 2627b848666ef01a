use aide::generate::GenContext;
use aide::openapi::{Operation, Parameter, ReferenceOr, RequestBody};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::is_describing;
use super::parts::typed;

/// A parameter of every write, and of no other operation.
pub(super) const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

pub(super) const PREFER: &str = "Prefer";

pub fn add_write_headers(operation: &mut Operation) {
    add_parameter(
        operation,
        "header",
        IDEMPOTENCY_KEY,
        "Makes the request safe to repeat: for 24 hours, the same request with the same value \
         gets the same reply and is carried out once.",
        json!({ "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" }),
    );
}

pub(super) fn add_if_match(operation: &mut Operation) {
    add_parameter(
        operation,
        "header",
        "If-Match",
        "The entity tag that the resource must have; otherwise the reply is 412.",
        json!({ "type": "string" }),
    );
}

pub(super) fn add_if_none_match(operation: &mut Operation) {
    add_parameter(
        operation,
        "header",
        "If-None-Match",
        "The entity tag of the client's copy; the reply is 304 if the copy is current.",
        json!({ "type": "string" }),
    );
}

pub(super) fn add_prefer(operation: &mut Operation) {
    add_parameter(
        operation,
        "header",
        PREFER,
        "`handling=strict` refuses unknown fields (RFC 7240).",
        json!({ "type": "string" }),
    );
}

pub(super) fn add_request_id(operation: &mut Operation) {
    add_parameter(
        operation,
        "header",
        "X-Request-Id",
        "The client's own id for this request: 1 to 64 letters, digits, `.`, `_` or `-`. Any \
         other value is replaced.",
        json!({ "type": "string" }),
    );
}

/// Adds a parameter. `location` is `path` or `header`.
pub fn add_parameter(
    operation: &mut Operation,
    location: &str,
    name: &str,
    description: &str,
    schema: Value,
) {
    let parameter: Parameter = typed(json!({
        "in": location,
        "name": name,
        "description": description,
        "required": location == "path",
        "schema": schema,
        "style": "simple",
    }));
    operation.parameters.push(ReferenceOr::Item(parameter));
}

pub(super) fn has_header(operation: &Operation, name: &str) -> bool {
    let parameters = operation.parameters.iter().filter_map(ReferenceOr::as_item);
    let mut headers = parameters.filter(|parameter| matches!(parameter, Parameter::Header { .. }));
    headers.any(|header| header.parameter_data_ref().name == name)
}

pub fn set_body<T: JsonSchema>(ctx: &mut GenContext, operation: &mut Operation, required: bool) {
    if !is_describing() {
        return;
    }
    set_body_to(ctx.schema.subschema_for::<T>(), operation, required);
}

fn set_body_to(schema: Schema, operation: &mut Operation, required: bool) {
    let body: RequestBody = typed(json!({
        "required": required,
        "content": { "application/json": { "schema": schema } },
    }));
    operation.request_body = Some(ReferenceOr::Item(body));
}
