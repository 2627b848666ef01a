//! Writes a snapshot of the database to another file.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode};

use super::constraint::to_error;
use super::session::Session;
use crate::{Error, Progress, Result};

/// The number of pages copied between two syncs of the file: 1 MiB.
const PAGES: i32 = 256;
/// Leaves the disk to other work.
const PAUSE: Duration = Duration::from_millis(2);
const PAUSE_IF_BUSY: Duration = Duration::from_millis(10);
/// How long the threads of a closed database may take to close their connections.
const CLOSING_LIMIT: Duration = Duration::from_secs(10);

impl Session {
    /// Keeps the source in one read transaction. Otherwise SQLite would restart from the first page
    /// after every commit of another connection, and never finish under load.
    pub(crate) async fn write_file(
        self,
        file: &Path,
        progress: &mut (dyn Progress + Send),
    ) -> Result<()> {
        let source = self.into_snapshot()?;
        let fail = |error| to_error(None, error);
        let mut target = Connection::open(file).map_err(fail)?;
        let written = File::open(file).map_err(Error::engine)?;
        copy_pages(&source.conn, &mut target, &written, progress).await
    }
}

/// Turns a complete database into a single file, which can also be read on a read-only disk, and
/// checks it. Waits until all other connections to it are closed.
pub(crate) async fn finish_file(file: &Path) -> Result<()> {
    let fail = |error| to_error(None, error);
    let conn = Connection::open(file).map_err(fail)?;
    let deadline = Instant::now() + CLOSING_LIMIT;
    // SQLite's busy timeout does not apply to this statement.
    while let Err(error) = conn.pragma_update(None, "journal_mode", "delete") {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) || Instant::now() > deadline {
            return Err(fail(error));
        }
        tokio::time::sleep(PAUSE_IF_BUSY).await;
    }
    verify(&conn)
}

/// Copies pages and syncs them repeatedly. Otherwise gigabytes of dirty pages would wait in memory,
/// and a commit of the service, which is synced as well, could wait half a second for the disk.
async fn copy_pages(
    source: &Connection,
    target: &mut Connection,
    written: &File,
    progress: &mut (dyn Progress + Send),
) -> Result<()> {
    let fail = |error| to_error(None, error);
    let backup = Backup::new(source, target).map_err(fail)?;
    let mut done = 0;
    loop {
        let step = backup.step(PAGES).map_err(fail)?;
        written.sync_data().map_err(Error::engine)?;
        let state = backup.progress();
        if done == 0 {
            progress.begin("pages", state.pagecount.unsigned_abs().into());
        }
        let now = u64::from((state.pagecount - state.remaining).unsigned_abs());
        progress.advance(now - done);
        done = now;
        match step {
            StepResult::Done => return Ok(()),
            // The caller can cancel here.
            StepResult::More => tokio::time::sleep(PAUSE).await,
            _ => tokio::time::sleep(PAUSE_IF_BUSY).await,
        }
    }
}

fn verify(conn: &Connection) -> Result<()> {
    let fail = |error| to_error(None, error);
    let found: String = conn
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(fail)?;
    let mut broken = conn.prepare("PRAGMA foreign_key_check").map_err(fail)?;
    if found == "ok" && !broken.exists([]).map_err(fail)? {
        return Ok(());
    }
    Err(Error::Engine(
        format!("the file that was written is damaged: {found}").into(),
    ))
}
