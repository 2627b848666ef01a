//! Disconnects clients that stop reading, or read too slowly.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::Limits;

/// The minimum reading speed of a client. Only time in which the service waits for the client
/// counts: a response that is slow because the service has nothing to send is not affected.
#[derive(Clone, Copy)]
pub struct Pace {
    /// A client must read something within this time.
    pub(super) period: Duration,
    /// The client must also read this many bytes per period of waiting for it.
    pub(super) bytes: u64,
    /// How long the service waits in all for a client to read a response, for each
    /// [`TOTAL_BYTES`] of it. Otherwise a client just above the minimum would hold a connection for
    /// as long as it likes.
    pub(super) total: Duration,
}

/// The part of a response that the total time is for.
const TOTAL_BYTES: u64 = 8 << 20;

impl Pace {
    pub fn new(limits: &Limits) -> Self {
        let period = limits.send_time;
        let bytes = period.as_millis() * u128::from(limits.send_rate) / 1000;
        Self {
            period,
            bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
            total: limits.response_time,
        }
    }

    /// The total time for a response of which this many bytes were read.
    pub fn total_time(&self, bytes: u64) -> Duration {
        let parts = 1 + bytes / TOTAL_BYTES;
        self.total
            .saturating_mul(u32::try_from(parts).unwrap_or(u32::MAX))
    }
}

/// Counts the requests of a connection, so that the total time of each response starts over.
#[derive(Clone, Default)]
pub struct RequestCount(Arc<AtomicU64>);

impl RequestCount {
    pub fn begin(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A stream on which a write fails if the client is slower than the [`Pace`]. Reads are not timed.
pub struct WriteTimeout {
    stream: TcpStream,
    pace: Pace,
    /// Waiting time in the current period.
    waited: Duration,
    accepted: u64,
    requests: RequestCount,
    response: Response,
    // Present only while a write is pending.
    waiting: Option<Waiting>,
}

/// The bytes that the client has read of the current response, and how long that took.
#[derive(Default)]
struct Response {
    /// The number of the request.
    number: u64,
    waited: Duration,
    bytes: u64,
}

struct Waiting {
    started: Instant,
    /// The start of the wait within the current period.
    counted_from: Instant,
    until: Pin<Box<Sleep>>,
}

impl WriteTimeout {
    pub fn new(stream: TcpStream, pace: Pace) -> Self {
        Self {
            stream,
            pace,
            waited: Duration::ZERO,
            accepted: 0,
            requests: RequestCount::default(),
            response: Response::default(),
            waiting: None,
        }
    }

    pub fn requests(&self) -> RequestCount {
        self.requests.clone()
    }

    fn with_timeout(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = written {
            self.record(bytes as u64);
            return written;
        }
        if written.is_ready() {
            return written;
        }
        ready!(self.wait(cx));
        // Reset, or the system would keep retransmitting its buffer.
        let _ = self.stream.set_zero_linger();
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn record(&mut self, bytes: u64) {
        self.notice_request();
        if let Some(waiting) = self.waiting.take() {
            self.waited += waiting.counted_from.elapsed();
            self.response.waited += waiting.started.elapsed();
        }
        self.response.bytes += bytes;
        // Bytes before the first wait of a period do not count, so a fast start earns no credit.
        if !self.waited.is_zero() {
            self.accepted = self.accepted.saturating_add(bytes);
        }
    }

    fn notice_request(&mut self) {
        let number = self.requests.0.load(Ordering::Relaxed);
        if number != self.response.number {
            self.response = Response {
                number,
                ..Response::default()
            };
        }
    }

    /// Completes when the client is too slow.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.notice_request();
        let pace = self.pace;
        let total = pace.total_time(self.response.bytes);
        let total = total.saturating_sub(self.response.waited);
        let waiting = self.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            Waiting {
                started: now,
                counted_from: now,
                until: Box::pin(tokio::time::sleep_until(now)),
            }
        });
        loop {
            let now = Instant::now();
            // Nothing has been read since this wait started.
            let longest = pace.period.min(total);
            if now - waiting.started >= longest {
                return Poll::Ready(());
            }
            if self.waited + (now - waiting.counted_from) >= pace.period {
                if self.accepted < pace.bytes {
                    return Poll::Ready(());
                }
                // The next period begins.
                (self.waited, self.accepted) = (Duration::ZERO, 0);
                waiting.counted_from = now;
            }
            let end_of_period = waiting.counted_from + (pace.period - self.waited);
            let until = end_of_period.min(waiting.started + longest);
            if waiting.until.deadline() != until {
                waiting.until.as_mut().reset(until);
            }
            ready!(waiting.until.as_mut().poll(cx));
        }
    }
}

impl AsyncRead for WriteTimeout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for WriteTimeout {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.with_timeout(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.with_timeout(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
