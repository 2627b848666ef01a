//! The paths of the console. None needs a key: the files are public, and the data they show comes
//! from the API.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::State;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use rust_embed::RustEmbed;

use crate::Dist;
use crate::encoding::Encoding;
use crate::files::Files;
use crate::index::Index;

const FILES: &str = "/console/files/";

/// No other page may hold on to the console's window, and it uses none of the browser's devices.
const PAGE_HEADERS: [(&str, &str); 2] = [
    ("cross-origin-opener-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
];

/// The routes of the console. `random` must return unpredictable bytes.
pub fn routes(random: fn() -> [u8; 16]) -> Router {
    routes_of::<Dist>(random)
}

struct Site {
    files: Files,
    index: Option<Index>,
    random: fn() -> [u8; 16],
}

impl Site {
    fn load<E: RustEmbed>(random: fn() -> [u8; 16]) -> Self {
        let files = Files::load::<E>();
        Self {
            index: Index::new(&files),
            files,
            random,
        }
    }
}

/// Loaded by the first request: many services never serve the console.
type Shared = Arc<LazyLock<Site, Box<dyn FnOnce() -> Site + Send>>>;

fn routes_of<E: RustEmbed>(random: fn() -> [u8; 16]) -> Router {
    let load: Box<dyn FnOnce() -> Site + Send> = Box::new(move || Site::load::<E>(random));
    Router::new()
        .route("/", get(async || Redirect::temporary("/console/")))
        // No redirect: the dashboard keeps its state in the query of this URL.
        .route("/console", get(index))
        .route("/console/", get(index))
        .route("/console/{*route}", get(index))
        .route("/console/files/{*file}", get(file))
        .with_state(Arc::new(LazyLock::new(load)))
}

/// Serves the page at every path that the console's own router may use.
async fn index(State(site): State<Shared>) -> Response {
    let Some(index) = &site.index else {
        let message = "The console has not been built: run `make console` and start again.\n";
        return (StatusCode::NOT_FOUND, message).into_response();
    };
    let (page, policy) = index.with_nonce((site.random)());
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (CACHE_CONTROL, "no-store".to_owned()),
        (CONTENT_SECURITY_POLICY, policy),
    ];
    (PAGE_HEADERS, headers, page).into_response()
}

/// Serves a file of the version in its path. After an upgrade, a page that is still open may ask
/// for a file of the previous version, which must not be replaced by a newer one.
async fn file(State(site): State<Shared>, uri: Uri, request: HeaderMap) -> Response {
    // No decoding: no name has a character that would be encoded.
    let path = uri.path().strip_prefix(FILES).unwrap_or_default();
    let found = path
        .strip_prefix(&site.files.version)
        .and_then(|name| site.files.get(name.strip_prefix('/')?));
    let Some(file) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let encoding = Encoding::choose(file.encodings(), &lines(&request, ACCEPT_ENCODING));
    let content = file.content(encoding);
    let headers = [
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (VARY, "Accept-Encoding"),
        (ETAG, &content.etag),
    ];
    if is_known(&lines(&request, IF_NONE_MATCH), &content.etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let kind = [(CONTENT_TYPE, file.media_type)];
    let content = content.bytes.clone();
    match encoding {
        Some(encoding) => {
            let encoding = [(CONTENT_ENCODING, encoding.token())];
            (headers, kind, encoding, content).into_response()
        }
        None => (headers, kind, content).into_response(),
    }
}

fn lines(request: &HeaderMap, name: HeaderName) -> Vec<&str> {
    let lines = request.get_all(name).into_iter();
    lines.filter_map(|line| line.to_str().ok()).collect()
}

/// Returns `true` if `If-None-Match` contains this tag, weak or strong (RFC 9110, section 13.1.2).
fn is_known(known: &[&str], etag: &str) -> bool {
    let mut tags = known.iter().flat_map(|line| line.split(',')).map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

#[cfg(test)]
mod tests;
