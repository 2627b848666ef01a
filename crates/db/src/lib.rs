//! One interface to two databases.
//!
//! SQL is written once, in PostgreSQL's dialect; [`dialect`] rewrites what SQLite needs
//! differently. Everything goes through three types: [`Db`] opens, [`Read`] reads, [`Tx`] writes.
//! A `Tx` that is dropped without [`Tx::commit`] is rolled back.
//!
//! This crate knows no resource of the service and no HTTP.

mod advisory_lock;
mod batches;
mod by_address;
mod client;
mod conn;
pub mod copy;
mod dialect;
mod error;
mod fair_slots;
mod metrics;
mod migrate;
mod open_writers;
mod postgres;
mod progress;
mod search;
mod select;
mod sqlite;
#[cfg(feature = "testing")]
pub mod testing;
mod url;
mod value;
mod version;

#[cfg(feature = "fuzzing")]
pub fn to_sqlite(sql: &str) -> String {
    dialect::to_sqlite(sql)
}

pub use advisory_lock::AdvisoryLock;
pub use client::Client;
pub use conn::{Conn, Query, Read, Tx};
pub use error::{Error, Result};
pub use migrate::{Applied, SchemaState};
pub use open_writers::OpenWriters;
pub use postgres::Address as PostgresAddress;
pub use progress::Progress;
pub use search::Containing;
pub use select::Select;
pub use url::DatabaseUrl;
pub use value::{Column, Row, Value};
pub use version::Version;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

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
    /// A SQLite file that the running service writes as a backup: with little memory, without a
    /// journal, and without making the commits of the service wait for the disk. A transaction that
    /// fails leaves a broken file.
    pub is_backup: bool,
    /// How many writers may share one commit of SQLite. For benchmarks only; 1 disables group
    /// commit.
    pub max_group_size: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pool_size: 16,
            timeout: Duration::from_secs(10),
            is_backup: false,
            max_group_size: u32::MAX,
        }
    }
}

/// An open database. Cheap to clone; all clones share connections.
#[derive(Clone)]
pub struct Db(Arc<Engine>);

enum Engine {
    Sqlite(sqlite::Sqlite),
    Postgres(postgres::Postgres),
}

impl Db {
    pub fn open<'a>(url: &'a DatabaseUrl, options: &'a Options) -> BoxFuture<'a, Result<Self>> {
        Box::pin(Self::open_in_place(url, options))
    }

    async fn open_in_place(url: &DatabaseUrl, options: &Options) -> Result<Self> {
        let engine = match url {
            DatabaseUrl::Sqlite(path) => Engine::Sqlite(sqlite::Sqlite::open(path, options)?),
            DatabaseUrl::Postgres(address) => {
                Engine::Postgres(postgres::Postgres::open(address, options).await?)
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
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.read()),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.shared_session().await?),
        };
        Ok(Read(conn))
    }

    /// A connection of its own, for reads that may take long or return many rows. Each statement
    /// sees the newest committed state.
    pub async fn read_alone(&self) -> Result<Read> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.read_alone().await?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.read_session().await?),
        };
        Ok(Read(conn))
    }

    /// A connection that sees the database as it is now, however long it is used. It does not
    /// delay writers.
    pub async fn snapshot(&self) -> Result<Read> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.snapshot()?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.snapshot().await?),
        };
        Ok(Read(conn))
    }

    /// Like [`Db::snapshot`], and locks something that has no row of its own for as long as the
    /// connection is open. `None` if another process holds the lock. On SQLite this locks nothing.
    pub async fn exclusive_snapshot(&self, lock: AdvisoryLock) -> Result<Option<Read>> {
        let mut read = self.snapshot().await?;
        let Conn::Postgres(session) = &mut read.0 else {
            return Ok(Some(read));
        };
        let sql = "SELECT pg_try_advisory_xact_lock($1)";
        let rows = session.query(sql, params![lock as i64]).await?;
        let is_locked = Row::Postgres(rows.first().ok_or(Error::NoRow)?).get(0)?;
        Ok(Some(read).filter(|_| is_locked))
    }

    /// Begins a transaction. On SQLite writers take turns; on PostgreSQL they run concurrently.
    pub async fn begin(&self) -> Result<Tx> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.begin().await?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.begin().await?),
        };
        Ok(Tx::new(self.clone(), conn))
    }

    /// The state of `topic`, which changes with [`Tx::announce`] in this process or any other.
    ///
    /// `None` means that this instance does not know at the moment, because the channel on which
    /// PostgreSQL reports changes is down. Caches must then be bypassed.
    pub fn changes(&self, topic: &str) -> Result<Option<Version>> {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.version(topic).map(Some),
            Engine::Postgres(postgres) => Ok(postgres.version(topic)),
        }
    }

    /// Closes a database that is complete and makes its SQLite file one plain file, without a
    /// write-ahead log. Fails if the file is damaged.
    pub async fn finish_sqlite_file(self, file: &Path) -> Result<()> {
        drop(self);
        sqlite::backup::finish_file(file).await
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

    /// Checks that the database is there and can be read.
    pub async fn check_readable(&self) -> Result<()> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => {
                sqlite.check_file()?;
                Conn::Sqlite(sqlite.read())
            }
            Engine::Postgres(postgres) => Conn::Postgres(postgres.reserved_session().await?),
        };
        let sql = "SELECT name FROM schema_migrations WHERE version = 1";
        Read(conn).query_one(sql, &[], |_| Ok(())).await
    }

    /// Checks that the database can be written, by writing something of no meaning.
    pub async fn check_writable(&self) -> Result<()> {
        let mut tx = self.begin().await?;
        let value = version::new_generation().to_be_bytes();
        tx.execute(
            "INSERT INTO settings (name, value) VALUES ('last write check', $1)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            params![&value],
        )
        .await?;
        tx.commit().await
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

    /// Makes this process read all versions again, after it has committed an announcement. On
    /// SQLite it also waits until every other process sees the announcement.
    async fn forget_versions(&self) {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.forget_versions().await,
            Engine::Postgres(postgres) => postgres.forget_versions(),
        }
    }

    fn is_postgres(&self) -> bool {
        matches!(&*self.0, Engine::Postgres(_))
    }
}
