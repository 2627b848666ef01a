//! Reads server-sent events.

use std::time::Duration;

use serde_json::Value;

/// How long to wait before a test fails.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A stream of events that is being read.
pub struct EventReader {
    response: reqwest::Response,
    received: String,
}

impl EventReader {
    pub fn new(response: reqwest::Response) -> Self {
        Self {
            response,
            received: String::new(),
        }
    }

    /// The lines of the next event; empty if the stream has ended.
    pub async fn frame(&mut self) -> String {
        tokio::time::timeout(TIMEOUT, self.next_frame())
            .await
            .expect("an event in time")
    }

    async fn next_frame(&mut self) -> String {
        loop {
            while let Some((frame, rest)) = self.received.split_once("\n\n") {
                let (frame, rest) = (frame.to_owned() + "\n\n", rest.to_owned());
                self.received = rest;
                // A comment is not an event.
                if !frame.starts_with(':') {
                    return frame;
                }
            }
            let Ok(Some(chunk)) = self.response.chunk().await else {
                return String::new();
            };
            self.received += std::str::from_utf8(&chunk).expect("text");
        }
    }

    /// The data of the next event, whose other lines agree with it.
    pub async fn next(&mut self) -> Option<Value> {
        let frame = self.frame().await;
        let field = |name: &str| {
            let mut lines = frame.lines();
            lines.find_map(|line| Some(line.strip_prefix(name)?.to_owned()))
        };
        let data: Value = serde_json::from_str(&field("data: ")?).expect("JSON");
        assert_eq!(field("id: "), Some(data["id"].to_string()), "{frame}");
        assert_eq!(field("event: ").as_deref(), data["action"].as_str());
        Some(data)
    }

    /// Fails unless the stream ends, after any number of events.
    pub async fn end(mut self) {
        let ended = async { while !self.next_frame().await.is_empty() {} };
        tokio::time::timeout(TIMEOUT, ended)
            .await
            .expect("the stream ends");
    }
}
