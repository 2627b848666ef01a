//! The HTTP toolkit: everything between a connection and a slice. It depends on no slice; the crate
//! `server` passes it the routes.
//!
//! | looking for | module |
//! |---|---|
//! | accepting connections, time limits, shutdown | [`connection`] |
//! | request ids, logging, common headers | [`middleware`], applied to every route by `layer.rs` |
//! | the trace that a request is part of | [`trace_context`] |
//! | the address of the client, behind proxies | [`client_ip`] |
//! | authentication and permission of a read, of a write | [`caller`], [`writer`] |
//! | pages of other origins | [`cors`] |
//! | people without a key: cookies, request origin | [`visitor`], [`cookie`], [`same_origin`] |
//! | request bodies, query strings, path parameters | [`body`], [`query`], [`path`] |
//! | compression of bodies | [`encoding`] |
//! | responses, errors | [`reply`], [`error`](mod@error) |
//! | pages of lists, exports, files | [`paging`], [`export`], [`download`] |
//! | health checks and metrics | [`health`] |
//! | the page `/docs`, and the document in two versions of OpenAPI | [`docs`], [`static_file`] |
//! | routes with the names of their operations | [`routing`] |
//! | the OpenAPI document | `openapi`, with the feature of this name |

pub mod accept;
pub mod body;
pub mod caller;
pub mod client_ip;
pub mod connection;
pub mod cookie;
pub mod cors;
pub mod docs;
pub mod download;
mod encoding;
pub mod error;
pub mod export;
mod header;
pub mod health;
mod layer;
pub mod middleware;
mod open_span;
#[cfg(feature = "openapi")]
pub mod openapi;
mod page;
pub mod paging;
pub mod path;
pub mod query;
pub mod reply;
mod request_info;
pub mod routing;
mod same_origin;
pub mod static_file;
mod trace_context;
mod unread_body;
mod user_agent;
pub mod visitor;
pub mod writer;

use axum::Router;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};

pub use self::caller::Caller;
pub use self::writer::Writer;

use self::layer::Middleware;
use self::page::page;
use crate::{Error, Kernel};

/// Adds the fallbacks and the middleware of every request.
pub fn wrap(kernel: &Kernel, router: Router) -> Router {
    router
        .fallback(async || Error::NoSuchPath)
        .method_not_allowed_fallback(other_method)
        .layer(Middleware(kernel.clone()))
}

/// Answers a method that a path does not support. `OPTIONS` lists the supported ones. The router
/// adds `Allow` to both.
async fn other_method(method: Method) -> Response {
    match method {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => Error::MethodNotAllowed.into_response(),
    }
}
