//! One interface to two databases.
//!
//! SQL is written once, in PostgreSQL's dialect; [`dialect`] rewrites what SQLite needs
//! differently. Everything goes through three types: [`Db`] opens, [`Read`] reads, [`Tx`] writes.
//! A `Tx` that is dropped without [`Tx::commit`] is rolled back.
//!
//! This crate knows no resource of the service and no HTTP.

mod advisory_lock;
mod batches;
mod conn;
mod dialect;
mod error;
mod metrics;
mod migrate;
mod postgres;
mod search;
mod select;
mod sqlite;
#[cfg(feature = "testing")]
pub mod testing;
mod url;
mod value;

pub use advisory_lock::AdvisoryLock;
pub use conn::{Conn, Query, Read, Tx};
pub use error::{Error, Result};
pub use migrate::{Applied, SchemaState};
pub use search::Containing;
pub use select::Select;
pub use url::DatabaseUrl;
pub use value::{Column, Row, Value};

use std::sync::Arc;
use std::time::Duration;

/// How many prepared statements a connection caches. Bounded, because a client can request every
/// combination of filters.
const MAX_CACHED_STATEMENTS: usize = 512;

/// How to open a database.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most PostgreSQL connections to hold.
    pub pool_size: usize,
    /// How long a statement, or the wait for a lock or a connection, may take.
    pub timeout: Duration,
    /// How many writers may share one commit of SQLite. For benchmarks only; 1 disables group
    /// commit.
    pub max_group_size: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pool_size: 16,
            timeout: Duration::from_secs(10),
            max_group_size: u32::MAX,
        }
    }
}

/// An open database. Cheap to clone; all clones share connections.
#[derive(Clone)]
pub struct Db(Arc<Engine>);

#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each database, inside an Arc"
)]
enum Engine {
    Sqlite(sqlite::Sqlite),
    Postgres(postgres::Postgres),
}

impl Db {
    pub async fn open(url: &DatabaseUrl, options: &Options) -> Result<Self> {
        let engine = match url {
            DatabaseUrl::Sqlite(path) => Engine::Sqlite(sqlite::Sqlite::open(path, options)?),
            DatabaseUrl::Postgres(config) => {
                Engine::Postgres(postgres::Postgres::open(config, options).await?)
            }
        };
        Ok(Self(Arc::new(engine)))
    }

    /// A connection for short reads: a few rows found by their keys. Each statement sees the
    /// newest committed state.
    ///
    /// On PostgreSQL such reads share connections, so a long statement would delay others; lists,
    /// exports, searches and reports use [`Db::read_alone`].
    pub async fn read(&self) -> Result<Read> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.read()?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.shared_session().await?),
        };
        Ok(Read(conn))
    }

    /// A connection of its own, for reads that may take long or return many rows. Each statement
    /// sees the newest committed state.
    pub async fn read_alone(&self) -> Result<Read> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.read()?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.session().await?),
        };
        Ok(Read(conn))
    }

    /// Begins a transaction. On SQLite writers take turns; on PostgreSQL they run concurrently.
    pub async fn begin(&self) -> Result<Tx> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.begin().await?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.begin().await?),
        };
        Ok(Tx::new(self.clone(), conn))
    }

    /// How often `topic` was announced by [`Tx::announce`], in this process or any other.
    ///
    /// `None` means that this instance does not know at the moment, because the channel on which
    /// PostgreSQL reports changes is down. Caches must then be bypassed.
    pub fn changes(&self, topic: &str) -> Result<Option<u64>> {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.changes(topic).map(Some),
            Engine::Postgres(postgres) => Ok(postgres.changes(topic)),
        }
    }

    /// Updates the gauges that are read only when metrics are scraped: use of the pool, size of
    /// the write-ahead log.
    pub fn update_gauges(&self) {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.update_gauges(),
            Engine::Postgres(postgres) => postgres.update_gauges(),
        }
    }

    /// Cleans up after [loading](Tx::load) many rows: on SQLite it empties the write-ahead log, on
    /// PostgreSQL it vacuums and collects statistics.
    pub async fn vacuum_or_checkpoint(&self) -> Result<()> {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.checkpoint(),
            Engine::Postgres(postgres) => postgres.vacuum().await,
        }
    }

    /// Checks that the database answers. It takes a connection of its own, so it also fails when
    /// the pool is exhausted.
    pub async fn ping(&self) -> Result<()> {
        let mut read = self.read_alone().await?;
        read.query_one("SELECT 1", &[], |_| Ok(())).await
    }

    /// `SQLite` or `PostgreSQL` and its version, for people.
    pub async fn version(&self) -> Result<String> {
        let sql = match &*self.0 {
            Engine::Sqlite(_) => "SELECT 'SQLite ' || sqlite_version()",
            Engine::Postgres(_) => "SELECT 'PostgreSQL ' || current_setting('server_version')",
        };
        let mut read = self.read().await?;
        read.query_one(sql, &[], |row| row.get(0)).await
    }

    /// Applies a committed announcement to this process at once. On SQLite it also waits until
    /// every other process sees it.
    async fn record_announcement(&self, topic: &'static str, counter: u64) {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.record_announcement(topic, counter).await,
            Engine::Postgres(postgres) => postgres.record_announcement(topic, counter),
        }
    }

    fn is_postgres(&self) -> bool {
        matches!(&*self.0, Engine::Postgres(_))
    }
}
