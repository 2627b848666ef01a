//! The samples of one hour, packed into as few bytes as they need: mostly two for each.
//!
//! A sample is: the seconds since the one before, doubled, plus 1 if the capacity has changed;
//! then the capacity, if it has; then the players plus 1, or 0 where the server did not answer.
//! All of these are numbers of 7 bits a byte, the lowest first.

use super::{HOUR, Sample, Sums};

/// An hour of samples, in the order in which they were taken.
pub struct Packed {
    hour: i64,
    bytes: Vec<u8>,
    /// Where the last one stands, to go on from.
    second: i64,
    max_players: i64,
}

impl Packed {
    pub fn new(hour: i64, bytes: Vec<u8>) -> Self {
        let mut reader = Reader::new(hour, &bytes);
        let _ = reader.by_ref().count();
        let (second, max_players) = (reader.second, reader.max_players);
        Self {
            hour,
            bytes,
            second,
            max_players,
        }
    }

    /// Adds a sample of this hour. If the clock was set back, it counts as taken with the last.
    pub fn add(&mut self, sample: &Sample) {
        let second = (sample.at - self.hour * HOUR).clamp(self.second, HOUR - 1);
        // The capacity of a server that does not answer is not known.
        let has_capacity = sample.players.is_some() && sample.max_players != self.max_players;
        self.write(2 * (second - self.second) + i64::from(has_capacity));
        if has_capacity {
            self.write(sample.max_players);
            self.max_players = sample.max_players;
        }
        self.write(sample.players.map_or(0, |players| players + 1));
        self.second = second;
    }

    fn write(&mut self, number: i64) {
        let mut rest = number.max(0);
        while rest > 0x7f {
            self.bytes.push(rest as u8 & 0x7f | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn samples(&self) -> impl Iterator<Item = Sample> {
        Reader::new(self.hour, &self.bytes)
    }

    pub fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        self.samples()
            .for_each(|sample| sums.merge(&Sums::of(&sample)));
        sums
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    hour: i64,
    second: i64,
    max_players: i64,
}

impl<'a> Reader<'a> {
    fn new(hour: i64, bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            hour,
            second: 0,
            max_players: 0,
        }
    }

    fn number(&mut self) -> Option<i64> {
        let mut number = 0;
        for place in 0..9 {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= i64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

impl Iterator for Reader<'_> {
    type Item = Sample;

    fn next(&mut self) -> Option<Sample> {
        let step = self.number()?;
        self.second += step / 2;
        if step % 2 == 1 {
            self.max_players = self.number()?;
        }
        let players = self
            .number()?
            .checked_sub(1)
            .filter(|players| *players >= 0);
        Some(Sample {
            at: self.hour * HOUR + self.second,
            players,
            max_players: players.map_or(0, |_| self.max_players),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn samples() -> impl Strategy<Value = Vec<Sample>> {
        let sample = (
            0..HOUR,
            proptest::option::of(0..3_000_000_000_i64),
            0..70_000_i64,
        );
        let samples = proptest::collection::vec(sample, 0..200);
        samples.prop_map(|mut samples| {
            samples.sort();
            let sample = |(second, players, max): (i64, Option<i64>, i64)| Sample {
                at: 500_000 * HOUR + second,
                players,
                max_players: players.map_or(0, |_| max),
            };
            samples.into_iter().map(sample).collect()
        })
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(samples in samples()) {
            let mut packed = Packed::new(500_000, Vec::new());
            for sample in &samples {
                // Through its bytes, as it is when it was stored in between.
                packed = Packed::new(500_000, packed.bytes().to_vec());
                packed.add(sample);
            }
            prop_assert_eq!(packed.samples().collect::<Vec<_>>(), samples);
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let packed = Packed::new(0, bytes);
            let _ = packed.sums();
        }
    }

    #[test]
    fn a_usual_hour_takes_two_bytes_a_sample() {
        let mut packed = Packed::new(0, Vec::new());
        for number in 0..120 {
            packed.add(&Sample {
                at: number * 30,
                players: Some(number % 64),
                max_players: 64,
            });
        }
        assert_eq!(packed.bytes().len(), 241);
    }

    #[test]
    fn a_clock_that_was_set_back_loses_no_sample() {
        let sample = |at| Sample {
            at,
            players: Some(1),
            max_players: 2,
        };
        let mut packed = Packed::new(0, Vec::new());
        packed.add(&sample(100));
        packed.add(&sample(40));
        let taken: Vec<i64> = packed.samples().map(|sample| sample.at).collect();
        assert_eq!(taken, [100, 100]);
    }
}
