//! Migrations: forward only, each in a transaction of its own, one program at a time.

use sha2::{Digest, Sha256};

use crate::{Db, Engine, Error, Result, Tx, params};

struct Migration {
    version: i64,
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

/// Every file in the `migrations` folders, in order.
const MIGRATIONS: &[Migration] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// What [`Db::migrate`] did.
#[derive(Debug, PartialEq, Eq)]
pub struct Applied {
    pub names: Vec<&'static str>,
}

/// Where a database stands against this program.
#[derive(Debug, PartialEq, Eq)]
pub struct SchemaState {
    pub applied: i64,
    pub known: i64,
}

impl Db {
    /// Brings the schema up to date; `now` is written down with each migration, in Unix seconds.
    pub async fn migrate(&self, now: i64) -> Result<Applied> {
        let mut names = Vec::new();
        loop {
            let mut tx = self.begin().await?;
            lock(self, &mut tx).await?;
            create_ledger(&mut tx).await?;
            let done = verified(self, &mut tx).await?;
            let Some(next) = MIGRATIONS.get(done) else {
                tx.commit().await?;
                return Ok(Applied { names });
            };
            let failed = |source| Error::Migration {
                name: next.name.to_owned(),
                source: Box::new(source),
            };
            tx.batch(self.text(next)).await.map_err(failed)?;
            tx.execute(
                "INSERT INTO schema_migrations (version, name, checksum, applied_at)
                 VALUES ($1, $2, $3, $4)",
                params![next.version, next.name, &checksum(self.text(next)), now],
            )
            .await?;
            tx.commit().await?;
            tracing::info!(migration = next.name, "applied");
            names.push(next.name);
        }
    }

    /// Says where the schema stands, and refuses what [`Db::migrate`] would refuse.
    pub async fn schema_state(&self) -> Result<SchemaState> {
        let mut tx = self.begin().await?;
        lock(self, &mut tx).await?;
        create_ledger(&mut tx).await?;
        let done = verified(self, &mut tx).await?;
        tx.rollback().await?;
        Ok(SchemaState {
            applied: done as i64,
            known: MIGRATIONS.len() as i64,
        })
    }

    fn text(&self, migration: &Migration) -> &'static str {
        match &*self.0 {
            Engine::Sqlite(_) => migration.sqlite,
            Engine::Postgres(_) => migration.postgres,
        }
    }
}

/// SQLite's transaction excludes other writers by itself.
async fn lock(db: &Db, tx: &mut Tx) -> Result<()> {
    if matches!(&*db.0, Engine::Postgres(_)) {
        // Migrations may take longer than a request, and read whole tables, for which any kind of
        // join may be the best.
        tx.batch(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
             SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
             SET LOCAL enable_material = on",
        )
        .await?;
        tx.query("SELECT pg_advisory_xact_lock(7236283)", &[], |_| Ok(()))
            .await?;
    }
    Ok(())
}

async fn create_ledger(tx: &mut Tx) -> Result<()> {
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

/// How many migrations are in place, after making sure that they are the ones known here.
async fn verified(db: &Db, tx: &mut Tx) -> Result<usize> {
    let applied: Vec<(i64, String)> = tx
        .query(
            "SELECT version, checksum FROM schema_migrations ORDER BY version",
            &[],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await?;
    if let Some(&(found, _)) = applied.get(MIGRATIONS.len()) {
        return Err(Error::Newer {
            found: applied.last().map_or(found, |last| last.0),
            known: MIGRATIONS.len() as i64,
        });
    }
    for ((version, sum), migration) in applied.iter().zip(MIGRATIONS) {
        if *version != migration.version || *sum != checksum(db.text(migration)) {
            return Err(Error::Diverged { version: *version });
        }
    }
    Ok(applied.len())
}

fn checksum(sql: &str) -> String {
    Sha256::digest(sql)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
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
