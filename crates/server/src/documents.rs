//! The OpenAPI document in two versions and the page to read it, as files inside the program. They
//! are generated with `make openapi`.

use kernel::http::docs::Files;

/// The OpenAPI document.
pub const OPENAPI: &str = include_str!("../../../openapi.json");

pub(crate) const FILES: Files = Files {
    document: OPENAPI,
    document_3_0: include_str!("../../../openapi-3.0.json"),
    page: include_str!("../docs.html"),
};
