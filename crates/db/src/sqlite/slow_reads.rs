//! Reads that are not brief run in threads of their own: at most a few at once, of low priority,
//! shared fairly between clients.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rusqlite::types::Value as Copied;
use tokio::sync::oneshot;

use super::handle::{Access, CopiedRows, Handle};
use super::time_limit::{BRIEF, interrupt_when};
use crate::client::Client;
use crate::fair_slots::{FairSlots, Sizes, Slot, Use};
use crate::metrics::Metrics;
use crate::{Error, Result, Value};

/// How many threads there are for each core. One client gets half of them.
const THREADS_PER_CORE: usize = 2;
const MIN_THREADS: usize = 4;

/// The niceness of these threads: under full load they get about a tenth of the CPU time of a thread
/// that serves connections.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

pub(super) struct SlowReads {
    slots: Arc<FairSlots>,
    queue: Arc<Queue>,
    known: KnownSlow,
    metrics: Arc<Metrics>,
    timeout: Duration,
}

/// Jobs that have a slot. There are as many threads as slots, so each job starts at once.
struct Queue {
    path: PathBuf,
    max_threads: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    is_closed: bool,
}

struct Job {
    sql: &'static str,
    params: Vec<Copied>,
    end: Instant,
    is_cancelled: Arc<AtomicBool>,
    rows: oneshot::Sender<Result<CopiedRows>>,
    slot: Slot,
}

impl SlowReads {
    pub fn new(path: PathBuf, metrics: Arc<Metrics>, timeout: Duration) -> Self {
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
            queue: Arc::new(Queue {
                path,
                max_threads: threads,
                state: Mutex::default(),
                changed: Condvar::new(),
            }),
            known: KnownSlow::default(),
            metrics,
            timeout,
        }
    }

    /// Whether the statement was slow when it ran last.
    pub fn is_known(&self, sql: &'static str) -> bool {
        self.known.flag(sql).load(Ordering::Relaxed)
    }

    /// Runs the statement in one of the threads. Its time includes the wait for the thread.
    pub async fn run(&self, sql: &'static str, params: &[Value<'_>]) -> Result<CopiedRows> {
        self.known.flag(sql).store(true, Ordering::Relaxed);
        let params = params.iter().map(|value| value.to_sqlite()).collect();
        let end = Client::end_of(self.timeout);
        let waiting = self.metrics.count_waiting();
        let slot = self.slots.acquire(Use::Read).await?;
        drop(waiting);
        let started = Instant::now();
        let (sender, rows) = oneshot::channel();
        let cancelled = CancelOnDrop::default();
        self.queue.push(Job {
            sql,
            params,
            end,
            is_cancelled: Arc::clone(&cancelled.0),
            rows: sender,
            slot,
        })?;
        let rows = rows.await.map_err(Error::engine)?;
        let is_slow = started.elapsed() > BRIEF;
        self.known.flag(sql).store(is_slow, Ordering::Relaxed);
        rows
    }
}

impl Drop for SlowReads {
    fn drop(&mut self) {
        self.queue.state.lock().is_closed = true;
        self.queue.changed.notify_all();
    }
}

impl Queue {
    fn push(self: &Arc<Self>, job: Job) -> Result<()> {
        let mut state = self.state.lock();
        state.jobs.push_back(job);
        // A thread that has just given its slot back is not idle yet, but will be in a moment.
        if state.idle >= state.jobs.len() || state.threads >= self.max_threads {
            self.changed.notify_one();
            return Ok(());
        }
        state.threads += 1;
        drop(state);
        let queue = Arc::clone(self);
        let thread = std::thread::Builder::new().name("slow-read".into());
        let started = thread.spawn(move || {
            lower_priority();
            queue.work();
        });
        started.map(|_| ()).map_err(Error::engine)
    }

    fn work(&self) {
        let mut handle = None;
        while let Some(job) = self.next() {
            job.run(self, &mut handle);
        }
    }

    /// Waits for a job. `None` when the database is closed.
    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        state.idle += 1;
        let job = loop {
            if let Some(job) = state.jobs.pop_front() {
                break Some(job);
            }
            if state.is_closed {
                break None;
            }
            self.changed.wait(&mut state);
        };
        state.idle -= 1;
        job
    }
}

impl Job {
    fn run(self, queue: &Queue, handle: &mut Option<Handle>) {
        let Self {
            sql,
            params,
            end,
            is_cancelled,
            rows,
            slot,
        } = self;
        let is_over = move || Instant::now() >= end || is_cancelled.load(Ordering::Relaxed);
        let mut run = || {
            if handle.is_none() {
                *handle = Some(Handle::open(&queue.path, Access::PatientRead)?);
            }
            let handle = handle.as_mut().ok_or(Error::Busy)?;
            interrupt_when(&mut handle.conn, is_over.clone())?;
            handle.copy_rows(sql, &params)
        };
        let outcome = run();
        // The slot first: with the rows the client may send its next request.
        drop(slot);
        let _ = rows.send(outcome);
    }
}

/// Stops the statement when the request has ended.
#[derive(Default)]
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Which statements were slow when they ran last, so that they need not be interrupted first. Two
/// statements may share a flag: then one of them runs in a thread although it is brief.
struct KnownSlow([AtomicBool; Self::FLAGS]);

impl KnownSlow {
    const FLAGS: usize = 1024;

    fn flag(&self, sql: &'static str) -> &AtomicBool {
        // Texts are at least a few bytes long, so the lowest bits of their addresses say little.
        &self.0[(sql.as_ptr() as usize >> 3) % Self::FLAGS]
    }
}

impl Default for KnownSlow {
    fn default() -> Self {
        Self([const { AtomicBool::new(false) }; Self::FLAGS])
    }
}

/// On Linux only: elsewhere niceness applies to the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "could not lower the priority of a thread for slow reads");
    }
}
