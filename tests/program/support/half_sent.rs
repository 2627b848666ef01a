use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{ADMIN_KEY, Program, within};

/// A write whose headers the service has read and whose body is not complete.
pub struct HalfSentPost {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl HalfSentPost {
    /// Returns once the service waits for the body, which it confirms with 100 Continue.
    pub async fn post(program: &Program, path: &str, body: &str) -> Self {
        Self::post_as(program, ADMIN_KEY, path, body).await
    }

    /// Like [`Self::post`], with another key.
    pub async fn post_as(program: &Program, key: &str, path: &str, body: &str) -> Self {
        let mut stream = TcpStream::connect(&program.address)
            .await
            .expect("a connection");
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: steward\r\nx-api-key: {key}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\
             expect: 100-continue\r\n\r\n",
            body.len()
        );
        stream
            .write_all(head.as_bytes())
            .await
            .expect("the head goes out");
        let mut go_on = [0; 25];
        within(stream.read_exact(&mut go_on))
            .await
            .expect("the service asks for the body");
        assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
        Self {
            stream,
            rest: body.into(),
        }
    }

    /// Sends one more byte; `false` when none is left.
    pub async fn send_byte(&mut self) -> bool {
        if self.rest.is_empty() {
            return false;
        }
        let byte = self.rest.remove(0);
        self.stream
            .write_all(&[byte])
            .await
            .expect("the service reads on");
        true
    }

    /// Sends the rest and reads the status.
    pub async fn status(mut self) -> u16 {
        let sent = self.stream.write_all(&self.rest).await;
        sent.expect("the service reads on");
        let mut line = [0; 12];
        let read = within(self.stream.read_exact(&mut line)).await;
        read.expect("an answer");
        let line = String::from_utf8_lossy(&line).into_owned();
        let status = line.strip_prefix("HTTP/1.1 ").map(str::parse);
        status.expect("HTTP").expect("a status")
    }

    /// Sends the rest and reads until the service closes the connection.
    pub async fn finish(mut self) -> String {
        self.stream
            .write_all(&self.rest)
            .await
            .expect("the service reads on");
        let mut answer = String::new();
        within(self.stream.read_to_string(&mut answer))
            .await
            .expect("a whole answer");
        answer
    }
}
