//! Secrets: a wrapper that does not give them away, and the key that seals them at rest.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use crate::{Error, random};

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

#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it does not hold 64 hexadecimal digits")]
    Malformed,
}

impl SecretKey {
    pub fn new(key: &[u8; 32]) -> Self {
        Self(XChaCha20Poly1305::new(&(*key).into()))
    }

    /// Reads the key file, or makes one that only its owner can read.
    pub fn load_or_create(path: &Path) -> Result<Self, KeyFileError> {
        match Self::load(path) {
            Err(KeyFileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                create(path)?;
                Self::load(path)
            }
            loaded => loaded,
        }
    }

    pub fn load(path: &Path) -> Result<Self, KeyFileError> {
        let text = std::fs::read_to_string(path)?;
        let key = from_hex(text.trim()).ok_or(KeyFileError::Malformed)?;
        Ok(Self::new(&key))
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

fn create(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = match options.open(path) {
        // Another instance was faster; its key is the key.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        opened => opened?,
    };
    let digits: String = random::bytes::<32>()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    file.write_all(format!("{digits}\n").as_bytes())?;
    file.sync_all()
}

fn from_hex(digits: &str) -> Option<[u8; 32]> {
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = [0; 32];
    for (byte, pair) in key.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(key)
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

    #[test]
    fn a_key_file_is_64_hexadecimal_digits() {
        assert!(from_hex(&"0f".repeat(32)).is_some());
        for bad in [
            "",
            "0f",
            &"0g".repeat(32),
            &"0f".repeat(33),
            &"é".repeat(32),
        ] {
            assert!(from_hex(bad).is_none(), "{bad}");
        }
    }
}
