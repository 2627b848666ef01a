//! Secrets: a wrapper that does not give them away, and the key that seals them at rest.

mod key_file;
mod store;

use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

pub use self::key_file::{KeyFile, KeyFileError};
pub use self::store::{
    check_secret_key, hold_secret_key, secret_key_fits, set_secret_key, take_secret_key,
};

use crate::Error;
use crate::types::random;

const NONCE: usize = 24;

/// A value that is never printed and cannot be serialised.
#[derive(Clone)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    pub fn new(value: T) -> Self {
        Self(value)
    }

    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The key that everything confidential in the database is encrypted under.
pub struct SecretKey(XChaCha20Poly1305);

impl SecretKey {
    pub fn new(key: &[u8; 32]) -> Self {
        Self(XChaCha20Poly1305::new(&(*key).into()))
    }

    /// Encrypts `plain` for one `place`; it can be opened nowhere else.
    pub fn seal(&self, place: &str, plain: &[u8]) -> Vec<u8> {
        let nonce = random::bytes::<NONCE>();
        let payload = Payload {
            msg: plain,
            aad: place.as_bytes(),
        };
        let sealed = self
            .0
            .encrypt(&XNonce::from(nonce), payload)
            .expect("what fits in memory can be encrypted");
        [nonce.as_slice(), &sealed].concat()
    }

    /// `None` when it was sealed under another key, for another place, or was tampered with.
    pub fn open(&self, place: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: sealed,
            aad: place.as_bytes(),
        };
        self.0.decrypt(&XNonce::from(*nonce), payload).ok()
    }

    /// Seals under `new` what this key sealed.
    pub fn reseal(&self, new: &Self, place: &str, sealed: &[u8]) -> crate::Result<Vec<u8>> {
        let plain = self.open(place, sealed).ok_or(Error::Rejected {
            code: "unreadable_secret",
            message: "A stored secret does not open under the present secret key.",
        })?;
        Ok(new.seal(place, &plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_opens_only_in_its_place_and_under_its_key() {
        let key = SecretKey::new(&[1; 32]);
        let sealed = key.seal("here", b"hunter2");
        assert!(!sealed.windows(7).any(|window| window == b"hunter2"));
        assert_eq!(key.open("here", &sealed).as_deref(), Some(&b"hunter2"[..]));
        assert_eq!(key.open("there", &sealed), None);
        assert_eq!(SecretKey::new(&[2; 32]).open("here", &sealed), None);
        for i in 0..sealed.len() {
            let mut torn = sealed.clone();
            torn[i] ^= 1;
            assert_eq!(key.open("here", &torn), None, "byte {i}");
        }
        assert_eq!(key.open("here", &sealed[..10]), None);
    }

    #[test]
    fn a_secret_is_not_printed() {
        assert_eq!(format!("{:?}", Secret::new("hunter2")), "***");
    }
}
