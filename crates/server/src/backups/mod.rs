//! Backups: all data in one SQLite file, whichever engine it was taken from, and the way back.
//! The service can store backups in a folder of its own.

mod file;
mod folder;
pub mod http;
mod job;
mod name;
pub mod schedule;
mod state;
mod store;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use db::{Conn, DatabaseUrl, Db, Progress, Read, Tx};
use futures_util::future::{BoxFuture, LocalBoxFuture};
use kernel::auth;
use kernel::list::Window;
use kernel::types::{Clock, Timestamp};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::invoices::statistics;

pub use self::file::{NewFile, Unpacked};
pub use self::job::Claim;
pub use self::name::Name;
pub use self::state::{Backups, MAX_DOWNLOADS, Settings};

/// Each database has its own rows of these tables.
const OWN: &[&str] = &["changes", "schema_migrations"];

/// These are computed from other tables, most of them by triggers.
const DERIVED: &[&str] = &[
    "payment_days",
    "payment_slots",
    "payment_spans",
    "payment_statistics",
    "user_buckets",
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
    "setup_tokens",
    "social_networks",
];

/// Table names with their numbers of rows.
pub type Counts = Vec<(&'static str, u64)>;

/// A backup in the folder of the service.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Backup {
    /// The name of the file.
    pub name: Name,
    pub state: State,
    /// In bytes; null unless the backup is done.
    pub size: Option<u64>,
    /// The moment whose data it has.
    pub created_at: Timestamp,
    /// The number of rows of each table; null if it is not known.
    pub counts: Option<BTreeMap<String, u64>>,
}

/// In this order: of two entries of the folder with one name, the later state counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum State {
    Failed,
    Done,
    Running,
}

impl Backup {
    fn new(name: Name, state: State) -> Self {
        Self {
            name,
            state,
            size: None,
            created_at: name.moment(),
            counts: None,
        }
    }
}

/// The id in the audit log is the moment in Unix seconds, which the name shows as well.
impl Resource for Backup {
    const PLURAL: &'static str = "backups";
    const SINGULAR: &'static str = "backup";

    fn id(&self) -> i64 {
        self.created_at.unix()
    }
}

pub const RUNNING: Error = Error::Conflict {
    code: ErrorCode::BackupRunning,
    message: "A backup is running. Wait until it ends.",
};

/// A part of the backups in the folder, the oldest first, and how many there are.
pub fn list(app: &App, window: Window) -> Result<(i64, Vec<Backup>)> {
    let list = app.backups.folder()?.list().map_err(Error::internal)?;
    let total = list.len() as i64;
    let is_after = |backup: &Backup| window.after_id().is_none_or(|after| backup.id() > after);
    let (offset, limit) = (window.offset, window.limit);
    let part = list.into_iter().filter(is_after);
    let part = part.skip(usize::try_from(offset).unwrap_or(usize::MAX));
    let part = part.take(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok((total, part.collect()))
}

/// A whole backup and its file. `None` as the name stands for one that is not well-formed.
pub fn open(app: &App, name: Option<Name>) -> Result<(Backup, File)> {
    let folder = app.backups.folder()?;
    let missing = Error::NotFound(Backup::SINGULAR);
    let backup = find(app, name)?.filter(|backup| backup.state != State::Failed);
    let backup = backup.ok_or(missing)?;
    if backup.state == State::Running {
        return Err(RUNNING);
    }
    match File::open(folder.path_of(backup.name)) {
        Ok(file) => Ok((backup, file)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::NotFound(Backup::SINGULAR))
        }
        Err(error) => Err(Error::internal(error)),
    }
}

fn find(app: &App, name: Option<Name>) -> Result<Option<Backup>> {
    let folder = app.backups.folder()?;
    match name {
        Some(name) => folder.find(name).map_err(Error::internal),
        None => Ok(None),
    }
}

/// The backup to delete.
pub fn target(edit: &Edit, app: &App, name: Option<Name>) -> Result<Target<Backup>> {
    let backup = edit.target(find(app, name)?)?;
    match backup.state {
        State::Running => Err(RUNNING),
        State::Failed | State::Done => Ok(backup),
    }
}

/// Its file is [removed](remove) after the commit: a file cannot be rolled back.
pub fn delete(backup: Target<Backup>) -> Change<Backup> {
    Change::deleted(backup)
}

/// Removes the file of a deleted backup.
pub fn remove(app: &App, name: Name) -> Result<()> {
    let folder = app.backups.folder()?;
    folder.remove(name).map_err(Error::internal)?;
    app.backups.refresh();
    Ok(())
}

/// The resource of the audit entry of a restore.
#[derive(Serialize)]
struct Restored;

impl Resource for Restored {
    const PLURAL: &'static str = Backup::PLURAL;
    const SINGULAR: &'static str = Backup::SINGULAR;

    fn id(&self) -> i64 {
        0
    }
}

/// Writes all data, as it is now, to a new SQLite file. The service goes on working.
pub fn write<'a>(
    db: &'a Db,
    file: &'a Path,
    progress: &'a mut (dyn Progress + Send),
) -> LocalBoxFuture<'a, Result<Counts>> {
    Box::pin(async { write_snapshot(db.snapshot().await?, file, progress).await })
}

async fn write_snapshot(
    snapshot: Read,
    file: &Path,
    progress: &mut (dyn Progress + Send),
) -> Result<Counts> {
    let target = match snapshot.write_sqlite_file(file, progress).await? {
        None => open_file(file).await?,
        Some(mut from) => {
            let copied = copy_rows(&mut from, file, progress).await;
            // Before the checks: it delays the removal of deleted rows, and may hold a lock.
            from.close().await;
            copied?
        }
    };
    let counts = db::copy::count_rows(&mut *target.snapshot().await?).await?;
    progress.begin("checking", 1);
    target.finish_sqlite_file(file).await?;
    progress.advance(1);
    Ok(counts)
}

async fn copy_rows(
    from: &mut Read,
    file: &Path,
    progress: &mut (dyn Progress + Send),
) -> Result<Db> {
    let target = open_file(file).await?;
    target.migrate(Clock::System.now().unix()).await?;
    let mut tx = target.begin().await?;
    replace_all(from, &mut tx, progress).await?;
    tx.commit().await?;
    Ok(target)
}

async fn open_file(file: &Path) -> Result<Db> {
    let url = DatabaseUrl::Sqlite(file.to_owned());
    let options = db::Options {
        is_backup: true,
        ..db::Options::default()
    };
    Ok(Db::open(&url, &options).await?)
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
pub fn restore<'a>(
    edit: &'a mut Edit,
    from: &'a mut Read,
    progress: &'a mut (dyn Progress + Send),
) -> BoxFuture<'a, Result<Change<Counts>>> {
    Box::pin(restore_in_place(edit, from, progress))
}

async fn restore_in_place(
    edit: &mut Edit,
    from: &mut Read,
    progress: &mut (dyn Progress + Send),
) -> Result<Change<Counts>> {
    let counts = replace_all(from, edit, progress).await?;
    // Instances that are running have cached the keys of the replaced database.
    edit.announce(auth::TOPIC).await?;
    let rows = |counts: &Counts| -> BTreeMap<_, _> { counts.iter().copied().collect() };
    let (before, after) = (rows(&Counts::new()), rows(&counts));
    Ok(Change::of_many::<Restored>(
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
