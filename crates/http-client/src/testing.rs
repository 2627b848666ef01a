//! A server for one request, for the tests of every client.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;

/// Reads a request whose body ends with `}` and answers it.
pub async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &[u8]) -> String {
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        assert!(stream.read_buf(&mut request).await.expect("a request") > 0);
    }
    let _ = stream.write_all(answer).await;
    String::from_utf8(request).expect("text")
}

/// A short answer.
pub const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine";

/// A listener at a free port of this address, and the port.
pub async fn listener(address: &str) -> (TcpListener, u16) {
    let listener = TcpListener::bind((address, 0)).await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}
