//! The hashes of passwords: Argon2id, and bcrypt for users of another program who have not signed in
//! yet.

use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordVerifier, Version};

use super::bcrypt::{BcryptCost, BcryptHash};
use kernel::secret::Secret;
use kernel::types::random;
use kernel::{Error, Result};

const LANES: u32 = 1;
/// In bytes.
pub const SALT: usize = 16;

/// The most that an Argon2id hash of another program may cost: it is computed at every attempt.
const MOST_MEMORY_KIB: u32 = 256 << 10;
const MOST_PASSES: u32 = 16;
const MOST_LANES: u32 = 16;

/// The cost of hashing a password. Each hash names its own.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    memory_kib: u32,
    passes: u32,
}

impl Cost {
    /// For tests, which hash thousands of passwords. It does not protect them.
    #[cfg(feature = "testing")]
    pub const LEAST: Self = Self {
        memory_kib: 8,
        passes: 1,
    };
}

impl Cost {
    fn is(self, params: &Params) -> bool {
        let Self { memory_kib, passes } = self;
        (params.m_cost(), params.t_cost(), params.p_cost()) == (memory_kib, passes, LANES)
    }
}

/// OWASP recommends 19 MiB, two passes and one lane.
impl Default for Cost {
    fn default() -> Self {
        Self {
            memory_kib: 19_456,
            passes: 2,
        }
    }
}

/// The result of comparing a password with a stored hash.
#[derive(Debug)]
pub struct Checked {
    pub is_right: bool,
    /// A hash to store in place of the one that matched.
    pub replacement: Option<Secret<String>>,
}

/// Whether passwords can be compared with a hash of another program.
pub fn is_usable(hash: &str) -> bool {
    if BcryptHash::parse(hash).is_some() {
        return true;
    }
    let Ok(parsed) = PasswordHash::new(hash) else {
        return false;
    };
    let is_argon2id = Algorithm::try_from(parsed.algorithm.as_str()) == Ok(Algorithm::Argon2id);
    let params = Params::try_from(&parsed);
    is_argon2id
        && parsed.salt.is_some()
        && parsed.hash.is_some()
        && params.is_ok_and(|params| {
            params.m_cost() <= MOST_MEMORY_KIB
                && params.t_cost() <= MOST_PASSES
                && params.p_cost() <= MOST_LANES
        })
}

/// Compares a password with a stored hash, if there is one.
///
/// While there are bcrypt hashes, a wrong password costs one hash of Argon2 and as much bcrypt as
/// the slowest of them, whichever kind is stored.
pub fn check(
    cost: Cost,
    password: &str,
    stored: Option<&str>,
    slowest: Option<BcryptCost>,
) -> Result<Checked> {
    if let Some(bcrypt) = stored.and_then(BcryptHash::parse) {
        let is_right = bcrypt.verify(password);
        // Also after a wrong password, for the time that it takes.
        let hash = hash(cost, password, random::bytes())?;
        if !is_right && let Some(slowest) = slowest {
            slowest.spend_rest(password, bcrypt.cost());
        }
        return Ok(Checked {
            is_right,
            replacement: is_right.then_some(hash),
        });
    }
    let stored = stored.and_then(|stored| PasswordHash::new(stored).ok());
    let is_right = match &stored {
        Some(stored) => Argon2::default()
            .verify_password(password.as_bytes(), stored)
            .is_ok(),
        None => hash(cost, password, random::bytes()).map(|_| false)?,
    };
    if !is_right && let Some(slowest) = slowest {
        slowest.spend(password);
    }
    // A hash of another program may cost more or less, which the time of an answer shows.
    let is_own = |stored| Params::try_from(stored).is_ok_and(|params| cost.is(&params));
    let replacement = match stored {
        Some(stored) if is_right && !is_own(&stored) => {
            Some(hash(cost, password, random::bytes())?)
        }
        _ => None,
    };
    Ok(Checked {
        is_right,
        replacement,
    })
}

pub fn hash(cost: Cost, password: &str, salt: [u8; SALT]) -> Result<Secret<String>> {
    let params = Params::new(cost.memory_kib, cost.passes, LANES, None).map_err(Error::internal)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = argon2
        .hash_password_with_salt(password.as_bytes(), &salt)
        .map_err(Error::internal)?;
    Ok(Secret::new(hash.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_other_programs_are_usable_within_limits() {
        let salt_and_hash = "ZnAyNTZPQTFVWHNvQ1hRaQ$pNs7RirurMdTtRtXWgX/oPs2BGiSn+WzoCN5Eiq1/dg";
        for (parameters, is_within) in [
            ("argon2id$v=19$m=65536,t=4,p=1", true),
            ("argon2id$v=19$m=262144,t=16,p=16", true),
            ("argon2id$v=19$m=262145,t=4,p=1", false),
            ("argon2id$v=19$m=65536,t=17,p=1", false),
            ("argon2id$v=19$m=65536,t=4,p=17", false),
            ("argon2i$v=19$m=65536,t=4,p=1", false),
        ] {
            let hash = format!("${parameters}${salt_and_hash}");
            assert_eq!(is_usable(&hash), is_within, "{hash}");
        }
        for other in [
            "",
            "08d1ccd2d1860dbb95b281ec71eb9924",
            "$argon2id$v=19$m=65536,t=4,p=1",
            "$1$salt$hash",
        ] {
            assert!(!is_usable(other), "{other}");
        }
    }
}
