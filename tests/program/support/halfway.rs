use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{ADMIN_KEY, Program, within};

/// A write that the service has begun to read and whose body is still on its way.
pub struct Halfway {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl Halfway {
    /// Returns once the service waits for the body: it says so, because it is asked to.
    pub async fn post(program: &Program, path: &str, body: &str) -> Self {
        let mut stream = TcpStream::connect(&program.address)
            .await
            .expect("a connection");
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: steward\r\nx-api-key: {ADMIN_KEY}\r\n\
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

    /// Sends one byte more; `false` when there is none left.
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

    /// Sends what is left and reads all that the service has to say before it hangs up.
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
