//! The state that every operation can use: the kernel, and what slices keep in memory.

use std::ops::Deref;
use std::sync::Arc;

use db::Db;
use futures_util::future::BoxFuture;
use kernel::auth::KeyValue;
use kernel::secret::{CurrentKey, check_secret_key};
use kernel::types::Clock;
use kernel::{Core, Kernel, Limits, Metrics, Result, SpanQueue};

use crate::api_keys;
use crate::audit::events::Events;
use crate::backups::{self, Backups};
use crate::passwords::Passwords;
use crate::servers;
use crate::servers::live::{self, Querier};
use crate::sessions::{Activity, Failures};
use crate::trace_export::{Endpoint, Exporter};
use crate::users::Searches;
use crate::webhooks::{self, Dispatcher};

/// Cheap to clone: all clones share their parts.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// The operator's settings.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub limits: Limits,
    pub live: live::Settings,
    pub backups: backups::Settings,
    pub webhooks: webhooks::Settings,
    /// Where traces are exported to, if anywhere.
    pub otlp_endpoint: Option<Endpoint>,
}

pub struct Parts {
    pub kernel: Kernel,
    pub passwords: Passwords,
    pub activity: Activity,
    pub failures: Failures,
    pub searches: Searches,
    pub events: Events,
    pub live: Querier,
    pub backups: Backups,
    pub webhooks: Dispatcher,
    pub traces: Option<Exporter>,
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

    /// Not generic, so that it is compiled in this crate.
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
            limits,
            live,
            backups,
            webhooks,
            otlp_endpoint,
        } = settings;
        let backups = Backups::new(backups)?;
        db.migrate(clock.now().unix()).await?;
        let core = Core::new(db, clock, secret_key);
        check_secret_key(&core).await?;
        core.observe_clock().await?;
        api_keys::sync_catalogue(&core).await?;
        servers::bind_to_rows(&core).await?;
        let traces = otlp_endpoint.map(Exporter::new);
        // Without an exporter, nothing would empty it.
        let spans = traces.as_ref().map(|_| SpanQueue::new(&Metrics::install()));
        Ok(Self(Arc::new(Parts {
            kernel: Kernel::new(core, limits, spans),
            passwords: Passwords::default(),
            activity: Activity::default(),
            failures: Failures::default(),
            searches: Searches::default(),
            events: Events::default(),
            live: Querier::new(live),
            backups,
            webhooks: Dispatcher::new(webhooks),
            traces,
        })))
    }

    /// Creates the first API key; see [`api_keys::ensure_first_key`].
    pub async fn ensure_first_key(&self, chosen: Option<&KeyValue>) -> Result<Option<KeyValue>> {
        api_keys::ensure_first_key(self, chosen).await
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// Functions that need a kernel accept an app.
impl Deref for Parts {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.kernel
    }
}
