//! Chooses the substring of a search text that is looked up in the trigram index. Any substring gives
//! the right result, since the statement checks the whole text; the rarest trigrams are cheapest.
//!
//! The cost of a substring, in index entries read:
//!
//! | part | cost |
//! |---|---|
//! | reading the index | for each trigram, the users who have it |
//! | checking users | [`COST_OF_CHECKING`] times the users who have all of its trigrams |
//!
//! How many users have a trigram is estimated from a sample of [`SAMPLE_SIZE`] users, plus one half
//! for a trigram that the sample has missed. Trigrams are taken as independent of each other.

use std::collections::HashMap;
use std::sync::Arc;

use db::{Conn, Result};
use parking_lot::Mutex;

use crate::users::store;
use kernel::types::Timestamp;

const SAMPLE_SIZE: i64 = 1000;
/// After this many seconds a new sample is taken.
const SAMPLE_AGE: i64 = 600;
/// What it costs to check a user, relative to reading an entry of the index.
const COST_OF_CHECKING: f64 = 20.0;
/// In characters. Longer substrings were never the cheapest.
const MAX_LENGTH: usize = 8;

/// The newest sample. It affects how long a search takes, never what it finds.
#[derive(Default)]
pub struct RarestTrigrams(Mutex<Option<Arc<Sample>>>);

struct Sample {
    taken: Timestamp,
    users: usize,
    /// How many users have a trigram.
    counts: HashMap<[char; 3], u32>,
}

impl RarestTrigrams {
    /// The substring of `text` to look up.
    pub async fn of<'t>(&self, conn: &mut Conn, now: Timestamp, text: &'t str) -> Result<&'t str> {
        if text.chars().nth(3).is_none() {
            return Ok(text);
        }
        let cached = self.0.lock().clone();
        let is_recent = |sample: &Arc<Sample>| now.unix() - sample.taken.unix() < SAMPLE_AGE;
        let sample = match cached.filter(is_recent) {
            Some(sample) => sample,
            None => {
                let users = store::search::sample(conn, SAMPLE_SIZE).await?;
                let sample = Arc::new(Sample::new(now, &users));
                Arc::clone(self.0.lock().insert(sample))
            }
        };
        Ok(sample.cheapest_substring(text))
    }
}

impl Sample {
    fn new(taken: Timestamp, users: &[(String, String)]) -> Self {
        let mut counts = HashMap::new();
        for (username, email) in users {
            let mut trigrams = trigrams(username);
            trigrams.extend(self::trigrams(email));
            trigrams.sort_unstable();
            trigrams.dedup();
            for trigram in trigrams {
                *counts.entry(trigram).or_default() += 1;
            }
        }
        Self {
            taken,
            users: users.len(),
            counts,
        }
    }

    /// PostgreSQL indexes letters and digits only, so a substring with other characters may have
    /// no trigram there. The whole text is always a candidate.
    fn cheapest_substring<'t>(&self, text: &'t str) -> &'t str {
        let trigrams = trigrams(text);
        let count = |trigram| self.counts.get(trigram).copied().unwrap_or(0);
        let counts: Vec<u32> = trigrams.iter().map(count).collect();
        let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        ends.push(text.len());
        let candidates = (0..counts.len()).flat_map(|first| {
            let last = counts.len().min(first + MAX_LENGTH - 2);
            (first + 1..=last).map(move |end| first..end)
        });
        let is_indexed = |trigram: &[char; 3]| trigram.iter().all(|c| c.is_alphanumeric());
        candidates
            .filter(|range| trigrams[range.clone()].iter().all(is_indexed))
            .chain(std::iter::once(0..counts.len()))
            .min_by(|a, b| {
                let [a, b] = [a, b].map(|range| self.cost(&counts[range.clone()]));
                a.total_cmp(&b)
            })
            .map_or(text, |range| &text[ends[range.start]..ends[range.end + 2]])
    }

    /// The cost of a substring whose trigrams have these counts.
    fn cost(&self, counts: &[u32]) -> f64 {
        let users = self.users.max(1) as f64;
        let counts = || counts.iter().map(|count| f64::from(*count) + 0.5);
        let having_all = users * counts().map(|count| count / users).product::<f64>();
        counts().sum::<f64>() + COST_OF_CHECKING * having_all
    }
}

fn trigrams(text: &str) -> Vec<[char; 3]> {
    let characters: Vec<char> = text.chars().collect();
    let windows = characters.windows(3);
    windows.map(|w| [w[0], w[1], w[2]]).collect()
}

#[cfg(test)]
mod tests {
    use super::Sample;
    use kernel::types::Timestamp;

    fn sample(names: &[&str]) -> Sample {
        let users: Vec<_> = names
            .iter()
            .map(|name| (name.to_string(), format!("{name}@example.com")))
            .collect();
        Sample::new(Timestamp::from_unix(0), &users)
    }

    #[test]
    fn frequent_trigrams_are_left_out() {
        let names: Vec<String> = (0..100).map(|n| format!("wolf{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let sample = sample(&names);
        let substring = sample.cheapest_substring("wolfxyz@example.com");
        assert!(
            ["lfx", "fxy", "xyz"]
                .iter()
                .any(|rare| substring.contains(rare))
        );
        assert!(
            !substring.contains("wol") && !substring.contains("exa"),
            "{substring}"
        );
    }

    #[test]
    fn a_substring_has_only_characters_that_are_indexed() {
        let names: Vec<String> = (0..100).map(|n| format!("smith{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let sample = sample(&names);
        for (text, start) in [
            ("!!!!alexander", "alex"),
            ("a.b-c_d.e", "a.b-c_d.e"),
            ("x.y@example.com", "x.y@example.com"),
        ] {
            let substring = sample.cheapest_substring(text);
            assert!(substring.starts_with(start), "{text}: {substring}");
        }
    }

    #[test]
    fn a_substring_has_at_least_three_characters() {
        let none = sample(&[]);
        for text in ["abcd", "äöüß", "🦀🦀🦀🦀🦀", &"long".repeat(60)] {
            let substring = none.cheapest_substring(text);
            assert!(
                text.contains(substring) && substring.chars().count() >= 3,
                "{substring}"
            );
        }
    }
}
