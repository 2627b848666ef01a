//! The state of the service: the kernel, and the state of each slice that has one.

use std::sync::Arc;

use db::Db;
use futures_util::future::BoxFuture;
use kernel::auth::KeyValue;
use kernel::secret::{CurrentKey, check_secret_key};
use kernel::types::Clock;
use kernel::{Core, Kernel, Limits, Metrics, Result, SpanQueue};

use accounts::passwords::{self, Passwords};
use accounts::sessions::{self, Activity, Failures, Features};
use accounts::sign_in::{self, Providers};
use accounts::users::{self, Searches};
use discord::guild;
use game_servers::servers::{self, live};
use moderation::bans::{self, commands};
use payments::grants;
use platform::api_keys;
use platform::audit::events::Events;
use platform::backups::{self, Backups};
use platform::trace_export::{Endpoint, Exporter};
use platform::webhooks::{self, Dispatcher};

/// Cheap to clone: all clones share their state.
#[derive(Clone)]
pub struct App {
    pub kernel: Kernel,
    pub events: Events,
    pub users: users::State,
    /// Also the state of the console, which people sign in to in the same way.
    pub sessions: sessions::State,
    pub sign_in: sign_in::State,
    pub servers: servers::State,
    pub webhooks: webhooks::State,
    pub grants: grants::State,
    pub bans: bans::State,
    pub ban_commands: commands::sender::State,
    pub discord: guild::State,
    pub backups: backups::State,
    pub traces: Option<Arc<Exporter>>,
}

/// The operator's settings.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The database should be opened with the recorder of the same metrics.
    pub metrics: Metrics,
    pub limits: Limits,
    pub password_cost: passwords::Cost,
    pub live: live::Settings,
    pub backups: backups::Settings,
    pub webhooks: webhooks::Settings,
    pub grants: grants::sender::Settings,
    pub sign_in: sign_in::Settings,
    pub discord: guild::Settings,
    /// The collector that traces are exported to, if any.
    pub otlp_endpoint: Option<Endpoint>,
}

impl App {
    /// Migrates the database and checks that the secret key belongs to it.
    pub fn start(
        db: Db,
        clock: Clock,
        secret_key: impl Into<CurrentKey>,
        settings: Settings,
    ) -> BoxFuture<'static, Result<Self>> {
        Self::start_boxed(db, clock, secret_key.into(), settings)
    }

    /// A non-generic part of [`Self::start`], so that it is compiled in this crate.
    fn start_boxed(
        db: Db,
        clock: Clock,
        secret_key: CurrentKey,
        settings: Settings,
    ) -> BoxFuture<'static, Result<Self>> {
        Box::pin(Self::start_in_place(db, clock, secret_key, settings))
    }

    async fn start_in_place(
        db: Db,
        clock: Clock,
        secret_key: CurrentKey,
        settings: Settings,
    ) -> Result<Self> {
        let Settings {
            metrics,
            limits,
            password_cost,
            live,
            backups,
            webhooks,
            grants,
            sign_in,
            discord,
            otlp_endpoint,
        } = settings;
        let backups = Backups::new(backups)?;
        db.migrate(clock.now().unix()).await?;
        let core = Core::new(db, metrics, clock, secret_key);
        check_secret_key(&core).await?;
        core.set_followers(&[grants::follow, bans::follow, guild::follow]);
        core.observe_clock().await?;
        api_keys::sync_catalogue(&core).await?;
        let traces = otlp_endpoint.map(Exporter::new);
        // Without an exporter, nothing would empty the queue.
        let spans = traces.as_ref().map(|_| SpanQueue::new(&core.metrics));
        let passwords = Arc::new(Passwords::new(password_cost, &core.metrics));
        let kernel = Kernel::new(core, limits, spans);
        let events = Events::new(kernel.clone());
        let servers = servers::State {
            kernel: kernel.clone(),
            live: Arc::new(live::Querier::new(live)),
        };
        let sessions = sessions::State {
            kernel: kernel.clone(),
            passwords: Arc::clone(&passwords),
            activity: Arc::new(Activity::default()),
            failures: Arc::new(Failures::default()),
            features: Features {
                backups: backups.settings().folder.is_some(),
                steam_sign_in: sign_in.steam.is_some(),
                discord_sign_in: sign_in.discord.is_some(),
            },
        };
        Ok(Self {
            users: users::State {
                kernel: kernel.clone(),
                passwords,
                searches: Arc::new(Searches::default()),
                events: events.clone(),
            },
            sign_in: sign_in::State {
                sessions: sessions.clone(),
                providers: Providers::new(sign_in),
            },
            sessions,
            grants: grants::State {
                kernel: kernel.clone(),
                servers: servers.clone(),
                settings: grants,
                stop: Arc::default(),
            },
            bans: bans::State {
                kernel: kernel.clone(),
                events: events.clone(),
            },
            ban_commands: commands::sender::State {
                kernel: kernel.clone(),
                servers: servers.clone(),
                stop: Arc::default(),
            },
            discord: guild::State::new(kernel.clone(), discord),
            servers,
            webhooks: webhooks::State {
                kernel: kernel.clone(),
                events: events.clone(),
                dispatcher: Arc::new(Dispatcher::new(webhooks)),
            },
            backups: backups::State {
                kernel: kernel.clone(),
                backups: Arc::new(backups),
            },
            traces: traces.map(Arc::new),
            kernel,
            events,
        })
    }

    /// Creates the first API key; see [`api_keys::ensure_first_key`].
    pub async fn ensure_first_key(&self, chosen: Option<&KeyValue>) -> Result<Option<KeyValue>> {
        api_keys::ensure_first_key(&self.kernel.core, chosen).await
    }
}
