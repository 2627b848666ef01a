use axum::http::{HeaderMap, HeaderName};

/// Joins all lines of a repeatable header. Invalid UTF-8 is replaced, not dropped: a malformed
/// condition must not count as absent.
pub fn joined(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let lines: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|line| String::from_utf8_lossy(line.as_bytes()))
        .collect();
    (!lines.is_empty()).then(|| lines.join(","))
}
