//! Unique usernames and email addresses.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::rng::Rng;
use super::words::{ACCENTED_NAMES, ADJECTIVES, DOMAINS, FIRST_NAMES, LAST_NAMES, NOUNS};
use kernel::types::case_fold::fold;

/// Generates names and addresses that are unique, ignoring case.
#[derive(Default)]
pub struct Names {
    /// Hashes instead of names, to save memory. If two collide, another name is drawn.
    taken: HashSet<u64>,
}

impl Names {
    pub fn username(&mut self, rng: &mut Rng) -> String {
        let name = drawn_name(rng);
        self.unique(rng, "name", &name, "")
    }

    /// An address in a domain reserved for examples, often made of the username.
    pub fn email(&mut self, rng: &mut Rng, username: &str) -> String {
        let local = if username.is_ascii() && rng.chance(60) {
            username.to_ascii_lowercase()
        } else {
            let (first, last) = (rng.pick(FIRST_NAMES), rng.pick(LAST_NAMES));
            let separator = rng.pick(&[".", "_", "", "-"]);
            let number = match rng.below(3) {
                0 => String::new(),
                _ => rng.between(1, 99).to_string(),
            };
            format!("{first}{separator}{last}{number}").to_ascii_lowercase()
        };
        let domain = format!("@{}", rng.pick(DOMAINS));
        self.unique(rng, "address", &local, &domain)
    }

    /// `head` and `tail`, with a number between them if that is needed to be unique.
    fn unique(&mut self, rng: &mut Rng, kind: &str, head: &str, tail: &str) -> String {
        let mut name = format!("{head}{tail}");
        let mut most = 10;
        while !self.taken.insert(fingerprint(kind, &name)) {
            name = format!("{head}{}{tail}", rng.below(most));
            most = (most * 10).min(1_000_000_000);
        }
        name
    }
}

fn drawn_name(rng: &mut Rng) -> String {
    let (adjective, noun) = (*rng.pick(ADJECTIVES), *rng.pick(NOUNS));
    let first = *rng.pick(FIRST_NAMES);
    let lower = str::to_ascii_lowercase;
    match rng.below(20) {
        0..=4 => format!("{adjective}{noun}"),
        5..=7 => format!("{adjective}{noun}{}", rng.between(1, 999)),
        8..=9 => format!("{}_{}", lower(adjective), lower(noun)),
        10..=11 => format!("{noun}{}", rng.between(1970, 2012)),
        12..=13 => format!("{}{}", lower(first), rng.between(1, 9999)),
        14 => format!("{first}_the_{noun}"),
        15 => format!("xX{adjective}{noun}Xx"),
        16 => format!("{}.{}{}", lower(noun), lower(first), rng.between(1, 99)),
        17 => format!("The{adjective}{noun}"),
        18 => format!("{}-{}", lower(noun), rng.between(100, 99_999)),
        _ if rng.chance(20) => format!("{}{}", rng.pick(ACCENTED_NAMES), rng.between(1, 999)),
        _ => format!("{first}{noun}"),
    }
}

fn fingerprint(kind: &str, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, fold(name)).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_unique_ignoring_case() {
        let (mut names, mut rng) = (Names::default(), Rng::new(1, 0));
        let mut seen = HashSet::new();
        for _ in 0..50_000 {
            let username = names.username(&mut rng);
            let email = names.email(&mut rng, &username);
            assert!(seen.insert(fold(&username)), "{username}");
            let (_, domain) = email.split_once('@').expect("an address");
            assert!(DOMAINS.contains(&domain), "{email}");
            assert!(seen.insert(fold(&email)), "{email}");
        }
    }
}
