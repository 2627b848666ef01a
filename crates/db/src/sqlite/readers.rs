use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::handle::{Access, Handle};
use super::slow_reads::SlowReads;
use crate::fair_slots::{FairSlots, Sizes, Slot, Use};
use crate::metrics::Metrics;
use crate::{Error, Result, Row, Value};

/// Connections for reading. A brief statement runs on the thread that asks, where it takes a
/// connection for as long as it runs; so there are at most as many as threads. A statement that
/// turns out not to be brief is interrupted and runs again as one of the [`SlowReads`].
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Handle>>,
    turns: Arc<FairSlots>,
    slow: SlowReads,
}

/// How many long reads of all clients together may be under way. Only that of one client matters.
const MAX_TURNS: usize = 1 << 16;

impl Readers {
    pub fn new(path: &Path, metrics: Arc<Metrics>, timeout: Duration) -> Self {
        Self {
            path: path.to_owned(),
            idle: Mutex::default(),
            turns: FairSlots::new(sizes_of_turns(), timeout),
            slow: SlowReads::new(path.to_owned(), metrics, timeout),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A turn for reads that may take long. A client with many of them at once would otherwise fill
    /// the queue of the runtime, behind which all others wait: so it gets half as many turns as there
    /// are cores, and lets the tasks of others run before each.
    pub async fn turn(&self) -> Result<Slot> {
        let slot = self.turns.acquire(Use::Read).await?;
        if slot.has_company() {
            tokio::task::yield_now().await;
        }
        Ok(slot)
    }

    /// `turn` is given back if the statement turns out to be slow.
    pub async fn fold<A: Default>(
        &self,
        turn: &mut Option<Slot>,
        sql: &'static str,
        params: &[Value<'_>],
        started: Instant,
        add: impl Fn(&mut A, &Row<'_>) -> Result<()>,
    ) -> Result<A> {
        if !self.slow.is_known(sql) {
            let brief = self.with_handle(|handle| {
                handle.limit.set_brief(started);
                let whole = handle.fold(sql, params, &add);
                let is_slow = match &whole {
                    Ok(_) => false,
                    // Locked by another program for a moment.
                    Err(Error::Busy) => true,
                    Err(_) => handle.limit.has_passed(),
                };
                handle.limit.clear();
                (!is_slow).then_some(whole)
            });
            match brief {
                Ok(Some(whole)) => return whole,
                Ok(None) | Err(Error::Busy) => {}
                Err(error) => return Err(error),
            }
        }
        *turn = None;
        // Boxed, because it is rare and would make every future larger.
        Box::pin(self.slow.run(sql, params)).await?.fold(add)
    }

    pub fn with_handle<T>(&self, work: impl FnOnce(&mut Handle) -> T) -> Result<T> {
        let idle = self.idle.lock().pop();
        let mut handle = idle.map_or_else(|| Handle::open(&self.path, Access::Read), Ok)?;
        let outcome = work(&mut handle);
        self.idle.lock().push(handle);
        Ok(outcome)
    }
}

fn sizes_of_turns() -> Sizes {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let of_one = cores.div_ceil(2);
    Sizes {
        total: MAX_TURNS,
        reads: MAX_TURNS,
        reads_of_one: of_one,
        all_of_one: of_one,
    }
}
