//! Secrets: [`Secret`] keeps one out of logs and replies, [`SecretKey`] encrypts it at rest,
//! [`KeyFile`] stores that key, [`CurrentKey`] is the one in use.

mod current_key;
mod key_file;
mod store;

use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroize;

pub use self::current_key::CurrentKey;
pub use self::key_file::{KeyFile, KeyFileError};
pub use self::store::{
    check_secret_key, has_secret_key, lock_secret_key, lock_secret_key_shared, replace_secret_key,
    secret_key_fits, set_secret_key,
};

use crate::types::random;
use crate::{Error, ErrorCode};

const NONCE: usize = 24;

/// A value that is never printed or serialised. Its memory is overwritten when it is dropped.
#[derive(Clone)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    pub fn new(value: T) -> Self {
        Self(value)
    }

    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The key that encrypts everything confidential in the database.
pub struct SecretKey(XChaCha20Poly1305);

impl SecretKey {
    pub fn new(key: &[u8; 32]) -> Self {
        Self(XChaCha20Poly1305::new(&(*key).into()))
    }

    /// Generates a new key.
    pub fn random() -> Self {
        Self::new(&random::bytes())
    }

    /// Encrypts `plain`. The same `context` is needed to open it, so that a value sealed for one
    /// purpose cannot be opened for another.
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

    /// Decrypts. `None` if it was sealed under another key or context, or was tampered with.
    pub fn open(&self, context: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: sealed,
            aad: context.as_bytes(),
        };
        self.0.decrypt(&XNonce::from(*nonce), payload).ok()
    }

    /// Seals under `new` what this key has sealed for the same context.
    pub fn reseal(&self, new: &Self, context: &str, sealed: &[u8]) -> crate::Result<Vec<u8>> {
        let plain = self.open(context, sealed).map(Secret::new);
        let plain = plain.ok_or(Error::Rejected {
            code: ErrorCode::UnreadableSecret,
            message: "A stored secret cannot be decrypted with the current secret key.",
        })?;
        Ok(new.seal(context, plain.reveal()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

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
        assert_eq!(format!("{:?}", Secret::new("hunter2".to_owned())), "***");
    }

    #[test]
    fn a_secret_key_is_wiped_when_it_is_dropped() {
        fn assert_wiped<T: zeroize::ZeroizeOnDrop>(_: &T) {}
        assert_wiped(&SecretKey::new(&[1; 32]).0);
    }

    #[test]
    fn a_secret_is_wiped_when_it_is_dropped() {
        #[derive(Clone)]
        struct Watched<'a>(&'a AtomicBool);
        impl Zeroize for Watched<'_> {
            fn zeroize(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let is_wiped = AtomicBool::new(false);
        let secret = Secret::new(Watched(&is_wiped));
        assert!(!is_wiped.load(Ordering::Relaxed));
        drop(secret);
        assert!(is_wiped.load(Ordering::Relaxed));
    }
}
