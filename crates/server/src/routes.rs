//! The router: merges the routes of all slices. Only this file names them all.

use aide::axum::ApiRouter;
use axum::Router;
use axum::extract::{FromRef, State};
use axum::response::IntoResponse;
use axum::routing::get;
use kernel::Kernel;
use kernel::http::{docs, health, openapi, wrap};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::app::App;
use crate::servers::{history, live};
use crate::{
    api_keys, audit, backups, console, currencies, gateways, invoices, navigation, operators,
    pages, promo_codes, roles, servers, sessions, social_networks, status, users, webhooks,
};

/// Lets the extractors of the kernel take their state from the app.
impl FromRef<App> for Kernel {
    fn from_ref(app: &App) -> Self {
        app.kernel.clone()
    }
}

fn api() -> ApiRouter<App> {
    ApiRouter::new()
        .merge(status::http::routes())
        .merge(api_keys::http::routes())
        .merge(servers::http::routes())
        .merge(live::http::routes())
        .merge(history::http::routes())
        .merge(roles::http::routes())
        .merge(pages::http::routes())
        .merge(pages::blocks::http::routes())
        .merge(users::http::routes())
        .merge(social_networks::http::routes())
        .merge(sessions::http::routes())
        .merge(operators::http::routes())
        .merge(console::http::routes())
        .merge(navigation::http::routes())
        .merge(currencies::http::routes())
        .merge(promo_codes::http::routes())
        .merge(gateways::http::routes())
        .merge(invoices::http::routes())
        .merge(invoices::statistics::http::routes())
        .merge(audit::http::routes())
        .merge(audit::events::http::routes())
        .merge(webhooks::http::routes())
        .merge(backups::http::routes())
}

const EXTRAS: openapi::Extras = openapi::Extras {
    tags: &[
        ("Base", "Status of the service, permissions and games."),
        (
            "API keys",
            "Keys of this API, with their permissions and restrictions.",
        ),
        (
            "Servers",
            "Game servers, their live status, history and remote console.",
        ),
        ("Roles", "Roles of users: named sets of permissions."),
        ("Pages", "CMS pages and their blocks."),
        (
            "Users",
            "Users, with their roles, blocks, social networks and devices.",
        ),
        (
            "Social networks",
            "Networks on which users can link their profiles.",
        ),
        ("Sessions", "Sign-in of users."),
        ("Operators", "Users who may use the console."),
        (
            "Console",
            "Sign-in of people who use this API with a browser.",
        ),
        (
            "Navigation items",
            "The navigation bar, and who sees which of its items.",
        ),
        (
            "Currencies",
            "Currencies of invoices and their exchange rates.",
        ),
        ("Promo codes", "Discounts on invoices."),
        ("Payment gateways", "The ways to pay an invoice."),
        (
            "Payment invoices",
            "Invoices of users, with their statistics.",
        ),
        ("Audit log", "Who changed what, and when."),
        (
            "Webhooks",
            "Events, sent to other programs as they happen, signed and retried.",
        ),
        ("Backups", "Copies of all data that the service stores."),
    ],
    examples: include_str!("examples.json"),
};

/// The OpenAPI document, as `openapi.json` has it.
pub fn document_text() -> String {
    let document = openapi::document(api, &EXTRAS);
    let mut text = Vec::new();
    // An indentation of one keeps the deeply nested file small.
    let formatter = PrettyFormatter::with_indent(b" ");
    let mut serializer = Serializer::with_formatter(&mut text, formatter);
    let written = document.serialize(&mut serializer);
    written.expect("the document serialises");
    String::from_utf8(text).expect("JSON is text")
}

/// The same on one line, as `/openapi.json` serves it.
fn document_json() -> Vec<u8> {
    let document = openapi::document(api, &EXTRAS);
    serde_json::to_vec(&document).expect("the document serialises")
}

/// Which paths that need no key the service has, besides those for probes.
pub struct PublicPaths {
    /// `/metrics`, unless it has its own address.
    pub metrics: bool,
    /// `/docs`, `/openapi.json` and `/openapi-3.0.json`, and what leads to them.
    pub docs: bool,
    /// The pages of the console, which another crate serves.
    pub console: Option<Router>,
}

impl PublicPaths {
    /// All that this crate serves itself.
    pub const ALL: Self = Self {
        metrics: true,
        docs: true,
        console: None,
    };
}

/// The router of the service.
pub fn router(app: &App, public: PublicPaths) -> Router {
    let kernel = &app.kernel;
    let mut router = openapi::router(api).merge(health::routes().with_state(kernel.clone()));
    if public.metrics {
        router = router.merge(metrics_routes());
    }
    if public.docs {
        router = router.merge(docs::routes(document_json).with_state(kernel.clone()));
        if public.console.is_none() {
            router = router.merge(docs::start_page().with_state(kernel.clone()));
        }
    }
    if let Some(console) = public.console {
        router = router.merge(console.with_state(()));
    }
    wrap(kernel, app.clone(), router)
}

/// The router of the metrics alone, for their own address.
pub fn metrics_router(app: &App) -> Router {
    wrap(&app.kernel, app.clone(), metrics_routes())
}

fn metrics_routes() -> Router<App> {
    Router::new().route("/metrics", get(metrics))
}

/// With the gauges of slices, which the kernel does not know.
async fn metrics(State(app): State<App>) -> impl IntoResponse {
    app.backups.update_gauges(app.clock.now());
    health::metrics(&app.kernel, &app.live.gauges())
}
