//! The token of a session.

use sha2::{Digest, Sha256};

use kernel::inline_schema;
use kernel::input::{Place, Raw, Rule, Text};
use kernel::secret::Secret;
use kernel::types::random;

/// Enough digits for 256 random bits.
const RANDOM_DIGITS: usize = 43;

/// A token. Only the reply to signing in shows it. A token from a request may be any string.
#[derive(Debug)]
pub struct Token(Secret<String>);

impl Token {
    pub fn generate() -> Self {
        Self(Secret::new(format!(
            "sts_{}",
            random::digits(RANDOM_DIGITS)
        )))
    }

    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }

    /// The hash that is stored and looked up instead of the token.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.reveal()).into()
    }
}

impl Rule for Token {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = Text::<1, 255>::read(raw, place)?;
        Some(Self(Secret::new(text.into_string())))
    }
}

inline_schema!(Token, {
    "type": "string",
    "format": "password",
    "minLength": 1,
    "maxLength": 255,
    "pattern": r"^[^\x00]*[^\s\x00][^\x00]*$",
    "writeOnly": true,
});

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn a_token_has_a_prefix_and_43_random_digits() {
        let (one, other) = (Token::generate(), Token::generate());
        let digits = one.reveal().strip_prefix("sts_").expect("the prefix");
        assert_eq!(digits.len(), 43);
        assert!(digits.bytes().all(|digit| digit.is_ascii_alphanumeric()));
        assert_ne!(one.reveal(), other.reveal());
        assert_eq!(format!("{one:?}"), "Token(***)");
    }
}
