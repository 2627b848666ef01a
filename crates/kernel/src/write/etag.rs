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
    in_quotes(&encode::<15>(&state))
}

/// The tag of a resource whose body also shows other resources. A second part after a dot is a hash
/// of the body, so that `If-None-Match` detects their changes. `If-Match` compares the first part
/// only.
pub fn with_body(tag: &str, body: &[u8]) -> String {
    let shown = encode::<9>(body);
    [tag.trim_end_matches('"'), ".", &shown, "\""].concat()
}

/// The tag of these bytes, in quotes.
pub fn of_bytes(bytes: &[u8]) -> String {
    in_quotes(&encode::<15>(bytes))
}

fn in_quotes(text: &str) -> String {
    ["\"", text, "\""].concat()
}

/// The suffixes of tags of compressed bodies: a strong tag stands for the exact bytes.
const ENCODED: [&str; 2] = ["-gzip\"", "-zstd\""];

/// The tag of the same body with this `Content-Encoding`.
pub fn of_encoded(tag: &str, encoding: &str) -> String {
    format!("{}-{encoding}\"", plain(tag))
}

/// The tag without the suffix of [`of_encoded`] and without its closing quote.
fn plain(tag: &str) -> &str {
    let mut marks = ENCODED.iter();
    marks
        .find_map(|mark| tag.strip_suffix(mark))
        .or(tag.strip_suffix('"'))
        .unwrap_or(tag)
}

/// The first `N` bytes of a hash. It need not be cryptographic: a client that finds two states with
/// one tag can only lose its own update.
fn encode<const N: usize>(bytes: &[u8]) -> String {
    let hash = XxHash3_128::oneshot(bytes).to_be_bytes();
    URL_SAFE_NO_PAD.encode(&hash[..N])
}

/// The first part of a strong tag, which depends on the resource alone.
fn state(tag: &str) -> Option<&str> {
    let quoted = tag.strip_prefix('"')?;
    let inside = quoted.ends_with('"').then(|| plain(quoted))?;
    inside.split('.').next()
}

/// The condition of `If-Match`.
#[derive(Clone, Debug)]
pub struct Condition(Option<String>);

impl Condition {
    pub fn none() -> Self {
        Self(None)
    }

    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    pub fn if_match(header: String) -> Self {
        Self(Some(header))
    }

    /// Returns `true` if a resource with this tag may be changed. Weak tags never match (RFC 9110).
    pub fn allows(&self, tag: impl FnOnce() -> String) -> bool {
        let Some(wanted) = self.0.as_deref() else {
            return true;
        };
        let tag = tag();
        let is_same = |wanted: &str| state(wanted).is_some() && state(wanted) == state(&tag);
        is_any(wanted) || tags(wanted).any(is_same)
    }
}

/// The tag in the form that the client has, if `If-None-Match` contains it or that of the
/// compressed body. For reads, weak and strong tags are equal.
pub fn find(if_none_match: &str, tag: &str) -> Option<String> {
    if is_any(if_none_match) {
        return Some(tag.to_owned());
    }
    let mut named = tags(if_none_match).map(|named| named.strip_prefix("W/").unwrap_or(named));
    let found = named.find(|named| named.ends_with('"') && plain(named) == plain(tag))?;
    Some(found.to_owned())
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
        assert!(find(r#"W/"a""#, r#""a""#).is_some());
        assert!(!Condition::if_match(r#"W/"a""#.into()).allows(|| r#""a""#.into()));
    }

    #[test]
    fn the_etag_of_a_compressed_body_differs_and_matches_in_if_match_and_if_none_match() {
        let tag = r#""a.b""#;
        let packed = of_encoded(tag, "gzip");
        assert_eq!(packed, r#""a.b-gzip""#);
        assert_eq!(of_encoded(&packed, "gzip"), packed);
        assert_eq!(of_encoded(&packed, "zstd"), r#""a.b-zstd""#);
        for packed in [&packed, r#""a.b-zstd""#] {
            assert_eq!(find(packed, tag).as_deref(), Some(packed));
        }
        assert_eq!(find(tag, tag).as_deref(), Some(tag));
        assert_eq!(find("*", tag).as_deref(), Some(tag));
        for other in [
            r#""a.c-gzip""#,
            r#""a-gzip""#,
            "a.b",
            r#""a.b"#,
            "-gzip",
            "\"",
        ] {
            assert_eq!(find(other, tag), None, "{other}");
        }
        let allows = |wanted: &str| Condition::if_match(wanted.into()).allows(|| tag.into());
        for wanted in [&packed, tag, r#""a-gzip""#, r#""a-zstd""#, r#""a""#] {
            assert!(allows(wanted), "{wanted}");
        }
        for wanted in [
            r#""b-gzip""#,
            r#""-gzip""#,
            "\"",
            "-gzip\"",
            r#"W/"a-gzip""#,
        ] {
            assert!(!allows(wanted), "{wanted}");
        }
    }
}
