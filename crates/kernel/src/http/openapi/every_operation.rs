//! Documents what all operations, all writes, or all writes to an existing resource have in common.

use std::collections::HashSet;

use aide::openapi::{OpenApi, Operation, Parameter, ParameterSchemaOrContent, ReferenceOr};

use super::parameters::{
    IDEMPOTENCY_KEY, PREFER, add_if_match, add_if_none_match, add_prefer, add_request_id,
    has_header,
};
use super::parts::operations;
use super::responses::{
    ETAG, ETAG_OF_WRITE, LOCATION, PREFERENCE_APPLIED, RATE_LIMIT, RATE_LIMIT_POLICY, REPLAYED,
    REQUEST_ID, RETRY_AFTER, WWW_AUTHENTICATE, add_header, error_response, has_response, respond,
    responses,
};

pub fn complete(document: &mut OpenApi) {
    let lists: HashSet<String> = operations(document)
        .filter_map(|(path, _, _)| Some(without_names(path).strip_suffix("/{}")?.to_owned()))
        .collect();
    // Of these there is only one, so that their paths have no id.
    let single: HashSet<String> = operations(document)
        .filter(|(path, method, get)| {
            *method == "GET" && !path.contains('{') && has_response(get, 304)
        })
        .map(|(path, _, _)| path.to_owned())
        .collect();
    for (path, method, operation) in operations(document) {
        let is_write = has_header(operation, IDEMPOTENCY_KEY);
        // A provider of profiles is no resource.
        let has_id = path.contains('{') && !path.contains("{provider}");
        let has_target = has_id || (method != "POST" && single.contains(path));
        add_common_parameters(operation, is_write && has_target);
        add_common_responses(operation, is_write && has_target);
        add_common_headers(operation, is_write);
        if is_write {
            let has_path = method == "PUT" || lists.contains(&without_names(path));
            add_headers_of_write(operation, method == "PUT", has_path);
        }
        remove_repeated_descriptions(operation);
        sort_responses(operation);
    }
}

/// `has_path` says whether the created resource has a path: below that of a POST, or that of a PUT
/// itself.
fn add_headers_of_write(operation: &mut Operation, is_put: bool, has_path: bool) {
    for (status, reply) in responses(operation).filter(|(status, _)| (200..300).contains(status)) {
        let is_created = status == 201 && has_path;
        if is_created {
            add_header(reply, &LOCATION);
        }
        let etag = match is_put || is_created {
            true => &ETAG,
            false => &ETAG_OF_WRITE,
        };
        add_header(reply, etag);
    }
}

/// The path without the names of its parameters, which differ between operations.
fn without_names(path: &str) -> String {
    let segments = path.split('/').map(|segment| match segment {
        name if name.starts_with('{') => "{}",
        literal => literal,
    });
    segments.collect::<Vec<_>>().join("/")
}

fn add_common_parameters(operation: &mut Operation, changes_existing: bool) {
    if changes_existing {
        add_if_match(operation);
    }
    if has_response(operation, 304) {
        add_if_none_match(operation);
    }
    if has_response(operation, 422) {
        add_prefer(operation);
    }
    add_request_id(operation);
}

fn add_common_responses(operation: &mut Operation, changes_existing: bool) {
    let mut add = |status, description| respond(operation, status, error_response(description));
    if changes_existing {
        add(412, "The resource has changed: `If-Match` does not match.");
    }
    add(500, "Internal error. The logs have the details.");
    add(
        503,
        "The service is overloaded, or its database cannot be reached. With the code \
         `outcome_unknown`, a write may or may not have happened.",
    );
    if has_response(operation, 413) {
        let late = error_response("The body did not arrive in time.");
        respond(operation, 408, late);
    }
    if has_response(operation, 401) && !has_response(operation, 429) {
        let limited = error_response(
            "The key has exceeded its rate limit, or too many wrong keys came from the address.",
        );
        respond(operation, 429, limited);
    }
}

fn add_common_headers(operation: &mut Operation, is_write: bool) {
    let authenticates = has_response(operation, 401);
    let prefers = has_header(operation, PREFER);
    for (status, response) in responses(operation) {
        if matches!(status, 429 | 503) {
            add_header(response, &RETRY_AFTER);
        }
        if status == 401 {
            add_header(response, &WWW_AUTHENTICATE);
        }
        add_header(response, &REQUEST_ID);
        if authenticates && status != 401 {
            add_header(response, &RATE_LIMIT);
            add_header(response, &RATE_LIMIT_POLICY);
        }
        if prefers && matches!(status, 200..300 | 422) {
            add_header(response, &PREFERENCE_APPLIED);
        }
        if is_write && matches!(status, 200..300) {
            add_header(response, &REPLAYED);
        }
    }
}

/// Removes the description that a parameter made from a schema has a second time.
fn remove_repeated_descriptions(operation: &mut Operation) {
    let parameters = operation.parameters.iter_mut();
    for parameter in parameters.filter_map(ReferenceOr::as_item_mut) {
        let data = match parameter {
            Parameter::Query { parameter_data, .. }
            | Parameter::Header { parameter_data, .. }
            | Parameter::Path { parameter_data, .. }
            | Parameter::Cookie { parameter_data, .. } => parameter_data,
        };
        if let (Some(_), ParameterSchemaOrContent::Schema(schema)) =
            (&data.description, &mut data.format)
        {
            schema.json_schema.remove("description");
        }
    }
}

fn sort_responses(operation: &mut Operation) {
    if let Some(responses) = &mut operation.responses {
        responses
            .responses
            .sort_unstable_by(|a, _, b, _| a.to_string().cmp(&b.to_string()));
    }
}
