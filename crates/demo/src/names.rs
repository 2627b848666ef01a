use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::dice::Dice;
use super::words::{ACCENTED_NAMES, ADJECTIVES, DOMAINS, FIRST_NAMES, LAST_NAMES, NOUNS};
use kernel::types::case_fold::fold;

/// Gives out names and addresses, each of them once without regard to case.
#[derive(Default)]
pub struct Names {
    /// Fingerprints, since the names of a million users would fill the memory. Where two are the
    /// same by chance, another name is drawn.
    taken: HashSet<u64>,
}

impl Names {
    pub fn username(&mut self, dice: &mut Dice) -> String {
        let name = drawn_name(dice);
        self.unique(dice, "name", &name, "")
    }

    /// An address that nobody can have, often made of the user's name.
    pub fn email(&mut self, dice: &mut Dice, username: &str) -> String {
        let local = if username.is_ascii() && dice.chance(60) {
            username.to_ascii_lowercase()
        } else {
            let (first, last) = (dice.pick(FIRST_NAMES), dice.pick(LAST_NAMES));
            let separator = dice.pick(&[".", "_", "", "-"]);
            let number = match dice.below(3) {
                0 => String::new(),
                _ => dice.between(1, 99).to_string(),
            };
            format!("{first}{separator}{last}{number}").to_ascii_lowercase()
        };
        let domain = format!("@{}", dice.pick(DOMAINS));
        self.unique(dice, "address", &local, &domain)
    }

    /// `head` and `tail`, with a number between them if it takes one to be new.
    fn unique(&mut self, dice: &mut Dice, kind: &str, head: &str, tail: &str) -> String {
        let mut name = format!("{head}{tail}");
        let mut most = 10;
        while !self.taken.insert(fingerprint(kind, &name)) {
            name = format!("{head}{}{tail}", dice.below(most));
            most = (most * 10).min(1_000_000_000);
        }
        name
    }
}

fn drawn_name(dice: &mut Dice) -> String {
    let (adjective, noun) = (*dice.pick(ADJECTIVES), *dice.pick(NOUNS));
    let first = *dice.pick(FIRST_NAMES);
    let lower = str::to_ascii_lowercase;
    match dice.below(20) {
        0..=4 => format!("{adjective}{noun}"),
        5..=7 => format!("{adjective}{noun}{}", dice.between(1, 999)),
        8..=9 => format!("{}_{}", lower(adjective), lower(noun)),
        10..=11 => format!("{noun}{}", dice.between(1970, 2012)),
        12..=13 => format!("{}{}", lower(first), dice.between(1, 9999)),
        14 => format!("{first}_the_{noun}"),
        15 => format!("xX{adjective}{noun}Xx"),
        16 => format!("{}.{}{}", lower(noun), lower(first), dice.between(1, 99)),
        17 => format!("The{adjective}{noun}"),
        18 => format!("{}-{}", lower(noun), dice.between(100, 99_999)),
        _ if dice.chance(20) => format!("{}{}", dice.pick(ACCENTED_NAMES), dice.between(1, 999)),
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
    fn nobody_is_called_like_somebody_else() {
        let (mut names, mut dice) = (Names::default(), Dice::new(1, 0));
        let mut seen = HashSet::new();
        for _ in 0..50_000 {
            let username = names.username(&mut dice);
            let email = names.email(&mut dice, &username);
            assert!(seen.insert(fold(&username)), "{username}");
            let (_, domain) = email.split_once('@').expect("an address");
            assert!(DOMAINS.contains(&domain), "{email}");
            assert!(seen.insert(fold(&email)), "{email}");
        }
    }
}
