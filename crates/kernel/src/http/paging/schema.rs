//! The JSON schemas of the query strings of lists and exports.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::input::{ListInput, MAX_SIZE};
use crate::http::export::Format;
use crate::input::{FieldSchema, Positive, joined};
use crate::list::{ListQuery, ListSpec, Parameter};

impl<Q: ListQuery, const IS_EXPORT: bool> JsonSchema for ListInput<Q, IS_EXPORT> {
    fn schema_name() -> Cow<'static, str> {
        Q::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let empty = json_schema!({ "type": "object", "properties": {}, "required": [] });
        Self::parameters().fold(empty, |schema, parameter| {
            let Some(name) = Self::name(parameter) else {
                return joined(schema, Q::json_schema(generator));
            };
            let property = property(Q::LIST, parameter, generator);
            joined(schema, json_schema!({ "properties": { name: property } }))
        })
    }
}

fn property(list: &ListSpec, parameter: Parameter, generator: &mut SchemaGenerator) -> Schema {
    let (size, order, note) = (list.default_size, list.default_order, list.order_note);
    let (mut schema, description) = match parameter {
        Parameter::Page => (
            Option::<Positive>::schema(generator),
            "The number of the page, from 1.".to_owned(),
        ),
        Parameter::Size => (
            Option::<Positive>::schema(generator),
            format!(
                "Items per page: {size} by default. More than {MAX_SIZE} is served as {MAX_SIZE}."
            ),
        ),
        // The same for all cursors, so that a client can follow any list with one function.
        Parameter::After | Parameter::Filters => (
            json_schema!({ "type": "string" }),
            "Only items after this cursor, which is taken from a `Link` header.".to_owned(),
        ),
        Parameter::Sort => (
            json_schema!({ "type": "string", "enum": names(list) }),
            format!("The order, `-` in front for descending; `{order}` by default. {note}"),
        ),
        Parameter::Format => (
            Option::<Format>::schema(generator),
            "`csv` or `ndjson`. By default `Accept` decides; without it, CSV.".to_owned(),
        ),
    };
    schema.insert("description".to_owned(), description.into());
    schema
}

/// Both directions of every order, as they are written on the wire.
fn names(list: &ListSpec) -> Vec<String> {
    let orders = list.orders.iter();
    orders
        .flat_map(|order| [order.to_string(), order.descending().to_string()])
        .collect()
}
