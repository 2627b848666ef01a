//! Hashing passwords, which is slow and takes much memory on purpose.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordVerifier, Version};
use metrics::{counter, gauge};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::input::Password;
use kernel::secret::Secret;
use kernel::types::random;
use kernel::{Error, Result};

// What OWASP recommends: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// In bytes.
const SALT: usize = 16;

/// How far hashing steps back for others, where threads have a say in that: at 5 it gets about a
/// third of what they get, which is enough for it to go on at the worst of times.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Hashes passwords on half of the cores, but on one at least, in threads that let others go first. Whoever
/// comes then waits in line, so that a burst neither fills the memory nor keeps others from being
/// served.
pub struct Passwords {
    turns: Arc<Semaphore>,
    at_once: usize,
    waiting: AtomicUsize,
    hashed: Arc<AtomicU64>,
}

impl Default for Passwords {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let at_once = (cores / 2).max(1);
        // Both metrics are there from the start.
        gauge!("steward_passwords_waiting").increment(0.0);
        counter!("steward_passwords_total").increment(0);
        Self {
            turns: Arc::new(Semaphore::new(at_once)),
            at_once,
            waiting: AtomicUsize::new(0),
            hashed: Arc::default(),
        }
    }
}

impl Passwords {
    pub fn at_once(&self) -> usize {
        self.at_once
    }

    /// How many wait for a turn at this moment.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// How many were hashed so far, to store them or to check them.
    pub fn hashed(&self) -> u64 {
        self.hashed.load(Ordering::Relaxed)
    }

    /// Waits for a turn. It ends when it is dropped.
    pub async fn turn(&self) -> Result<OwnedSemaphorePermit> {
        let _waiting = Waiting::new(&self.waiting);
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        turn.map_err(Error::internal)
    }

    pub async fn hash(&self, password: &Password) -> Result<Secret<String>> {
        let password = password.clone();
        self.in_turn(move || hash(password.reveal(), random::bytes()))
            .await
    }

    /// The same hash each time, for a password that everybody may know.
    pub async fn hash_of_public(&self, password: &'static str) -> Result<Secret<String>> {
        self.in_turn(move || hash(password, [0; SALT])).await
    }

    /// Whether the password is the one that `stored` is the hash of. It takes the same time where
    /// nothing is stored, so that nobody learns from it who exists.
    pub async fn check(
        &self,
        password: &Password<1>,
        stored: Option<&Secret<String>>,
    ) -> Result<bool> {
        let (password, stored) = (password.clone(), stored.cloned());
        self.in_turn(move || match stored.as_ref().and_then(readable) {
            Some(stored) => {
                let password = password.reveal().as_bytes();
                Ok(Argon2::default().verify_password(password, &stored).is_ok())
            }
            None => hash(password.reveal(), random::bytes()).map(|_| false),
        })
        .await
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = self.turn().await?;
        let hashed = Arc::clone(&self.hashed);
        let (sender, result) = oneshot::channel();
        // To start a thread is nothing beside what it is for, and its niceness ends with it.
        let thread = std::thread::Builder::new().name("password".into());
        let started = thread.spawn(move || {
            // Held to the end, even if the caller has gone by then.
            let _turn = turn;
            step_back();
            hashed.fetch_add(1, Ordering::Relaxed);
            counter!("steward_passwords_total").increment(1);
            let _ = sender.send(work());
        });
        started.map_err(Error::internal)?;
        result.await.map_err(Error::internal)?
    }
}

/// Elsewhere niceness is a matter of the whole process.
fn step_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "a thread that hashes passwords could not be made nicer");
    }
}

fn readable(hash: &Secret<String>) -> Option<PasswordHash> {
    PasswordHash::new(hash.reveal()).ok()
}

/// Counts somebody who waits, even if they give up.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        gauge!("steward_passwords_waiting").increment(1.0);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
        gauge!("steward_passwords_waiting").decrement(1.0);
    }
}

fn hash(password: &str, salt: [u8; SALT]) -> Result<Secret<String>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(Error::internal)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = argon2
        .hash_password_with_salt(password.as_bytes(), &salt)
        .map_err(Error::internal)?;
    Ok(Secret::new(hash.to_string()))
}
