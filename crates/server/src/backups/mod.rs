//! Backups: all data in one SQLite file, whichever engine it was taken from, and the way back.

mod file;
mod store;

use std::collections::BTreeMap;
use std::path::Path;

use db::{Conn, DatabaseUrl, Db, Progress, Read, Tx};
use kernel::auth;
use kernel::types::Clock;
use kernel::write::{Change, Edit, Resource};
use kernel::{Error, Result};
use serde::Serialize;

use crate::invoices::statistics;

pub use self::file::{NewFile, Unpacked};

/// Each database has its own rows of these tables.
const OWN: &[&str] = &["changes", "schema_migrations"];

/// These are computed from other tables, most of them by triggers.
const DERIVED: &[&str] = &[
    "payment_days",
    "payment_spans",
    "payment_statistics",
    "user_changes",
    "user_stretches",
    "user_totals",
];

/// The first start of the service fills these.
const FIRST_START: &[&str] = &[
    "api_key_permissions",
    "api_keys",
    "audit_log",
    "permissions",
    "settings",
    "social_networks",
];

/// Table names with their numbers of rows.
pub type Counts = Vec<(&'static str, u64)>;

/// The resource of audit entries.
#[derive(Serialize)]
struct Backup;

impl Resource for Backup {
    const PLURAL: &'static str = "backups";
    const SINGULAR: &'static str = "backup";

    fn id(&self) -> i64 {
        0
    }
}

/// Writes all data, as it is now, to a new SQLite file. The service goes on working.
pub async fn write(db: &Db, file: &Path, progress: &mut (dyn Progress + Send)) -> Result<Counts> {
    let is_copied = db.write_sqlite_file(file, progress).await?;
    let target = open_file(file).await?;
    if !is_copied {
        target.migrate(Clock::System.now().unix()).await?;
        let mut from = db.snapshot().await?;
        let mut tx = target.begin().await?;
        replace_all(&mut from, &mut tx, progress).await?;
        tx.commit().await?;
    }
    let counts = db::copy::count_rows(&mut *target.snapshot().await?).await?;
    progress.begin("checking", 1);
    target.finish_sqlite_file(file).await?;
    progress.advance(1);
    Ok(counts)
}

async fn open_file(file: &Path) -> Result<Db> {
    let url = DatabaseUrl::Sqlite(file.to_owned());
    Ok(Db::open(&url, &db::Options::default()).await?)
}

/// What an operator would lose if the database were replaced: table names with numbers of rows. What
/// the first start of the service makes does not count.
pub async fn contents(conn: &mut Conn) -> Result<Counts> {
    let mut counts = db::copy::count_rows(conn).await?;
    counts
        .retain(|(table, rows)| *rows > 0 && ![OWN, DERIVED, FIRST_START].concat().contains(table));
    counts.extend(store::count_later_rows(conn).await?);
    Ok(counts)
}

/// Replaces the contents of a database by those of another one, with ids and timestamps.
pub async fn restore(
    edit: &mut Edit,
    from: &mut Read,
    progress: &mut (dyn Progress + Send),
) -> Result<Change<Counts>> {
    let counts = replace_all(from, edit, progress).await?;
    // Instances that are running have cached the keys of the replaced database.
    edit.announce(auth::TOPIC).await?;
    let rows = |counts: &Counts| -> BTreeMap<_, _> { counts.iter().copied().collect() };
    let (before, after) = (rows(&Counts::new()), rows(&counts));
    Ok(Change::of_many::<Backup>(
        "restore", &before, &after, counts,
    ))
}

async fn replace_all(
    from: &mut Read,
    tx: &mut Tx,
    progress: &mut (dyn Progress + Send),
) -> Result<Counts> {
    tx.allow_long_statements().await?;
    db::copy::clear(tx, OWN).await?;
    let skipped = [OWN, DERIVED].concat();
    let counts = db::copy::copy(from, tx, &skipped, progress).await?;
    progress.begin("derived tables", 1);
    statistics::rebuild(tx).await?;
    if let Some(table) = store::find_difference(tx).await? {
        return Err(Error::internal(format!(
            "{table} does not match the rows it is computed from; nothing was written"
        )));
    }
    progress.advance(1);
    Ok(counts)
}
