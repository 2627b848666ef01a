//! `/openapi.json`, the same in an older version of OpenAPI, and `/docs`, a page to read it and try
//! it out. None of them needs a key. A visitor of `/api`, or of `/` where there is no console, is
//! sent there.

use std::sync::Arc;

use aide::swagger::Swagger;
use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::LINK;
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;

use super::openapi::version_3_0;
use super::page;
use super::static_file::{LazyFile, StaticFile};
use crate::Kernel;

/// `document` generates the document.
pub fn routes(document: fn() -> Vec<u8>) -> Router<Kernel> {
    let older = Arc::new(LazyFile::new(move || {
        json_file(in_version_3_0(&document()))
    }));
    let document = Arc::new(LazyFile::new(move || json_file(document())));
    let page = Arc::new(LazyFile::new(viewer));
    let serve_document = async move |headers: HeaderMap| document.respond(&headers).await;
    let serve_older = async move |headers: HeaderMap| older.respond(&headers).await;
    let serve_page = async move |headers: HeaderMap| page.respond(&headers).await;
    Router::new()
        .route("/openapi.json", get(serve_document))
        .route("/openapi-3.0.json", get(serve_older))
        .route("/docs", get(serve_page))
        .route("/api", get(pointer))
}

/// The page at `/`, if nothing else is there.
pub fn start_page() -> Router<Kernel> {
    Router::new().route("/", get(pointer))
}

/// Leads people to the page, and programs to the document (RFC 8631).
async fn pointer() -> impl IntoResponse {
    let links = r#"</openapi.json>; rel="service-desc", </docs>; rel="service-doc""#;
    ([(LINK, links)], Redirect::temporary("/docs"))
}

fn json_file(content: Vec<u8>) -> StaticFile {
    StaticFile::new(content, "application/json")
}

fn in_version_3_0(document: &[u8]) -> Vec<u8> {
    let document = serde_json::from_slice(document).expect("the document is JSON");
    let document = version_3_0::convert(document);
    document.to_string().into_bytes()
}

fn viewer() -> StaticFile {
    let viewer = Swagger::new("/openapi.json").with_title("Steward API");
    page(viewer.html())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::page::inline_scripts;

    #[test]
    fn the_page_has_two_inline_scripts_and_no_other() {
        let page = Swagger::new("/openapi.json").html();
        let scripts: Vec<&str> = inline_scripts(&page).collect();
        assert_eq!(scripts.len(), 2);
        let markup = scripts
            .iter()
            .fold(page.clone(), |page, script| page.replace(script, ""));
        assert_eq!(markup.matches("<script></script>").count(), 2);
        assert_eq!(markup.matches("<script").count(), 2);
        // A browser would hash the text after it replaced these.
        assert!(!page.contains('\r') && !page.contains('\0'));
    }
}
