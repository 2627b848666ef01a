//! The HTTP interface: merges the slices and wraps them in what every request needs.

pub mod accept;
pub mod body;
pub mod context;
pub mod error;
pub mod export;
mod linger;
pub mod openapi;
mod operations;
mod origin;
pub mod page;
pub mod path;
mod patience;
pub mod query;
pub mod reply;
pub mod request;
pub mod serve;

use aide::axum::ApiRouter;
use axum::Router;
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;

use crate::app::App;
use crate::{
    Error, api_keys, audit, base, currencies, gateways, invoices, live, navigation, pages,
    promo_codes, roles, servers, sessions, social_networks, users,
};

fn api() -> ApiRouter<App> {
    ApiRouter::new()
        .merge(base::http::routes())
        .merge(api_keys::http::routes())
        .merge(servers::http::routes())
        .merge(live::http::routes())
        .merge(live::history::http::routes())
        .merge(roles::http::routes())
        .merge(pages::http::routes())
        .merge(pages::blocks::http::routes())
        .merge(users::http::routes())
        .merge(social_networks::http::routes())
        .merge(sessions::http::routes())
        .merge(navigation::http::routes())
        .merge(currencies::http::routes())
        .merge(promo_codes::http::routes())
        .merge(gateways::http::routes())
        .merge(invoices::http::routes())
        .merge(invoices::statistics::http::routes())
        .merge(audit::http::routes())
}

/// The OpenAPI document, as it is committed beside the code.
pub fn document_text() -> String {
    let (document, _) = openapi::document(api());
    serde_json::to_string_pretty(&document).expect("the document serialises")
}

/// Everything the service answers, with the figures beside it unless they have an address of
/// their own.
pub fn router(app: &App, with_metrics: bool) -> Router {
    let (document, api) = openapi::document(api());
    let document = serde_json::to_vec(&document).expect("the document serialises");
    let mut router = api.merge(operations::routes(document.into()));
    if with_metrics {
        router = router.merge(operations::metrics_routes());
    }
    wrap(app, router)
}

/// The figures alone.
pub fn metrics_router(app: &App) -> Router {
    wrap(app, operations::metrics_routes())
}

/// Wraps routes in what holds for every request.
pub fn wrap(app: &App, router: Router<App>) -> Router {
    router
        .fallback(async || Error::NoSuchPath)
        .method_not_allowed_fallback(async || Error::MethodNotAllowed)
        .layer(from_fn_with_state(app.clone(), request::around))
        .with_state(app.clone())
}

/// Whether the caller wants unknown fields refused (RFC 7240).
fn prefers_strict(headers: &HeaderMap) -> bool {
    let preferences = headers
        .get_all("prefer")
        .iter()
        .filter_map(|line| line.to_str().ok());
    let mut tokens = preferences.flat_map(|line| line.split([',', ';']));
    tokens.any(|token| {
        token
            .trim()
            .replace('"', "")
            .eq_ignore_ascii_case("handling=strict")
    })
}
