//! PostgreSQL: a pool of connections, and one more that listens for changes.

mod acknowledgement;
mod address;
mod changes;
mod connection;
mod error;
mod lost;
mod pool;
mod pool_size;
mod servers;
mod session;
mod shared;
mod tls;

use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool::Runtime;
use deadpool::managed::QueueMode;
use futures_util::future::BoxFuture;
use metrics::{Gauge, gauge};
use tokio_postgres::Config;

pub use self::address::Address;
use self::changes::Changes;
use self::connection::Connection;
use self::lost::Lost;
use self::pool::{Pool, PoolError};
use self::pool_size::PoolSize;
use self::servers::Servers;
pub use self::session::Session;
use self::shared::{Client, SharedClients};
use self::tls::Tls;
use crate::client::Client as DbClient;
use crate::fair_slots::Use;
use crate::metrics::Metrics;
use crate::{Error, Options, Result, Version};

/// Each statement is planned once, because planning takes longer than running it. Such a generic
/// plan might join whole tables, so every join but the nested loop is disabled. All statements are
/// written to find few rows by indexes.
const PLANNER_OPTIONS: &str = "-c plan_cache_mode=force_generic_plan -c jit=off -c random_page_cost=1.1 \
                     -c max_parallel_workers_per_gather=0 -c enable_hashjoin=off \
                     -c enable_mergejoin=off -c enable_material=off";

/// How soon an unresponsive server is detected, unless the URL sets it.
const UNACKNOWLEDGED: Duration = Duration::from_secs(12);
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_PROBES: u32 = 3;

/// The pause before a retry when the server has refused a connection.
const REFUSED_RETRY: Duration = Duration::from_millis(50);

pub(crate) struct Postgres {
    pool: Pool,
    size: PoolSize,
    shared: SharedClients,
    timeout: Duration,
    tls: Tls,
    lost: Arc<Lost>,
    changes: Changes,
    metrics: Arc<Metrics>,
    connections: Gauge,
    idle: Gauge,
}

impl Postgres {
    pub(crate) async fn open(address: &Address, options: &Options) -> Result<Self> {
        address.tls.check()?;
        let mut configs = address.servers.clone();
        for config in &mut configs {
            configure(config, options.timeout);
        }
        let servers = Servers::new(configs, address.tls.clone(), options.timeout);
        let pool = Pool::builder(servers.clone())
            .max_size(options.pool_size)
            // The most recently used connection has its statements prepared and planned.
            .queue_mode(QueueMode::Lifo)
            .wait_timeout(Some(options.timeout))
            .create_timeout(Some(options.timeout))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(Error::engine)?;
        let size = PoolSize::new(options.pool_size, options.timeout);
        let lost = Arc::new(Lost::new(pool.clone()));
        let recorder = &options.recorder;
        let postgres = Self {
            shared: SharedClients::new(&pool, &lost, size.max_shared()),
            changes: Changes::listen(servers.clone(), &lost, options.timeout),
            tls: servers.tls(),
            lost,
            pool,
            size,
            timeout: options.timeout,
            metrics: Arc::new(Metrics::new(recorder)),
            connections: recorder.register(|| gauge!("steward_db_connections")),
            idle: recorder.register(|| gauge!("steward_db_connections_idle")),
        };
        postgres.session(Use::Write).await?;
        Ok(postgres)
    }

    /// An exclusive connection for reads.
    pub(crate) async fn read_session(&self) -> Result<Box<Session>> {
        self.session(Use::Read).await
    }

    /// An exclusive connection from those that long reads leave free.
    pub(crate) async fn reserved_session(&self) -> Result<Box<Session>> {
        self.session(Use::Write).await
    }

    fn session(&self, purpose: Use) -> BoxFuture<'_, Result<Box<Session>>> {
        Box::pin(async move {
            let waiting = self.metrics.count_waiting();
            let connection = self.connect(purpose).await?;
            drop(waiting);
            Ok(self.session_on(Client::Own(connection)))
        })
    }

    /// On the heap, because it is large and returned through several functions.
    fn session_on(&self, client: Client) -> Box<Session> {
        Box::new(Session::new(
            client,
            self.timeout,
            self.tls.clone(),
            Arc::clone(&self.metrics),
        ))
    }

    async fn connect(&self, purpose: Use) -> Result<Connection> {
        let end = DbClient::end_of(self.timeout);
        loop {
            let slot = self.size.slot(purpose).await?;
            let losses = self.lost.count();
            match self.pool.get().await {
                Ok(object) => return Ok(Connection::new(object, &self.lost, losses, Some(slot))),
                Err(refused) if error::is_refused(&refused) => {
                    drop(slot);
                    self.wait_after_refusal(refused, end).await?;
                }
                Err(error) => return Err(error::from_pool(error)),
            }
        }
    }

    /// Waits for an open connection after the server has refused another one.
    #[cold]
    async fn wait_after_refusal(&self, refused: PoolError, end: Instant) -> Result<()> {
        let open = self.pool.status().size;
        self.size.reduce(open.saturating_sub(self.shared.count()));
        if Instant::now() + REFUSED_RETRY > end {
            return Err(error::from_pool(refused));
        }
        tokio::time::sleep(REFUSED_RETRY).await;
        Ok(())
    }

    /// A connection that other short reads may share.
    pub(crate) fn shared_session(&self) -> BoxFuture<'_, Result<Box<Session>>> {
        Box::pin(async move {
            if self.size.max_shared() == 0 {
                return self.read_session().await;
            }
            let waiting = self.metrics.count_waiting();
            let client = match self.shared.get().await {
                Err(refused) if error::is_refused(&refused) => {
                    Client::Own(self.connect(Use::Read).await?)
                }
                client => client.map_err(error::from_pool)?,
            };
            drop(waiting);
            Ok(self.session_on(client))
        })
    }

    /// A connection that sees the database as it is now, until it is dropped.
    pub(crate) async fn snapshot(&self) -> Result<Box<Session>> {
        let mut session = self.begin().await?;
        session
            .batch("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            .await?;
        session.allow_long_statements().await?;
        // The first query takes the snapshot.
        session.batch("SELECT 1 FROM schema_migrations").await?;
        Ok(session)
    }

    pub(crate) async fn begin(&self) -> Result<Box<Session>> {
        let mut session = self.session(Use::Write).await?;
        session.begin();
        Ok(session)
    }

    pub(crate) fn version(&self, topic: &str) -> Option<Version> {
        self.changes.version(topic)
    }

    pub(crate) fn forget_versions(&self) {
        self.changes.invalidate();
    }

    pub(crate) async fn wait_for_instances(&self) {
        acknowledgement::wait_for_all(self).await;
    }

    pub(crate) async fn vacuum(&self) -> Result<()> {
        let mut session = self.session(Use::Write).await?;
        // No limit for VACUUM, but the usual one for later statements on this connection.
        session.batch("SET statement_timeout = 0").await?;
        let done = session.batch("VACUUM (ANALYZE)").await;
        session.batch("RESET statement_timeout").await?;
        done
    }

    #[cfg(feature = "testing")]
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(crate) fn update_gauges(&self) {
        let status = self.pool.status();
        self.connections.set(status.size as f64);
        self.idle.set(status.available as f64);
    }
}

/// Sets what every connection needs and the URL does not set.
fn configure(config: &mut Config, timeout: Duration) {
    if config.get_application_name().is_none() {
        config.application_name("steward");
    }
    let connect_timeout = config.get_connect_timeout().copied();
    config.connect_timeout(connect_timeout.map_or(timeout, |chosen| chosen.min(timeout)));
    detect_lost_server(config);
    // The server must also give up when the client has.
    let millis = timeout.as_millis();
    config.options(format!(
        "{PLANNER_OPTIONS} {} -c statement_timeout={millis} -c lock_timeout={millis} \
         -c idle_in_transaction_session_timeout={} -c timezone=UTC",
        config.get_options().unwrap_or_default(),
        millis * 3,
    ));
}

/// Sets TCP timeouts, unless the URL does.
fn detect_lost_server(config: &mut Config) {
    let defaults = Config::new();
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNACKNOWLEDGED);
    }
    if config.get_keepalives_idle() == defaults.get_keepalives_idle() {
        config.keepalives_idle(KEEPALIVE_IDLE);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(KEEPALIVE_INTERVAL);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(KEEPALIVE_PROBES);
    }
}
