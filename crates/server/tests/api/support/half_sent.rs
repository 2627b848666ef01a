use serde_json::Value;

use super::raw_connection::{RawAnswer, RawConnection};

/// A request whose head the service has accepted, and whose body is still to come.
pub struct HalfSent {
    connection: RawConnection,
    body: String,
}

impl HalfSent {
    /// Returns once the service waits for the body, which it confirms with 100 Continue.
    pub async fn begin(address: &str, key: &str, line: &str, headers: &str, body: &Value) -> Self {
        let body = body.to_string();
        let mut connection = RawConnection::connect(address).await;
        let length = body.len();
        connection
            .send(format!(
                "{line} HTTP/1.1\r\nhost: steward\r\nx-api-key: {key}\r\n{headers}\
                 content-type: application/json\r\ncontent-length: {length}\r\n\
                 expect: 100-continue\r\n\r\n"
            ))
            .await;
        assert_eq!(connection.answer().await.status, 100, "{line}");
        Self { connection, body }
    }

    pub async fn finish(mut self) -> RawAnswer {
        self.connection.send(&self.body).await;
        self.connection.answer().await
    }
}
