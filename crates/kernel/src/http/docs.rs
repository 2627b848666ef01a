//! `/openapi.json` in two versions of OpenAPI, and `/docs`, a page to read and try the API. None of
//! them needs a key. `/api`, and `/` where there is no console, point there.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::LINK;
use axum::response::{IntoResponse, Redirect};
use axum::routing::{MethodRouter, get};

use super::page;
use super::static_file::StaticFile;
use crate::Kernel;

/// The files that are served.
pub struct Files {
    pub document: &'static str,
    /// In OpenAPI 3.0.
    pub document_3_0: &'static str,
    pub page: &'static str,
}

pub fn routes(files: Files) -> Router<Kernel> {
    Router::new()
        .route("/openapi.json", serve(move || json(files.document)))
        .route("/openapi-3.0.json", serve(move || json(files.document_3_0)))
        .route("/docs", serve(move || page(files.page)))
        .route("/api", get(pointer))
}

/// The page at `/` of a program without a console.
pub fn start_page() -> Router<Kernel> {
    Router::new().route("/", get(pointer))
}

/// Links people to the page, and programs to the document (RFC 8631).
async fn pointer() -> impl IntoResponse {
    let links = r#"</openapi.json>; rel="service-desc", </docs>; rel="service-doc""#;
    ([(LINK, links)], Redirect::temporary("/docs"))
}

fn json(file: &'static str) -> StaticFile {
    StaticFile::new(file, "application/json")
}

/// The first request hashes the file: most runs of the program never show it.
fn serve(file: impl FnOnce() -> StaticFile + Send + 'static) -> MethodRouter<Kernel> {
    let file = Arc::new(LazyLock::new(file));
    get(async move |headers: HeaderMap| file.respond(&headers))
}
