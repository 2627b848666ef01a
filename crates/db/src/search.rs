//! Looking for text anywhere inside other text, by way of an index of three characters in a row.

use std::collections::BTreeSet;

/// More of them would hardly narrow the search further.
const MOST_TRIGRAMS: usize = 32;

/// A parameter for a search by trigrams: `FROM user_search($1)` gives the rows that may contain
/// this text, of at least three characters, as it is. SQLite's index gives some others too, so
/// the statement looks at the rows themselves once more.
#[derive(Clone, Copy, Debug)]
pub struct Containing<'a>(pub &'a str);

impl Containing<'_> {
    /// As SQLite's FTS5 wants it: every trigram, in quotes.
    pub(crate) fn as_match(self) -> String {
        let characters: Vec<char> = self.0.chars().collect();
        let trigrams: BTreeSet<String> = characters
            .windows(3)
            .map(|trigram| trigram.iter().collect())
            .collect();
        let quoted: Vec<String> = trigrams
            .iter()
            .take(MOST_TRIGRAMS)
            .map(|trigram| format!("\"{}\"", trigram.replace('"', "\"\"")))
            .collect();
        quoted.join(" AND ")
    }

    /// As a pattern for `LIKE`.
    pub(crate) fn as_like(self) -> String {
        let mut pattern = String::from("%");
        for c in self.0.chars() {
            if matches!(c, '\\' | '%' | '_') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        pattern.push('%');
        pattern
    }
}

#[cfg(test)]
mod tests {
    use super::Containing;

    #[test]
    fn every_trigram_is_asked_for_once() {
        assert_eq!(Containing("ababa").as_match(), r#""aba" AND "bab""#);
        assert_eq!(Containing(r#"a"é🦀"#).as_match(), r#""""é🦀" AND "a""é""#);
    }

    #[test]
    fn a_long_text_makes_no_long_search() {
        let long: String = (0..2000).filter_map(char::from_u32).collect();
        assert_eq!(Containing(&long).as_match().matches(" AND ").count(), 31);
    }

    #[test]
    fn wildcards_are_literal() {
        assert_eq!(Containing(r"50%_\o").as_like(), r"%50\%\_\\o%");
    }
}
