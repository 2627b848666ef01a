//! Group commit: writers take turns inside one transaction, and nobody is answered before it is
//! durable.
//!
//! The first writer opens a group (`BEGIN`) and wakes the committer, a thread that queues for
//! the connection like everybody else. Since the queue is fair, all writers that already wait get
//! their turn first, each inside a savepoint of its own; then the committer makes the lot durable
//! with one `COMMIT` and tells every member. Meanwhile the next group gathers. A writer that
//! fails or goes away undoes its own savepoint only; a `COMMIT` that fails fails the whole group.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, OwnedMutexGuard, watch};

use super::handle::Handle;
use crate::meters::Meters;
use crate::{Error, Options, Result};

/// How often a writer looks whether another process has let go of the database.
const BUSY_PAUSE: Duration = Duration::from_millis(3);

pub(super) struct Writers {
    writer: Arc<Mutex<Writer>>,
    // The committer ends when this end of the channel is gone.
    opened: mpsc::Sender<()>,
    meters: Arc<Meters>,
    timeout: Duration,
    largest_group: u32,
}

struct Writer {
    handle: Handle,
    group: Option<Group>,
}

struct Group {
    members: u32,
    durable: watch::Sender<Option<bool>>,
}

impl Writers {
    pub fn start(handle: Handle, meters: Arc<Meters>, options: &Options) -> Result<Self> {
        let writer = Arc::new(Mutex::new(Writer {
            handle,
            group: None,
        }));
        let (opened, openings) = mpsc::channel();
        std::thread::Builder::new()
            .name("committer".into())
            .spawn({
                let writer = Arc::clone(&writer);
                let meters = Arc::clone(&meters);
                move || {
                    while openings.recv().is_ok() {
                        writer.blocking_lock().close_group(&meters);
                    }
                }
            })
            .map_err(Error::engine)?;
        Ok(Self {
            writer,
            opened,
            meters,
            timeout: options.timeout,
            largest_group: options.largest_group,
        })
    }

    pub async fn begin(&self) -> Result<WriterTurn> {
        let waiting = self.meters.wait();
        let deadline = Instant::now() + self.timeout;
        let lock = Arc::clone(&self.writer).lock_owned();
        let mut writer = tokio::time::timeout(self.timeout, lock)
            .await
            .map_err(|_| Error::Busy)?;
        writer.fail_lost_group();
        if matches!(&writer.group, Some(group) if group.members >= self.largest_group) {
            writer.close_group(&self.meters);
        }
        if writer.group.is_none() {
            while let Err(error) = writer.handle.execute("BEGIN IMMEDIATE", &[]) {
                if !matches!(error, Error::Busy) || Instant::now() > deadline {
                    return Err(error);
                }
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            writer.group = Some(Group {
                members: 0,
                durable: watch::Sender::new(None),
            });
            // A committer that is gone cannot commit; its absence shows in `commit`.
            let _ = self.opened.send(());
        }
        writer.handle.execute("SAVEPOINT member", &[])?;
        drop(waiting);
        Ok(WriterTurn(Some(writer)))
    }
}

impl Writer {
    /// A disk that is full, or worse, makes SQLite undo the whole transaction on its own.
    fn fail_lost_group(&mut self) {
        if self.handle.conn.is_autocommit()
            && let Some(group) = self.group.take()
        {
            group.durable.send_replace(Some(false));
        }
    }

    fn close_group(&mut self, meters: &Meters) {
        self.fail_lost_group();
        let Some(group) = self.group.take() else {
            return;
        };
        let committed = self.handle.execute("COMMIT", &[]);
        if let Err(error) = &committed {
            tracing::error!(%error, members = group.members, "a group of writes was not committed");
            let _ = self.handle.execute("ROLLBACK", &[]);
        }
        if group.members > 0 {
            meters.group.record(group.members);
        }
        group.durable.send_replace(Some(committed.is_ok()));
    }

    fn undo_member(&mut self) {
        // When the whole transaction is gone there is no savepoint left to undo.
        let _ = self.handle.execute("ROLLBACK TO member", &[]);
        let _ = self.handle.execute("RELEASE member", &[]);
        self.fail_lost_group();
    }

    fn release_member(&mut self) -> Result<watch::Receiver<Option<bool>>> {
        self.fail_lost_group();
        let group = self.group.as_mut().ok_or(Error::NotCommitted)?;
        if let Err(error) = self.handle.execute("RELEASE member", &[]) {
            self.undo_member();
            return Err(error);
        }
        group.members += 1;
        Ok(group.durable.subscribe())
    }
}

/// A turn with the writer. Dropping it undoes what was done in it.
pub(super) struct WriterTurn(Option<OwnedMutexGuard<Writer>>);

impl WriterTurn {
    /// Refuses when the group was lost on the way: with no transaction around it, a statement
    /// would be committed at once.
    pub fn handle(&mut self) -> Result<&mut Handle> {
        let writer = self.0.as_mut().expect("a turn is used before it ends");
        if writer.handle.conn.is_autocommit() {
            return Err(Error::NotCommitted);
        }
        Ok(&mut writer.handle)
    }

    pub async fn commit(mut self) -> Result<()> {
        let durable = match self.0.take() {
            Some(mut writer) => writer.release_member()?,
            None => return Err(Error::NotCommitted),
        };
        told_durable(durable).await
    }

    pub async fn rollback(mut self) -> Result<()> {
        let Some(mut writer) = self.0.take() else {
            return Ok(());
        };
        writer.undo_member();
        let others = match &writer.group {
            Some(group) if group.members > 0 => group.durable.subscribe(),
            _ => return Ok(()),
        };
        drop(writer);
        told_durable(others).await
    }
}

impl Drop for WriterTurn {
    fn drop(&mut self) {
        if let Some(mut writer) = self.0.take() {
            writer.undo_member();
        }
    }
}

async fn told_durable(mut durable: watch::Receiver<Option<bool>>) -> Result<()> {
    match durable.wait_for(Option::is_some).await.map(|told| *told) {
        Ok(Some(true)) => Ok(()),
        _ => Err(Error::NotCommitted),
    }
}
