//! bcrypt, as PHP makes and verifies it: of a password the first 72 bytes count.

use std::ops::RangeInclusive;

/// Computing a hash takes 2^cost rounds.
const COSTS: RangeInclusive<u32> = 4..=14;
const HASH: usize = 60;

/// The cost of a bcrypt hash, which is a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BcryptCost(u32);

impl BcryptCost {
    /// Reads the two digits of a hash.
    pub fn parse(digits: &str) -> Option<Self> {
        let is_number = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_digit());
        let cost = digits.parse().ok().filter(|cost| COSTS.contains(cost));
        cost.filter(|_| is_number).map(Self)
    }

    /// Takes as long as computing a hash of this cost.
    pub fn spend(self, password: &str) {
        // The result, an error included, is of no use.
        let _ = bcrypt::hash_with_salt_bytes(password, self.0, [0; 16]);
    }

    /// Takes as long as computing a hash of this cost, less a hash of `spent`.
    pub fn spend_rest(self, password: &str, spent: Self) {
        for cost in self.after(spent) {
            cost.spend(password);
        }
    }

    /// Costs that add up to this one, less `spent`: 2^a + 2^a + 2^(a+1) + ... + 2^(b-1) is 2^b.
    fn after(self, spent: Self) -> impl Iterator<Item = Self> {
        (spent.0..self.0).map(Self)
    }
}

/// A hash that can be verified.
#[derive(Clone, Copy, Debug)]
pub struct BcryptHash<'a> {
    text: &'a str,
    cost: BcryptCost,
}

impl<'a> BcryptHash<'a> {
    /// `None` if it is not a hash of bcrypt, or costs too much or too little.
    pub fn parse(text: &'a str) -> Option<Self> {
        let is_known = ["$2y$", "$2b$", "$2a$"]
            .iter()
            .any(|version| text.starts_with(version));
        let is_salt = |byte: u8| byte.is_ascii_alphanumeric() || b"./".contains(&byte);
        let rest = text.get(6..)?.strip_prefix('$')?;
        let is_whole = text.len() == HASH && rest.bytes().all(is_salt);
        let cost = BcryptCost::parse(text.get(4..6)?)?;
        (is_known && is_whole).then_some(Self { text, cost })
    }

    pub fn cost(self) -> BcryptCost {
        self.cost
    }

    pub fn verify(self, password: &str) -> bool {
        bcrypt::verify(password, self.text).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes that PHP has made.
    const HASHES: &[(&str, &str)] = &[
        (
            "cheap-cost-4",
            "$2y$04$ycS6/.6m0Rjv3BgQkmbxUO/3hsfm1cg3Mo/.A4/0g5lvQmAqpajqK",
        ),
        (
            "legacy-2a-pass",
            "$2a$10$nbZabQk8y.Na/GVmt9FmbuLzDIUsX9TlrmsvRv7.KKz3xIZnXyIQS",
        ),
        (
            "01234567890123456789012345678901234567890123456789012345678901234567890123456789",
            "$2y$10$/MNBtzGgBTNvwmNYzmThe.fmO0z5Mc9sd0Jp14CS6q32F5D5/Tc6S",
        ),
    ];

    fn parsed(text: &str) -> BcryptHash<'_> {
        BcryptHash::parse(text).expect(text)
    }

    #[test]
    fn hashes_of_php_are_verified() {
        for (password, hash) in HASHES {
            assert!(parsed(hash).verify(password), "{password}");
            assert!(!parsed(hash).verify("another"), "{password}");
            let same = hash.replacen("$2a$", "$2y$", 1).replacen("$2y$", "$2b$", 1);
            assert!(parsed(&same).verify(password), "{same}");
        }
    }

    #[test]
    fn of_a_password_the_first_72_bytes_count() {
        let (password, hash) = HASHES[2];
        assert!(parsed(hash).verify(&password[..72]));
        assert!(parsed(hash).verify(&format!("{password} and more")));
        assert!(!parsed(hash).verify(&password[..71]));
    }

    #[test]
    fn other_hashes_and_costs_are_refused() {
        let hash = HASHES[0].1;
        for (from, to) in [
            ("$2y$04$", "$2y$03$"),
            ("$2y$04$", "$2y$15$"),
            ("$2y$04$", "$2y$+4$"),
            ("$2y$04$", "$2x$04$"),
            ("$2y$04$", "$2y$04."),
            ("qK", "q"),
            ("qK", "qKK"),
            ("qK", "q "),
            ("ycS6", "\u{436}S6"),
        ] {
            let other = hash.replacen(from, to, 1);
            assert_ne!(other, hash);
            assert!(BcryptHash::parse(&other).is_none(), "{other}");
        }
        for short in ["", "$2y$", "$2y$1", "$2y$10", "$2y$10$"] {
            assert!(BcryptHash::parse(short).is_none(), "{short}");
        }
    }

    #[test]
    fn a_wrong_password_costs_as_much_bcrypt_as_the_slowest_hash() {
        for slowest in COSTS {
            for spent in *COSTS.start()..=slowest {
                let rest = BcryptCost(slowest).after(BcryptCost(spent));
                let rounds: u32 = rest.map(|cost| 1 << cost.0).sum();
                assert_eq!(rounds + (1 << spent), 1 << slowest);
            }
        }
    }
}
