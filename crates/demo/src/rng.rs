//! A pseudo-random number generator with a fixed algorithm, so that data can be reproduced.

/// Gives the same numbers for the same seed. It is predictable: never use it for secrets.
#[derive(Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for one of several purposes. Each purpose has its own sequence, so that drawing
    /// more numbers for one does not change the others.
    pub fn new(seed: u64, purpose: u64) -> Self {
        Self(mix(mix(seed) ^ purpose))
    }

    /// SplitMix64: small, fast, and good enough for demo data.
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number from 0 up to, but not including, `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// A number from `first` to `last`, both included.
    pub fn between(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first).unsigned_abs() + 1).cast_signed()
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns true with this probability, in thousandths.
    pub fn per_mille(&mut self, share: u64) -> bool {
        self.below(1000) < share
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }

    /// Picks one of several values by weight.
    pub fn pick_weighted<'a, T>(&mut self, of: &'a [(u64, T)]) -> &'a T {
        let mut rest = self.below(of.iter().map(|(weight, _)| weight).sum());
        for (weight, one) in of {
            if rest < *weight {
                return one;
            }
            rest -= weight;
        }
        unreachable!("the rest is less than the sum of all weights")
    }

    /// A string of `count` random letters and digits.
    pub fn letters(&mut self, count: usize) -> String {
        let alphabet = kernel::types::random::DIGITS;
        (0..count)
            .map(|_| char::from(*self.pick(alphabet)))
            .collect()
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_does_not() {
        let drawn = |seed, purpose| {
            let mut rng = Rng::new(seed, purpose);
            std::iter::repeat_with(move || rng.below(1000))
                .take(50)
                .collect::<Vec<_>>()
        };
        assert_eq!(drawn(1, 1), drawn(1, 1));
        assert_ne!(drawn(1, 1), drawn(2, 1));
        assert_ne!(drawn(1, 1), drawn(1, 2));
    }

    #[test]
    fn numbers_stay_within_their_bounds_and_reach_them() {
        let mut rng = Rng::new(7, 0);
        let drawn: Vec<i64> = (0..1000).map(|_| rng.between(-2, 3)).collect();
        assert_eq!(drawn.iter().min(), Some(&-2));
        assert_eq!(drawn.iter().max(), Some(&3));
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn weights_are_respected() {
        let mut rng = Rng::new(7, 0);
        let of = [(9, "often"), (0, "never"), (1, "seldom")];
        let drawn: Vec<&str> = (0..1000).map(|_| *rng.pick_weighted(&of)).collect();
        let count = |wanted| drawn.iter().filter(|one| **one == wanted).count();
        assert!(count("often") > 800 && count("never") == 0 && count("seldom") > 50);
    }
}
