use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// Longer than any limit that a test sets, so that a test fails instead of hanging.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A raw connection, for requests that an HTTP client would not send.
pub struct RawConnection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// A response as it came over the connection.
#[derive(Debug)]
pub struct RawAnswer {
    pub status: u16,
    headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl RawAnswer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Asserts an error in the shape of all errors.
    #[track_caller]
    pub fn error(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        let body: Value = serde_json::from_slice(&self.body).expect("JSON");
        super::assert_fields(&body, &["message", "code", "request_id"]);
        assert_eq!(body["code"], code, "{self:?}");
        assert_eq!(body["request_id"].as_str(), self.header("x-request-id"));
        assert_eq!(self.header("content-type"), Some("application/json"));
    }
}

impl RawConnection {
    pub async fn connect(address: &str) -> Self {
        let address = address.trim_start_matches("http://");
        let stream = TcpStream::connect(address).await.expect("a connection");
        Self {
            stream,
            received: Vec::new(),
        }
    }

    /// A connection that buffers few received bytes.
    pub async fn connect_slow_reader(address: &str) -> Self {
        let address = address.trim_start_matches("http://");
        let socket = TcpSocket::new_v4().expect("a socket");
        socket
            .set_recv_buffer_size(16 << 10)
            .expect("a small buffer");
        let stream = socket.connect(address.parse().expect("an address")).await;
        Self {
            stream: stream.expect("a connection"),
            received: Vec::new(),
        }
    }

    /// Reads at most this many bytes and returns how many; 0 when the connection is closed.
    pub async fn read_some(&mut self, most: usize) -> usize {
        let mut bytes = vec![0; most];
        let read = tokio::time::timeout(TIMEOUT, self.stream.read(&mut bytes));
        read.await.expect("data within the timeout").unwrap_or(0)
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let sent = self.stream.write_all(bytes.as_ref()).await;
        sent.expect("the connection is open");
    }

    /// Sends bytes that may be refused before all have arrived.
    pub async fn try_send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref()).await;
    }

    /// The next response, whose length is in `Content-Length`.
    pub async fn answer(&mut self) -> RawAnswer {
        let end = loop {
            if let Some(end) = find(&self.received, b"\r\n\r\n") {
                break end;
            }
            assert!(self.receive().await > 0, "closed without a response");
        };
        let head = String::from_utf8(self.received.drain(..end + 4).collect()).expect("a head");
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let length = headers.get("content-length");
        let length = length.map_or(0, |length| length.parse().expect("a length"));
        while self.received.len() < length {
            assert!(self.receive().await > 0, "closed within a response");
        }
        RawAnswer {
            status: status.and_then(|code| code.parse().ok()).expect("a status"),
            headers,
            body: self.received.drain(..length).collect(),
        }
    }

    /// Waits until the service closes the connection; returns what it sent before.
    pub async fn closed(&mut self) -> Vec<u8> {
        while self.receive().await > 0 {}
        std::mem::take(&mut self.received)
    }

    /// How many bytes arrived; 0 when the connection is closed.
    async fn receive(&mut self) -> usize {
        let mut bytes = [0; 4096];
        let read = tokio::time::timeout(TIMEOUT, self.stream.read(&mut bytes));
        // A reset is an end, too.
        let count = read
            .await
            .expect("an answer within the timeout")
            .unwrap_or(0);
        self.received.extend_from_slice(&bytes[..count]);
        count
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut windows = bytes.windows(wanted.len());
    windows.position(|window| window == wanted)
}
