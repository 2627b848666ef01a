//! Signatures of the Standard Webhooks specification, version `v1`: HMAC-SHA256.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// The prefix of a secret's text.
const PREFIX: &str = "whsec_";
/// The sizes that the specification allows, in bytes.
const SIZES: std::ops::RangeInclusive<usize> = 24..=64;

/// A shared secret. It is never printed, and is overwritten when it is dropped.
#[derive(Clone)]
pub struct SigningSecret(Zeroizing<Vec<u8>>);

/// The signed message.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The id, which is the same on every attempt.
    pub id: &'a str,
    /// The time of sending, in Unix seconds.
    pub timestamp: i64,
    pub body: &'a [u8],
}

impl SigningSecret {
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    /// Parses the text of a secret; `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        let bytes = Zeroizing::new(bytes);
        SIZES.contains(&bytes.len()).then_some(Self(bytes))
    }

    /// The text for receivers: `whsec_...`.
    pub fn reveal(&self) -> Zeroizing<String> {
        let encoded = Zeroizing::new(STANDARD.encode(&*self.0));
        Zeroizing::new([PREFIX, &encoded].concat())
    }

    /// Computes an entry of the header `webhook-signature`.
    pub fn sign(&self, message: Message<'_>) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(message.id.as_bytes());
        mac.update(format!(".{}.", message.timestamp).as_bytes());
        mac.update(message.body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signatures were computed with Python's `hmac` and `base64`.
    #[test]
    fn signatures_are_those_of_the_specification() {
        for (secret, id, timestamp, body, signature) in [
            (
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330,
                r#"{"test": 2432232314}"#,
                "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ),
            (
                "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                "msg_1",
                1_772_366_400,
                r#"{"name":"пример"}"#,
                "7V5PNYzd5PWJWl4nEbl3wkVdzMva6weHZ+6ZGMwfj1s=",
            ),
        ] {
            let secret = SigningSecret::parse(secret).expect(secret);
            let message = Message {
                id,
                timestamp,
                body: body.as_bytes(),
            };
            assert_eq!(secret.sign(message), format!("v1,{signature}"));
        }
    }

    #[test]
    fn a_secret_is_read_back_from_its_text() {
        let secret = SigningSecret::new([7; 32]);
        let text = secret.reveal();
        let read = SigningSecret::parse(&text).expect("a secret");
        assert_eq!(read.reveal(), text);
        assert_eq!(format!("{secret:?}"), "***");
    }

    #[test]
    fn other_text_is_not_a_secret() {
        for text in [
            "",
            "whsec_",
            "whsec_AAAA",
            "whsec_%%%%",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ] {
            assert!(SigningSecret::parse(text).is_none(), "{text}");
        }
    }
}
