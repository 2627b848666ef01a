//! `/console/setup`: the page of the link that the first start prints. The token is in the part of
//! the address that browsers do not send.

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use kernel::http::page;

use crate::app::App;

pub fn routes() -> Router<App> {
    let page = Arc::new(page(include_str!("setup.html")));
    let serve = async move |headers: HeaderMap| page.respond(&headers).await;
    Router::new().route("/console/setup", get(serve))
}
