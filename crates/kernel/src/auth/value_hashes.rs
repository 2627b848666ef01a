//! Remembers the hashes of the values that clients present. On a processor without instructions for
//! SHA-256, computing one takes as long as everything else that authentication does.

use parking_lot::Mutex;
use siphasher::sip128::{Hash128, SipHasher13};

use super::key_value;
use crate::types::random;

/// More than the keys in use at a time, as a rule. Values that share a slot replace each other.
const SLOTS: usize = 512;

pub struct ValueHashes {
    tagged_by: SipHasher13,
    slots: Vec<Mutex<Option<Known>>>,
}

/// A value is known by a tag of 128 bits. Its keys are random and never leave the process, so no
/// client can find a value with the tag of another.
#[derive(Clone, Copy)]
struct Known {
    tag: Hash128,
    hash: [u8; 32],
}

impl Default for ValueHashes {
    fn default() -> Self {
        Self {
            tagged_by: SipHasher13::new_with_key(&random::bytes()),
            slots: (0..SLOTS).map(|_| Mutex::default()).collect(),
        }
    }
}

impl ValueHashes {
    pub fn of(&self, value: &str) -> [u8; 32] {
        let tag = self.tagged_by.hash(value.as_bytes());
        let slot = &self.slots[tag.h1 as usize % SLOTS];
        let known = *slot.lock();
        if let Some(known) = known.filter(|known| known.tag == tag) {
            return known.hash;
        }
        let hash = key_value::hash(value);
        *slot.lock() = Some(Known { tag, hash });
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_own_hash_however_many_there_are() {
        let hashes = ValueHashes::default();
        // Twice, so that values are found and replaced.
        for round in 0..2 {
            for number in 0..SLOTS * 3 {
                let value = format!("value {number}");
                assert_eq!(hashes.of(&value), key_value::hash(&value), "{round}");
                assert_eq!(hashes.of(&value), key_value::hash(&value), "{round}");
            }
        }
    }

    #[test]
    fn a_value_that_was_hashed_is_not_hashed_again() {
        let hashes = ValueHashes::default();
        hashes.of("value");
        for slot in &hashes.slots {
            if let Some(known) = &mut *slot.lock() {
                known.hash = [7; 32];
            }
        }
        assert_eq!(hashes.of("value"), [7; 32]);
    }
}
