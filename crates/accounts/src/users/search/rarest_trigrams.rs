//! Chooses the pieces of a search text to look up in the trigram index. Any pieces give the correct
//! result, since the statement checks the whole text; those with the rarest trigrams are cheapest.
//!
//! The cost of pieces, in index entries read:
//!
//! | part | cost |
//! |---|---|
//! | reading the index | for each trigram, the number of users who have it |
//! | checking users | [`COST_OF_CHECKING`] times the users who have all of the trigrams |
//!
//! The number of users with a trigram is estimated from a sample of [`SAMPLE_SIZE`] users, plus one
//! half for trigrams that the sample misses. Trigrams are assumed to be independent.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use db::{Conn, Result};
use parking_lot::Mutex;

use super::store;
use kernel::types::Timestamp;

const SAMPLE_SIZE: i64 = 1000;
/// The age in seconds at which a new sample is taken.
const SAMPLE_AGE: i64 = 600;
/// The cost of checking a user, relative to reading an index entry.
const COST_OF_CHECKING: f64 = 20.0;
/// More trigrams were never cheaper.
const MAX_TRIGRAMS: usize = 8;

/// The newest sample. It affects the duration of a search, never its result.
#[derive(Default)]
pub struct RarestTrigrams(Mutex<Option<Arc<Sample>>>);

struct Sample {
    taken: Timestamp,
    users: usize,
    /// The number of users with a trigram.
    counts: HashMap<[char; 3], u32>,
}

impl RarestTrigrams {
    /// The pieces of `text` to look up.
    pub async fn of<'t>(
        &self,
        conn: &mut Conn,
        now: Timestamp,
        text: &'t str,
    ) -> Result<Vec<&'t str>> {
        if text.chars().nth(3).is_none() {
            return Ok(vec![text]);
        }
        let cached = self.0.lock().clone();
        let is_recent = |sample: &Arc<Sample>| now.unix() - sample.taken.unix() < SAMPLE_AGE;
        let sample = match cached.filter(is_recent) {
            Some(sample) => sample,
            None => {
                let users = store::sample(conn, SAMPLE_SIZE).await?;
                let sample = Arc::new(Sample::new(now, &users));
                Arc::clone(self.0.lock().insert(sample))
            }
        };
        Ok(sample.cheapest_pieces(text))
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

    /// PostgreSQL indexes letters and digits only, so trigrams with other characters are looked up
    /// only as part of the whole text, which is always a candidate.
    fn cheapest_pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let trigrams = trigrams(text);
        let count = |trigram| self.counts.get(trigram).copied().unwrap_or(0);
        let counts: Vec<u32> = trigrams.iter().map(count).collect();
        let is_indexed = |at: &usize| trigrams[*at].iter().all(|c| c.is_alphanumeric());
        let whole: Vec<usize> = (0..trigrams.len()).collect();
        let mut rarest: Vec<usize> = whole.iter().copied().filter(is_indexed).collect();
        // A trigram that occurs twice narrows the search only once.
        rarest.sort_by_key(|at| (counts[*at], trigrams[*at]));
        rarest.dedup_by_key(|at| trigrams[*at]);
        rarest.truncate(MAX_TRIGRAMS);
        let candidates = (1..=rarest.len()).map(|most| &rarest[..most]);
        let candidates = candidates.chain([&whole[..]]).map(join);
        let cheapest = candidates.min_by(|a, b| {
            let [a, b] = [a, b].map(|pieces| self.cost(&counts, pieces));
            a.total_cmp(&b)
        });
        let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        ends.push(text.len());
        let pieces = cheapest.into_iter().flatten();
        pieces
            .map(|piece| &text[ends[piece.start]..ends[piece.end]])
            .collect()
    }

    /// The cost of pieces of a text whose trigrams have these counts.
    fn cost(&self, counts: &[u32], pieces: &[Range<usize>]) -> f64 {
        let users = self.users.max(1) as f64;
        let counts = || {
            let counts = pieces
                .iter()
                .flat_map(|piece| &counts[piece.start..piece.end - 2]);
            counts.map(|count| f64::from(*count) + 0.5)
        };
        let having_all = users * counts().map(|count| count / users).product::<f64>();
        counts().sum::<f64>() + COST_OF_CHECKING * having_all
    }
}

/// The character ranges of the trigrams at these positions. Overlapping ones become one piece.
fn join(trigrams: &[usize]) -> Vec<Range<usize>> {
    let mut starts = trigrams.to_vec();
    starts.sort_unstable();
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for start in starts {
        match pieces.last_mut() {
            Some(last) if start < last.end => last.end = start + 3,
            _ => pieces.push(start..start + 3),
        }
    }
    pieces
}

fn trigrams(text: &str) -> Vec<[char; 3]> {
    let characters: Vec<char> = text.chars().collect();
    let windows = characters.windows(3);
    windows.map(|w| [w[0], w[1], w[2]]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Sample, join};
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
        let pieces = sample(&names).cheapest_pieces("wolfxyz@example.com");
        let expected = ["fxyz", "lfxy"];
        assert!(expected.contains(&pieces.concat().as_str()), "{pieces:?}");
    }

    #[test]
    fn rare_trigrams_need_not_be_next_to_each_other() {
        let mut names = vec!["qrsa"; 10];
        names.extend(vec!["axyz"; 10]);
        names.extend(vec!["rswolfxy"; 400]);
        let sample = sample(&names);
        assert_eq!(sample.cheapest_pieces("qrswolfxyz"), ["qrs", "xyz"]);
    }

    #[test]
    fn trigrams_that_overlap_are_one_piece() {
        assert_eq!(join(&[7, 0, 2, 10]), [0..5, 7..10, 10..13]);
    }

    #[test]
    fn a_repeated_trigram_counts_once() {
        let mut names = vec!["abca"; 2];
        names.extend(vec!["zzbcabz"; 100]);
        let sample = sample(&names);
        assert_eq!(sample.cheapest_pieces("abcabcabc"), ["abc"]);
    }

    #[test]
    fn other_characters_are_looked_up_with_the_whole_text_only() {
        let names: Vec<String> = (0..100).map(|n| format!("smith{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let sample = sample(&names);
        assert_eq!(sample.cheapest_pieces("a.b-c_d.e"), ["a.b-c_d.e"]);
        // Every user has this domain.
        let address = "x.y@example.com";
        assert_eq!(sample.cheapest_pieces(address), [address]);
        let pieces = sample.cheapest_pieces("!!!!alexander").concat();
        assert!(!pieces.is_empty() && !pieces.contains('!'), "{pieces}");
    }

    #[test]
    fn pieces_are_found_in_any_script() {
        let none = sample(&[]);
        for text in ["abcd", "äöüß", "🦀🦀🦀🦀🦀", &"long".repeat(60)] {
            let pieces = none.cheapest_pieces(text);
            assert!(!pieces.is_empty());
            for piece in pieces {
                assert!(
                    text.contains(piece) && piece.chars().count() >= 3,
                    "{piece}"
                );
            }
        }
    }
}
