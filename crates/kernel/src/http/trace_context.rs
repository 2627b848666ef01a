//! The header `traceparent` (W3C Trace Context): the trace that a request is part of.

use axum::http::{HeaderMap, HeaderName};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The length of a header of version 00. Later versions may be longer.
const LENGTH: usize = 55;

/// A valid header. The ids are lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent<'a> {
    pub trace_id: &'a str,
    /// The span of the client.
    pub span_id: &'a str,
    /// Whether the client may have recorded the trace.
    pub is_sampled: bool,
}

/// Parses the header, if there is exactly one. A malformed header is ignored, as the standard
/// demands, so that nothing else reaches the log.
pub fn trace_parent(headers: &HeaderMap) -> Option<TraceParent<'_>> {
    let mut lines = headers.get_all(TRACEPARENT).iter();
    let value = lines.next()?.to_str().ok()?;
    let (known, rest) = value.split_at_checked(LENGTH)?;
    let mut parts = known.split('-');
    let mut hex = |length: usize| {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let part = parts.next()?;
        (part.len() == length && part.bytes().all(is_digit)).then_some(part)
    };
    let (version, trace_id, span_id, flags) = (hex(2)?, hex(32)?, hex(16)?, hex(2)?);
    let is_given = |id: &str| id.bytes().any(|digit| digit != b'0');
    let is_complete = match version {
        "00" => rest.is_empty(),
        "ff" => false,
        _ => rest.is_empty() || rest.starts_with('-'),
    };
    let is_valid = is_complete && is_given(trace_id) && is_given(span_id) && lines.next().is_none();
    let flags = u8::from_str_radix(flags, 16).ok()?;
    is_valid.then_some(TraceParent {
        trace_id,
        span_id,
        is_sampled: flags & 1 == 1,
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const PARENT: &str = "00f067aa0ba902b7";

    /// The two ids, and whether the trace is sampled.
    fn of(lines: &[String]) -> Option<(String, String, bool)> {
        let mut headers = HeaderMap::new();
        for line in lines {
            let line = HeaderValue::from_str(line).expect("a value");
            headers.append("traceparent", line);
        }
        let found = trace_parent(&headers)?;
        let (trace_id, span_id) = (found.trace_id.to_owned(), found.span_id.to_owned());
        Some((trace_id, span_id, found.is_sampled))
    }

    #[test]
    fn a_valid_traceparent_gives_its_ids_and_whether_it_is_sampled() {
        for (valid, is_sampled) in [
            (format!("00-{TRACE}-{PARENT}-01"), true),
            (format!("00-{TRACE}-{PARENT}-00"), false),
            (format!("00-{TRACE}-{PARENT}-02"), false),
            (format!("00-{TRACE}-{PARENT}-ff"), true),
            (format!("cc-{TRACE}-{PARENT}-01"), true),
            (
                format!("cc-{TRACE}-{PARENT}-01-what-the-future-brings"),
                true,
            ),
        ] {
            let found = of(std::slice::from_ref(&valid));
            let expected = (TRACE.to_owned(), PARENT.to_owned(), is_sampled);
            assert_eq!(found, Some(expected), "{valid}");
        }
    }

    #[test]
    fn an_invalid_or_repeated_traceparent_is_ignored() {
        let zeros = "0".repeat(32);
        for invalid in [
            String::new(),
            "00".into(),
            TRACE.into(),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("00-{TRACE}-{PARENT}-01."),
            format!("cc-{TRACE}-{PARENT}-01.more"),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-1"),
            format!("00-{zeros}-{PARENT}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..16]),
            format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
            format!("00-{}g-{PARENT}-01", &TRACE[1..]),
            format!("0x-{TRACE}-{PARENT}-01"),
            format!("00_{TRACE}_{PARENT}_01"),
            format!("00-{PARENT}-{TRACE}-01"),
            "-".repeat(LENGTH),
        ] {
            assert_eq!(of(std::slice::from_ref(&invalid)), None, "{invalid}");
        }
        let valid = format!("00-{TRACE}-{PARENT}-01");
        assert_eq!(of(&[valid.clone(), valid]), None);
        assert_eq!(of(&[]), None);
    }
}
