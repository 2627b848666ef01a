//! Migrations: forward only, each in its own transaction, by one program at a time.

use data_encoding::HEXLOWER;
use futures_util::future::BoxFuture;
use sha2::{Digest, Sha256};

use crate::{AdvisoryLock, Db, Error, Result, Tx, params};

#[derive(Clone, Copy)]
pub(crate) struct Migration {
    pub version: i64,
    pub name: &'static str,
    pub sqlite: &'static str,
    pub postgres: &'static str,
}

/// Every file in the `migrations` folders, in order.
pub(crate) const MIGRATIONS: &[Migration] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// The migrations that this program knows.
#[cfg(not(feature = "testing"))]
pub(crate) fn known() -> &'static [Migration] {
    MIGRATIONS
}

#[cfg(feature = "testing")]
pub(crate) use crate::testing::known_migrations as known;

/// The migrations that [`Db::migrate`] applied.
#[derive(Debug, PartialEq, Eq)]
pub struct Applied {
    pub names: Vec<&'static str>,
}

/// The number of migrations that a database has, and that this program knows.
#[derive(Debug, PartialEq, Eq)]
pub struct SchemaState {
    pub applied: i64,
    pub known: i64,
}

impl SchemaState {
    /// The names of the migrations that the database does not have yet.
    pub fn pending(&self) -> Vec<&'static str> {
        let applied = self.applied as usize;
        let pending = known().iter().skip(applied);
        pending.map(|migration| migration.name).collect()
    }
}

impl Db {
    /// Brings the schema up to date. `now`, in Unix seconds, is stored with each migration.
    pub fn migrate(&self, now: i64) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(self.apply(known(), now))
    }

    /// Applies those of the migrations that the database does not have yet.
    pub(crate) async fn apply(&self, migrations: &[Migration], now: i64) -> Result<Applied> {
        let mut names = Vec::new();
        loop {
            let mut tx = self.begin().await?;
            lock(&mut tx).await?;
            create_migrations_table(&mut tx).await?;
            let applied = verify_applied(self, &mut tx, migrations).await?;
            let Some(next) = migrations.get(applied) else {
                tx.commit().await?;
                return Ok(Applied { names });
            };
            let failed = |source| Error::Migration {
                name: next.name.to_owned(),
                source: Box::new(source),
            };
            tx.batch(self.sql(next)).await.map_err(failed)?;
            tx.execute(
                "INSERT INTO schema_migrations (version, name, checksum, applied_at)
                 VALUES ($1, $2, $3, $4)",
                params![next.version, next.name, &checksum(self.sql(next)), now],
            )
            .await?;
            tx.commit().await?;
            tracing::info!(migration = next.name, "applied");
            names.push(next.name);
        }
    }

    /// Compares the schema with this program. Fails where [`Db::migrate`] would refuse the
    /// database; writes nothing.
    pub async fn schema_state(&self) -> Result<SchemaState> {
        let mut tx = self.begin().await?;
        lock(&mut tx).await?;
        create_migrations_table(&mut tx).await?;
        let applied = verify_applied(self, &mut tx, known()).await?;
        tx.rollback().await?;
        Ok(SchemaState {
            applied: applied as i64,
            known: known().len() as i64,
        })
    }

    fn sql(&self, migration: &Migration) -> &'static str {
        if self.is_postgres() {
            migration.postgres
        } else {
            migration.sqlite
        }
    }
}

/// Locks out other migrating programs. On SQLite, any transaction excludes all writers.
async fn lock(tx: &mut Tx) -> Result<()> {
    tx.allow_long_statements().await?;
    tx.lock_advisory(AdvisoryLock::Migrations).await
}

async fn create_migrations_table(tx: &mut Tx) -> Result<()> {
    tx.batch(
        "CREATE TABLE IF NOT EXISTS schema_migrations (
            version BIGINT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            checksum TEXT NOT NULL,
            applied_at BIGINT NOT NULL
        )",
    )
    .await
}

/// Counts the applied migrations. Fails if they differ from those of this program.
async fn verify_applied(db: &Db, tx: &mut Tx, known: &[Migration]) -> Result<usize> {
    let applied: Vec<(i64, String)> = tx
        .query(
            "SELECT version, checksum FROM schema_migrations ORDER BY version",
            &[],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await?;
    if let Some(&(found, _)) = applied.get(known.len()) {
        return Err(Error::Newer {
            found: applied.last().map_or(found, |last| last.0),
            known: known.len() as i64,
        });
    }
    for ((version, sum), migration) in applied.iter().zip(known) {
        if *version != migration.version || *sum != checksum(db.sql(migration)) {
            return Err(Error::Diverged { version: *version });
        }
    }
    Ok(applied.len())
}

/// Identifies the schema.
#[cfg(feature = "testing")]
pub(crate) fn schema_checksum() -> String {
    let of_both = |migration: &Migration| [migration.sqlite, migration.postgres];
    let all: Vec<_> = MIGRATIONS.iter().flat_map(of_both).collect();
    checksum(&all.concat())
}

fn checksum(sql: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(sql))
}

#[cfg(test)]
mod tests {
    use super::MIGRATIONS;

    #[test]
    fn migrations_are_numbered_without_gaps() {
        for (i, migration) in MIGRATIONS.iter().enumerate() {
            assert_eq!(migration.version, i as i64 + 1);
            assert!(migration.name.starts_with(&format!("{:04}_", i + 1)));
        }
    }
}
