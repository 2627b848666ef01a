//! Which piece of a text is looked up in the index. All of it would be as right, but the index
//! holds three characters at a time, and to go through all who have those that are frequent takes
//! longer than to look at the few who have those that are rare.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use db::{Conn, Result};

use crate::users::store;
use kernel::types::Timestamp;

/// How many users tell what is frequent, and for how many seconds.
const SAMPLED: i64 = 1000;
const SECONDS_KEPT: i64 = 600;
/// What it costs to look at a user, against passing over one in the index.
const COST_OF_LOOKING: f64 = 20.0;
/// In characters. Longer ones were never the best.
const LONGEST: usize = 8;

/// What was last seen to be frequent. It decides how long a search takes, and never what it finds.
#[derive(Default)]
pub struct Pieces(Mutex<Option<Arc<Sample>>>);

struct Sample {
    taken: Timestamp,
    users: usize,
    having: HashMap<[char; 3], u32>,
}

impl Pieces {
    pub async fn of<'t>(&self, conn: &mut Conn, now: Timestamp, text: &'t str) -> Result<&'t str> {
        if text.chars().nth(3).is_none() {
            return Ok(text);
        }
        let known = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let sample = match known.filter(|sample| now.unix() - sample.taken.unix() < SECONDS_KEPT) {
            Some(sample) => sample,
            None => {
                let users = store::search::sample(conn, SAMPLED).await?;
                let sample = Arc::new(Sample::of(now, &users));
                let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(known.insert(sample))
            }
        };
        Ok(sample.rarest_piece(text))
    }
}

impl Sample {
    fn of(taken: Timestamp, users: &[(String, String)]) -> Self {
        let mut having = HashMap::new();
        for (username, email) in users {
            let mut trigrams = trigrams(username);
            trigrams.extend(self::trigrams(email));
            trigrams.sort_unstable();
            trigrams.dedup();
            for trigram in trigrams {
                *having.entry(trigram).or_default() += 1;
            }
        }
        Self {
            taken,
            users: users.len(),
            having,
        }
    }

    /// PostgreSQL's index knows letters and digits only, so that a piece with anything else might
    /// say nothing to it. The text as a whole is always one to choose.
    fn rarest_piece<'t>(&self, text: &'t str) -> &'t str {
        let trigrams = trigrams(text);
        let having = |trigram| self.having.get(trigram).copied().unwrap_or(0);
        let having: Vec<u32> = trigrams.iter().map(having).collect();
        let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        ends.push(text.len());
        let pieces = (0..having.len()).flat_map(|first| {
            let last = having.len().min(first + LONGEST - 2);
            (first + 1..=last).map(move |end| first..end)
        });
        let is_plain = |trigram: &[char; 3]| trigram.iter().all(|c| c.is_alphanumeric());
        pieces
            .filter(|piece| trigrams[piece.clone()].iter().all(is_plain))
            .chain(std::iter::once(0..having.len()))
            .min_by(|a, b| {
                let [a, b] = [a, b].map(|piece| self.effort(&having[piece.clone()]));
                a.total_cmp(&b)
            })
            .map_or(text, |piece| &text[ends[piece.start]..ends[piece.end + 2]])
    }

    /// All who have a trigram are passed over in the index, and those who have all of them are
    /// looked at. Half a user stands for what may have been missed.
    fn effort(&self, having: &[u32]) -> f64 {
        let users = self.users.max(1) as f64;
        let having = || having.iter().map(|count| f64::from(*count) + 0.5);
        let in_all = users * having().map(|count| count / users).product::<f64>();
        having().sum::<f64>() + COST_OF_LOOKING * in_all
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
        Sample::of(Timestamp::from_unix(0), &users)
    }

    #[test]
    fn what_is_frequent_is_left_out() {
        let names: Vec<String> = (0..100).map(|n| format!("wolf{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let sample = sample(&names);
        let piece = sample.rarest_piece("wolfxyz@example.com");
        assert!(
            ["lfx", "fxy", "xyz"]
                .iter()
                .any(|rare| piece.contains(rare))
        );
        assert!(!piece.contains("wol") && !piece.contains("exa"), "{piece}");
    }

    #[test]
    fn what_an_index_may_not_know_is_no_piece() {
        let names: Vec<String> = (0..100).map(|n| format!("smith{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let sample = sample(&names);
        for (text, right) in [
            ("!!!!alexander", "alex"),
            ("a.b-c_d.e", "a.b-c_d.e"),
            ("x.y@example.com", "x.y@example.com"),
        ] {
            let piece = sample.rarest_piece(text);
            assert!(piece.starts_with(right), "{text}: {piece}");
        }
    }

    #[test]
    fn a_piece_is_at_least_as_long_as_the_index_needs() {
        let none = sample(&[]);
        for text in ["abcd", "äöüß", "🦀🦀🦀🦀🦀", &"long".repeat(60)] {
            let piece = none.rarest_piece(text);
            assert!(
                text.contains(piece) && piece.chars().count() >= 3,
                "{piece}"
            );
        }
    }
}
