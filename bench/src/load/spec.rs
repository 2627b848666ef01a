//! What to send to whom, for how long; read as JSON from standard input.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    pub address: SocketAddr,
    pub connections: usize,
    /// Seconds that are not counted.
    pub warm_up: f64,
    /// Seconds that are; more only where too few requests end in them.
    pub seconds: f64,
    pub seed: u64,
    /// Lines that every head has, such as `X-API-Key: ...`.
    pub headers: Vec<String>,
    pub requests: Vec<RequestSpec>,
    /// What stands for `<name>` in paths and bodies.
    #[serde(default)]
    pub values: BTreeMap<String, Values>,
    /// Then not `seconds` are measured, but what happens until all these are answered.
    pub burst: Option<Burst>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestSpec {
    /// How often this one is sent, in relation to the others.
    #[serde(default = "one")]
    pub weight: u32,
    pub method: String,
    pub path: String,
    pub body: Option<String>,
    /// What the answer must be.
    pub status: u16,
}

/// Requests that are all sent at once, each on a connection of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    pub count: usize,
    pub request: RequestSpec,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// Any number from the first to the last.
    Between(u64, u64),
    /// A number that was not used before.
    CountFrom(u64),
    /// Each in turn and none twice; when there are no more, the run ends.
    EachOnce(Vec<String>),
}

fn one() -> u32 {
    1
}
