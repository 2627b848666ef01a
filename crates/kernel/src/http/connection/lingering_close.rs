//! Closes a connection so that its last response still arrives.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// How long data from the client is read and discarded.
const LINGER_TIME: Duration = Duration::from_secs(5);

/// Closing a socket with unread data resets the connection, and the client loses a response that it
/// has not read yet. So for a while after the response, data from the client is read and discarded.
pub struct LingeringClose<S> {
    stream: S,
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> LingeringClose<S> {
    pub fn new(stream: S) -> Self {
        Self {
            stream,
            until: None,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for LingeringClose<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for LingeringClose<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, until } = &mut *self;
        let mut stream = Pin::new(stream);
        let until = match until {
            Some(until) => until,
            None => {
                ready!(stream.as_mut().poll_shutdown(cx))?;
                until.insert(Box::pin(tokio::time::sleep(LINGER_TIME)))
            }
        };
        let mut discarded = [0; 8 << 10];
        while until.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut discarded);
            ready!(stream.as_mut().poll_read(cx, &mut buffer))?;
            if buffer.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }
}
