//! A migration that a later version could have, so that upgrades can be tested from this version,
//! which knows all migrations there are. Its SQL is the same on both engines.

use std::sync::LazyLock;

use crate::migrate::{Applied, MIGRATIONS, Migration};
use crate::{Db, Result};

/// With this environment variable, a program that a test starts is the next version: its value is the
/// SQL of one more migration.
pub const NEXT_MIGRATION: &str = "STEWARD_TEST_NEXT_MIGRATION";

pub(crate) fn known_migrations() -> &'static [Migration] {
    static KNOWN: LazyLock<Vec<Migration>> =
        LazyLock::new(|| match std::env::var(NEXT_MIGRATION) {
            Ok(sql) => with_next(sql.leak()),
            Err(_) => MIGRATIONS.to_vec(),
        });
    &KNOWN
}

fn with_next(sql: &'static str) -> Vec<Migration> {
    let version = MIGRATIONS.len() as i64 + 1;
    let next = Migration {
        version,
        name: format!("{version:04}_next").leak(),
        sqlite: sql,
        postgres: sql,
    };
    [MIGRATIONS, &[next]].concat()
}

impl Db {
    /// Migrates as the next version would.
    pub async fn migrate_with_next(&self, sql: &'static str, now: i64) -> Result<Applied> {
        self.apply(&with_next(sql), now).await
    }
}
