//! `Limits`: the limits of requests and connections, and the trusted proxies and origins.

use std::time::Duration;

use crate::http::cors::Cors;
use crate::types::IpNetworks;

/// Limits, set by the options of the program. The defaults are below.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open connections at a time.
    pub connections: usize,
    /// Connections per IPv4 address or IPv6 /64. Trusted proxies are exempt.
    pub connections_per_address: usize,
    /// Connections above these limits at a time. They are closed after a probe or a 503.
    pub refusals: usize,
    /// The whole head of a request, in bytes.
    pub header_bytes: usize,
    /// The number of headers of a request.
    pub headers: usize,
    /// How long the head of a request may take to arrive.
    pub header_time: Duration,
    pub body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// How long the rest of a body that nothing reads may take to arrive.
    pub discard_time: Duration,
    /// The time from the head of the request to the head of the response.
    pub request_time: Duration,
    /// How long a client may pause reading a response.
    pub send_time: Duration,
    /// Bytes per second that a client must read on average, in each `send_time` of waiting for it.
    pub send_rate: u64,
    /// How long a client may take to read a response of up to 8 MiB. For a larger one, each further
    /// 8 MiB have as long again.
    pub response_time: Duration,
    /// Wrong keys per network and minute. Further ones get 429.
    pub wrong_keys_per_minute: u32,
    /// The rate limit of keys that have none; `None` is unlimited.
    pub requests_per_second: Option<u32>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: IpNetworks,
    /// Pages of other origins that may call the API from a browser.
    pub cors: Option<Cors>,
    /// The seconds in `Strict-Transport-Security` of responses over TLS; without the header if 0.
    pub hsts_seconds: u32,
    /// Bytes of replies that a key may store under `Idempotency-Key` values in an hour.
    pub stored_reply_bytes: u64,
    /// Whether operators need a second factor.
    pub require_two_factor: bool,
    /// How long a request waits for the last use of its session to be stored.
    pub note_time: Duration,
    /// A session expires after this many days without use.
    pub session_days: u32,
    /// A session expires this many days after it began, even if it is used; `None` is never.
    pub session_max_days: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            connections_per_address: 512,
            refusals: 256,
            header_bytes: 16 << 10,
            headers: 100,
            header_time: Duration::from_secs(10),
            body_bytes: 1 << 20,
            body_time: Duration::from_secs(15),
            discard_time: Duration::from_secs(1),
            request_time: Duration::from_secs(30),
            send_time: Duration::from_secs(30),
            send_rate: 1 << 10,
            response_time: Duration::from_secs(120),
            wrong_keys_per_minute: 60,
            requests_per_second: None,
            trusted_proxies: IpNetworks::default(),
            cors: None,
            hsts_seconds: 0,
            stored_reply_bytes: 256 << 20,
            require_two_factor: false,
            note_time: Duration::from_millis(250),
            session_days: 30,
            session_max_days: None,
        }
    }
}
