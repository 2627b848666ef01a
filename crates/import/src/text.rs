//! Texts made valid: what is changed is told.

use std::borrow::Cow;

use kernel::input::{Faults, Raw, Rule, is_blank, is_invisible, normalised};

/// The value of a field, if the text keeps its rule.
pub fn valid<T: Rule>(text: &str) -> Option<T> {
    let mut faults = Faults::default();
    T::read(Raw::Query(text), &mut faults.at("text"))
}

/// A text without NUL, which the database cannot store, of at most `limit` characters.
pub fn cut(text: &str, limit: usize, what: &str, changes: &mut Vec<String>) -> String {
    let text = match text.contains('\0') {
        true => {
            changes.push(format!("{what} had NUL characters"));
            Cow::Owned(text.replace('\0', ""))
        }
        false => Cow::Borrowed(text),
    };
    match text.char_indices().nth(limit) {
        Some((end, _)) => {
            changes.push(format!("{what} is cut to {limit} characters"));
            text[..end].to_owned()
        }
        None => text.into_owned(),
    }
}

/// A text of one line that is not blank.
pub fn line(
    text: &str,
    limit: usize,
    fallback: impl FnOnce() -> String,
    what: &str,
    changes: &mut Vec<String>,
) -> String {
    let text = match text.contains(char::is_control) {
        true => {
            changes.push(format!("{what} had control characters"));
            Cow::Owned(text.replace(char::is_control, " "))
        }
        false => Cow::Borrowed(text),
    };
    let text = cut(&text, limit, what, changes);
    match text.chars().all(is_blank) {
        true => {
            let fallback = fallback();
            changes.push(format!("{what} is empty, so it is {fallback}"));
            fallback
        }
        false => text,
    }
}

/// A name as a username may be; empty if nothing is left of it.
pub fn name(text: &str, limit: usize, what: &str, changes: &mut Vec<String>) -> String {
    let plain = text.replace(char::is_control, " ");
    let plain = normalised(plain.replace(is_invisible, ""));
    let plain = plain.trim_matches(is_blank);
    if normalised(text.to_owned()) != plain {
        changes.push(format!(
            "{what} had characters that cannot be seen, or spaces at its ends"
        ));
    } else if text != plain {
        changes.push(format!("{what} is written in Unicode's composed form"));
    }
    let cut = cut(plain, limit, what, changes);
    cut.trim_end_matches(is_blank).to_owned()
}

/// The name with `-<id>` after it, within a limit.
pub fn with_id(name: &str, id: i64, limit: usize) -> String {
    with_suffix(name, &format!("-{id}"), limit)
}

pub fn with_suffix(name: &str, suffix: &str, limit: usize) -> String {
    let kept: String = name.chars().take(limit - suffix.len()).collect();
    kept.trim_end_matches(is_blank).to_owned() + suffix
}

/// A key of letters, digits and some signs. All other characters become one sign.
pub fn key(text: &str, allowed: impl Fn(u8) -> bool, other: char, limit: usize) -> String {
    let mut key = String::new();
    for letter in text.trim_matches(is_blank).chars() {
        let is_allowed = u8::try_from(letter).is_ok_and(|byte| byte.is_ascii() && allowed(byte));
        match is_allowed {
            true => key.push(letter),
            false if key.ends_with(other) => {}
            false => key.push(other),
        }
    }
    key.truncate(limit);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_what_cannot_be_seen() {
        let mut changes = Vec::new();
        assert_eq!(name(" a\u{200b}b\n", 9, "it", &mut changes), "ab");
        assert_eq!(changes.len(), 1);
        changes.clear();
        assert_eq!(name("Jose\u{301}", 9, "it", &mut changes), "José");
        assert_eq!(changes, ["it is written in Unicode's composed form"]);
        changes.clear();
        assert_eq!(name("José", 9, "it", &mut changes), "José");
        assert_eq!(name("\u{200b} ", 9, "it", &mut Vec::new()), "");
        assert!(changes.is_empty());
        assert_eq!(name("ab cd", 3, "it", &mut changes), "ab");
        assert_eq!(changes, ["it is cut to 3 characters"]);
    }

    #[test]
    fn a_suffix_fits_the_limit() {
        assert_eq!(with_id("anna", 7, 100), "anna-7");
        assert_eq!(with_id(&"ж".repeat(100), 12_345, 100).chars().count(), 100);
        assert_eq!(with_id("ab cd", 7, 5), "ab-7");
    }

    #[test]
    fn a_key_has_one_sign_for_other_characters() {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric();
        assert_eq!(key(" a  bж-c ", allowed, '-', 9), "a-b-c");
        assert_eq!(key("abc", allowed, '-', 2), "ab");
    }
}
