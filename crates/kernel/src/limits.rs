//! `Limits`: how much a client may send, how long it may take, and which proxies and origins are
//! trusted.

use std::time::Duration;

use crate::http::cors::Cors;
use crate::types::IpNetworks;

/// Set by the options of the program; the defaults are below.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open connections at a time.
    pub connections: usize,
    /// Of these from one IPv4 address or one IPv6 network of 64 bits, unless it is a trusted proxy.
    pub connections_per_address: usize,
    /// Connections above these limits that are being told so, at a time.
    pub refusals: usize,
    /// The whole head of a request, in bytes.
    pub header_bytes: usize,
    /// Number of headers of a request.
    pub headers: usize,
    /// How long the head of a request may take to arrive.
    pub header_time: Duration,
    pub body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// From the head of the request to the head of the response.
    pub request_time: Duration,
    /// How long a client may stop reading while a response is being sent.
    pub send_time: Duration,
    /// How many bytes a second it must read on average, in each `send_time` that it is waited for.
    pub send_rate: u64,
    /// Wrong keys from one network in a minute, before further ones get 429.
    pub wrong_keys_per_minute: u32,
    /// For keys without a rate limit of their own; `None` is unlimited.
    pub requests_per_second: Option<u32>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: IpNetworks,
    /// Pages of other origins that may call the API.
    pub cors: Option<Cors>,
    /// How many bytes of replies a key may store under `Idempotency-Key` values in an hour.
    pub stored_reply_bytes: u64,
    /// Whether operators need a second factor.
    pub require_two_factor: bool,
    /// A session expires after this many days without use.
    pub session_days: u32,
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
            request_time: Duration::from_secs(30),
            send_time: Duration::from_secs(30),
            send_rate: 1 << 10,
            wrong_keys_per_minute: 60,
            requests_per_second: None,
            trusted_proxies: IpNetworks::default(),
            cors: None,
            stored_reply_bytes: 256 << 20,
            require_two_factor: false,
            session_days: 30,
        }
    }
}
