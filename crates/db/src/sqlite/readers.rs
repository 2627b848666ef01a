use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::handle::{Access, CopiedRows};
use super::handles::Handles;
use super::slow_reads::SlowReads;
use crate::fair_slots::{FairSlots, Sizes, Slot, Use};
use crate::metrics::Metrics;
use crate::{Error, Result, Row, Value};

/// Connections for reading. A brief statement runs on the calling thread and takes a connection
/// while it runs, so there are at most as many connections as threads. A statement that proves not
/// to be brief is interrupted and runs again as one of the [`SlowReads`].
pub(super) struct Readers {
    handles: Handles,
    turns: Arc<FairSlots>,
    slow: SlowReads,
}

/// The limit of long reads of all clients together. Only the limit per client matters.
const MAX_TURNS: usize = 1 << 16;

impl Readers {
    pub fn new(path: &Path, metrics: Arc<Metrics>, timeout: Duration) -> Self {
        Self {
            handles: Handles::new(path, Access::Read),
            turns: FairSlots::new(sizes_of_turns(), timeout),
            slow: SlowReads::new(path, metrics, timeout),
        }
    }

    pub fn handles(&self) -> &Handles {
        &self.handles
    }

    /// Waits for a turn for reads that may take long. A client with many of them at once would
    /// otherwise fill the runtime's queue, in which all others wait. So it gets half as many turns
    /// as there are cores, and lets the tasks of others run before each.
    pub async fn turn(&self) -> Result<Slot> {
        let slot = self.turns.acquire(Use::Read).await?;
        if slot.has_company() {
            tokio::task::yield_now().await;
        }
        Ok(slot)
    }

    /// Returns false if the statement proved slow: [`Self::copy_rows`] must then run it.
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
        let brief = self.handles.with(|handle| {
            handle.limit.set_brief(started);
            let visited = handle.visit(sql, params, visit);
            let is_slow = match &visited {
                Ok(()) => false,
                // Another program has locked the file briefly.
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

    /// Reads the rows of a statement that [`Self::visit`] found slow.
    pub async fn copy_rows(&self, sql: &'static str, params: &[Value<'_>]) -> Result<CopiedRows> {
        self.slow.run(sql, params).await
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
