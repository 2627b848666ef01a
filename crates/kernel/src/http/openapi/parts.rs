//! The parts of the document: its operations, and parts made from JSON.

use aide::openapi::{OpenApi, Operation};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Every operation of the document, with its path and method.
pub fn operations(
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

/// Parses a part of the document from JSON, which is shorter and easier to compare with the
/// specification than the types.
pub fn typed<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("a part of the document is well-formed")
}
