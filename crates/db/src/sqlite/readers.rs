use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::handle::{Access, CopiedRows, Handle};
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

    /// False if the statement turned out to be slow: then [`Self::copy_rows`] has to run it.
    pub fn visit(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        started: Instant,
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<bool> {
        if self.slow.is_known(sql) {
            return Ok(false);
        }
        let brief = self.with_handle(|handle| {
            handle.limit.set_brief(started);
            let visited = handle.visit(sql, params, visit);
            let is_slow = match &visited {
                Ok(()) => false,
                // Locked by another program for a moment.
                Err(Error::Busy) => true,
                Err(_) => handle.limit.has_passed(),
            };
            handle.limit.clear();
            if is_slow {
                return Ok(false);
            }
            visited.map(|()| true)
        });
        match brief {
            Ok(visited) => visited,
            Err(Error::Busy) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The rows of a statement that [`Self::visit`] found slow.
    pub async fn copy_rows(&self, sql: &'static str, params: &[Value<'_>]) -> Result<CopiedRows> {
        // Boxed, because it is rare and would make every future larger.
        Box::pin(self.slow.run(sql, params)).await
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
