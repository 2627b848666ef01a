//! Detects requests whose length is ambiguous.
//!
//! A request with both `Transfer-Encoding` and `Content-Length` may be read differently by a proxy
//! in front of the service, which allows request smuggling. hyper accepts such a request and
//! removes `Content-Length` before the service sees it, so the bytes are scanned as they arrive.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const CONTENT_LENGTH: &[u8] = b"content-length:";
const TRANSFER_ENCODING: &[u8] = b"transfer-encoding:";

/// Whether a connection has received the head of an ambiguous request.
#[derive(Clone, Default)]
pub struct Ambiguous(Arc<AtomicBool>);

impl Ambiguous {
    pub fn is_found(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A stream that scans the bytes it receives.
pub struct HeadScan<S> {
    stream: S,
    lines: Lines,
    ambiguous: Ambiguous,
}

impl<S> HeadScan<S> {
    pub fn new(stream: S, ambiguous: Ambiguous) -> Self {
        Self {
            stream,
            lines: Lines::default(),
            ambiguous,
        }
    }
}

/// The lines received so far. Bodies are scanned like heads: no line of a JSON body begins with the
/// name of a header.
#[derive(Default)]
struct Lines {
    /// The beginning of a line that is still incomplete.
    begun: Vec<u8>,
    has_length: bool,
    has_encoding: bool,
}

impl Lines {
    /// Returns whether a head has both headers.
    fn scan(&mut self, mut bytes: &[u8]) -> bool {
        let mut found = false;
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            if self.begun.is_empty() {
                found |= self.read(line);
            } else {
                self.begin(line);
                let begun = std::mem::take(&mut self.begun);
                found |= self.read(&begun);
            }
            bytes = &rest[1..];
        }
        self.begin(bytes);
        found
    }

    /// Keeps enough of a line to recognise it.
    fn begin(&mut self, bytes: &[u8]) {
        let room = TRANSFER_ENCODING.len() - self.begun.len();
        self.begun
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn read(&mut self, line: &[u8]) -> bool {
        match line.first() {
            None | Some(b'\r') => (self.has_length, self.has_encoding) = (false, false),
            Some(b'c' | b'C') => self.has_length |= begins(line, CONTENT_LENGTH),
            Some(b't' | b'T') => self.has_encoding |= begins(line, TRANSFER_ENCODING),
            Some(_) => {}
        }
        self.has_length && self.has_encoding
    }
}

fn begins(line: &[u8], name: &[u8]) -> bool {
    let start = line.get(..name.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(name))
}

impl<S: AsyncRead + Unpin> AsyncRead for HeadScan<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if self.lines.scan(&buffer.filled()[before..]) {
            self.ambiguous.0.store(true, Ordering::Relaxed);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HeadScan<S> {
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
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ambiguous(text: &str, piece: usize) -> bool {
        let mut lines = Lines::default();
        let mut found = false;
        for piece in text.as_bytes().chunks(piece) {
            found |= lines.scan(piece);
            assert!(lines.begun.len() <= TRANSFER_ENCODING.len());
        }
        found
    }

    #[test]
    fn a_head_with_transfer_encoding_and_content_length_is_found() {
        let both = [
            "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding:chunked\r\nA: b\r\nCONTENT-LENGTH:5\r\n\r\n",
            "POST / HTTP/1.1\ncontent-length: 5\ntransfer-encoding: chunked\n\n",
            "GET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\ncontent-length: 5\r\n\
             transfer-encoding: chunked\r\n\r\n",
        ];
        let neither = [
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}POST / HTTP/1.1\r\n\
             Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET / HTTP/1.1\r\nX: Content-Length: 5\r\nTransfer-Encodings: chunked\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length-X: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        ];
        for piece in [1, 2, 3, 7, 17, 18, 19, 1000] {
            for text in both {
                assert!(is_ambiguous(text, piece), "{text:?} in pieces of {piece}");
            }
            for text in neither {
                assert!(!is_ambiguous(text, piece), "{text:?} in pieces of {piece}");
            }
        }
    }
}
