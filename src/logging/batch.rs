//! Lines are gathered and written together, since to write each by itself would take longer than
//! many a request.

use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line may wait for others. A warning does not wait.
const PAUSE: Duration = Duration::from_millis(50);
const MOST_BYTES: usize = 64 << 10;

#[derive(Default)]
pub struct Batch {
    lines: Mutex<Vec<u8>>,
    begun: Condvar,
}

impl Batch {
    /// It stays as long as the program.
    pub fn start() -> &'static Self {
        let batch: &Self = Box::leak(Box::default());
        std::thread::spawn(|| batch.keep_writing());
        batch
    }

    fn keep_writing(&self) {
        loop {
            let lines = self.lines();
            let begun = self.begun.wait_while(lines, |lines| lines.is_empty());
            drop(begun);
            std::thread::sleep(PAUSE);
            self.flush();
        }
    }

    pub fn flush(&self) {
        write_out(&mut self.lines());
    }

    fn lines(&self) -> MutexGuard<'_, Vec<u8>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A log that cannot be written is nobody's fault who could be told.
fn write_out(lines: &mut Vec<u8>) {
    let _ = io::stderr().write_all(lines);
    lines.clear();
}

impl<'a> MakeWriter<'a> for &'static Batch {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line {
            batch: self,
            is_urgent: true,
        }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> Line {
        Line {
            batch: self,
            is_urgent: *event.level() <= Level::WARN,
        }
    }
}

pub struct Line {
    batch: &'static Batch,
    is_urgent: bool,
}

impl Write for Line {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut lines = self.batch.lines();
        if lines.is_empty() {
            self.batch.begun.notify_one();
        }
        lines.extend_from_slice(line);
        if self.is_urgent || lines.len() > MOST_BYTES {
            write_out(&mut lines);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
