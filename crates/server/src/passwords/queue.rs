//! Hashing passwords, which is slow and memory-hungry by design.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordVerifier, Version};
use metrics::{counter, gauge};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::users::Password;
use kernel::secret::Secret;
use kernel::types::random;
use kernel::{Error, Result};

// What OWASP recommends: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// In bytes.
const SALT: usize = 16;

/// How many passwords may wait to be hashed. Further ones are refused at once: they would wait for
/// longer than a request may take.
pub const MOST_WAITING: usize = 64;

/// The niceness of hashing threads. At 5 they get about a third of the CPU time of other threads,
/// which is enough to make progress under full load.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Hashes passwords on half of the cores, but on at least one, in threads of low priority. Further
/// requests wait in a queue, so that a burst neither exhausts the memory nor delays other requests.
/// The queue is limited to [`MOST_WAITING`].
pub struct Passwords {
    permits: Arc<Semaphore>,
    concurrency: usize,
    waiting: AtomicUsize,
    hashed: Arc<AtomicU64>,
}

impl Default for Passwords {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let concurrency = (cores / 2).max(1);
        // So that both metrics exist from the start.
        gauge!("steward_passwords_waiting").increment(0.0);
        counter!("steward_passwords_total").increment(0);
        Self {
            permits: Arc::new(Semaphore::new(concurrency)),
            concurrency,
            waiting: AtomicUsize::new(0),
            hashed: Arc::default(),
        }
    }
}

impl Passwords {
    /// How many passwords are hashed concurrently.
    pub fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// How many wait for a permit at this moment.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// How many were hashed so far, to store or to check them.
    pub fn hashed(&self) -> u64 {
        self.hashed.load(Ordering::Relaxed)
    }

    /// Takes a place in the queue, or fails with 503 `busy` if the queue is full.
    pub fn queue(&self) -> Result<Place<'_>> {
        let waiting = Waiting::new(&self.waiting).ok_or(Error::Busy)?;
        Ok(Place {
            passwords: self,
            waiting,
        })
    }

    pub async fn hash(&self, password: &Password) -> Result<Secret<String>> {
        let password = password.clone();
        let place = self.queue()?;
        place
            .hash_in_thread(move || hash(password.reveal(), random::bytes()))
            .await
    }

    /// The same hash each time, for a password that is public.
    pub async fn hash_of_public(&self, password: &'static str) -> Result<Secret<String>> {
        let place = self.queue()?;
        place
            .hash_in_thread(move || hash(password, [0; SALT]))
            .await
    }
}

/// A place in the queue of hashes.
pub struct Place<'a> {
    passwords: &'a Passwords,
    waiting: Waiting<'a>,
}

impl Place<'_> {
    /// Waits until a password may be hashed.
    pub async fn permit(self) -> Result<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.passwords.permits).acquire_owned().await;
        drop(self.waiting);
        permit.map_err(Error::internal)
    }

    /// Whether `stored` is the hash of the password. It takes the same time if nothing is stored, so
    /// that the time does not reveal which users exist.
    pub async fn check(
        self,
        password: &Password<1>,
        stored: Option<&Secret<String>>,
    ) -> Result<bool> {
        let (password, stored) = (password.clone(), stored.cloned());
        self.hash_in_thread(move || match stored.as_ref().and_then(parsed) {
            Some(stored) => {
                let password = password.reveal().as_bytes();
                Ok(Argon2::default().verify_password(password, &stored).is_ok())
            }
            None => hash(password.reveal(), random::bytes()).map(|_| false),
        })
        .await
    }

    async fn hash_in_thread<T: Send + 'static>(
        self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let hashed = Arc::clone(&self.passwords.hashed);
        let permit = self.permit().await?;
        let (sender, result) = oneshot::channel();
        // A thread of its own: starting it costs little against hashing, and its niceness ends
        // with it.
        let thread = std::thread::Builder::new().name("password".into());
        let started = thread.spawn(move || {
            // Kept to the end of the work, even if the request was cancelled.
            let _permit = permit;
            lower_priority();
            hashed.fetch_add(1, Ordering::Relaxed);
            counter!("steward_passwords_total").increment(1);
            let _ = sender.send(work());
        });
        started.map_err(Error::internal)?;
        result.await.map_err(Error::internal)?
    }
}

/// On Linux only: elsewhere niceness applies to the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "could not lower the priority of a password hashing thread");
    }
}

fn parsed(hash: &Secret<String>) -> Option<PasswordHash> {
    PasswordHash::new(hash.reveal()).ok()
}

/// Counts a waiting request until it is dropped, even if it is cancelled.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    /// `None` if the queue is full.
    fn new(count: &'a AtomicUsize) -> Option<Self> {
        let add = |waiting| (waiting < MOST_WAITING).then_some(waiting + 1);
        let added = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        added.ok()?;
        gauge!("steward_passwords_waiting").increment(1.0);
        Some(Self(count))
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
