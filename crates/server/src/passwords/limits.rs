//! Limits of attempts to sign in, against guessing passwords. All instances share them.
//!
//! Attempts are counted by the login as it was typed, whether a user has it or not, so that counts
//! tell nothing about users.

use std::net::IpAddr;

use sha2::{Digest, Sha256};

use super::store;
use kernel::types::{Timestamp, client_network};
use kernel::{Core, Result};

/// How long an attempt counts, in seconds.
const WINDOW: i64 = 60;
const PER_LOGIN_AND_NETWORK: usize = 5;
const PER_NETWORK: usize = 50;
const PER_LOGIN: usize = 100;
/// How many rows are removed in one transaction. Few, so that writers wait only briefly.
const REMOVED_AT_ONCE: i64 = 1000;

/// Where an attempt comes from.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// The address of the person who signs in.
    Person(IpAddr),
    /// A program that signs many people in and does not say where they are. Its network as a whole
    /// is not limited: one of those people would lock out all others.
    Program(Option<IpAddr>),
    /// A browser that this user has signed in with before. The attempts of others do not count
    /// against it.
    Browser([u8; 16]),
}

impl Origin {
    fn network(self) -> String {
        match self {
            Self::Person(ip) | Self::Program(Some(ip)) => client_network(ip).to_string(),
            Self::Program(None) => String::new(),
            Self::Browser(id) => format!("browser {:032x}", u128::from_be_bytes(id)),
        }
    }
}

/// What attempts are counted by, and how many are allowed. It is stored as a hash, so that a
/// password typed into the wrong field is not stored in clear text.
#[derive(Debug)]
struct Subject {
    hash: [u8; 32],
    limit: usize,
    /// Whether a right password removes all attempts, not only its own.
    is_reset: bool,
}

/// In the order of their hashes: transactions that lock them in different orders would deadlock.
fn subjects(folded_login: &str, origin: Origin) -> Vec<Subject> {
    let network = origin.network();
    let of = |parts: [&str; 3], limit, is_reset| Subject {
        // No part contains a line break: a login with one is not distinguished from others, which
        // does no harm.
        hash: Sha256::digest(parts.join("\n")).into(),
        limit,
        is_reset,
    };
    let mut subjects = vec![of(
        ["login and network", folded_login, &network],
        PER_LOGIN_AND_NETWORK,
        true,
    )];
    if !matches!(origin, Origin::Browser(_)) {
        subjects.push(of(["login", folded_login, ""], PER_LOGIN, false));
    }
    if let Origin::Person(_) = origin {
        subjects.push(of(["network", &network, ""], PER_NETWORK, false));
    }
    subjects.sort_unstable_by_key(|subject| subject.hash);
    subjects
}

/// An attempt that was counted.
#[derive(Debug)]
pub struct Claimed {
    subjects: Vec<Subject>,
    at: Timestamp,
}

/// Whether an attempt may be made.
#[derive(Debug)]
pub enum Claim {
    Granted(Claimed),
    /// After how many seconds the next attempt is allowed.
    Refused(u64),
}

/// Counts an attempt before the password is checked; otherwise any number of attempts could run
/// concurrently. A refused attempt does not count.
pub async fn claim(core: &Core, folded_login: &str, origin: Origin) -> Result<Claim> {
    let now = core.clock.now();
    let subjects = subjects(folded_login, origin);
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

/// Takes back an attempt whose password was right. For its login and network, earlier attempts are
/// forgotten, too.
pub async fn forgive(core: &Core, claimed: Claimed) -> Result<()> {
    let now = core.clock.now();
    let mut tx = core.db.begin().await?;
    for subject in &claimed.subjects {
        let stored = store::lock_and_read(&mut tx, &subject.hash, now).await?;
        let mut window = Window::read(&stored, now);
        window.remove(claimed.at);
        match subject.is_reset || window.0.is_empty() {
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

/// When the attempts that count were made, in seconds and in order: at most as many as the limit.
#[derive(Debug, Default, PartialEq)]
struct Window(Vec<i64>);

impl Window {
    /// Attempts in the future were made before the clock was set back, and would count until the
    /// clock is there again. Clocks of instances may differ by less than the window.
    fn read(stored: &[u8], now: Timestamp) -> Self {
        let (seconds, _) = stored.as_chunks();
        let attempts = seconds.iter().map(|bytes| i64::from_be_bytes(*bytes));
        let counts = |at: &i64| (at - now.unix()).abs() < WINDOW;
        Self(attempts.filter(counts).collect())
    }

    fn to_stored(&self) -> Vec<u8> {
        self.0.iter().flat_map(|at| at.to_be_bytes()).collect()
    }

    /// How many seconds until another attempt is allowed; `None` if it is allowed now.
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
