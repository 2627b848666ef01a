//! One interface to two databases.
//!
//! SQL is written once, in PostgreSQL's dialect; [`dialect`] rewrites it for SQLite. There are
//! three types: [`Db`] opens, [`Read`] reads, [`Tx`] writes. A `Tx` that is dropped without
//! [`Tx::commit`] is rolled back.
//!
//! This crate depends on no resource of the service, and not on HTTP.

mod advisory_lock;
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
mod options;
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

pub use advisory_lock::AdvisoryLock;
pub use client::Client;
pub use conn::{Conn, Dropped, Query, Read, Tx};
#[cfg(feature = "fuzzing")]
pub use dialect::{REPLACED, to_sqlite};
pub use error::{Error, Result};
pub use metrics::Recorder;
pub use migrate::{Applied, SchemaState};
pub use open_writers::OpenWriters;
pub use options::Options;
pub use postgres::Address as PostgresAddress;
pub use progress::Progress;
pub use search::Containing;
pub use select::Select;
pub use url::DatabaseUrl;
pub use value::{Column, Row, Value};
pub use version::Version;

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;

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

    /// A connection for short reads: a few rows found by their keys. Each statement sees the newest
    /// committed state.
    ///
    /// On PostgreSQL such reads share connections, so a long statement would delay others. Lists,
    /// exports, searches and reports use [`Db::read_alone`].
    pub async fn read(&self) -> Result<Read> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.read()),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.shared_session().await?),
        };
        Ok(Read(conn))
    }

    /// An exclusive connection, for reads that may take long or return many rows. Each statement
    /// sees the newest committed state.
    pub async fn read_alone(&self) -> Result<Read> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.read_alone().await?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.read_session().await?),
        };
        Ok(Read(conn))
    }

    /// A connection that sees the database as it is now, for as long as it is used. It does not
    /// delay writers.
    pub async fn snapshot(&self) -> Result<Read> {
        let conn = match &*self.0 {
            Engine::Sqlite(sqlite) => Conn::Sqlite(sqlite.snapshot()?),
            Engine::Postgres(postgres) => Conn::Postgres(postgres.snapshot().await?),
        };
        Ok(Read(conn))
    }

    /// Like [`Db::snapshot`], with a lock that is held while the connection is open. `None` if
    /// another process holds the lock. On SQLite this locks nothing.
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

    /// Repeats a statement, each time in its own transaction, until it changes fewer than `size`
    /// rows. Deleting many rows this way holds no lock for long.
    ///
    /// `size` is bound as one more parameter after `params`, for the `LIMIT` of the statement. If a
    /// batch fails, the ones before it stay committed.
    pub async fn execute_in_batches(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        size: i64,
    ) -> Result<()> {
        let mut params = params.to_vec();
        params.push(size.into());
        loop {
            let mut tx = self.begin().await?;
            let changed = tx.execute(sql, &params).await?;
            tx.commit().await?;
            if changed < size.unsigned_abs() {
                return Ok(());
            }
        }
    }

    /// The version of `topic`, which changes with [`Tx::announce`] in this process or any other.
    ///
    /// `None` means that it is unknown at the moment, because the channel on which PostgreSQL
    /// reports changes is down. Caches must then be bypassed.
    pub fn changes(&self, topic: &str) -> Result<Option<Version>> {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.version(topic).map(Some),
            Engine::Postgres(postgres) => Ok(postgres.version(topic)),
        }
    }

    /// Closes a complete database and makes its SQLite file a single file without a write-ahead
    /// log. Fails if the file is damaged.
    pub async fn finish_sqlite_file(self, file: &Path) -> Result<()> {
        drop(self);
        sqlite::backup::finish_file(file).await
    }

    /// Updates the gauges that are read only when metrics are scraped: pool usage and the size of
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
            Engine::Sqlite(sqlite) => sqlite.checkpoint().map(|_| ()),
            Engine::Postgres(postgres) => postgres.vacuum().await,
        }
    }

    /// Empties the write-ahead log of SQLite, which still has values that were deleted. Returns
    /// `false` if readers still need it. On PostgreSQL this does nothing.
    pub async fn empty_log(&self) -> Result<bool> {
        let db = self.clone();
        let emptied = tokio::task::spawn_blocking(move || match &*db.0 {
            Engine::Sqlite(sqlite) => sqlite.checkpoint(),
            Engine::Postgres(_) => Ok(true),
        });
        emptied.await.map_err(Error::engine)?
    }

    /// Checks that the database exists and can be read.
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

    /// Checks that the database can be written, by writing a meaningless value.
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

    /// Makes this process reload all versions after it has committed an announcement.
    fn forget_versions(&self) {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.forget_versions(),
            Engine::Postgres(postgres) => postgres.forget_versions(),
        }
    }

    /// Waits until no process uses the versions from before the last committed announcement.
    pub fn wait_for_instances(&self) -> BoxFuture<'_, ()> {
        match &*self.0 {
            Engine::Sqlite(sqlite) => Box::pin(sqlite.wait_for_instances()),
            Engine::Postgres(postgres) => Box::pin(postgres.wait_for_instances()),
        }
    }

    /// The number of services that share a PostgreSQL server and have used it. One that was killed
    /// counts until the next announcement. Always 0 on SQLite.
    pub async fn instances(&self) -> Result<i64> {
        let mut read = self.read().await?;
        let sql = "SELECT COUNT(*) FROM instances";
        read.query_one(sql, &[], |row| row.get(0)).await
    }

    fn is_postgres(&self) -> bool {
        matches!(&*self.0, Engine::Postgres(_))
    }
}
