//! The header `Accept`: which media types a client can read (RFC 9110, section 12.5.1).

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

use super::header::joined;

/// The parsed header. Without it, every media type is accepted.
pub struct Accept(Option<String>);

impl Accept {
    pub fn of(headers: &HeaderMap) -> Self {
        Self::from_header(joined(headers, ACCEPT))
    }

    /// Treats an empty header as absent.
    pub fn from_header(ranges: Option<String>) -> Self {
        Self(ranges.filter(|ranges| !ranges.trim().is_empty()))
    }

    /// The media type with the highest weight; of several with that weight, the first.
    pub fn choose(&self, kinds: &[&'static str]) -> Option<&'static str> {
        let mut best = None;
        for kind in kinds {
            let weight = self.weight(kind);
            if weight > best.map_or(0, |(weight, _)| weight) {
                best = Some((weight, *kind));
            }
        }
        best.map(|(_, kind)| kind)
    }

    /// Returns `true` if the media type is named explicitly, not only matched by a range.
    fn names(&self, kind: &str) -> bool {
        let ranges = self.0.iter().flat_map(|ranges| ranges.split(','));
        let mut named = ranges.filter_map(|range| range.split(';').next());
        named.any(|range| range.trim().eq_ignore_ascii_case(kind))
    }

    /// The weight in thousandths, from the most specific range that matches.
    fn weight(&self, kind: &str) -> u32 {
        let Some(ranges) = &self.0 else {
            return 1000;
        };
        let matching = ranges.split(',').filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let specificity = specificity(parts.next()?, kind)?;
            let weight = parts.find_map(quality).unwrap_or(1000);
            Some((specificity, weight))
        });
        matching.max().map_or(0, |(_, weight)| weight)
    }
}

fn specificity(range: &str, kind: &str) -> Option<u8> {
    let (family, _) = kind.split_once('/')?;
    if range.eq_ignore_ascii_case(kind) {
        Some(2)
    } else if range.eq_ignore_ascii_case(&format!("{family}/*")) {
        Some(1)
    } else {
        (range == "*/*").then_some(0)
    }
}

/// Reads `q=0.5`. An invalid weight counts as 1.
pub(super) fn quality(parameter: &str) -> Option<u32> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let (whole, fraction) = value.trim().split_once('.').unwrap_or((value.trim(), ""));
    let digits = format!("{whole}{fraction:0<3}");
    let weight = digits.parse().ok().filter(|_| fraction.len() <= 3);
    Some(weight.unwrap_or(1000).min(1000))
}

pub const JSON: &str = "application/json";
pub const PROBLEM: &str = "application/problem+json";

/// Returns `true` if a client asks for errors in the form of RFC 9457: it names their media type
/// and does not prefer plain JSON.
pub fn asks_for_problem(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(ACCEPT).iter();
    // Most clients send `*/*`, which need not be parsed.
    if !lines.any(|line| line.len() >= PROBLEM.len()) {
        return false;
    }
    let accept = Accept::of(headers);
    let weight = accept.weight(PROBLEM);
    accept.names(PROBLEM) && weight > 0 && weight >= accept.weight(JSON)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_media_type_with_the_highest_weight_is_chosen() {
        let (one, other) = ("text/csv", "application/x-ndjson");
        for (accept, expected) in [
            ("*/*", Some(one)),
            ("text/csv", Some(one)),
            ("TEXT/CSV; header=present", Some(one)),
            ("application/x-ndjson", Some(other)),
            ("text/html, application/x-ndjson", Some(other)),
            ("text/csv;q=0.5, application/x-ndjson;q=0.6", Some(other)),
            ("text/csv ; Q=0.6, application/x-ndjson;q=0.5", Some(one)),
            ("text/csv;q=0, */*", Some(other)),
            ("application/*", Some(other)),
            ("application/*;q=0.2, text/*;q=0.1", Some(other)),
            ("*/*;q=0.1, application/x-ndjson;q=0.01", Some(one)),
            ("text/csv;q=x", Some(one)),
            ("text/csv;q=0.000", None),
            ("*/*;q=0", None),
            ("application/json", None),
            ("text", None),
            ("", None),
            (",;=", None),
        ] {
            let accept = Accept(Some(accept.into()));
            assert_eq!(accept.choose(&[one, other]), expected, "{:?}", accept.0);
        }
        assert_eq!(Accept(None).choose(&[one, other]), Some(one));
    }

    #[test]
    fn rfc_9457_errors_are_requested_by_name_and_at_least_the_weight_of_json() {
        for (lines, expected) in [
            (&["application/problem+json"][..], true),
            (&["Application/Problem+JSON; q=0.1"], true),
            (&["application/json, application/problem+json"], true),
            (&["application/json", "application/problem+json"], true),
            (
                &["application/json;q=0.5,application/problem+json;q=0.6"],
                true,
            ),
            (&["application/json, application/problem+json;q=0.9"], false),
            (&["application/problem+json;q=0"], false),
            (&["*/*, application/problem+json;q=0.9"], false),
            (&["application/json, text/html, application/*"], false),
            (&["application/problem+json-seq"], false),
            (&["application/*"], false),
            (&["*/*"], false),
            (&[""], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(ACCEPT, HeaderValue::from_static(line));
            }
            assert_eq!(asks_for_problem(&headers), expected, "{lines:?}");
        }
    }
}
