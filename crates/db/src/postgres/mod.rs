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
use self::shared::{Client, Shared};
use crate::meters::Meters;
use crate::{Error, Options, Result};

/// Statements are written to go from few rows to few by indexes. So each is planned once and not at
/// every use, which would take longer than to run it; and it is not left to guesses about values
/// that are not known yet whether whole tables are gone through instead.
const PLANS: &str = "-c plan_cache_mode=force_generic_plan -c jit=off -c random_page_cost=1.1 \
                     -c max_parallel_workers_per_gather=0 -c enable_hashjoin=off \
                     -c enable_mergejoin=off -c enable_material=off";

pub(crate) struct Postgres {
    pool: Pool,
    shared: Shared,
    changes: Changes,
    meters: Arc<Meters>,
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
        // The server, too, gives up on what nobody waits for any more.
        let millis = options.timeout.as_millis();
        config.options(format!(
            "{PLANS} {} -c statement_timeout={millis} -c lock_timeout={millis} \
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
            // The last one used has its statements prepared and planned.
            .queue_mode(QueueMode::Lifo)
            .wait_timeout(Some(options.timeout))
            .create_timeout(Some(options.timeout))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(Error::engine)?;
        let postgres = Self {
            shared: Shared::of(&pool),
            pool,
            changes: Changes::listen(config),
            meters: Arc::new(Meters::new()),
            connections: gauge!("steward_db_connections"),
            idle: gauge!("steward_db_connections_idle"),
        };
        postgres.client().await?;
        Ok(postgres)
    }

    pub(crate) async fn client(&self) -> Result<Session> {
        let waiting = self.meters.wait();
        let client = self.pool.get().await.map_err(error::from_pool)?;
        drop(waiting);
        Ok(self.session(Client::Own(client)))
    }

    /// For a read that is soon over, on a connection that others may be using.
    pub(crate) async fn shared_client(&self) -> Result<Session> {
        let waiting = self.meters.wait();
        let client = self.shared.take().await?;
        drop(waiting);
        Ok(self.session(client))
    }

    fn session(&self, client: Client) -> Session {
        Session::new(client, Arc::clone(&self.meters))
    }

    pub(crate) async fn begin(&self) -> Result<Session> {
        let mut session = self.client().await?;
        session.begin().await?;
        Ok(session)
    }

    pub(crate) fn changes(&self, topic: &str) -> Option<u64> {
        self.changes.counter(topic)
    }

    pub(crate) fn announced(&self, topic: &str, counter: u64) {
        self.changes.seen(topic, counter);
    }

    pub(crate) async fn settle(&self) -> Result<()> {
        let mut session = self.client().await?;
        // It takes as long as it takes, but what comes after it on the same connection does not.
        session.batch("SET statement_timeout = 0").await?;
        let done = session.batch("VACUUM (ANALYZE)").await;
        session.batch("RESET statement_timeout").await?;
        done
    }

    pub(crate) fn observe(&self) {
        let status = self.pool.status();
        self.connections.set(status.size as f64);
        self.idle.set(status.available as f64);
    }
}
