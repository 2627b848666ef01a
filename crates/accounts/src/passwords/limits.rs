//! Rate limits of sign-in attempts, against guessing passwords. All instances share them.
//!
//! Attempts are counted by the user, whichever login was typed, or by the login if no user has it.
//! Both take the same statements, so that the time does not reveal which users exist.

use std::net::IpAddr;

use sha2::{Digest, Sha256};

use super::store;
use kernel::types::{Timestamp, client_network, customer_network};
use kernel::{Core, Result};

/// How long an attempt counts, in seconds.
const WINDOW: i64 = 60;
const PER_ACCOUNT_AND_NETWORK: usize = 5;
const PER_NETWORK: usize = 50;
/// For an IPv6 /48.
const PER_CUSTOMER: usize = 200;
const PER_ACCOUNT: usize = 100;
/// For beginning to sign in at another service.
const STARTS_PER_NETWORK: usize = 30;
/// The number of rows removed in one transaction; small, so that writers wait only briefly.
const REMOVED_AT_ONCE: i64 = 1000;

/// The account that an attempt is for.
#[derive(Clone, Copy, Debug)]
pub enum Account<'a> {
    User(i64),
    /// A folded login that no user has.
    Unknown(&'a str),
}

impl Account<'_> {
    fn name(self) -> String {
        match self {
            Self::User(id) => format!("user {id}"),
            Self::Unknown(login) => format!("login {login}"),
        }
    }
}

/// The origin of an attempt.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// The address of the person who signs in.
    Person(IpAddr),
    /// A program that signs in many people without giving their addresses. Its network as a whole
    /// is not limited: one of those people could lock out all others.
    Program(Option<IpAddr>),
    /// A browser that this user has signed in with before. Attempts of others do not count against
    /// it.
    Browser([u8; 16]),
    /// A session of this user. Its attempts also count as those of a person at its address, but
    /// attempts of others do not count against it.
    Session { id: i64, ip: Option<IpAddr> },
}

impl Origin {
    fn network(self) -> String {
        match self {
            Self::Person(ip) | Self::Program(Some(ip)) => client_network(ip).to_string(),
            Self::Program(None) => String::new(),
            Self::Browser(id) => format!("browser {:032x}", u128::from_be_bytes(id)),
            Self::Session { id, .. } => format!("session {id}"),
        }
    }
}

/// A counter of attempts, and its limit. Stored as a hash, so that a password typed into the wrong
/// field is not stored in clear text.
#[derive(Debug)]
struct Subject {
    hash: [u8; 32],
    limit: usize,
    /// Whether signing in removes all attempts, not only its own.
    is_reset: bool,
}

/// The counters of an attempt, sorted by hash: locking them in different orders would deadlock.
fn subjects(account: Account<'_>, origin: Origin) -> Vec<Subject> {
    let mut subjects = limiting_subjects(account, origin);
    if let Origin::Session { ip: Some(ip), .. } = origin {
        let others = limiting_subjects(account, Origin::Person(ip)).into_iter();
        subjects.extend(others.map(|subject| Subject {
            limit: usize::MAX,
            ..subject
        }));
    }
    subjects.sort_unstable_by_key(|subject| subject.hash);
    subjects
}

/// The counters whose limits an attempt must meet.
fn limiting_subjects(account: Account<'_>, origin: Origin) -> Vec<Subject> {
    let (account, network) = (account.name(), origin.network());
    let of = |parts: [&str; 3], limit, is_reset| Subject {
        // A login with a line break may share its hash with another one, which does no harm.
        hash: Sha256::digest(parts.join("\n")).into(),
        limit,
        is_reset,
    };
    let mut subjects = vec![of(
        ["account and network", &account, &network],
        PER_ACCOUNT_AND_NETWORK,
        true,
    )];
    if let Origin::Person(_) | Origin::Program(_) = origin {
        subjects.push(of(["account", &account, ""], PER_ACCOUNT, false));
    }
    if let Origin::Person(ip) = origin {
        subjects.push(of(["network", &network, ""], PER_NETWORK, false));
        if let Some(network) = customer_network(ip) {
            let network = network.to_string();
            subjects.push(of(["customer", &network, ""], PER_CUSTOMER, false));
        }
    }
    subjects
}

/// A counted attempt.
#[derive(Debug)]
pub struct Claimed {
    subjects: Vec<Subject>,
    at: Timestamp,
}

/// Whether an attempt may be made.
#[derive(Debug)]
pub enum Claim {
    Granted(Claimed),
    /// The seconds until the next attempt is allowed.
    Refused(u64),
}

/// The seconds until an attempt is allowed; `None` if it is allowed now. This only reads, so that a
/// refusal is cheap. [`claim`] decides.
pub async fn wait(core: &Core, account: Account<'_>, origin: Origin) -> Result<Option<u64>> {
    let now = core.clock.now();
    let mut read = core.db.read().await?;
    let mut wait = None;
    for subject in subjects(account, origin) {
        let stored = store::read(&mut read, &subject.hash).await?;
        let window = Window::read(&stored.unwrap_or_default(), now);
        wait = wait.max(window.wait(subject.limit, now));
    }
    Ok(wait)
}

/// Counts an attempt before the password is checked; otherwise any number of attempts could run
/// concurrently. A refused attempt does not count.
pub async fn claim(core: &Core, account: Account<'_>, origin: Origin) -> Result<Claim> {
    claim_all(core, subjects(account, origin)).await
}

/// Counts the begin of a sign-in at another service by a person at this address. Returns the seconds
/// until it is allowed; `None` if it is.
pub async fn claim_start(core: &Core, address: Option<IpAddr>) -> Result<Option<u64>> {
    let network = address.map(|address| client_network(address).to_string());
    let subject = ["start", &network.unwrap_or_default()].join("\n");
    let subject = Subject {
        hash: Sha256::digest(subject).into(),
        limit: STARTS_PER_NETWORK,
        is_reset: false,
    };
    Ok(match claim_all(core, vec![subject]).await? {
        Claim::Granted(_) => None,
        Claim::Refused(seconds) => Some(seconds),
    })
}

/// The subjects are sorted by hash.
async fn claim_all(core: &Core, subjects: Vec<Subject>) -> Result<Claim> {
    let now = core.clock.now();
    let mut tx = core.db.begin().await?;
    let (mut windows, mut wait) = (Vec::new(), None);
    for subject in &subjects {
        let stored = store::lock_and_read(&mut tx, &subject.hash, now).await?;
        let window = Window::read(&stored, now);
        wait = wait.max(window.wait(subject.limit, now));
        windows.push(window);
    }
    if let Some(seconds) = wait {
        tx.rollback().await?;
        return Ok(Claim::Refused(seconds));
    }
    for (subject, mut window) in subjects.iter().zip(windows) {
        window.add(now);
        store::write(&mut tx, &subject.hash, &window.to_stored()).await?;
    }
    tx.commit().await?;
    Ok(Claim::Granted(Claimed { subjects, at: now }))
}

/// Removes an attempt that did not fail. Earlier attempts still count: a client that knows a password
/// must not be able to guess codes without a limit.
pub async fn take_back(core: &Core, claimed: Claimed) -> Result<()> {
    remove(core, claimed, false).await
}

/// Removes the attempt of an operator who has signed in, and earlier ones of this account from this
/// network.
pub async fn reset(core: &Core, claimed: Claimed) -> Result<()> {
    remove(core, claimed, true).await
}

async fn remove(core: &Core, claimed: Claimed, is_reset: bool) -> Result<()> {
    let now = core.clock.now();
    let mut tx = core.db.begin().await?;
    for subject in &claimed.subjects {
        let stored = store::lock_and_read(&mut tx, &subject.hash, now).await?;
        let mut window = Window::read(&stored, now);
        window.remove(claimed.at);
        match (is_reset && subject.is_reset) || window.0.is_empty() {
            true => store::delete(&mut tx, &subject.hash).await?,
            false => store::write(&mut tx, &subject.hash, &window.to_stored()).await?,
        }
    }
    Ok(tx.commit().await?)
}

/// Removes attempts that no longer count.
pub async fn forget_expired(core: &Core) -> Result<()> {
    let expired = Timestamp::from_unix(core.retention_now().unix() - WINDOW);
    Ok(store::delete_before(&core.db, expired, REMOVED_AT_ONCE).await?)
}

/// The times of the attempts that count, in seconds and in order.
#[derive(Debug, Default, PartialEq)]
struct Window(Vec<i64>);

impl Window {
    /// Reads the attempts. Those in the future are dropped: they were made before the clock was set
    /// back. Clocks of instances may differ by less than the window.
    fn read(stored: &[u8], now: Timestamp) -> Self {
        let (seconds, _) = stored.as_chunks();
        let attempts = seconds.iter().map(|bytes| i64::from_be_bytes(*bytes));
        let counts = |at: &i64| (at - now.unix()).abs() < WINDOW;
        Self(attempts.filter(counts).collect())
    }

    fn to_stored(&self) -> Vec<u8> {
        self.0.iter().flat_map(|at| at.to_be_bytes()).collect()
    }

    /// The seconds until another attempt is allowed; `None` if it is allowed now.
    fn wait(&self, limit: usize, now: Timestamp) -> Option<u64> {
        let oldest = self.0.len().checked_sub(limit)?;
        let free_at = self.0.get(oldest)? + WINDOW;
        Some((free_at - now.unix()).max(1).unsigned_abs())
    }

    fn add(&mut self, now: Timestamp) {
        self.0.push(now.unix());
    }

    fn remove(&mut self, at: Timestamp) {
        if let Some(i) = self.0.iter().rposition(|made| *made <= at.unix()) {
            self.0.remove(i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix(seconds)
    }

    #[test]
    fn the_window_slides_and_says_when_an_attempt_is_allowed() {
        let mut window = Window::default();
        for second in [0, 10, 20] {
            assert_eq!(window.wait(3, at(second)), None);
            window.add(at(second));
        }
        assert_eq!(window.wait(3, at(20)), Some(40));
        let stored = window.to_stored();
        assert_eq!(Window::read(&stored, at(59)).wait(3, at(59)), Some(1));
        assert_eq!(Window::read(&stored, at(60)).wait(3, at(60)), None);
        assert_eq!(Window::read(&stored, at(60)), Window(vec![10, 20]));
    }

    #[test]
    fn after_the_clock_was_set_back_attempts_in_the_future_do_not_count() {
        let mut window = Window::default();
        for _ in 0..5 {
            window.add(at(100_000));
        }
        let back = at(100_000 - 86_400);
        let window = Window::read(&window.to_stored(), back);
        assert_eq!(window.wait(5, back), None);
    }

    #[test]
    fn networks_are_single_ipv4_addresses_and_ipv6_networks_of_64_bits() {
        let network = |ip: &str| Origin::Person(ip.parse().expect("an address")).network();
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(network("2001:db8:1:2::"), "2001:db8:1:2::");
        assert_ne!(network("2001:db8:1:3::"), network("2001:db8:1:2::"));
    }
}
