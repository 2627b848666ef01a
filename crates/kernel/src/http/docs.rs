//! `/openapi.json`, the same in an older version of OpenAPI, and `/docs`, a page to read it and try
//! it out. None of them needs a key.

use std::sync::{Arc, LazyLock};

use aide::swagger::Swagger;
use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use bytes::Bytes;

use super::openapi::version_3_0;
use super::page;
use super::static_file::StaticFile;
use crate::Kernel;

pub fn routes(document: Bytes) -> Router<Kernel> {
    // Made by the first request: most runs of the program show neither.
    let source = document.clone();
    let older = Arc::new(LazyLock::new(move || json_file(in_version_3_0(&source))));
    let page = Arc::new(LazyLock::new(viewer));
    let document = Arc::new(json_file(document));
    let serve_document = async move |headers: HeaderMap| document.respond(&headers).await;
    let serve_older = async move |headers: HeaderMap| older.respond(&headers).await;
    let serve_page = async move |headers: HeaderMap| page.respond(&headers).await;
    Router::new()
        .route("/openapi.json", get(serve_document))
        .route("/openapi-3.0.json", get(serve_older))
        .route("/docs", get(serve_page))
}

fn json_file(content: Bytes) -> StaticFile {
    StaticFile::new(content, "application/json")
}

fn in_version_3_0(document: &[u8]) -> Bytes {
    let document = serde_json::from_slice(document).expect("the document is JSON");
    let document = version_3_0::convert(document);
    document.to_string().into()
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
