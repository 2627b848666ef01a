//! The specification of a run: requests, target and duration, read as JSON from standard input.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    pub address: SocketAddr,
    pub connections: usize,
    /// Seconds before measuring begins.
    pub warm_up: f64,
    /// Seconds to measure; longer if too few requests are answered in that time.
    pub seconds: f64,
    pub seed: u64,
    /// How many requests to send a second over all connections. Without it, each connection sends
    /// its next request when the previous one is answered.
    pub per_second: Option<f64>,
    /// Header lines of every request, such as `X-API-Key: ...`.
    pub headers: Vec<String>,
    pub requests: Vec<RequestSpec>,
    /// The values that replace `<name>` in paths and bodies.
    #[serde(default)]
    pub values: BTreeMap<String, Values>,
    /// If given, measuring ends when all its requests are answered, instead of after `seconds`.
    pub burst: Option<Burst>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestSpec {
    /// The frequency of this request relative to the others.
    #[serde(default = "one")]
    pub weight: u32,
    pub method: String,
    pub path: String,
    pub body: Option<String>,
    /// The expected status of the answer.
    pub status: u16,
}

/// Requests that are sent concurrently, each on its own connection.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    pub count: usize,
    pub request: RequestSpec,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// A random number from the first to the last.
    Between(u64, u64),
    /// The next number, starting here.
    CountFrom(u64),
    /// Each value once, in this order. The run ends after the last.
    EachOnce(Vec<String>),
}

fn one() -> u32 {
    1
}
