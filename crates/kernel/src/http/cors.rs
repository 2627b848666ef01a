//! Cross-origin requests: which pages of other origins may call the API from a browser (CORS, as
//! the Fetch standard defines it).
//!
//! Credentials are never allowed. Cookies belong to the console, whose pages have the origin of the
//! service; a page of another origin sends an API key.

use std::str::FromStr;

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
    VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};

/// Methods and request headers beyond the CORS safelist.
const METHODS: &str = "GET, HEAD, POST, PUT, DELETE";
const REQUEST_HEADERS: &str = "Authorization, Content-Type, Idempotency-Key, If-Match, \
                               If-None-Match, Last-Event-ID, Prefer, X-API-Key, X-Request-Id, \
                               traceparent, tracestate";
/// Response headers beyond the CORS safelist.
const RESPONSE_HEADERS: &str = "Allow, Content-Disposition, Deprecation, ETag, \
                                Idempotent-Replayed, Link, Location, Preference-Applied, \
                                RateLimit, RateLimit-Policy, Retry-After, Sunset, \
                                WWW-Authenticate, X-Request-Id, X-Total-Count, \
                                X-Total-Count-Relation";
/// How long a browser may cache a preflight response, in seconds.
const MAX_AGE: &str = "600";

/// An origin that may call the API, or all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedOrigin {
    Any,
    This(HeaderValue),
}

impl FromStr for AllowedOrigin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const RULE: &str = "it must be * or an origin as browsers send it, such as \
                            https://panel.example.org or http://localhost:3000: in lower case, \
                            without a path, and without the port that is usual for the scheme";
        if text == "*" {
            return Ok(Self::Any);
        }
        let uri: Uri = text.parse().map_err(|_| RULE)?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(RULE);
        };
        let usual_port = match scheme {
            "http" => "80",
            "https" => "443",
            _ => return Err(RULE),
        };
        let is_origin = text == format!("{scheme}://{authority}")
            && text.is_ascii()
            && text == text.to_ascii_lowercase()
            && !text.contains(['@', '*'])
            && !text.ends_with(':')
            && authority
                .port()
                .is_none_or(|port| port.as_str() != usual_port);
        let value = HeaderValue::from_str(text).ok().filter(|_| is_origin);
        value.map(Self::This).ok_or(RULE)
    }
}

/// The origins that may call the API.
#[derive(Clone, Debug)]
pub struct Cors {
    origins: Vec<AllowedOrigin>,
}

impl Cors {
    /// `None` if there are no origins.
    pub fn new(origins: Vec<AllowedOrigin>) -> Option<Self> {
        (!origins.is_empty()).then_some(Self { origins })
    }

    /// Decides the CORS headers of a request. Of the paths that need no key, only the OpenAPI
    /// document is open to other origins.
    pub fn examine(&self, request: &Request) -> CrossOrigin {
        let path = request.uri().path();
        let is_public = path.starts_with("/api/") || path.starts_with("/openapi");
        let origin = request.headers().get(ORIGIN).filter(|_| is_public);
        let allowed = origin.and_then(|origin| self.allowed(origin));
        let asks = request
            .headers()
            .contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        CrossOrigin {
            is_preflight: allowed.is_some() && asks && request.method() == Method::OPTIONS,
            allowed,
            depends: !self.origins.contains(&AllowedOrigin::Any),
        }
    }

    fn allowed(&self, origin: &HeaderValue) -> Option<HeaderValue> {
        self.origins.iter().find_map(|allowed| match allowed {
            AllowedOrigin::Any => Some(HeaderValue::from_static("*")),
            AllowedOrigin::This(allowed) => (allowed == origin).then(|| allowed.clone()),
        })
    }
}

/// The CORS headers of a response.
pub struct CrossOrigin {
    allowed: Option<HeaderValue>,
    is_preflight: bool,
    /// Whether the response depends on the origin.
    depends: bool,
}

impl CrossOrigin {
    /// Returns `true` if the request is a preflight, which needs no handler.
    pub fn is_preflight(&self) -> bool {
        self.is_preflight
    }

    pub fn add_headers(self, headers: &mut HeaderMap) {
        if self.depends {
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
        let Some(allowed) = self.allowed else {
            return;
        };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        let mut add = |name, value| {
            headers.insert(name, HeaderValue::from_static(value));
        };
        if self.is_preflight {
            add(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
            add(ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
            add(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        } else {
            add(ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_a_host_and_an_unusual_port() {
        for valid in [
            "https://panel.example.org",
            "http://localhost:3000",
            "https://panel.example.org:8443",
            "http://127.0.0.1",
            "http://[::1]:8080",
            "https://xn--bcher-kva.example",
        ] {
            let value = HeaderValue::from_static(valid);
            assert_eq!(valid.parse(), Ok(AllowedOrigin::This(value)));
        }
        assert_eq!("*".parse(), Ok(AllowedOrigin::Any));
        for invalid in [
            "",
            "null",
            "**",
            "https://*",
            "https://*.example.org",
            "panel.example.org",
            "https://panel.example.org/",
            "https://panel.example.org/console",
            "https://panel.example.org?x",
            "https://panel.example.org#x",
            "https://Panel.example.org",
            "HTTPS://panel.example.org",
            "https://panel.example.org:443",
            "http://panel.example.org:80",
            "https://panel.example.org:",
            "https://anna@panel.example.org",
            "ftp://panel.example.org",
            "https://",
            "https://bücher.example",
            " https://panel.example.org",
        ] {
            assert!(invalid.parse::<AllowedOrigin>().is_err(), "{invalid}");
        }
    }
}
