//! Runs reads that are not brief in separate threads: a few at once, at low priority, shared fairly
//! between clients.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::handle::{Access, CopiedRows};
use super::handles::Handles;
use super::time_limit::{BRIEF, interrupt_when};
use crate::client::Client;
use crate::fair_slots::{FairSlots, Sizes, Use};
use crate::metrics::Metrics;
use crate::{Error, Result, Value};

/// The largest number of threads per core. One client gets half of them.
const THREADS_PER_CORE: usize = 2;
const MIN_THREADS: usize = 4;

/// The niceness of these threads. Under full load they get about a tenth of the CPU time of a
/// thread that serves connections.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

pub(super) struct SlowReads {
    slots: Arc<FairSlots>,
    handles: Arc<Handles>,
    known: KnownSlow,
    metrics: Arc<Metrics>,
    timeout: Duration,
}

impl SlowReads {
    pub fn new(path: &Path, metrics: Arc<Metrics>, timeout: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (cores * THREADS_PER_CORE).max(MIN_THREADS);
        let sizes = Sizes {
            total: threads,
            reads: threads,
            reads_of_one: threads / 2,
            all_of_one: threads / 2,
        };
        Self {
            slots: FairSlots::new(sizes, timeout),
            handles: Arc::new(Handles::new(path, Access::PatientRead)),
            known: KnownSlow::default(),
            metrics,
            timeout,
        }
    }

    /// Returns `true` if the statement was slow when it last ran.
    pub fn is_known(&self, sql: &'static str) -> bool {
        self.known.flag(sql).load(Ordering::Relaxed)
    }

    /// Runs the statement in a thread. Its time includes the wait for a slot.
    pub async fn run(&self, sql: &'static str, params: &[Value<'_>]) -> Result<CopiedRows> {
        self.known.flag(sql).store(true, Ordering::Relaxed);
        let params: Vec<_> = params.iter().map(|value| value.to_sqlite()).collect();
        let end = Client::end_of(self.timeout);
        let waiting = self.metrics.count_waiting();
        let slot = self.slots.acquire(Use::Read).await?;
        drop(waiting);
        let started = Instant::now();
        let cancelled = CancelOnDrop::default();
        let is_cancelled = Arc::clone(&cancelled.0);
        let is_over = move || Instant::now() >= end || is_cancelled.load(Ordering::Relaxed);
        let handles = Arc::clone(&self.handles);
        let (sender, rows) = oneshot::channel();
        let read = move || {
            lower_priority();
            let rows = handles.with(|handle| {
                interrupt_when(&mut handle.conn, is_over)?;
                handle.copy_rows(sql, &params)
            });
            // Free the slot first: the client may send its next request once it has the rows.
            drop(slot);
            let _ = sender.send(rows.flatten());
        };
        // Compared with a slow read, starting a thread takes no time.
        let thread = std::thread::Builder::new().name("slow-read".into());
        thread.spawn(read).map_err(Error::engine)?;
        let rows = rows.await.map_err(Error::engine)?;
        let is_slow = started.elapsed() > BRIEF;
        self.known.flag(sql).store(is_slow, Ordering::Relaxed);
        rows
    }
}

/// Cancels the statement when the request ends.
#[derive(Default)]
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Marks the statements that were slow when they last ran, so that they need not be interrupted
/// first. Two statements may share a flag: then one of them runs in a thread although it is brief.
struct KnownSlow([AtomicBool; Self::FLAGS]);

impl KnownSlow {
    const FLAGS: usize = 1024;

    fn flag(&self, sql: &'static str) -> &AtomicBool {
        // The lowest bits of the addresses of texts differ little.
        &self.0[(sql.as_ptr() as usize >> 3) % Self::FLAGS]
    }
}

impl Default for KnownSlow {
    fn default() -> Self {
        Self([const { AtomicBool::new(false) }; Self::FLAGS])
    }
}

/// Lowers the priority on Linux only: elsewhere niceness applies to the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "cannot lower the priority of a thread for slow reads");
    }
}
