//! Hashes passwords, which is slow and memory-hungry by design.

use std::mem::discriminant;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use metrics::{Counter, Gauge};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::Password;
use super::bcrypt::BcryptCost;
use super::hashes::{self, Checked, Cost, SALT};
use kernel::secret::Secret;
use kernel::types::{client_network, customer_network, random};
use kernel::{Error, Metrics, Result};

/// How many passwords may wait to be hashed. More are refused at once: they would wait longer than
/// a request may take.
const MOST_WAITING: usize = 64;
/// Of these, how many visitors may take, and how many are kept for browsers.
const MOST_VISITORS: usize = 16;
const KEPT_FOR_BROWSERS: usize = 16;
/// How many visitors, or browsers, of an IPv4 address or an IPv6 /64 may wait, and of an IPv6 /48.
const MOST_OF_NETWORK: usize = 4;
const MOST_OF_CUSTOMER: usize = 8;

/// The client whose password waits to be hashed. Each kind has its own places, so that visitors
/// cannot keep others from signing in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiter {
    /// Anyone, at this address.
    Visitor(Option<IpAddr>),
    /// A browser that an operator signed in with before.
    Browser(Option<IpAddr>),
    /// A client with an API key, or another credential that is not guessed.
    Key,
}

impl Waiter {
    /// Whether another password may wait beside these.
    fn may_join(self, waiting: &[Self]) -> bool {
        let is_same_kind = |other: &&Self| discriminant(*other) == discriminant(&self);
        let same_kind = || waiting.iter().filter(is_same_kind);
        let browsers = waiting
            .iter()
            .filter(|other| matches!(other, Self::Browser(_)));
        let others = waiting.len() - browsers.count();
        let is_full = match self {
            Self::Visitor(_) => {
                same_kind().count() >= MOST_VISITORS || others >= MOST_WAITING - KEPT_FOR_BROWSERS
            }
            Self::Browser(_) => same_kind().count() >= KEPT_FOR_BROWSERS,
            Self::Key => others >= MOST_WAITING - KEPT_FOR_BROWSERS,
        };
        let waiting_of = |network: fn(IpAddr) -> Option<IpAddr>| {
            let own = self.ip().and_then(network);
            let others = same_kind().filter_map(|other| other.ip().and_then(network));
            others.filter(|other| Some(*other) == own).count()
        };
        !is_full
            && waiting_of(|ip| Some(client_network(ip))) < MOST_OF_NETWORK
            && waiting_of(customer_network) < MOST_OF_CUSTOMER
    }

    fn ip(&self) -> Option<IpAddr> {
        match self {
            Self::Visitor(ip) | Self::Browser(ip) => *ip,
            Self::Key => None,
        }
    }
}

/// The niceness of hashing threads. At 5 they get about a third of the CPU time of other threads,
/// which is enough to make progress under full load.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Hashes passwords on half of the cores, at least one, in threads of low priority. Other requests
/// wait in a queue of at most [`MOST_WAITING`], so that a burst neither exhausts the memory nor
/// delays other requests.
pub struct Passwords {
    cost: Cost,
    permits: Arc<Semaphore>,
    concurrency: usize,
    waiting: Mutex<Vec<Waiter>>,
    waiting_gauge: Gauge,
    hashed: Arc<AtomicU64>,
    hashed_counter: Counter,
}

impl Passwords {
    pub fn new(cost: Cost, metrics: &Metrics) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let concurrency = (cores / 2).max(1);
        Self {
            cost,
            permits: Arc::new(Semaphore::new(concurrency)),
            concurrency,
            waiting: Mutex::default(),
            waiting_gauge: metrics.gauge("steward_passwords_waiting"),
            hashed: Arc::default(),
            hashed_counter: metrics.counter("steward_passwords_total", &[]),
        }
    }

    /// How many passwords are hashed concurrently.
    pub fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// The number of passwords that are waiting for a permit.
    pub fn waiting(&self) -> usize {
        self.waiting.lock().len()
    }

    /// The number of passwords hashed so far, to store or to check them.
    pub fn hashed(&self) -> u64 {
        self.hashed.load(Ordering::Relaxed)
    }

    /// Takes a place in the queue, or fails with 503 `busy` if there is none for this client.
    pub fn queue(&self, waiter: Waiter) -> Result<Place<'_>> {
        let waiting = Waiting::new(self, waiter).ok_or(Error::Busy)?;
        Ok(Place {
            passwords: self,
            waiting,
        })
    }

    /// Hashes a new password for a client with a credential.
    pub async fn hash(&self, password: &Password) -> Result<Secret<String>> {
        self.queue(Waiter::Key)?.hash(password).await
    }

    /// Hashes a public password. The hash is the same each time.
    pub async fn hash_of_public(&self, password: &'static str) -> Result<Secret<String>> {
        let (cost, place) = (self.cost, self.queue(Waiter::Key)?);
        place
            .hash_in_thread(move || hashes::hash(cost, password, [0; SALT]))
            .await
    }
}

/// A position in the queue.
pub struct Place<'a> {
    passwords: &'a Passwords,
    waiting: Waiting<'a>,
}

impl Place<'_> {
    /// Waits for a permit to hash a password.
    pub async fn permit(self) -> Result<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.passwords.permits).acquire_owned().await;
        drop(self.waiting);
        permit.map_err(Error::internal)
    }

    pub async fn hash(self, password: &Password) -> Result<Secret<String>> {
        let (cost, password) = (self.passwords.cost, password.clone());
        self.hash_in_thread(move || hashes::hash(cost, password.reveal(), random::bytes()))
            .await
    }

    /// Compares the password with a stored hash. `slowest` is the cost of the slowest bcrypt hash
    /// of any user. A wrong password takes the same time whatever is stored, so that the time does
    /// not reveal which users exist.
    pub async fn check(
        self,
        password: &Password<1>,
        stored: Option<&Secret<String>>,
        slowest: Option<BcryptCost>,
    ) -> Result<Checked> {
        let cost = self.passwords.cost;
        let (password, stored) = (password.clone(), stored.cloned());
        self.hash_in_thread(move || {
            let stored = stored.as_ref().map(Secret::reveal);
            hashes::check(cost, password.reveal(), stored.map(String::as_str), slowest)
        })
        .await
    }

    async fn hash_in_thread<T: Send + 'static>(
        self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let hashed = Arc::clone(&self.passwords.hashed);
        let hashed_counter = self.passwords.hashed_counter.clone();
        let permit = self.permit().await?;
        let (sender, result) = oneshot::channel();
        // A new thread costs little compared to hashing, and its niceness ends with it.
        let thread = std::thread::Builder::new().name("password".into());
        let started = thread.spawn(move || {
            // Held to the end of the work, even if the request is cancelled.
            let _permit = permit;
            lower_priority();
            hashed.fetch_add(1, Ordering::Relaxed);
            hashed_counter.increment(1);
            let _ = sender.send(work());
        });
        started.map_err(Error::internal)?;
        result.await.map_err(Error::internal)?
    }
}

/// Linux only: elsewhere niceness applies to the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "could not lower the priority of a password hashing thread");
    }
}

/// Counts a waiting request until it is dropped, even if it is cancelled.
struct Waiting<'a> {
    passwords: &'a Passwords,
    waiter: Waiter,
}

impl<'a> Waiting<'a> {
    /// `None` if there is no place.
    fn new(passwords: &'a Passwords, waiter: Waiter) -> Option<Self> {
        let mut waiting = passwords.waiting.lock();
        if !waiter.may_join(&waiting) {
            return None;
        }
        waiting.push(waiter);
        passwords.waiting_gauge.increment(1.0);
        Some(Self { passwords, waiter })
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut waiting = self.passwords.waiting.lock();
        if let Some(i) = waiting.iter().position(|other| *other == self.waiter) {
            waiting.swap_remove(i);
        }
        self.passwords.waiting_gauge.decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of these clients get a place, beside those that wait already.
    fn join(waiting: &mut Vec<Waiter>, clients: impl IntoIterator<Item = Waiter>) -> usize {
        let before = waiting.len();
        for client in clients {
            if client.may_join(waiting) {
                waiting.push(client);
            }
        }
        waiting.len() - before
    }

    fn at(address: &str) -> Option<IpAddr> {
        Some(address.parse().expect("an address"))
    }

    fn many(kind: fn(Option<IpAddr>) -> Waiter) -> impl Iterator<Item = Waiter> {
        (0..100_u32).map(move |number| kind(Some(IpAddr::V4(number.into()))))
    }

    #[test]
    fn each_kind_has_its_places() {
        let mut waiting = Vec::new();
        assert_eq!(join(&mut waiting, many(Waiter::Visitor)), 16);
        assert_eq!(join(&mut waiting, [Waiter::Key; 100]), 32);
        assert_eq!(join(&mut waiting, many(Waiter::Browser)), 16);
        assert_eq!(waiting.len(), MOST_WAITING);
        let mut waiting = Vec::new();
        assert_eq!(join(&mut waiting, [Waiter::Key; 100]), 48);
        assert_eq!(join(&mut waiting, many(Waiter::Visitor)), 0);
        assert_eq!(join(&mut waiting, many(Waiter::Browser)), 16);
    }

    #[test]
    fn of_a_64_four_may_wait_and_of_a_48_eight() {
        for kind in [Waiter::Visitor, Waiter::Browser] {
            let mut waiting = Vec::new();
            assert_eq!(join(&mut waiting, [kind(at("192.0.2.7")); 9]), 4);
            assert_eq!(join(&mut waiting, [kind(at("192.0.2.8")); 1]), 1);
            let same = (0..9).map(|number| kind(at(&format!("2001:db8:1:1::{number}"))));
            assert_eq!(join(&mut waiting, same), 4);
            let near = (2..20).map(|number| kind(at(&format!("2001:db8:1:{number}::1"))));
            assert_eq!(join(&mut waiting, near), 4);
            assert_eq!(join(&mut waiting, [kind(at("2001:db8:2::1"))]), 1);
        }
    }
}
