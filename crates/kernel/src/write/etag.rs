//! Entity tags: a fingerprint of everything an update can set.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::write::Resource;

/// The tag of a resource as it stands, in quotes.
pub fn of<R: Resource>(resource: &R) -> String {
    let digest = Sha256::new()
        .chain_update(resource.state())
        .chain_update(resource.hidden())
        .finalize();
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(&digest[..15]))
}

/// The tag of a resource whose body also shows others: a second part, behind a dot, follows
/// the body, so that `If-None-Match` notices their changes; `If-Match` goes by the first part.
pub fn of_shown<R: Resource>(resource: &R, body: &[u8]) -> String {
    let state = of(resource);
    let shown = URL_SAFE_NO_PAD.encode(&Sha256::digest(body)[..9]);
    format!("{}.{shown}\"", state.trim_end_matches('"'))
}

/// The part of a strong tag that follows the resource's own state.
fn state(tag: &str) -> Option<&str> {
    let inside = tag.strip_prefix('"')?.strip_suffix('"')?;
    inside.split('.').next()
}

/// What `If-Match` asks for.
#[derive(Clone, Debug)]
pub struct Condition(Option<String>);

impl Condition {
    pub fn none() -> Self {
        Self(None)
    }

    pub fn if_match(header: String) -> Self {
        Self(Some(header))
    }

    /// Weak tags never match: they do not promise that nothing changed.
    pub fn allows(&self, tag: impl FnOnce() -> String) -> bool {
        let Some(wanted) = self.0.as_deref() else {
            return true;
        };
        let tag = tag();
        let is_same = |wanted: &str| state(wanted).is_some() && state(wanted) == state(&tag);
        is_any(wanted) || tags(wanted).any(is_same)
    }
}

/// Whether `If-None-Match` names the tag; for reading, a weak tag is as good as a strong one.
pub fn is_named(if_none_match: &str, tag: &str) -> bool {
    let is_same = |named: &str| named.strip_prefix("W/").unwrap_or(named) == tag;
    is_any(if_none_match) || tags(if_none_match).any(is_same)
}

/// `*` stands for any state only on its own; inside a tag it is a character like others.
fn is_any(header: &str) -> bool {
    header.trim() == "*"
}

fn tags(header: &str) -> impl Iterator<Item = &str> {
    header.split(',').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_of_several_tags_may_match() {
        let condition = Condition::if_match(r#""a", "b""#.into());
        assert!(condition.allows(|| r#""b""#.into()));
        assert!(!condition.allows(|| r#""c""#.into()));
        assert!(Condition::if_match("*".into()).allows(|| r#""c""#.into()));
        assert!(Condition::none().allows(|| r#""c""#.into()));
    }

    #[test]
    fn a_weak_tag_is_enough_to_read_but_not_to_write() {
        assert!(is_named(r#"W/"a""#, r#""a""#));
        assert!(!Condition::if_match(r#"W/"a""#.into()).allows(|| r#""a""#.into()));
    }
}
