//! PostgreSQL: a pool of connections, and one more that listens for changes.

mod changes;
mod error;
mod session;
mod shared;

use std::sync::Arc;

use deadpool_postgres::{Manager, ManagerConfig, Pool, QueueMode, RecyclingMethod, Runtime};
use metrics::{Gauge, gauge};
use tokio_postgres::{Config, NoTls};

use self::changes::Changes;
pub use self::session::Session;
use self::shared::{Client, SharedClients};
use crate::metrics::Metrics;
use crate::{Error, Options, Result};

/// Each statement is planned once, because planning takes longer than running it. Such a plan does
/// not know the parameters and might join whole tables, so every join but the nested loop is
/// disabled. All statements are written to find few rows by indexes.
const PLANNER_OPTIONS: &str = "-c plan_cache_mode=force_generic_plan -c jit=off -c random_page_cost=1.1 \
                     -c max_parallel_workers_per_gather=0 -c enable_hashjoin=off \
                     -c enable_mergejoin=off -c enable_material=off";

pub(crate) struct Postgres {
    pool: Pool,
    shared: SharedClients,
    changes: Changes,
    metrics: Arc<Metrics>,
    connections: Gauge,
    idle: Gauge,
}

impl Postgres {
    pub(crate) async fn open(config: &Config, options: &Options) -> Result<Self> {
        let mut config = config.clone();
        if config.get_application_name().is_none() {
            config.application_name("steward");
        }
        config.connect_timeout(options.timeout);
        // The server must also give up when the client has.
        let millis = options.timeout.as_millis();
        config.options(format!(
            "{PLANNER_OPTIONS} {} -c statement_timeout={millis} -c lock_timeout={millis} \
             -c idle_in_transaction_session_timeout={} -c timezone=UTC",
            config.get_options().unwrap_or_default(),
            millis * 3,
        ));
        let manager = Manager::from_config(
            config.clone(),
            NoTls,
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let pool = Pool::builder(manager)
            .max_size(options.pool_size)
            // The connection used last has its statements prepared and planned.
            .queue_mode(QueueMode::Lifo)
            .wait_timeout(Some(options.timeout))
            .create_timeout(Some(options.timeout))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(Error::engine)?;
        let postgres = Self {
            shared: SharedClients::new(&pool),
            pool,
            changes: Changes::listen(config),
            metrics: Arc::new(Metrics::new()),
            connections: gauge!("steward_db_connections"),
            idle: gauge!("steward_db_connections_idle"),
        };
        postgres.session().await?;
        Ok(postgres)
    }

    /// A connection of its own.
    pub(crate) async fn session(&self) -> Result<Session> {
        let waiting = self.metrics.count_waiting();
        let client = self.pool.get().await.map_err(error::from_pool)?;
        drop(waiting);
        Ok(Session::new(Client::Own(client), Arc::clone(&self.metrics)))
    }

    /// A connection that other short reads may be using.
    pub(crate) async fn shared_session(&self) -> Result<Session> {
        let waiting = self.metrics.count_waiting();
        let client = self.shared.get().await?;
        drop(waiting);
        Ok(Session::new(client, Arc::clone(&self.metrics)))
    }

    pub(crate) async fn begin(&self) -> Result<Session> {
        let mut session = self.session().await?;
        session.begin().await?;
        Ok(session)
    }

    pub(crate) fn changes(&self, topic: &str) -> Option<u64> {
        self.changes.counter(topic)
    }

    pub(crate) fn record_announcement(&self, topic: &str, counter: u64) {
        self.changes.record(topic, counter);
    }

    pub(crate) async fn vacuum(&self) -> Result<()> {
        let mut session = self.session().await?;
        // No limit for VACUUM, but the usual one for later statements on this connection.
        session.batch("SET statement_timeout = 0").await?;
        let done = session.batch("VACUUM (ANALYZE)").await;
        session.batch("RESET statement_timeout").await?;
        done
    }

    pub(crate) fn update_gauges(&self) {
        let status = self.pool.status();
        self.connections.set(status.size as f64);
        self.idle.set(status.available as f64);
    }
}
