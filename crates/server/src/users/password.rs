//! Hashing passwords, which is slow and takes much memory on purpose.

use std::sync::Arc;

use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::input::Password;
use crate::secret::Secret;
use crate::{Error, Result, random};

// What OWASP recommends: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Hashes as many passwords at once as there are cores. Whoever comes then waits in line, so
/// that a burst neither fills the memory nor keeps others from being served.
pub struct Passwords {
    turns: Arc<Semaphore>,
    at_once: usize,
}

impl Default for Passwords {
    fn default() -> Self {
        let at_once = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            turns: Arc::new(Semaphore::new(at_once)),
            at_once,
        }
    }
}

impl Passwords {
    pub fn at_once(&self) -> usize {
        self.at_once
    }

    /// Waits for a turn. It ends when it is dropped.
    pub async fn turn(&self) -> Result<OwnedSemaphorePermit> {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        turn.map_err(Error::internal)
    }

    pub async fn hash(&self, password: &Password) -> Result<Secret<String>> {
        let turn = self.turn().await?;
        let password = password.clone();
        let hashing = tokio::task::spawn_blocking(move || {
            // Held to the end, even if the caller has gone by then.
            let _turn = turn;
            hash(&password)
        });
        hashing.await.map_err(Error::internal)?
    }
}

fn hash(password: &Password) -> Result<Secret<String>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(Error::internal)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let salt: [u8; 16] = random::bytes();
    let hash = argon2
        .hash_password_with_salt(password.reveal().as_bytes(), &salt)
        .map_err(Error::internal)?;
    Ok(Secret::new(hash.to_string()))
}
