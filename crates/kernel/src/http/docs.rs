//! `/openapi.json` and `/docs`, a page to read it and try it out. Neither needs a key.

use std::sync::{Arc, LazyLock};

use aide::swagger::Swagger;
use axum::Router;
use axum::http::{HeaderMap, HeaderValue};
use axum::routing::get;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::static_file::StaticFile;
use crate::Kernel;

pub fn routes(document: Bytes) -> Router<Kernel> {
    let document = Arc::new(StaticFile::new(document, "application/json"));
    // Made by the first request: most runs of the program never show it.
    let page = Arc::new(LazyLock::new(page));
    let serve_document = async move |headers: HeaderMap| document.respond(&headers).await;
    let serve_page = async move |headers: HeaderMap| page.respond(&headers).await;
    Router::new()
        .route("/openapi.json", get(serve_document))
        .route("/docs", get(serve_page))
}

fn page() -> StaticFile {
    let page = Swagger::new("/openapi.json").with_title("Steward API");
    let page = page.html();
    let policy = policy(&page);
    StaticFile::new(page, "text/html; charset=utf-8").with_policy(policy)
}

/// The viewer is one page with inline scripts and styles, and loads nothing from other hosts. Only
/// the scripts that it had when it was made may run. It sets styles of elements, which have no
/// hashes.
fn policy(page: &str) -> HeaderValue {
    let scripts: Vec<String> = inline_scripts(page)
        .map(|script| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script))))
        .collect();
    let policy = format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src 'self' data:; \
         font-src data:; connect-src 'self'; frame-ancestors 'none'",
        scripts.join(" ")
    );
    HeaderValue::try_from(policy).expect("the policy is ASCII")
}

/// A script may itself contain `<script>`, so the search continues after its end.
fn inline_scripts(mut page: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (_, rest) = page.split_once("<script>")?;
        let (script, rest) = rest.split_once("</script>")?;
        page = rest;
        Some(script)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_hash_of_each_inline_script() {
        let policy = policy("<p><script>alert(1)</script><p><script>\nlet x;\n</script>");
        let policy = policy.to_str().expect("text");
        // By `openssl dgst -sha256 -binary | base64`.
        for hash in [
            "bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=",
            "0YMNZmNVWFGB7XulCiz2BCIFZoPOE0gljXmcn+1NzSQ=",
        ] {
            assert!(policy.contains(&format!("'sha256-{hash}'")), "{policy}");
        }
    }

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
