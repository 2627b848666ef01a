//! Writes log lines to standard error on a separate thread, so that requests never wait for its
//! reader.
//!
//! The queue is bounded. When it is full, lines are dropped and counted. Part of it is reserved for
//! warnings and errors, so a flood of other lines does not displace them. The non-blocking writer
//! of tracing-appender treats all levels alike and either drops or blocks.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use kernel::Metrics;
use metrics::{Counter, describe_counter};
use parking_lot::{Condvar, Mutex};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line waits for others, to share one write. Warnings do not wait.
const MAX_DELAY: Duration = Duration::from_millis(50);
/// Lines are written at once when they reach this size in total.
const BATCH_BYTES: usize = 64 << 10;
const CAPACITY: usize = 1 << 20;
/// Additional capacity, for warnings and errors.
const RESERVE: usize = 1 << 20;
/// How long the program waits at its end for a stalled reader.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

pub struct Queue {
    pending: Mutex<Pending>,
    /// Notified when there is something to write, or when it is due.
    filled: Condvar,
    /// Notified when a batch was written.
    written: Condvar,
    dropped_total: Counter,
}

#[derive(Default)]
struct Pending {
    lines: Vec<u8>,
    is_due: bool,
    is_writing: bool,
    /// Lines dropped since the last warning about them.
    dropped: u64,
}

impl Queue {
    /// Starts the thread. Both live as long as the program.
    pub fn start(metrics: &Metrics) -> io::Result<&'static Self> {
        metrics.register(|| {
            describe_counter!(
                "steward_log_lines_dropped_total",
                "Log lines that were dropped because standard error was not read in time."
            );
        });
        let dropped_total = metrics.counter("steward_log_lines_dropped_total", &[]);
        let queue: &Self = Box::leak(Box::new(Self::new(dropped_total)));
        let write_all = || {
            let mut batch = Vec::new();
            loop {
                queue.write_batch(&mut batch, &mut io::stderr());
            }
        };
        thread::Builder::new().name("log".into()).spawn(write_all)?;
        Ok(queue)
    }

    fn new(dropped_total: Counter) -> Self {
        Self {
            pending: Mutex::default(),
            filled: Condvar::new(),
            written: Condvar::new(),
            dropped_total,
        }
    }

    fn push(&self, line: &[u8], is_urgent: bool) {
        let capacity = CAPACITY + if is_urgent { RESERVE } else { 0 };
        let mut pending = self.pending.lock();
        if pending.lines.len() + line.len() > capacity {
            pending.dropped += 1;
            self.dropped_total.increment(1);
            return;
        }
        let (was_empty, was_due) = (pending.lines.is_empty(), pending.is_due);
        pending.lines.extend_from_slice(line);
        pending.is_due |= is_urgent || pending.lines.len() >= BATCH_BYTES;
        if was_empty || pending.is_due != was_due {
            self.filled.notify_one();
        }
    }

    /// Waits for lines and writes them. `batch` is reused to save allocations.
    fn write_batch(&self, batch: &mut Vec<u8>, output: &mut impl Write) {
        let mut pending = self.pending.lock();
        self.filled
            .wait_while(&mut pending, |pending| pending.lines.is_empty());
        self.filled
            .wait_while_for(&mut pending, |pending| !pending.is_due, MAX_DELAY);
        std::mem::swap(batch, &mut pending.lines);
        pending.is_due = false;
        pending.is_writing = true;
        drop(pending);

        if output.write_all(batch).is_err() {
            // The metric is the only way left to report it.
            let lines = batch.iter().filter(|byte| **byte == b'\n').count();
            self.dropped_total.increment(lines as u64);
        }
        batch.clear();

        let dropped = std::mem::take(&mut self.pending.lock().dropped);
        if dropped > 0 {
            tracing::warn!(
                lines = dropped,
                "log lines were dropped: standard error was not read in time"
            );
        }
        // Comes after the warning, so that `flush` waits for it as well.
        self.pending.lock().is_writing = false;
        self.written.notify_all();
    }

    /// Returns when everything is written, or after [`FLUSH_TIMEOUT`].
    pub fn flush(&self) {
        let mut pending = self.pending.lock();
        pending.is_due = true;
        self.filled.notify_one();
        self.written.wait_while_for(
            &mut pending,
            |pending| pending.is_writing || !pending.lines.is_empty(),
            FLUSH_TIMEOUT,
        );
    }
}

impl<'a> MakeWriter<'a> for &'static Queue {
    type Writer = QueueWriter;

    fn make_writer(&'a self) -> QueueWriter {
        QueueWriter {
            queue: self,
            is_urgent: true,
        }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> QueueWriter {
        QueueWriter {
            queue: self,
            is_urgent: *event.level() <= Level::WARN,
        }
    }
}

pub struct QueueWriter {
    queue: &'static Queue,
    is_urgent: bool,
}

/// Each write must be one whole line.
impl Write for QueueWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.queue.push(line, self.is_urgent);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{CAPACITY, Queue, RESERVE};
    use metrics::Counter;

    const LINE: &[u8] = &[b'x'; 1024];

    fn full_queue() -> Queue {
        let queue = Queue::new(Counter::noop());
        for _ in 0..CAPACITY / LINE.len() {
            queue.push(LINE, false);
        }
        assert_eq!(queue.pending.lock().dropped, 0);
        queue
    }

    #[test]
    fn a_full_queue_drops_and_counts_lines_but_has_room_for_warnings() {
        let queue = full_queue();
        queue.push(b"a request\n", false);
        assert_eq!(queue.pending.lock().dropped, 1);

        queue.push(b"a warning\n", true);
        assert_eq!(queue.pending.lock().dropped, 1);
        let mut written = Vec::new();
        queue.write_batch(&mut Vec::new(), &mut written);
        assert!(written.ends_with(b"xa warning\n"));
        assert_eq!(written.len(), CAPACITY + b"a warning\n".len());
    }

    #[test]
    fn warnings_have_a_limit_too() {
        let queue = full_queue();
        for _ in 0..RESERVE / LINE.len() {
            queue.push(LINE, true);
        }
        assert_eq!(queue.pending.lock().dropped, 0);
        queue.push(LINE, true);
        assert_eq!(queue.pending.lock().dropped, 1);
    }

    #[test]
    fn after_a_batch_is_written_there_is_room_again() {
        let queue = full_queue();
        queue.write_batch(&mut Vec::new(), &mut std::io::sink());
        queue.push(b"a request\n", false);
        assert_eq!(queue.pending.lock().dropped, 0);
        let mut written = Vec::new();
        queue.write_batch(&mut Vec::new(), &mut written);
        assert_eq!(written, b"a request\n");
    }
}
