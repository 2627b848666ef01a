//! Disconnects clients that stop reading, or read too slowly.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

/// The least that a client must read. Only the time counts in which the service waits for the
/// client: a response that is slow because the service has nothing to send is not affected.
#[derive(Clone, Copy)]
pub struct Pace {
    /// A client must read something within this time.
    pub(super) period: Duration,
    /// And this many bytes in each such time that the service has waited for it.
    pub(super) bytes: u64,
}

impl Pace {
    pub fn new(period: Duration, bytes_per_second: u64) -> Self {
        let bytes = period.as_millis() * u128::from(bytes_per_second) / 1000;
        Self {
            period,
            bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
        }
    }
}

/// A write fails when the client is slower than the [`Pace`]. Reads are not timed.
pub struct WriteTimeout {
    stream: TcpStream,
    pace: Pace,
    /// In the current period.
    waited: Duration,
    accepted: u64,
    // Only while a write is pending.
    waiting: Option<Waiting>,
}

struct Waiting {
    started: Instant,
    /// From when on the time belongs to the current period.
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
            waiting: None,
        }
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
        // Otherwise the system would keep retransmitting what is in its buffer.
        let _ = self.stream.set_zero_linger();
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn record(&mut self, bytes: u64) {
        if let Some(waiting) = self.waiting.take() {
            self.waited += waiting.counted_from.elapsed();
        }
        // Before the first wait of a period nothing counts: a fast start is no credit for later.
        if !self.waited.is_zero() {
            self.accepted = self.accepted.saturating_add(bytes);
        }
    }

    /// Completes when the client was too slow.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let rest = self.pace.period.saturating_sub(self.waited);
        let waiting = self.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            Waiting {
                started: now,
                counted_from: now,
                until: Box::pin(tokio::time::sleep_until(now + rest)),
            }
        });
        ready!(waiting.until.as_mut().poll(cx));
        if self.accepted < self.pace.bytes {
            return Poll::Ready(());
        }
        // The next period begins. Nothing was read since this wait started.
        self.waited = Duration::ZERO;
        self.accepted = 0;
        waiting.counted_from = Instant::now();
        let until = waiting.started + self.pace.period;
        waiting.until.as_mut().reset(until);
        ready!(waiting.until.as_mut().poll(cx));
        Poll::Ready(())
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
