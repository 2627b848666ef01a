//! Secrets: [`Secret`] keeps one out of logs and replies, [`SecretKey`] encrypts it at rest,
//! [`KeyFile`] holds that key.

mod key_file;
mod store;

use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

pub use self::key_file::{KeyFile, KeyFileError};
pub use self::store::{
    check_secret_key, lock_secret_key, lock_secret_key_shared, secret_key_fits, set_secret_key,
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

/// Encrypts everything confidential in the database.
pub struct SecretKey(XChaCha20Poly1305);

impl SecretKey {
    pub fn new(key: &[u8; 32]) -> Self {
        Self(XChaCha20Poly1305::new(&(*key).into()))
    }

    /// Encrypts `plain`. The same `context` is needed to open it, so that a value sealed
    /// for one purpose does not open for another.
    pub fn seal(&self, context: &str, plain: &[u8]) -> Vec<u8> {
        let nonce = random::bytes::<NONCE>();
        let payload = Payload {
            msg: plain,
            aad: context.as_bytes(),
        };
        let sealed = self
            .0
            .encrypt(&XNonce::from(nonce), payload)
            .expect("encryption fails only for a message larger than memory");
        [nonce.as_slice(), &sealed].concat()
    }

    /// `None` when it was sealed under another key or context, or was tampered with.
    pub fn open(&self, context: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: sealed,
            aad: context.as_bytes(),
        };
        self.0.decrypt(&XNonce::from(*nonce), payload).ok()
    }

    /// Seals under `new` what this key sealed.
    pub fn reseal(&self, new: &Self, context: &str, sealed: &[u8]) -> crate::Result<Vec<u8>> {
        let plain = self.open(context, sealed).ok_or(Error::Rejected {
            code: "unreadable_secret",
            message: "A stored secret cannot be decrypted with the current secret key.",
        })?;
        Ok(new.seal(context, &plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_value_opens_only_under_its_key_and_context() {
        let key = SecretKey::new(&[1; 32]);
        let sealed = key.seal("one context", b"hunter2");
        assert!(!sealed.windows(7).any(|window| window == b"hunter2"));
        assert_eq!(
            key.open("one context", &sealed).as_deref(),
            Some(&b"hunter2"[..])
        );
        assert_eq!(key.open("another context", &sealed), None);
        assert_eq!(SecretKey::new(&[2; 32]).open("one context", &sealed), None);
        for i in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[i] ^= 1;
            assert_eq!(key.open("one context", &damaged), None, "byte {i}");
        }
        assert_eq!(key.open("one context", &sealed[..10]), None);
    }

    #[test]
    fn a_secret_is_not_printed() {
        assert_eq!(format!("{:?}", Secret::new("hunter2")), "***");
    }
}
