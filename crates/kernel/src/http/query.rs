//! The query string of a request.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};

use super::request_info::RequestInfo;
use crate::Error;
use crate::input::{Fields, Input, Raw};

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// A validated query string. If a name is repeated, its last value counts.
pub struct Query<T>(pub T);

impl<T: Input, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let Some(query) = parts.uri.query() else {
            return Ok(Self(T::read(&Fields::default(), false)?));
        };
        let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        let fields: Fields<'_> = pairs
            .iter()
            .map(|(name, value)| (name.clone(), Raw::Query(value)))
            .collect();
        let strict = prefers_strict(parts);
        Ok(Self(T::read(&fields, strict)?))
    }
}

const STRICT: &str = "handling=strict";

/// Returns `true` if `Prefer: handling=strict` asks to refuse unknown fields (RFC 7240). If so, the
/// response says that it was applied.
pub(super) fn prefers_strict(parts: &Parts) -> bool {
    let is_strict = prefers(&parts.headers, STRICT);
    if is_strict {
        RequestInfo::of(&parts.extensions).record_preference(STRICT);
    }
    is_strict
}

/// Returns `true` if the header `Prefer` has this preference.
pub(super) fn prefers(headers: &HeaderMap, preference: &str) -> bool {
    let preferences = headers
        .get_all(PREFER)
        .iter()
        .filter_map(|line| line.to_str().ok());
    let mut tokens = preferences.flat_map(|line| line.split([',', ';']));
    tokens.any(|token| {
        let token = token.trim().replace('"', "");
        token.eq_ignore_ascii_case(preference)
    })
}
