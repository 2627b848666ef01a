//! Facts that all parts of an import need.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::IpAddr;

use kernel::types::Timestamp;
use payments::currencies::Code;

/// Choices that the dump leaves open.
#[derive(Clone, Debug)]
pub struct Options {
    /// Of the tables, such as `flute_`.
    pub prefix: String,
    /// The currency of invoices that have none.
    pub currency: Option<String>,
    /// Games by their app ids, before the ones that are known.
    pub games: BTreeMap<String, String>,
    /// The addresses of servers by their host names.
    pub hosts: BTreeMap<String, IpAddr>,
    pub keys_are_active: bool,
    /// Whether users without a verified address are pending.
    pub unverified_are_pending: bool,
    /// Confirms that the balances of users are lost.
    pub leaves_balances_out: bool,
}

/// Rows that others refer to, by their ids in the dump.
pub struct Context {
    pub now: Timestamp,
    pub options: Options,
    /// The names of roles.
    pub roles: HashMap<i64, String>,
    /// The ids and names of social networks.
    pub networks: HashMap<i64, (i64, String)>,
    pub currencies: HashMap<i64, Code>,
    /// The currency of invoices that have none.
    pub fallback: Option<(i64, Code)>,
    pub promo_codes: HashSet<i64>,
}
