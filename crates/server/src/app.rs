//! What every request can reach.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use db::Db;
use ulid::Ulid;

use crate::api_keys::{self, KeyRing, KeyValue};
use crate::clock::Clock;
use crate::figures::Figures;
use crate::live::{self, Desk};
use crate::networks::Networks;
use crate::secret::SecretKey;
use crate::users::{Passwords, Searches};
use crate::{Result, random, settings};

/// What clients may ask of the service, for how long, and whose word is taken for who they are.
#[derive(Clone, Debug)]
pub struct Limits {
    pub connections: usize,
    /// The whole head of a request, in bytes.
    pub header_bytes: usize,
    /// How many headers a request may have.
    pub headers: usize,
    pub header_time: Duration,
    pub body_bytes: usize,
    pub body_time: Duration,
    /// Up to the head of the response.
    pub request_time: Duration,
    /// How long a client may take nothing of a response that is being sent.
    pub send_time: Duration,
    /// For keys without a limit of their own; `None` is as many as there is time for.
    pub requests_per_second: Option<u32>,
    /// Who is believed when they say for whom they pass a request on.
    pub trusted_proxies: Networks,
    /// After how many days without use a session ends.
    pub session_days: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            header_bytes: 16 << 10,
            headers: 100,
            header_time: Duration::from_secs(10),
            body_bytes: 1 << 20,
            body_time: Duration::from_secs(15),
            request_time: Duration::from_secs(30),
            send_time: Duration::from_secs(30),
            requests_per_second: None,
            trusted_proxies: Networks::default(),
            session_days: 30,
        }
    }
}

/// Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct App(Arc<Parts>);

pub struct Parts {
    pub db: Db,
    pub clock: Clock,
    pub secret_key: SecretKey,
    pub keys: KeyRing,
    pub limits: Limits,
    pub figures: Figures,
    pub passwords: Passwords,
    pub searches: Searches,
    pub live: Desk,
    request_ids: RequestIds,
}

/// Unlike those of any other process, and counted on from there: to ask the system for randomness
/// at every request would take longer.
struct RequestIds {
    start: u128,
    given: AtomicU64,
}

impl RequestIds {
    fn next(&self) -> u128 {
        let given = self.given.fetch_add(1, Ordering::Relaxed);
        self.start.wrapping_add(given.into())
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl App {
    /// Brings the database up to date and makes sure that the secret key is the right one.
    pub async fn start(
        db: Db,
        clock: Clock,
        secret_key: SecretKey,
        limits: Limits,
        live: live::Settings,
    ) -> Result<Self> {
        db.migrate(clock.now().unix()).await?;
        let app = Self(Arc::new(Parts {
            db,
            clock,
            secret_key,
            keys: KeyRing::default(),
            limits,
            figures: Figures::install(),
            passwords: Passwords::default(),
            searches: Searches::default(),
            live: Desk::new(live),
            request_ids: RequestIds {
                start: u128::from_be_bytes(random::bytes()),
                given: AtomicU64::new(0),
            },
        }));
        settings::check_secret_key(&app).await?;
        api_keys::sync_catalogue(&app).await?;
        Ok(app)
    }

    /// Makes the first key; see [`api_keys::ensure_first_key`].
    pub async fn ensure_first_key(&self, chosen: Option<&KeyValue>) -> Result<Option<KeyValue>> {
        api_keys::ensure_first_key(self, chosen).await
    }

    /// An id that sorts by time and that nobody else has.
    pub fn new_request_id(&self) -> String {
        Ulid::from_parts(self.clock.millis(), self.request_ids.next()).to_string()
    }
}
