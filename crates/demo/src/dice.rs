/// Chance that can be repeated: the same seed gives the same throws. It keeps no secret, so it is
/// never to be used where one is needed.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice for one of several purposes, so that more throws for one change nothing for another.
    pub fn new(seed: u64, purpose: u64) -> Self {
        Self(mix(mix(seed) ^ purpose))
    }

    /// SplitMix64: small, fast, and without visible pattern.
    fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// From 0 up to, and without, `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.throw()) * u128::from(end)) >> 64) as u64
    }

    /// From `first` to `last`, both included.
    pub fn between(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first).unsigned_abs() + 1).cast_signed()
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn per_mille(&mut self, share: u64) -> bool {
        self.below(1000) < share
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }

    /// One of several, each as likely as the number beside it says.
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

    /// As many letters and digits.
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
    use super::Dice;

    #[test]
    fn the_same_seed_gives_the_same_throws_and_another_does_not() {
        let throws = |seed, purpose| {
            let mut dice = Dice::new(seed, purpose);
            std::iter::repeat_with(move || dice.below(1000))
                .take(50)
                .collect::<Vec<_>>()
        };
        assert_eq!(throws(1, 1), throws(1, 1));
        assert_ne!(throws(1, 1), throws(2, 1));
        assert_ne!(throws(1, 1), throws(1, 2));
    }

    #[test]
    fn throws_keep_their_bounds_and_reach_them() {
        let mut dice = Dice::new(7, 0);
        let throws: Vec<i64> = (0..1000).map(|_| dice.between(-2, 3)).collect();
        assert_eq!(throws.iter().min(), Some(&-2));
        assert_eq!(throws.iter().max(), Some(&3));
        assert_eq!(dice.below(1), 0);
    }

    #[test]
    fn weights_count() {
        let mut dice = Dice::new(7, 0);
        let of = [(9, "often"), (0, "never"), (1, "seldom")];
        let throws: Vec<&str> = (0..1000).map(|_| *dice.pick_weighted(&of)).collect();
        let count = |wanted| throws.iter().filter(|thrown| **thrown == wanted).count();
        assert!(count("often") > 800 && count("never") == 0 && count("seldom") > 50);
    }
}
