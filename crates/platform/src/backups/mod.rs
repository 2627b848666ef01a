//! Backups: all data in one SQLite file, whichever engine it was taken from, and restoring it. The
//! service can store backups in a folder.

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

use crate::api_keys;
use db::{Conn, DatabaseUrl, Db, Progress, Read, Tx};
use futures_util::future::{BoxFuture, LocalBoxFuture};
use kernel::auth;
use kernel::list::Window;
use kernel::schema::JsonSchema;
use kernel::types::{Clock, Timestamp};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};
use serde::Serialize;

pub use self::file::{NewFile, Unpacked};
pub use self::job::Claim;
pub use self::name::Name;
pub use self::state::{Backups, MAX_DOWNLOADS, Settings, State};

/// Tables whose rows belong to one database and are not copied.
const OWN: &[&str] = &["changes", "instances", "schema_migrations"];

/// Tables computed from others, most of them by triggers.
const DERIVED: &[&str] = &[
    "payment_days",
    "payment_paid_days",
    "payment_slots",
    "payment_spans",
    "user_buckets",
    "user_changes",
    "user_totals",
];

/// Tables of access that ends by itself. A restore leaves them out: what was ended since the backup
/// was taken would begin again.
const SHORT_LIVED: &[&str] = &[
    "console_sessions",
    "idempotent_replies",
    "operator_invitations",
    "setup_tokens",
    "sign_in_attempts",
    "sign_in_nonces",
    "sign_in_states",
    "user_sessions",
    "wrong_codes",
];

/// Tables that the first start of the service fills.
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
    pub state: BackupState,
    /// In bytes; null unless the backup is done.
    pub size: Option<u64>,
    /// The time of the data in it.
    pub created_at: Timestamp,
    /// The number of rows of each table; null if it is not known.
    pub counts: Option<BTreeMap<String, u64>>,
}

/// The state of a backup.
// If two entries of the folder share a name, the later of these states counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum BackupState {
    Failed,
    Done,
    Running,
}

impl Backup {
    fn new(name: Name, state: BackupState) -> Self {
        Self {
            name,
            state,
            size: None,
            created_at: name.moment(),
            counts: None,
        }
    }
}

/// The id in the audit log is the time in Unix seconds, which the name shows as well.
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

const NEWEST: Error = Error::Conflict {
    code: ErrorCode::NewestBackup,
    message: "This is the newest backup. Take another one first.",
};

/// A window of the backups in the folder, oldest first, and their total number.
pub fn list(state: &State, window: Window) -> Result<(i64, Vec<Backup>)> {
    let list = state.backups.folder()?.list().map_err(Error::internal)?;
    let total = list.len() as i64;
    let is_after = |backup: &Backup| window.after_id().is_none_or(|after| backup.id() > after);
    let (offset, limit) = (window.offset, window.limit);
    let part = list.into_iter().filter(is_after);
    let part = part.skip(usize::try_from(offset).unwrap_or(usize::MAX));
    let part = part.take(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok((total, part.collect()))
}

/// Opens a complete backup. `None` stands for a malformed name.
pub fn open(state: &State, name: Option<Name>) -> Result<(Backup, File)> {
    let folder = state.backups.folder()?;
    let missing = Error::NotFound(Backup::SINGULAR);
    let backup = find(state, name)?.filter(|backup| backup.state != BackupState::Failed);
    let backup = backup.ok_or(missing)?;
    if backup.state == BackupState::Running {
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

fn find(state: &State, name: Option<Name>) -> Result<Option<Backup>> {
    let folder = state.backups.folder()?;
    match name {
        Some(name) => folder.find(name).map_err(Error::internal),
        None => Ok(None),
    }
}

/// The backup to delete.
pub fn target(edit: &Edit, state: &State, name: Option<Name>) -> Result<Target<Backup>> {
    let backup = edit.target(find(state, name)?)?;
    match backup.state {
        BackupState::Running => Err(RUNNING),
        BackupState::Failed | BackupState::Done => Ok(backup),
    }
}

/// Refuses to delete the newest complete backup, so that a stolen key cannot remove all of them.
pub fn refuse_newest(state: &State, backup: &Backup) -> Result<()> {
    let complete = state.backups.folder()?.in_state(BackupState::Done);
    match complete.map_err(Error::internal)?.last() {
        Some(newest) if *newest == backup.name => Err(NEWEST),
        _ => Ok(()),
    }
}

/// Records the deletion. The file is [removed](remove) after the commit: it cannot be rolled back.
pub fn delete(backup: Target<Backup>) -> Change<Backup> {
    Change::deleted(backup)
}

/// Removes the file of a deleted backup.
pub fn remove(state: &State, name: Name) -> Result<()> {
    let folder = state.backups.folder()?;
    folder.remove(name).map_err(Error::internal)?;
    state.backups.refresh();
    Ok(())
}

/// The audit entry of a restore.
#[derive(Serialize)]
struct Restored;

impl Resource for Restored {
    const PLURAL: &'static str = Backup::PLURAL;
    const SINGULAR: &'static str = Backup::SINGULAR;

    fn id(&self) -> i64 {
        0
    }
}

/// Writes all data, as of now, to a new SQLite file, while the service keeps running.
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
            // Comes before the checks: an open snapshot delays vacuuming, and may hold a lock.
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
    replace_all(from, &mut tx, &[], progress).await?;
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

/// The rows that would be lost if the database were replaced, by table. Rows that the first start
/// of the service creates do not count.
pub async fn contents(conn: &mut Conn) -> Result<Counts> {
    let mut counts = db::copy::count_rows(conn).await?;
    counts
        .retain(|(table, rows)| *rows > 0 && ![OWN, DERIVED, FIRST_START].concat().contains(table));
    counts.extend(store::count_later_rows(conn).await?);
    Ok(counts)
}

/// Which parts of the copied data are still in effect.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Copies sessions, stored replies, setup links and attempts to sign in.
    pub keep_sessions: bool,
    /// Makes all API keys inactive.
    pub deactivate_keys: bool,
    /// Still sends the commands that wait to be sent. Since a backup was taken, they may have been.
    pub send_commands: bool,
}

impl Kept {
    /// All of it stays, for a move to another database.
    pub const UNCHANGED: Self = Self {
        keep_sessions: true,
        deactivate_keys: false,
        send_commands: true,
    };
}

/// Replaces the contents of a database by those of another, with ids and timestamps.
pub fn restore<'a>(
    edit: &'a mut Edit,
    from: &'a mut Read,
    kept: Kept,
    progress: &'a mut (dyn Progress + Send),
) -> BoxFuture<'a, Result<Change<Counts>>> {
    Box::pin(restore_in_place(edit, from, kept, progress))
}

async fn restore_in_place(
    edit: &mut Edit,
    from: &mut Read,
    kept: Kept,
    progress: &mut (dyn Progress + Send),
) -> Result<Change<Counts>> {
    let left_out = match kept.keep_sessions {
        true => &[],
        false => SHORT_LIVED,
    };
    let counts = replace_all(from, edit, left_out, progress).await?;
    if kept.deactivate_keys {
        api_keys::deactivate_all(edit).await?;
    }
    if !kept.send_commands {
        let now = edit.now();
        store::hold_commands(edit, now).await?;
    }
    // Running instances have cached the keys of the replaced database.
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
    left_out: &[&str],
    progress: &mut (dyn Progress + Send),
) -> Result<Counts> {
    tx.allow_long_statements().await?;
    db::copy::clear(tx, OWN).await?;
    let skipped = [OWN, DERIVED, left_out].concat();
    let counts = db::copy::copy(from, tx, &skipped, progress).await?;
    progress.begin("derived tables", 1);
    store::rebuild_statistics(tx).await?;
    compare_derived(tx).await?;
    progress.advance(1);
    Ok(counts)
}

/// Fails if a derived table does not match the rows that it is computed from.
pub async fn compare_derived(tx: &mut Tx) -> Result<()> {
    match store::find_difference(tx).await? {
        Some(table) => Err(Error::internal(format!(
            "{table} does not match the rows it is computed from; nothing was written"
        ))),
        None => Ok(()),
    }
}
