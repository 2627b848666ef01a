//! Group commit: writers take turns in one transaction, and none returns before it is durable.
//!
//! The first writer opens a group (`BEGIN`) and wakes the committer, a thread that queues for the
//! connection like the writers. The queue is fair, so all writers already waiting get their turn
//! first. Then the committer makes the whole group durable with one `COMMIT` and wakes every
//! member. In the meantime the next group queues.
//!
//! A writer that fails or is dropped rolls back only its own changes: the first writer the whole
//! transaction, which contains nothing else yet, and the others their savepoint. If the `COMMIT`
//! fails, the whole group fails.

use std::sync::mpsc;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rusqlite::ffi;
use tokio::sync::{Mutex, Notify, OwnedMutexGuard};

use super::database_file::{DatabaseFile, LOST};
use super::handle::Handle;
use crate::metrics::Metrics;
use crate::{Error, Options, Result};

/// The pause before a retry when another process holds the write lock.
const BUSY_RETRY: Duration = Duration::from_millis(3);

pub(super) struct Writers {
    writer: Arc<Mutex<Writer>>,
    // Wakes the committer, which ends when this is dropped.
    group_opened: mpsc::Sender<()>,
    metrics: Arc<Metrics>,
    timeout: Duration,
    max_group_size: u32,
}

struct Writer {
    handle: Handle,
    file: Arc<DatabaseFile>,
    group: Option<Group>,
    timeout: Duration,
}

struct Group {
    /// The number of writers whose changes are to be committed.
    members: u32,
    commit: Arc<Commit>,
}

impl Group {
    fn end(self, outcome: Outcome) {
        self.commit.end(outcome);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // No member may wait forever, whatever happens to the group.
        self.commit.end(Outcome::NotCommitted);
    }
}

/// The commit that the members of a group wait for. A `watch` channel would do, but it wakes eight
/// lists of waiting tasks instead of one.
#[derive(Default)]
struct Commit {
    outcome: OnceLock<Outcome>,
    ended: Notify,
}

impl Commit {
    /// Sets the outcome. Only the first one counts.
    fn end(&self, outcome: Outcome) {
        if self.outcome.set(outcome).is_ok() {
            self.ended.notify_waiters();
        }
    }

    async fn wait(&self) -> Result<()> {
        let outcome = loop {
            // Created before the outcome is checked, so that an end in between is not missed.
            let ended = self.ended.notified();
            match self.outcome.get() {
                Some(outcome) => break outcome,
                None => ended.await,
            }
        };
        match outcome {
            Outcome::Committed => Ok(()),
            Outcome::NotCommitted => Err(Error::NotCommitted),
            Outcome::FileLost => Err(DatabaseFile::lost()),
            Outcome::Unknown(cause) => Err(Error::OutcomeUnknown((*cause).into())),
        }
    }
}

/// The outcome of a group's `COMMIT`.
enum Outcome {
    Committed,
    NotCommitted,
    /// A file was removed or replaced. Nothing was written.
    FileLost,
    /// The group may or may not be there, after a crash or a restart.
    Unknown(&'static str),
}

impl Writers {
    pub fn start(
        handle: Handle,
        file: Arc<DatabaseFile>,
        metrics: Arc<Metrics>,
        options: &Options,
    ) -> Result<Self> {
        let writer = Arc::new(Mutex::new(Writer {
            handle,
            file,
            group: None,
            timeout: options.timeout,
        }));
        let (group_opened, openings) = mpsc::channel();
        std::thread::Builder::new()
            .name("committer".into())
            .spawn({
                let writer = Arc::clone(&writer);
                let metrics = Arc::clone(&metrics);
                move || {
                    while openings.recv().is_ok() {
                        writer.blocking_lock().close_group(&metrics);
                    }
                }
            })
            .map_err(Error::engine)?;
        Ok(Self {
            writer,
            group_opened,
            metrics,
            timeout: options.timeout,
            max_group_size: options.max_group_size,
        })
    }

    pub async fn begin(&self) -> Result<WriterTurn> {
        let waiting = self.metrics.count_waiting();
        let deadline = Instant::now() + self.timeout;
        let lock = Arc::clone(&self.writer).lock_owned();
        let mut writer = tokio::time::timeout(self.timeout, lock)
            .await
            .map_err(|_| Error::Busy)?;
        writer.fail_lost_group();
        if matches!(&writer.group, Some(group) if group.members >= self.max_group_size) {
            writer.close_group(&self.metrics);
        }
        if writer.group.is_none() {
            while let Err(error) = writer.handle.execute("BEGIN IMMEDIATE", &[]) {
                if !matches!(error, Error::Busy) || Instant::now() > deadline {
                    return Err(error);
                }
                tokio::time::sleep(BUSY_RETRY).await;
            }
            writer.group = Some(Group {
                members: 0,
                commit: Arc::default(),
            });
            // Without a committer, the next group or the end of the writers ends this one.
            let _ = self.group_opened.send(());
        }
        writer.begin_member()?;
        drop(waiting);
        Ok(WriterTurn(Some(writer)))
    }
}

impl Writer {
    /// Some errors, such as a full disk, make SQLite roll back the whole transaction. The group has
    /// then failed.
    fn fail_lost_group(&mut self) {
        if self.handle.conn.is_autocommit()
            && let Some(group) = self.group.take()
        {
            group.end(Outcome::NotCommitted);
        }
    }

    fn close_group(&mut self, metrics: &Metrics) {
        self.fail_lost_group();
        let Some(group) = self.group.take() else {
            return;
        };
        let outcome = self.commit();
        if !matches!(outcome, Outcome::Committed) {
            let _ = self.handle.execute("ROLLBACK", &[]);
        }
        if matches!(outcome, Outcome::FileLost) && self.file.has_lost_log_only() {
            self.save_log();
        }
        if group.members > 0 {
            metrics.group_size.record(group.members);
        }
        group.end(outcome);
    }

    fn commit(&self) -> Outcome {
        if let Err(error) = self.file.check() {
            tracing::error!(%error, "cannot commit a group of writes");
            return Outcome::FileLost;
        }
        if let Err(error) = self.handle.conn.execute_batch("COMMIT") {
            tracing::error!(%error, "cannot commit a group of writes");
            let code = error.sqlite_error().map(|error| error.extended_code);
            return match code {
                Some(ffi::SQLITE_IOERR_FSYNC) => Outcome::Unknown("the log could not be synced"),
                _ => Outcome::NotCommitted,
            };
        }
        // If the files still have their names, they have the group.
        match self.file.check() {
            Ok(()) => Outcome::Committed,
            Err(_) => Outcome::Unknown(LOST),
        }
    }

    /// Copies what was committed from the log to the database, before nothing has the log open any
    /// more.
    fn save_log(&self) {
        let sql = "PRAGMA wal_checkpoint(PASSIVE)";
        if let Err(error) = self.handle.conn.execute_batch(sql) {
            tracing::error!(%error, "the removed write-ahead log cannot be saved");
        }
    }

    fn begin_member(&mut self) -> Result<()> {
        if self.is_first() {
            return Ok(());
        }
        self.handle.execute("SAVEPOINT member", &[]).map(|_| ())
    }

    /// Returns `true` if the transaction has only changes of the current writer. Such a writer
    /// needs no savepoint, for which SQLite would copy every page that it changes.
    fn is_first(&self) -> bool {
        self.group.as_ref().is_none_or(|group| group.members == 0)
    }

    fn roll_back_member(&mut self) {
        // These fail if SQLite has rolled back the whole transaction.
        if self.is_first() {
            let _ = self.handle.execute("ROLLBACK", &[]);
        } else {
            let _ = self.handle.execute("ROLLBACK TO member", &[]);
            let _ = self.handle.execute("RELEASE member", &[]);
        }
        self.fail_lost_group();
    }

    fn release_member(&mut self) -> Result<Arc<Commit>> {
        self.fail_lost_group();
        let is_first = self.is_first();
        let group = self.group.as_mut().ok_or(Error::NotCommitted)?;
        if !is_first && let Err(error) = self.handle.execute("RELEASE member", &[]) {
            self.roll_back_member();
            return Err(error);
        }
        group.members += 1;
        Ok(Arc::clone(&group.commit))
    }
}

/// A turn with the writer. Dropping it rolls back.
pub(super) struct WriterTurn(Option<OwnedMutexGuard<Writer>>);

impl WriterTurn {
    /// Fails if SQLite has rolled back the group: outside a transaction, a statement would be
    /// committed at once.
    fn writer(&mut self) -> Result<&mut Writer> {
        let writer = self.0.as_mut().expect("present until the turn ends");
        if writer.handle.conn.is_autocommit() {
            return Err(Error::NotCommitted);
        }
        Ok(writer)
    }

    /// Runs statements. Those of requests have a time limit, because the group and all later
    /// writers wait for them. If one that writes exceeds it, SQLite rolls back the whole group.
    /// Other work, such as a migration, has no limit.
    pub fn run<T>(
        &mut self,
        started: Instant,
        is_limited: bool,
        work: impl FnOnce(&mut Handle) -> Result<T>,
    ) -> Result<T> {
        let writer = self.writer()?;
        let time = is_limited.then_some(writer.timeout);
        writer.handle.limit.set_time_of_write(started, time);
        let outcome = work(&mut writer.handle);
        writer.handle.limit.clear();
        outcome
    }

    pub async fn commit(mut self) -> Result<()> {
        let mut writer = self.0.take().ok_or(Error::NotCommitted)?;
        let commit = writer.release_member()?;
        drop(writer);
        commit.wait().await
    }

    pub async fn rollback(mut self) -> Result<()> {
        let Some(mut writer) = self.0.take() else {
            return Ok(());
        };
        writer.roll_back_member();
        let others = match &writer.group {
            Some(group) if group.members > 0 => Arc::clone(&group.commit),
            _ => return Ok(()),
        };
        drop(writer);
        others.wait().await
    }
}

impl Drop for WriterTurn {
    fn drop(&mut self) {
        if let Some(mut writer) = self.0.take() {
            writer.roll_back_member();
        }
    }
}
