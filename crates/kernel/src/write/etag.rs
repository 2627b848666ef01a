//! Entity tags, `If-Match` and `If-None-Match`. A tag is a hash of everything an update can set.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use twox_hash::XxHash3_128;

use crate::write::Resource;

/// The tag of a resource in its current state, in quotes.
pub fn of<R: Resource>(resource: &R) -> String {
    let mut state = resource.state();
    if !resource.hidden().is_empty() {
        // The fast hash is not one-way, and the tag is public.
        state.extend_from_slice(&Sha256::digest(resource.hidden()));
    }
    format!("\"{}\"", encode::<15>(&state))
}

/// The tag of a resource whose body also shows other resources. A second part, after a dot, is a
/// hash of the body, so that `If-None-Match` detects their changes; `If-Match` compares the first
/// part only.
pub fn with_body<R: Resource>(resource: &R, body: &[u8]) -> String {
    let state = of(resource);
    let shown = encode::<9>(body);
    format!("{}.{shown}\"", state.trim_end_matches('"'))
}

/// The first `N` bytes of a hash. It need not be cryptographic: a client that finds two states with
/// one tag gains nothing but a lost update of its own.
fn encode<const N: usize>(bytes: &[u8]) -> String {
    let hash = XxHash3_128::oneshot(bytes).to_be_bytes();
    URL_SAFE_NO_PAD.encode(&hash[..N])
}

/// The first part of a strong tag, which depends on the resource alone.
fn state(tag: &str) -> Option<&str> {
    let inside = tag.strip_prefix('"')?.strip_suffix('"')?;
    inside.split('.').next()
}

/// The condition of `If-Match`.
#[derive(Clone, Debug)]
pub struct Condition(Option<String>);

impl Condition {
    pub fn none() -> Self {
        Self(None)
    }

    pub fn if_match(header: String) -> Self {
        Self(Some(header))
    }

    /// Whether a resource with this tag may be changed. Weak tags never match (RFC 9110).
    pub fn allows(&self, tag: impl FnOnce() -> String) -> bool {
        let Some(wanted) = self.0.as_deref() else {
            return true;
        };
        let tag = tag();
        let is_same = |wanted: &str| state(wanted).is_some() && state(wanted) == state(&tag);
        is_any(wanted) || tags(wanted).any(is_same)
    }
}

/// Whether `If-None-Match` contains the tag. For reads, weak and strong tags are equal.
pub fn is_in(if_none_match: &str, tag: &str) -> bool {
    let is_same = |named: &str| named.strip_prefix("W/").unwrap_or(named) == tag;
    is_any(if_none_match) || tags(if_none_match).any(is_same)
}

/// `*` matches any state if it is the whole header; inside a tag it is an ordinary character.
fn is_any(header: &str) -> bool {
    header.trim() == "*"
}

/// Splitting at commas is safe: our tags contain none.
fn tags(header: &str) -> impl Iterator<Item = &str> {
    header.split(',').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_allows_any_of_several_tags() {
        let condition = Condition::if_match(r#""a", "b""#.into());
        assert!(condition.allows(|| r#""b""#.into()));
        assert!(!condition.allows(|| r#""c""#.into()));
        assert!(Condition::if_match("*".into()).allows(|| r#""c""#.into()));
        assert!(Condition::none().allows(|| r#""c""#.into()));
    }

    #[test]
    fn a_weak_tag_matches_in_if_none_match_but_not_in_if_match() {
        assert!(is_in(r#"W/"a""#, r#""a""#));
        assert!(!Condition::if_match(r#"W/"a""#.into()).allows(|| r#""a""#.into()));
    }
}
