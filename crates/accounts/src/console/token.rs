//! Tokens of sessions and setup links.

use kernel::auth::console::token_hash;
use kernel::secret::Secret;
use kernel::types::random;

/// Enough digits for 256 random bits.
const RANDOM_DIGITS: usize = 43;

/// A token. Only its hash is stored.
#[derive(Debug)]
pub struct Token(Secret<String>);

impl Token {
    pub fn generate() -> Self {
        Self(Secret::new(random::digits(RANDOM_DIGITS)))
    }

    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }

    pub fn hash(&self) -> [u8; 32] {
        token_hash(self.reveal())
    }
}
