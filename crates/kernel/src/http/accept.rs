//! The header `Accept`: which media types a client accepts (RFC 9110, section 12.5.1).

use std::convert::Infallible;

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response};
use axum::extract::FromRequestParts;
use axum::http::header::ACCEPT;
use axum::http::request::Parts;

use super::caller::joined;
use super::openapi;

/// Without the header, every media type is accepted.
pub struct Accept(Option<String>);

impl Accept {
    /// The media type with the highest weight; the first of several with the same.
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

    /// In thousandths, taken from the most specific range that matches.
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
fn quality(parameter: &str) -> Option<u32> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let (whole, fraction) = value.trim().split_once('.').unwrap_or((value.trim(), ""));
    let digits = format!("{whole}{fraction:0<3}");
    let weight = digits.parse().ok().filter(|_| fraction.len() <= 3);
    Some(weight.unwrap_or(1000).min(1000))
}

impl<S: Sync> FromRequestParts<S> for Accept {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let ranges = joined(&parts.headers, ACCEPT);
        Ok(Self(ranges.filter(|ranges| !ranges.trim().is_empty())))
    }
}

impl OperationInput for Accept {
    fn inferred_early_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        vec![openapi::error(
            ctx,
            406,
            "`Accept` allows none of the available media types.",
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::Accept;

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
}
