//! The size of the pool. If the server refuses connections, it is reduced for a while.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::Result;
use crate::fair_slots::{FairSlots, Sizes, Slot, Use};

/// How long after a refusal the full size is restored.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// After this long without a refusal, the next one is logged again.
const FORGET_AFTER: Duration = Duration::from_secs(120);

pub(super) struct PoolSize {
    configured: usize,
    slots: Arc<FairSlots>,
    is_reduced: AtomicBool,
    refused_at: Mutex<Option<Instant>>,
}

impl PoolSize {
    pub fn new(configured: usize, timeout: Duration) -> Self {
        Self {
            configured,
            slots: FairSlots::new(sizes(configured, cores()), timeout),
            is_reduced: AtomicBool::new(false),
            refused_at: Mutex::default(),
        }
    }

    /// The maximum number of connections that short reads share. Under constant load a shared
    /// connection never returns to the pool, and the rest must suffice for writers and long reads.
    pub fn max_shared(&self) -> usize {
        self.configured / 4
    }

    /// Waits for a slot to use a connection.
    pub async fn slot(&self, purpose: Use) -> Result<Slot> {
        if self.is_reduced.load(Ordering::Relaxed) {
            self.try_full_size();
        }
        self.slots.acquire(purpose).await
    }

    /// Reduces the pool to `open` connections, because the server refuses more.
    #[cold]
    pub fn reduce(&self, open: usize) {
        let before = self.refused_at.lock().replace(Instant::now());
        if before.is_none_or(|at| at.elapsed() > FORGET_AFTER) {
            let configured = self.configured;
            tracing::warn!(
                open,
                configured,
                "the server refuses more connections; using fewer"
            );
        }
        self.slots.resize(sizes(open.max(1), cores()));
        self.is_reduced.store(true, Ordering::Relaxed);
    }

    #[cold]
    fn try_full_size(&self) {
        let refused_at = *self.refused_at.lock();
        if refused_at.is_none_or(|at| at.elapsed() > RETRY_AFTER) {
            self.is_reduced.store(false, Ordering::Relaxed);
            self.slots.resize(sizes(self.configured, cores()));
        }
    }
}

/// The cores of this machine. The server's machine is assumed to be like it: on the same machine,
/// long reads harm other clients most.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Long reads of one client on a machine with one core.
const MIN_LONG_READS: usize = 2;

/// Divides the connections. A client reads on at most half of them; some are left to short reads,
/// which share connections, and to writes. A long read keeps one core busy: with more of them than
/// cores a client would get its replies no sooner, and others would wait longer.
fn sizes(connections: usize, cores: usize) -> Sizes {
    let for_short_reads = connections / 4;
    let for_writes = connections / 8 + usize::from(connections > 1 && connections < 8);
    let reads = (connections - for_short_reads - for_writes).max(1);
    Sizes {
        total: connections - usize::from(connections >= 4),
        reads,
        reads_of_one: (connections / 2)
            .min(reads - 1)
            .min(cores.max(MIN_LONG_READS))
            .max(1),
        all_of_one: (connections * 3 / 4).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_has_no_more_long_reads_than_cores() {
        for (connections, cores, expected) in
            [(16, 1, 2), (16, 2, 2), (16, 4, 4), (16, 64, 8), (4, 4, 1)]
        {
            let sizes = sizes(connections, cores);
            assert_eq!(sizes.reads_of_one, expected, "{sizes:?}");
        }
    }

    #[test]
    fn one_client_reads_on_at_most_half_of_the_connections() {
        for connections in 1..200 {
            let sizes = sizes(connections, 64);
            let Sizes {
                total,
                reads,
                reads_of_one,
                all_of_one,
            } = sizes;
            assert!(reads_of_one <= (connections / 2).max(1), "{sizes:?}");
            assert!(reads_of_one <= reads && reads <= total, "{sizes:?}");
            assert!(all_of_one <= total && total <= connections, "{sizes:?}");
            if connections > 2 {
                assert!(reads_of_one < reads || reads == 1, "{sizes:?}");
                assert!(reads < total && all_of_one < connections, "{sizes:?}");
            }
        }
    }
}
