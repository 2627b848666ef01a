//! Moves repeated parts of operations into the document's components, each once.

use aide::openapi::{OpenApi, Operation, Parameter, ReferenceOr, StatusCode};
use axum::http::StatusCode as Status;
use indexmap::IndexMap;

use super::parts::operations;
use super::responses::responses;

/// Query parameters of most lists.
const PAGING: [&str; 3] = ["page", "per_page", "after"];

pub fn share(document: &mut OpenApi) {
    let mut components = document.components.take().unwrap_or_default();
    // Headers first: responses are compared with the references to them.
    components.headers = move_out("headers", all(document, headers));
    components.responses = move_out("responses", all(document, error_responses));
    components.parameters = move_out("parameters", all(document, shared_parameters));
    document.components = Some(components);
}

/// A part of an operation.
struct Part<'a, T> {
    /// The name of its component, unless another part has the same.
    name: String,
    operation: String,
    slot: &'a mut ReferenceOr<T>,
}

type Parts<'a, T> = Vec<(String, &'a mut ReferenceOr<T>)>;

fn all<'a, T>(
    document: &'a mut OpenApi,
    parts: impl Fn(&'a mut Operation) -> Parts<'a, T>,
) -> Vec<Part<'a, T>> {
    let mut all = Vec::new();
    for (_, _, operation) in operations(document) {
        let id = operation.operation_id.clone().unwrap_or_default();
        all.extend(parts(operation).into_iter().map(|(name, slot)| Part {
            name,
            operation: id.clone(),
            slot,
        }));
    }
    all
}

fn headers(operation: &mut Operation) -> Parts<'_, aide::openapi::Header> {
    let headers = responses(operation).flat_map(|(_, response)| response.headers.iter_mut());
    headers.map(|(name, slot)| (name.clone(), slot)).collect()
}

fn error_responses(operation: &mut Operation) -> Parts<'_, aide::openapi::Response> {
    let responses = operation.responses.iter_mut();
    let responses = responses.flat_map(|responses| responses.responses.iter_mut());
    let errors = responses.filter_map(|(status, slot)| match status {
        StatusCode::Code(status @ 300..) => Some((reason(*status), slot)),
        _ => None,
    });
    errors.collect()
}

/// `NotFound` for 404.
fn reason(status: u16) -> String {
    let reason = Status::from_u16(status).ok();
    let reason = reason.and_then(|status| status.canonical_reason());
    reason.unwrap_or_default().replace(' ', "")
}

fn shared_parameters(operation: &mut Operation) -> Parts<'_, Parameter> {
    let parameters = operation.parameters.iter_mut();
    let shared = parameters.filter_map(|slot| {
        let parameter = slot.as_item()?;
        let name = parameter.parameter_data_ref().name.clone();
        let is_shared = !matches!(parameter, Parameter::Query { .. }) || PAGING.contains(&&*name);
        is_shared.then_some((name, slot))
    });
    shared.collect()
}

/// Replaces all parts by references, and returns the parts referred to. Of several parts with one
/// name, the most frequent keeps the plain name; the others get the name of their first operation
/// as a suffix.
fn move_out<T: Clone + PartialEq>(
    kind: &str,
    parts: Vec<Part<'_, T>>,
) -> IndexMap<String, ReferenceOr<T>> {
    let mut distinct: Vec<Distinct<T>> = Vec::new();
    let mut places = Vec::new();
    for Part {
        name,
        operation,
        slot,
    } in parts
    {
        let Some(part) = slot.as_item() else {
            continue;
        };
        let same = |known: &Distinct<T>| known.name == name && known.part == *part;
        let index = distinct.iter().position(same).unwrap_or_else(|| {
            distinct.push(Distinct {
                name,
                operation,
                part: part.clone(),
                uses: 0,
            });
            distinct.len() - 1
        });
        distinct[index].uses += 1;
        places.push((index, slot));
    }
    let names: Vec<String> = distinct
        .iter()
        .map(|part| part.name_among(&distinct))
        .collect();
    for (index, slot) in places {
        *slot = ReferenceOr::ref_(&format!("#/components/{kind}/{}", names[index]));
    }
    let mut components: Vec<_> = names
        .into_iter()
        .zip(distinct)
        .map(|(name, distinct)| (name, ReferenceOr::Item(distinct.part)))
        .collect();
    components.sort_by(|(a, _), (b, _)| a.cmp(b));
    let has_duplicate = components.windows(2).any(|pair| pair[0].0 == pair[1].0);
    assert!(!has_duplicate, "two {kind} of the document have one name");
    components.into_iter().collect()
}

struct Distinct<T> {
    name: String,
    /// The first operation that has the part.
    operation: String,
    part: T,
    uses: usize,
}

impl<T> Distinct<T> {
    fn name_among(&self, all: &[Self]) -> String {
        let mut others = all.iter().filter(|other| other.name == self.name);
        if others.all(|other| std::ptr::eq(self, other) || other.uses < self.uses) {
            self.name.clone()
        } else {
            format!("{}-{}", self.name, self.operation)
        }
    }
}
