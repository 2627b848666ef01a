//! Tests with fixture files, which do not depend on the console's content.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU8, Ordering};

use axum::body::Body;
use axum::http::{Method, Request};
use http_body_util::BodyExt;
use rust_embed::EmbeddedFile;
use tower::ServiceExt;

use super::*;

/// Files whose text names their form and their path. They are not really compressed.
#[derive(RustEmbed)]
#[folder = "fixtures/dist"]
struct Fixture;

#[derive(RustEmbed)]
#[folder = "fixtures/none"]
#[allow_missing = true]
struct Nothing;

fn counted() -> [u8; 16] {
    static NEXT: AtomicU8 = AtomicU8::new(0);
    [NEXT.fetch_add(1, Ordering::Relaxed); 16]
}

struct Reply {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        let value = self.headers.get(name)?;
        Some(value.to_str().expect("text"))
    }
}

async fn call<E: RustEmbed>(method: Method, path: &str, headers: &[(HeaderName, &str)]) -> Reply {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let request = request.body(Body::empty()).expect("a request");
    let response = routes_of::<E>(counted).oneshot(request).await;
    let (parts, body) = response.expect("a response").into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    Reply {
        status: parts.status.as_u16(),
        headers: parts.headers,
        text: String::from_utf8(bytes.to_vec()).expect("text"),
    }
}

async fn get(path: &str) -> Reply {
    call::<Fixture>(Method::GET, path, &[]).await
}

async fn get_encoded(name: &str, accepted: &str) -> Reply {
    let headers = [(ACCEPT_ENCODING, accepted)];
    call::<Fixture>(Method::GET, &address(name), &headers).await
}

fn address(name: &str) -> String {
    let version = Files::load::<Fixture>().version;
    format!("/console/files/{version}/{name}")
}

#[tokio::test]
async fn the_root_redirects_to_the_console_but_not_permanently() {
    let reply = get("/").await;
    assert_eq!(reply.status, 307);
    assert_eq!(reply.header("location"), Some("/console/"));
}

#[tokio::test]
async fn every_address_below_the_console_that_is_not_a_file_gives_the_page() {
    for path in [
        "/console",
        "/console?days=90",
        "/console/",
        "/console/users/5",
        "/console/setup",
        "/console/index.html",
        "/console/favicon.svg",
        "/console/assets/index.js",
        "/console/users/../users",
        "/console/a%2Fb?c=d",
    ] {
        let reply = get(path).await;
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(
            reply.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(reply.header("etag"), None);
        assert!(reply.text.starts_with("<!doctype html>"), "{}", reply.text);
    }
}

#[tokio::test]
async fn the_page_names_its_files_under_their_version() {
    let page = get("/console/users/5").await.text;
    assert!(!page.contains("\"./"), "{page}");
    for name in ["favicon.svg", "assets/index.css", "assets/index.js"] {
        assert!(page.contains(&format!("\"{}\"", address(name))), "{page}");
        assert_eq!(get(&address(name)).await.text, format!("plain {name}"));
    }
}

#[tokio::test]
async fn each_page_has_a_nonce_of_128_bits_in_its_policy_and_its_text() {
    let mut nonces = BTreeSet::new();
    for _ in 0..3 {
        let reply = get("/console/").await;
        let policy = reply.header("content-security-policy").expect("a policy");
        let (_, nonce) = policy.split_once("'nonce-").expect("a nonce");
        let (nonce, _) = nonce.split_once('\'').expect("its end");
        let bytes = data_encoding::BASE64.decode(nonce.as_bytes());
        assert_eq!(bytes.expect("base64").len(), 16);
        assert!(reply.text.contains(&format!("content=\"{nonce}\"")));
        assert!(!reply.text.contains("__NONCE__"));
        assert_eq!(
            policy.replace(nonce, ""),
            "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-'; img-src 'self' \
             data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action \
             'self'; frame-ancestors 'none'"
        );
        let opener = reply.header("cross-origin-opener-policy");
        assert_eq!(opener, Some("same-origin"));
        let permissions = reply.header("permissions-policy").expect("a policy");
        assert!(permissions.contains("camera=()"), "{permissions}");
        nonces.insert(nonce.to_owned());
    }
    assert_eq!(nonces.len(), 3);
}

#[tokio::test]
async fn a_file_is_cached_forever_with_its_media_type() {
    for (name, kind) in [
        ("favicon.svg", "image/svg+xml"),
        ("assets/index.css", "text/css; charset=utf-8"),
        ("assets/index.js", "text/javascript; charset=utf-8"),
        ("assets/only-plain.png", "image/png"),
    ] {
        let reply = get(&address(name)).await;
        assert_eq!(reply.status, 200, "{name}");
        assert_eq!(reply.header("content-type"), Some(kind));
        let cached = Some("public, max-age=31536000, immutable");
        assert_eq!(reply.header("cache-control"), cached);
        assert_eq!(reply.header("vary"), Some("Accept-Encoding"));
        assert_eq!(reply.header("content-encoding"), None);
    }
}

#[tokio::test]
async fn a_file_is_sent_as_brotli_or_gzip_or_plain_as_the_client_accepts() {
    let name = "assets/index.js";
    for (accepted, encoding, form) in [
        ("gzip, deflate, br", Some("br"), "brotli"),
        ("gzip, deflate", Some("gzip"), "gzip"),
        ("br;q=0.1, gzip;q=0.2", Some("gzip"), "gzip"),
        ("identity", None, "plain"),
        ("br;q=0", None, "plain"),
    ] {
        let reply = get_encoded(name, accepted).await;
        assert_eq!(reply.header("content-encoding"), encoding, "{accepted}");
        assert_eq!(reply.text, format!("{form} {name}"));
        let kind = Some("text/javascript; charset=utf-8");
        assert_eq!(reply.header("content-type"), kind);
        assert_eq!(reply.header("vary"), Some("Accept-Encoding"));
    }
    let reply = get_encoded("assets/only-plain.png", "gzip, br").await;
    assert_eq!(reply.header("content-encoding"), None);
    assert_eq!(reply.text, "plain assets/only-plain.png");
}

#[tokio::test]
async fn each_form_has_its_etag_and_if_none_match_gives_304_without_a_body() {
    let mut tags = BTreeSet::new();
    for accepted in ["br", "gzip", "identity"] {
        let reply = get_encoded("assets/index.js", accepted).await;
        let tag = reply.header("etag").expect("a tag").to_owned();
        assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag}");
        for (known, status) in [
            (tag.clone(), 304),
            (format!("W/{tag}"), 304),
            (format!("\"other\", {tag}"), 304),
            ("*".to_owned(), 304),
            ("\"other\"".to_owned(), 200),
        ] {
            let headers = [(ACCEPT_ENCODING, accepted), (IF_NONE_MATCH, &known)];
            let path = address("assets/index.js");
            let reply = call::<Fixture>(Method::GET, &path, &headers).await;
            assert_eq!(reply.status, status, "{known}");
            assert_eq!(reply.text.is_empty(), status == 304);
            assert_eq!(reply.header("etag"), Some(&*tag));
        }
        tags.insert(tag);
    }
    assert_eq!(tags.len(), 3);
}

#[tokio::test]
async fn anything_else_below_files_is_404_and_never_the_page() {
    let version = Files::load::<Fixture>().version;
    let older = "0".repeat(version.len());
    for path in [
        format!("{older}/assets/index.js"),
        format!("{version}0/assets/index.js"),
        format!("{}/assets/index.js", &version[1..]),
        format!("{version}/assets/missing.js"),
        format!("{version}/assets/index.js.br"),
        format!("{version}/assets/index.js.gz"),
        format!("{version}/assets/index.js/"),
        format!("{version}/assets%2Findex.js"),
        format!("{version}/assets/%69ndex.js"),
        format!("{version}/assets/../favicon.svg"),
        format!("{version}/assets/%2e%2e/favicon.svg"),
        format!("{version}/../../../Cargo.toml"),
        format!("{version}//favicon.svg"),
        format!("{version}/index.html"),
        format!("{version}/"),
        version.clone(),
        "favicon.svg".to_owned(),
    ] {
        let reply = get(&format!("/console/files/{path}")).await;
        assert_eq!(reply.status, 404, "{path}");
        assert!(!reply.text.contains("doctype"), "{path}");
        assert_eq!(reply.header("cache-control"), None, "{path}");
    }
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_other_methods_give_405() {
    for path in ["/console/", &address("assets/index.js")] {
        let got = get(path).await;
        let head = call::<Fixture>(Method::HEAD, path, &[]).await;
        assert_eq!((head.status, &*head.text), (200, ""));
        let length = got.text.len().to_string();
        assert_eq!(head.header("content-length"), Some(&*length));
        assert_eq!(head.header("etag"), got.header("etag"));
        assert_eq!(head.header("content-type"), got.header("content-type"));
    }
    for path in ["/", "/console", "/console/x", &address("favicon.svg")] {
        for method in [Method::POST, Method::PUT, Method::DELETE] {
            let reply = call::<Fixture>(method, path, &[]).await;
            assert_eq!(reply.status, 405, "{path}");
        }
    }
}

/// The fixture with different content in one file.
struct Changed;

impl RustEmbed for Changed {
    fn get(path: &str) -> Option<EmbeddedFile> {
        let path = match path {
            "assets/only-plain.png" => "favicon.svg",
            other => other,
        };
        Fixture::get(path)
    }

    fn iter() -> impl Iterator<Item = Cow<'static, str>> + 'static {
        Fixture::iter()
    }
}

/// The fixture without one file.
struct Fewer;

impl RustEmbed for Fewer {
    fn get(path: &str) -> Option<EmbeddedFile> {
        Fixture::get(path)
    }

    fn iter() -> impl Iterator<Item = Cow<'static, str>> + 'static {
        Fixture::iter().filter(|name| name != "favicon.svg.gz")
    }
}

#[test]
fn the_version_depends_on_every_file() {
    let version = Files::load::<Fixture>().version;
    assert_eq!(version.len(), 32);
    assert_eq!(version, Files::load::<Fixture>().version);
    assert_ne!(version, Files::load::<Changed>().version);
    assert_ne!(version, Files::load::<Fewer>().version);
}

#[tokio::test]
async fn without_files_the_page_says_how_to_build_them() {
    let reply = call::<Nothing>(Method::GET, "/console/", &[]).await;
    assert_eq!(reply.status, 404);
    assert!(reply.text.contains("make console"), "{}", reply.text);
}
