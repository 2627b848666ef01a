//! The router: merges the routes of all slices. Only this file lists them all.

use std::mem;

use axum::Router;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::routing::get;
use kernel::http::routing::{self, ApiRouter};
use kernel::http::{docs, health, wrap};

use crate::app::App;
use crate::documents;
use accounts::{console, operators, roles, sessions, sign_in, social_networks, users};
use content::{navigation, pages};
use discord::guild;
use game_servers::servers;
use game_servers::servers::{history, live};
use moderation::bans;
use payments::{currencies, gateways, grants, invoices, products, promo_codes};
use platform::{api_keys, audit, backups, status, webhooks};

/// Something that takes the routes of the slices: a router, or the OpenAPI document.
pub(crate) trait Slices {
    fn add<S>(&mut self, routes: ApiRouter<S>, state: fn(&App) -> S)
    where
        S: Clone + Send + Sync + 'static;
}

/// The operations of all slices.
pub(crate) fn add_slices(to: &mut impl Slices) {
    to.add(status::http::routes(), |app| app.kernel.clone());
    to.add(api_keys::http::routes(), |app| app.kernel.clone());
    to.add(servers::http::routes(), |app| app.servers.clone());
    to.add(live::http::routes(), |app| app.servers.clone());
    to.add(history::http::routes(), |app| app.servers.clone());
    to.add(roles::http::routes(), |app| app.kernel.clone());
    to.add(pages::http::routes(), |app| app.kernel.clone());
    to.add(pages::blocks::http::routes(), |app| app.kernel.clone());
    to.add(users::http::routes(), |app| app.users.clone());
    to.add(social_networks::http::routes(), |app| app.kernel.clone());
    to.add(sessions::http::routes(), |app| app.sessions.clone());
    to.add(sign_in::http::routes(), |app| app.sign_in.clone());
    to.add(operators::http::routes(), |app| app.kernel.clone());
    to.add(console::http::routes(), |app| app.sessions.clone());
    to.add(navigation::http::routes(), |app| app.kernel.clone());
    to.add(currencies::http::routes(), |app| app.kernel.clone());
    to.add(promo_codes::http::routes(), |app| app.kernel.clone());
    to.add(gateways::http::routes(), |app| app.kernel.clone());
    to.add(products::http::routes(), |app| app.kernel.clone());
    to.add(invoices::http::routes(), |app| app.kernel.clone());
    to.add(invoices::statistics::http::routes(), |app| {
        app.kernel.clone()
    });
    to.add(grants::http::routes(), |app| app.kernel.clone());
    to.add(grants::deliveries::http::routes(), |app| app.kernel.clone());
    to.add(bans::check::http::routes(), |app| app.bans.clone());
    to.add(bans::feed::http::routes(), |app| app.bans.clone());
    to.add(bans::http::routes(), |app| app.bans.clone());
    to.add(bans::commands::http::routes(), |app| app.kernel.clone());
    to.add(guild::http::routes(), |app| app.discord.clone());
    to.add(audit::http::routes(), |app| app.events.clone());
    to.add(audit::events::http::routes(), |app| app.events.clone());
    to.add(webhooks::http::routes(), |app| app.webhooks.clone());
    to.add(backups::http::routes(), |app| app.backups.clone());
}

/// The router of all slices, each with its state.
struct WithState<'a> {
    app: &'a App,
    router: Router,
}

impl Slices for WithState<'_> {
    fn add<S>(&mut self, routes: ApiRouter<S>, state: fn(&App) -> S)
    where
        S: Clone + Send + Sync + 'static,
    {
        let routes = Router::from(routes).with_state(state(self.app));
        self.router = mem::take(&mut self.router).merge(routes);
    }
}

/// Which paths that need no key the service has, besides those for probes.
pub struct PublicPaths {
    /// `/metrics`, unless it has its own address.
    pub metrics: bool,
    /// `/docs`, `/openapi.json` and `/openapi-3.0.json`; without the console, also a start page.
    pub docs: bool,
    /// The pages of the console, which another crate serves.
    pub console: Option<Router>,
}

impl PublicPaths {
    /// Everything that this crate serves itself.
    pub const ALL: Self = Self {
        metrics: true,
        docs: true,
        console: None,
    };
}

/// The router of the service.
pub fn router(app: &App, public: PublicPaths) -> Router {
    let kernel = &app.kernel;
    let mut slices = WithState {
        app,
        router: health::routes().with_state(kernel.clone()),
    };
    routing::without_descriptions(|| add_slices(&mut slices));
    let mut router = slices.router;
    if public.metrics {
        router = router.merge(metrics_routes(app));
    }
    if public.docs {
        router = router.merge(docs::routes(documents::FILES).with_state(kernel.clone()));
        if public.console.is_none() {
            router = router.merge(docs::start_page().with_state(kernel.clone()));
        }
    }
    if let Some(console) = public.console {
        router = router.merge(console);
    }
    wrap(kernel, router)
}

/// The router for metrics at their own address.
pub fn metrics_router(app: &App) -> Router {
    wrap(&app.kernel, metrics_routes(app))
}

fn metrics_routes(app: &App) -> Router {
    Router::new()
        .route(health::METRICS, get(metrics))
        .with_state(app.clone())
}

/// Updates the gauges of slices first, which the kernel does not know.
async fn metrics(State(app): State<App>) -> impl IntoResponse {
    let core = &app.kernel.core;
    app.backups
        .backups
        .update_gauges(&core.metrics, core.clock.now());
    health::metrics(&app.kernel, &app.servers.live.gauges())
}
