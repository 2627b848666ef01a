//! Substring search with an index of trigrams: all sequences of three characters of a text.

use std::collections::BTreeSet;

/// More trigrams would hardly narrow the search.
const MAX_TRIGRAMS: usize = 32;

/// The parameter of a substring search. `FROM user_search($1)` returns the rows that may contain a
/// text with these pieces, each of at least three characters, in this order and without overlap.
/// SQLite's index also returns rows that have all the trigrams but not the pieces, so the statement
/// must check the rows again.
#[derive(Clone, Copy, Debug)]
pub struct Containing<'a>(pub &'a [&'a str]);

impl Containing<'_> {
    /// An expression for SQLite's FTS5: every trigram, quoted.
    pub(crate) fn as_match(self) -> String {
        let mut trigrams: BTreeSet<String> = BTreeSet::new();
        for piece in self.0 {
            let characters: Vec<char> = piece.chars().collect();
            trigrams.extend(characters.windows(3).map(String::from_iter));
        }
        let quoted: Vec<String> = trigrams
            .iter()
            .take(MAX_TRIGRAMS)
            .map(|trigram| format!("\"{}\"", trigram.replace('"', "\"\"")))
            .collect();
        quoted.join(" AND ")
    }

    /// A pattern for PostgreSQL's `LIKE`.
    pub(crate) fn as_like(self) -> String {
        let mut pattern = String::from("%");
        for piece in self.0 {
            for c in piece.chars() {
                if matches!(c, '\\' | '%' | '_') {
                    pattern.push('\\');
                }
                pattern.push(c);
            }
            pattern.push('%');
        }
        pattern
    }
}

#[cfg(test)]
mod tests {
    use super::Containing;

    #[test]
    fn every_trigram_is_searched_once() {
        assert_eq!(Containing(&["ababa"]).as_match(), r#""aba" AND "bab""#);
        assert_eq!(
            Containing(&[r#"a"é🦀"#]).as_match(),
            r#""""é🦀" AND "a""é""#
        );
    }

    #[test]
    fn a_long_text_is_searched_by_at_most_32_trigrams() {
        let long: String = (0..2000).filter_map(char::from_u32).collect();
        assert_eq!(Containing(&[&long]).as_match().matches(" AND ").count(), 31);
    }

    #[test]
    fn pieces_are_joined_by_wildcards() {
        let pieces = Containing(&["cdcd", "cde"]);
        assert_eq!(pieces.as_match(), r#""cdc" AND "cde" AND "dcd""#);
        assert_eq!(pieces.as_like(), "%cdcd%cde%");
    }

    #[test]
    fn wildcards_are_escaped() {
        assert_eq!(Containing(&[r"50%_\o"]).as_like(), r"%50\%\_\\o%");
    }
}
