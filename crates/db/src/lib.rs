//! One door to two databases.
//!
//! SQL is written once, in PostgreSQL's dialect; what SQLite needs different is in
//! [`dialect`]. Everything goes through three types: [`Db`] opens, [`Read`] reads,
//! [`Tx`] writes. A `Tx` that is dropped without [`Tx::commit`] leaves nothing behind.
//!
//! This crate knows no resource of the service and nothing of HTTP.

mod conn;
mod dialect;
mod error;
mod filter;
mod meters;
mod migrate;
mod postgres;
mod search;
mod sqlite;
#[cfg(feature = "testing")]
pub mod testing;
mod url;
mod value;

pub use conn::{Conn, Query, Read, Tx};
pub use error::{Error, Result};
pub use filter::Filter;
pub use migrate::{Applied, SchemaState};
pub use search::Containing;
pub use url::DatabaseUrl;
pub use value::{Column, Row, Value};

use std::sync::Arc;
use std::time::Duration;

/// How many prepared statements a connection keeps. Whoever asks for every combination of filters
/// there is must not fill the memory with them.
const STATEMENTS_KEPT: usize = 512;

/// How to open a database.
#[derive(Clone, Debug)]
pub struct Options {
    /// PostgreSQL connections held at most.
    pub pool_size: usize,
    /// How long a statement, or the wait for a lock or a connection, may take.
    pub timeout: Duration,
    /// How many writers share one commit of SQLite at most. Lower than all that wait, it only
    /// serves to measure what sharing is worth.
    pub largest_group: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pool_size: 16,
            timeout: Duration::from_secs(10),
            largest_group: u32::MAX,
        }
    }
}

/// An open database. Cheap to clone; all clones share connections.
#[derive(Clone)]
pub struct Db(Arc<Engine>);

#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each database, behind an Arc"
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

    /// A connection for reading. Each statement sees the newest committed state.
    pub async fn read(&self) -> Result<Read> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.read()?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.client().await?),
        };
        Ok(Read(conn))
    }

    /// The same for a few rows that are found by their keys. On PostgreSQL such reads share
    /// connections, so that one which takes long would hold up the others.
    pub async fn read_briefly(&self) -> Result<Read> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.read()?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.shared_client().await?),
        };
        Ok(Read(conn))
    }

    /// Begins a transaction. On SQLite writers take turns; on PostgreSQL they run side by side.
    pub async fn begin(&self) -> Result<Tx> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.begin().await?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.begin().await?),
        };
        Ok(Tx::new(self.clone(), conn))
    }

    /// How often `topic` was announced by [`Tx::announce`], in this process or any other.
    ///
    /// `None` means that this instance cannot tell at the moment, because the channel on which
    /// PostgreSQL reports changes is down: whoever keeps a cache must then go past it.
    pub fn changes(&self, topic: &str) -> Result<Option<u64>> {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.changes(topic).map(Some),
            Engine::Postgres(postgres) => Ok(postgres.changes(topic)),
        }
    }

    /// Writes what is only worth knowing when somebody asks (pool use, size of the log) into
    /// the gauges.
    pub fn observe(&self) {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.observe(),
            Engine::Postgres(postgres) => postgres.observe(),
        }
    }

    /// Leaves a database that was just filled as a busy one is left by time: on SQLite without
    /// a long log, on PostgreSQL with statistics and tidy indexes.
    pub async fn settle(&self) -> Result<()> {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.settle(),
            Engine::Postgres(postgres) => postgres.settle().await,
        }
    }

    /// Makes sure that the database answers.
    pub async fn ping(&self) -> Result<()> {
        let mut read = self.read().await?;
        read.query_one("SELECT 1", &[], |_| Ok(())).await
    }

    /// `SQLite` or `PostgreSQL` and its version, for people.
    pub async fn version(&self) -> Result<String> {
        let mut read = self.read().await?;
        match &*self.0 {
            Engine::Sqlite(_) => {
                read.query_one("SELECT 'SQLite ' || sqlite_version()", &[], |row| {
                    row.get(0)
                })
                .await
            }
            Engine::Postgres(_) => {
                read.query_one(
                    "SELECT 'PostgreSQL ' || current_setting('server_version')",
                    &[],
                    |row| row.get(0),
                )
                .await
            }
        }
    }

    async fn announced(&self, topic: &'static str, counter: u64) {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.announced(topic, counter).await,
            Engine::Postgres(postgres) => postgres.announced(topic, counter),
        }
    }

    #[cfg(feature = "testing")]
    pub(crate) fn is_postgres(&self) -> bool {
        matches!(&*self.0, Engine::Postgres(_))
    }
}
