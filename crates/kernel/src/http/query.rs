//! The query string of a request.

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response};
use aide::operation::{ParamLocation, add_parameters, parameters_from_schema};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use schemars::Schema;
use serde_json::{Map, Value};

use super::middleware::RequestInfo;
use super::{money_form, openapi};
use crate::Error;
use crate::input::{Fields, Input, Raw};

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// A validated query string. If a name is repeated, its last value counts.
pub struct Query<T>(pub T);

impl<T: Input, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let Some(query) = parts.uri.query() else {
            return Ok(Self(T::read(&Fields::default(), false)?));
        };
        let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        let is_form = |(name, _): &&(String, String)| name == money_form::PARAMETER;
        let fields: Fields<'_> = pairs
            .iter()
            .filter(|pair| !is_form(pair))
            .map(|(name, value)| (name.clone(), Raw::Query(value)))
            .collect();
        let strict = prefers_strict(parts);
        let read = T::read(&fields, strict);
        let form = pairs.iter().rfind(is_form);
        match (read, form.and_then(|(_, form)| money_form::fault(form))) {
            (read, None) => Ok(Self(read?)),
            (Ok(_), Some(fault)) => Err(fault.into()),
            (Err(mut faults), Some(fault)) => {
                faults.extend(fault);
                Err(faults.into())
            }
        }
    }
}

impl<T: Input> OperationInput for Query<T> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        if !openapi::is_describing() {
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
        vec![openapi::error(ctx, 422, openapi::INVALID)]
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

const STRICT: &str = "handling=strict";

/// Whether `Prefer: handling=strict` asks to refuse unknown fields (RFC 7240). If so, the response
/// says that it was applied.
pub(super) fn prefers_strict(parts: &Parts) -> bool {
    let is_strict = prefers(&parts.headers, STRICT);
    if is_strict {
        RequestInfo::of(&parts.extensions).record_preference(STRICT);
    }
    is_strict
}

/// Whether the header `Prefer` has this preference.
pub(super) fn prefers(headers: &HeaderMap, preference: &str) -> bool {
    let preferences = headers
        .get_all(PREFER)
        .iter()
        .filter_map(|line| line.to_str().ok());
    let mut tokens = preferences.flat_map(|line| line.split([',', ';']));
    tokens.any(|token| {
        let token = token.trim().replace('"', "");
        token.eq_ignore_ascii_case(preference)
    })
}
