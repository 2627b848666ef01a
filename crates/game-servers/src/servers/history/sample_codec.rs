//! The encoding of one hour of samples, usually two bytes a sample.
//!
//! A sample is encoded as: twice the seconds since the previous one, plus 1 if the capacity has
//! changed; then the capacity, if it has changed; then the players plus 1, or 0 if the server did
//! not answer. Each number is a varint: 7 bits per byte, lowest first.

use super::{Sample, Sums};
use kernel::types::time::HOUR;

/// An encoded hour of samples, in the order in which they were taken.
pub struct EncodedHour {
    hour: i64,
    bytes: Vec<u8>,
    /// The second and the capacity of the last sample; the next one is relative to them.
    second: i64,
    max_players: i64,
}

impl EncodedHour {
    pub fn new(hour: i64, bytes: Vec<u8>) -> Self {
        let mut decoder = Decoder::new(hour, &bytes);
        let _ = decoder.by_ref().count();
        let (second, max_players) = (decoder.second, decoder.max_players);
        Self {
            hour,
            bytes,
            second,
            max_players,
        }
    }

    /// Appends a sample of this hour. If the clock was set back, it gets the last sample's time.
    pub fn push(&mut self, sample: &Sample) {
        let second = (sample.at - self.hour * HOUR).clamp(self.second, HOUR - 1);
        // The capacity of a server that does not answer is unknown.
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
        Decoder::new(self.hour, &self.bytes)
    }

    pub fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        self.samples()
            .for_each(|sample| sums.merge(&Sums::of(&sample)));
        sums
    }
}

struct Decoder<'a> {
    rest: &'a [u8],
    hour: i64,
    second: i64,
    max_players: i64,
}

impl<'a> Decoder<'a> {
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
        for index in 0..9 {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= i64::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

impl Iterator for Decoder<'_> {
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
        fn decoding_returns_the_encoded_samples(samples in samples()) {
            let mut hour = EncodedHour::new(500_000, Vec::new());
            for sample in &samples {
                // Encodes and decodes, as if the hour was stored and read again.
                hour = EncodedHour::new(500_000, hour.bytes().to_vec());
                hour.push(sample);
            }
            prop_assert_eq!(hour.samples().collect::<Vec<_>>(), samples);
        }

        #[test]
        fn decoding_any_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let hour = EncodedHour::new(0, bytes);
            let _ = hour.sums();
        }
    }

    #[test]
    fn a_typical_hour_takes_two_bytes_a_sample() {
        let mut hour = EncodedHour::new(0, Vec::new());
        for number in 0..120 {
            hour.push(&Sample {
                at: number * 30,
                players: Some(number % 64),
                max_players: 64,
            });
        }
        assert_eq!(hour.bytes().len(), 241);
    }

    #[test]
    fn no_sample_is_lost_when_the_clock_is_set_back() {
        let sample = |at| Sample {
            at,
            players: Some(1),
            max_players: 2,
        };
        let mut hour = EncodedHour::new(0, Vec::new());
        hour.push(&sample(100));
        hour.push(&sample(40));
        let taken: Vec<i64> = hour.samples().map(|sample| sample.at).collect();
        assert_eq!(taken, [100, 100]);
    }
}
