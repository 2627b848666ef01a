//! Whether a request comes from a page of this service. A browser sends cookies by itself, also
//! when another site makes it send a request.

use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;

use crate::{Error, ErrorCode, Result};

const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// 403 `cross_site`.
const CROSS_SITE: Error = Error::Forbidden {
    code: ErrorCode::CrossSite,
    message: "A request with the console's cookie must come from a page of this service.",
};

/// Refuses a request that does not show that it comes from a page of this service.
pub fn require(parts: &Parts, is_secure: bool) -> Result<()> {
    match comes_from_here(parts, is_secure) {
        Some(true) => Ok(()),
        _ => Err(CROSS_SITE),
    }
}

/// Refuses a request that shows that it comes from elsewhere. Programs show neither.
pub fn refuse_others(parts: &Parts, is_secure: bool) -> Result<()> {
    match comes_from_here(parts, is_secure) {
        Some(false) => Err(CROSS_SITE),
        _ => Ok(()),
    }
}

/// `None` if the request does not say where it comes from. A browser always says it of a write,
/// though `Sec-Fetch-Site` only over TLS and from this machine.
fn comes_from_here(parts: &Parts, is_secure: bool) -> Option<bool> {
    if let Some(site) = parts.headers.get(SEC_FETCH_SITE) {
        return Some(site == "same-origin");
    }
    let origin = parts.headers.get(ORIGIN)?;
    let scheme = if is_secure { "https" } else { "http" };
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
    // HTTP/2 has the host in the request line.
    let host = host.or(parts.uri.authority().map(|authority| authority.as_str()));
    let own = host.map(|host| format!("{scheme}://{host}"));
    Some(own.is_some_and(|own| origin.as_bytes() == own.as_bytes()))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn parts(headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::post("/api/roles");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn sec_fetch_site_decides_and_without_it_an_equal_origin() {
        let host = ("host", "127.0.0.1:8080");
        let own = ("origin", "http://127.0.0.1:8080");
        for (headers, is_secure, expected) in [
            (&[host][..], false, None),
            (
                &[host, ("sec-fetch-site", "same-origin")],
                false,
                Some(true),
            ),
            (
                &[host, own, ("sec-fetch-site", "cross-site")],
                false,
                Some(false),
            ),
            (
                &[host, own, ("sec-fetch-site", "same-site")],
                false,
                Some(false),
            ),
            (&[host, own, ("sec-fetch-site", "none")], false, Some(false)),
            (&[host, own], false, Some(true)),
            (&[host, own], true, Some(false)),
            (
                &[host, ("origin", "https://127.0.0.1:8080")],
                true,
                Some(true),
            ),
            (
                &[host, ("origin", "http://127.0.0.1:8081")],
                false,
                Some(false),
            ),
            (&[host, ("origin", "null")], false, Some(false)),
            (&[own], false, Some(false)),
        ] {
            let parts = parts(headers);
            assert_eq!(comes_from_here(&parts, is_secure), expected, "{headers:?}");
            assert_eq!(require(&parts, is_secure).is_ok(), expected == Some(true));
            assert_eq!(
                refuse_others(&parts, is_secure).is_ok(),
                expected != Some(false)
            );
        }
    }
}
