//! The parts of an operation that the extractors of its handler describe: parameters, the body, the
//! permission, and errors.

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response, SecurityRequirement};
use aide::operation::{ParamLocation, add_parameters, parameters_from_schema};
use schemars::Schema;
use serde_json::{Map, Value};

use super::{INVALID, add_write_headers, error, is_describing, require, set_body};
use crate::auth::permission::Right;
use crate::http::body::Body;
use crate::http::export::ExportRequest;
use crate::http::paging::{ListInput, ListRequest};
use crate::http::query::Query;
use crate::http::visitor::{Anyone, Browser, Visitor};
use crate::http::{Caller, Writer};
use crate::input::Input;
use crate::list::ListQuery;

impl<R: Right> OperationInput for Caller<R> {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        require::<R>(operation);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        refusals::<R>(ctx)
    }
}

fn refusals<R: Right>(ctx: &mut GenContext) -> Vec<(Option<u16>, Response)> {
    let missing = match R::NEEDS_SESSION {
        true => "There is no session, or it has ended.",
        false => "The API key is missing or invalid.",
    };
    let mut refusals = vec![error(ctx, 401, missing)];
    if R::NEEDS_SESSION {
        let elsewhere = "The request does not come from a page of this service.";
        refusals.push(error(ctx, 403, elsewhere));
    } else if R::NEEDS_CONFIRMATION {
        let refused = "The key lacks the permission, or the session needs a confirmation: \
                       `confirmation_required`.";
        refusals.push(error(ctx, 403, refused));
    } else if !R::NEEDS.is_empty() {
        refusals.push(error(ctx, 403, "The key lacks the permission."));
    }
    refusals
}

impl<R: Right> OperationInput for Writer<R> {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        require::<R>(operation);
        add_write_headers(operation);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        let mut responses = refusals::<R>(ctx);
        responses.push(error(ctx, 422, INVALID));
        responses
    }
}

impl<R: Right, B: Input> OperationInput for Writer<R, B> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Writer::<R>::operation_input(ctx, operation);
        set_body::<B>(ctx, operation, true);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        let mut responses = refusals::<R>(ctx);
        responses.extend(Body::<B>::inferred_early_responses(ctx, operation));
        responses
    }
}

impl<R: Right, B: Input> OperationInput for Writer<R, Option<B>> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Writer::<R>::operation_input(ctx, operation);
        set_body::<B>(ctx, operation, false);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        Writer::<R, B>::inferred_early_responses(ctx, operation)
    }
}

impl<T: Input> OperationInput for Body<T> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        set_body::<T>(ctx, operation, true);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        vec![
            error(ctx, 413, "The body is too large."),
            error(ctx, 415, "The body is not application/json."),
            error(ctx, 422, INVALID),
        ]
    }
}

impl OperationInput for Anyone {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        // An empty requirement is one that every request meets.
        operation.security = vec![SecurityRequirement::default()];
        operation.description = Some("Needs neither a key nor a session.".into());
    }
}

impl<B: Input> OperationInput for Visitor<B> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Anyone::operation_input(ctx, operation);
        set_body::<B>(ctx, operation, true);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        Body::<B>::inferred_early_responses(ctx, operation)
    }
}

impl OperationInput for Browser {}

impl<T: Input> OperationInput for Query<T> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        if !is_describing() {
            return;
        }
        let schema = without_null(T::json_schema(&mut ctx.schema));
        let parameters = parameters_from_schema(ctx, schema, ParamLocation::Query);
        add_parameters(ctx, operation, parameters);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        vec![error(ctx, 422, INVALID)]
    }
}

/// Removes `null` from the schemas: a body may have it, a query string cannot.
fn without_null(mut schema: Schema) -> Schema {
    let properties = schema.ensure_object().get_mut("properties");
    for property in properties
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(Map::values_mut)
    {
        if let Some([kind, _]) = property["type"].as_array().map(Vec::as_slice) {
            property["type"] = kind.clone();
        }
        if let Some(Value::Array(choices)) = property.get_mut("enum") {
            choices.retain(|choice| !choice.is_null());
        }
    }
    schema
}

impl<Q: ListQuery> OperationInput for ListRequest<Q> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Query::<ListInput<Q>>::operation_input(ctx, operation);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        Query::<ListInput<Q>>::inferred_early_responses(ctx, operation)
    }
}

impl<Q: ListQuery> OperationInput for ExportRequest<Q> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Query::<ListInput<Q, true>>::operation_input(ctx, operation);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        let mut responses = Query::<ListInput<Q, true>>::inferred_early_responses(ctx, operation);
        let unacceptable = "`Accept` allows none of the available media types.";
        responses.push(error(ctx, 406, unacceptable));
        responses
    }
}
