//! The value of a key, as a client sends it in `X-API-Key`.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::secret::Secret;
use crate::types::random::{self, DIGITS};

const RANDOM_DIGITS: usize = 40;
const CHECK_DIGITS: usize = 6;
/// The number of characters of a value that a mask shows.
const SHOWN: usize = 8;

/// A key's value. It is shown once, in the reply that creates it.
#[derive(Clone, Debug)]
pub struct KeyValue(Secret<String>);

impl KeyValue {
    /// `stw_`, 40 random digits, and 6 check digits, so that programs can detect a mistyped key.
    pub fn generate() -> Self {
        let value = format!("stw_{}", random::digits(RANDOM_DIGITS));
        let check = check_digits(&value);
        Self(Secret::new(value + &check))
    }

    /// A value chosen by the operator: 16 to 256 visible ASCII characters.
    pub fn chosen(value: &str) -> Option<Self> {
        let fits = (16..=256).contains(&value.len());
        let visible = value.bytes().all(|byte| byte.is_ascii_graphic());
        (fits && visible).then(|| Self(Secret::new(value.to_owned())))
    }

    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }

    pub fn hash(&self) -> [u8; 32] {
        hash(self.reveal())
    }

    pub fn prefix(&self) -> &str {
        &self.reveal()[..SHOWN]
    }
}

/// Hashes a value for storage and look-up. The time a look-up takes reveals nothing about how much
/// of a guess was right.
pub fn hash(value: &str) -> [u8; 32] {
    Sha256::digest(value).into()
}

/// Derives an encryption key that only a client with this value can derive again: the value itself
/// is not stored.
pub fn derive_key(value: &str, label: &str) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(value.as_bytes()).expect("any length is a key");
    mac.update(label.as_bytes());
    mac.finalize().into_bytes().into()
}

pub fn mask(prefix: &str) -> String {
    format!("{prefix}********")
}

fn check_digits(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut digits = [DIGITS[0]; CHECK_DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(rest % 62) as usize];
        rest /= 62;
    }
    digits.iter().map(|digit| *digit as char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_value_has_a_prefix_and_check_digits() {
        let value = KeyValue::generate();
        let value = value.reveal();
        assert_eq!(value.len(), 50);
        assert!(value.starts_with("stw_"));
        assert!(value[4..].bytes().all(|byte| DIGITS.contains(&byte)));
        assert_eq!(&value[44..], check_digits(&value[..44]));
    }

    #[test]
    fn check_digits_are_those_of_crc_32() {
        // CRC-32 of "123456789" is 0xCBF43926 by its definition: 3421780262.
        let mut rest = 3_421_780_262_u64;
        let mut expected = Vec::new();
        for _ in 0..6 {
            expected.insert(0, DIGITS[(rest % 62) as usize]);
            rest /= 62;
        }
        assert_eq!(check_digits("123456789").as_bytes(), expected);
        assert_eq!(check_digits(""), "000000");
    }

    #[test]
    fn generated_values_are_unique() {
        let values: std::collections::HashSet<String> = (0..1000)
            .map(|_| KeyValue::generate().reveal().to_owned())
            .collect();
        assert_eq!(values.len(), 1000);
    }

    #[test]
    fn a_chosen_value_is_16_to_256_visible_ascii_characters() {
        assert!(KeyValue::chosen("correct-horse-battery").is_some());
        for bad in [
            "short",
            "with a space inside",
            &"x".repeat(257),
            "ключ-ключ-ключ-ключ",
        ] {
            assert!(KeyValue::chosen(bad).is_none(), "{bad}");
        }
    }
}
