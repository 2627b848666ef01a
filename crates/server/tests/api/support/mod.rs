//! A separate service for each test, and the clients that call it.
//!
//! Requests read from left to right: `admin.post("/api/roles", json!({...})).await.created()`.

mod answer;
mod client;
mod concurrency;
mod console;
pub mod events;
mod eventually;
pub mod game_server;
pub mod guild;
mod half_sent;
pub mod payments;
pub mod providers;
mod raw_connection;
mod rcon;
pub mod receiver;
pub mod rng;
mod secure_client;
mod stored;
mod users;
pub mod walk;

pub use self::answer::{Answer, assert_fields};
pub use self::client::Client;
pub use self::concurrency::{assert_one_created, at_once, count, in_every_order, post_at_once};
pub use self::console::{SESSION, console_sign_in, cookie};
pub use self::eventually::{eventually, within_a_second};
pub use self::half_sent::HalfSent;
pub use self::raw_connection::RawConnection;
pub use self::rcon::server_with_console;
pub use self::rng::Rng;
pub use self::secure_client::SecureClient;
pub use self::stored::holds;
pub use self::users::{new_user, sign_in};

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::payments::grants;
use accounts::{passwords, sign_in as provider_sign_in};
use axum::Router;
use db::testing::Scratch;
use game_servers::servers::{Networks, live};
use kernel::auth::KeyValue;
use kernel::http::connection::Certificates;
use kernel::secret::SecretKey;
use kernel::types::{Clock, ip_networks};
use kernel::{Core, Limits, Metrics};
use platform::backups;
use platform::webhooks;
use serde_json::json;
use server::app::{App, Settings};
use server::maintenance;
use server::routes::{PublicPaths, router};
use tokio::net::TcpListener;

/// The time at which every test's clock starts: 2026-03-01T12:00:00Z.
pub const NOON: i64 = 1_772_366_400;

pub struct TestApp {
    pub app: App,
    pub address: String,
    pub scratch: Scratch,
    admin_key: String,
    keys_made: AtomicU64,
    numbers: Mutex<HashMap<&'static str, u64>>,
}

impl TestApp {
    pub async fn start() -> Self {
        Self::start_with(|_| ()).await
    }

    pub async fn start_with(set: impl FnOnce(&mut Limits)) -> Self {
        let mut limits = limits();
        set(&mut limits);
        Self::start_on(Scratch::migrated().await, limits).await
    }

    pub async fn start_on(scratch: Scratch, limits: Limits) -> Self {
        let app = open(&scratch, limits).await;
        Self::serve(scratch, app).await
    }

    /// A service with these settings for querying game servers.
    pub async fn start_with_live_settings(settings: live::Settings) -> Self {
        let scratch = Scratch::migrated().await;
        let app = open_with_live_settings(&scratch, limits(), settings).await;
        Self::serve(scratch, app).await
    }

    /// A service where hashing a password costs as much as in the program.
    pub async fn start_with_costly_passwords(limits: Limits) -> Self {
        let scratch = Scratch::migrated().await;
        let (live, cost) = (live_settings(), passwords::Cost::default());
        let asked = Asked::default();
        let app = open_configured(&scratch, limits, live, cost, asked).await;
        Self::serve(scratch, app).await
    }

    /// A service with these providers of profiles.
    pub async fn start_with_sign_in(settings: provider_sign_in::Settings) -> Self {
        let sign_in = settings;
        Self::start_asking(Asked {
            sign_in,
            ..Asked::default()
        })
        .await
    }

    /// A service with this API of Discord.
    pub async fn start_with_discord(settings: discord::guild::Settings) -> Self {
        let discord = settings;
        Self::start_asking(Asked {
            discord,
            ..Asked::default()
        })
        .await
    }

    async fn start_asking(asked: Asked) -> Self {
        let scratch = Scratch::migrated().await;
        let (limits, live) = (limits(), live_settings());
        let cost = passwords::Cost::LEAST;
        let app = open_configured(&scratch, limits, live, cost, asked).await;
        Self::serve(scratch, app).await
    }

    async fn serve(scratch: Scratch, app: App) -> Self {
        let first = app
            .ensure_first_key(None)
            .await
            .expect("the first key is made");
        let admin_key = first.map_or_else(String::new, |value| value.reveal().to_owned());
        let address = listen(&app, router(&app, PublicPaths::ALL)).await;
        Self {
            app,
            address,
            scratch,
            admin_key,
            keys_made: AtomicU64::new(0),
            numbers: Mutex::default(),
        }
    }

    /// A second instance of the service on the same database.
    pub async fn second_instance(&self) -> SecondInstance {
        let settings = self.app.servers.live.settings().clone();
        let asked = Asked {
            sign_in: self.app.sign_in.providers.settings().clone(),
            discord: self.app.discord.settings().clone(),
        };
        let (limits, cost) = (limits(), passwords::Cost::LEAST);
        let app = open_configured(&self.scratch, limits, settings, cost, asked).await;
        let address = listen(&app, router(&app, PublicPaths::ALL)).await;
        SecondInstance { app, address }
    }

    pub fn core(&self) -> &Core {
        &self.app.kernel.core
    }

    /// A client with the first key, which has every permission.
    pub fn admin(&self) -> Client {
        self.holder(&self.admin_key)
    }

    pub fn admin_key(&self) -> &str {
        &self.admin_key
    }

    /// A client without a key.
    pub fn anonymous(&self) -> Client {
        Client::new(&self.address, None)
    }

    /// A client with this key, valid or not.
    pub fn holder(&self, key: &str) -> Client {
        Client::new(&self.address, Some(key))
    }

    /// A client with a new key that has exactly these permissions.
    pub async fn actor(&self, permissions: &[&str]) -> Client {
        self.key(permissions).await.1
    }

    /// A new key with exactly these permissions: its id and a client.
    pub async fn key(&self, permissions: &[&str]) -> (i64, Client) {
        let number = self.keys_made.fetch_add(1, Ordering::Relaxed);
        let admin = self.admin();
        let name = format!("actor {number}");
        let body = json!({ "name": name });
        let made = admin.post("/api/api-keys", body).await.created();
        let id = made["api_key"]["id"].as_i64().expect("an id");
        let ids: Vec<i64> = permissions
            .iter()
            .map(|name| kernel::auth::permission::by_name(name).expect(name).id)
            .collect();
        let path = format!("/api/api-keys/{id}/permissions");
        let body = json!({ "permission_ids": ids });
        admin.put(&path, body).await.ok();
        let value = made["api_key"]["key"].as_str().expect("a value");
        (id, self.holder(value))
    }

    /// Counts the things of one kind that this service has: 0, 1, 2, ...
    pub fn next_number(&self, kind: &'static str) -> u64 {
        let mut numbers = self.numbers.lock().expect("no test panics here");
        let next = numbers.entry(kind).or_default();
        let number = *next;
        *next += 1;
        number
    }

    /// Runs the background jobs once.
    pub async fn maintain(&self, rules: maintenance::Rules) {
        let jobs = maintenance::once(&self.app, rules).await;
        jobs.expect("the jobs run");
    }

    /// Advances the clock.
    pub fn advance(&self, seconds: i64) {
        self.app.kernel.core.clock.advance(seconds);
    }
}

pub struct SecondInstance {
    pub app: App,
    pub address: String,
}

impl SecondInstance {
    pub fn holder(&self, key: &str) -> Client {
        Client::new(&self.address, Some(key))
    }
}

/// An instance of the service without any key.
pub async fn open(scratch: &Scratch, limits: Limits) -> App {
    open_with_live_settings(scratch, limits, live_settings()).await
}

/// The last use of a session is stored before the reply, also on a busy machine.
fn limits() -> Limits {
    Limits {
        note_time: Duration::from_secs(20),
        ..Limits::default()
    }
}

/// A game server that answers does so in time, also on a busy machine.
pub fn live_settings() -> live::Settings {
    live::Settings {
        timeout: Duration::from_secs(20),
        ..live::Settings::default()
    }
}

pub async fn open_with_live_settings(
    scratch: &Scratch,
    limits: Limits,
    settings: live::Settings,
) -> App {
    let asked = Asked::default();
    open_configured(scratch, limits, settings, passwords::Cost::LEAST, asked).await
}

/// The other services that a service asks.
struct Asked {
    sign_in: provider_sign_in::Settings,
    discord: discord::guild::Settings,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            sign_in: providers::shared_settings(),
            discord: guild::Guild::shared_settings(),
        }
    }
}

/// No test sends a packet to another machine.
async fn open_configured(
    scratch: &Scratch,
    limits: Limits,
    mut settings: live::Settings,
    password_cost: passwords::Cost,
    asked: Asked,
) -> App {
    let loopback = ["127.0.0.0/8", "::1"].map(|part| part.parse().expect("a network"));
    if let Networks::Elsewhere = settings.networks {
        settings.networks = Networks::Named(loopback.into_iter().collect());
    }
    let metrics = Metrics::default();
    let db = scratch.open_recorded(metrics.db_recorder()).await;
    let clock = Clock::manual(kernel::types::Timestamp::from_unix(NOON));
    let secret_key = SecretKey::new(&[7; 32]);
    let backups = backup_settings(scratch);
    let settings = Settings {
        metrics,
        limits,
        password_cost,
        live: settings,
        backups,
        webhooks: webhook_settings(),
        grants: grants::sender::Settings::default(),
        sign_in: asked.sign_in,
        discord: asked.discord,
        otlp_endpoint: None,
    };
    App::start(db, clock, secret_key, settings)
        .await
        .expect("the service starts")
}

/// Webhooks to receivers on loopback. This machine has the public address 9.9.9.1.
pub fn webhook_settings() -> webhooks::Settings {
    let loopback: ip_networks::Network = "127.0.0.0/8".parse().expect("a network");
    let own = |address| address == IpAddr::from([9, 9, 9, 1]);
    webhooks::Settings {
        networks: webhooks::Networks::new([loopback.into()]).with_own(own),
        resolver: Arc::new(receiver::Names),
    }
}

/// Backups on request, in a folder beside the database.
pub fn backup_settings(scratch: &Scratch) -> backups::Settings {
    backups::Settings {
        folder: Some(scratch.folder().join("backups")),
        ..backups::Settings::default()
    }
}

/// Serves `router` until the test ends.
pub async fn listen(app: &App, router: Router) -> String {
    let address = listen_with(app, router, None, std::future::pending()).await;
    format!("http://{address}")
}

/// Serves `router` until `stop` completes, with TLS if there are certificates.
pub async fn listen_with(
    app: &App,
    router: Router,
    certificates: Option<Certificates>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let serving = kernel::http::connection::serve(
        app.kernel.clone(),
        listener,
        certificates,
        router,
        app.kernel.limits.connections,
        Box::pin(stop),
    );
    tokio::spawn(serving);
    address
}

/// A well-formed value that is not a key.
pub fn unknown_key() -> String {
    KeyValue::generate().reveal().to_owned()
}
