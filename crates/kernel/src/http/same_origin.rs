//! Checks whether a request comes from a page of this service: a browser also sends cookies with
//! requests that another site makes.

use axum::extract::MatchedPath;
use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;

use crate::{Error, ErrorCode, Result};

const SEC_FETCH_SITE: &str = "sec-fetch-site";
const SEC_FETCH_MODE: &str = "sec-fetch-mode";
const SEC_FETCH_DEST: &str = "sec-fetch-dest";

/// 403 `cross_site`.
const CROSS_SITE: Error = Error::Forbidden {
    code: ErrorCode::CrossSite,
    message: "A request with the console's cookie must come from a page of this service.",
};

/// Refuses a request that does not prove that it comes from a page of this service.
pub fn require(parts: &Parts, is_secure: bool) -> Result<()> {
    match comes_from_here(parts, is_secure) {
        Some(true) => Ok(()),
        _ => Err(CROSS_SITE),
    }
}

/// Refuses a read that a page elsewhere makes. It could not see the reply, but start expensive
/// requests and measure how long they take; `SameSite` does not keep out other hosts of the same
/// domain. People may follow a link from there to a download.
pub fn require_for_read(parts: &Parts) -> Result<()> {
    let is = |name, value: &str| parts.headers.get(name).is_some_and(|given| given == value);
    let comes_from_elsewhere = is(SEC_FETCH_SITE, "same-site") || is(SEC_FETCH_SITE, "cross-site");
    let is_navigation = is(SEC_FETCH_MODE, "navigate") && is(SEC_FETCH_DEST, "document");
    if comes_from_elsewhere && !(is_navigation && is_download(parts)) {
        return Err(CROSS_SITE);
    }
    Ok(())
}

/// Returns `true` for exports and for files, which are below a collection.
fn is_download(parts: &Parts) -> bool {
    let route = parts.extensions.get::<MatchedPath>();
    route.is_some_and(|route| {
        let route = route.as_str();
        route.ends_with("/export") || route.ends_with("/{name}")
    })
}

/// Refuses a request that proves to come from elsewhere. Programs send neither header.
pub fn refuse_others(parts: &Parts, is_secure: bool) -> Result<()> {
    match comes_from_here(parts, is_secure) {
        Some(false) => Err(CROSS_SITE),
        _ => Ok(()),
    }
}

/// `None` if the request does not say where it comes from. Browsers always send `Origin` with a
/// write, but `Sec-Fetch-Site` only over TLS or from this machine.
fn comes_from_here(parts: &Parts, is_secure: bool) -> Option<bool> {
    if let Some(site) = parts.headers.get(SEC_FETCH_SITE) {
        return Some(site == "same-origin");
    }
    let origin = parts.headers.get(ORIGIN)?;
    let own = own(parts, is_secure);
    Some(own.is_some_and(|own| origin.as_bytes() == own.as_bytes()))
}

/// The origin that the request was sent to.
pub fn own(parts: &Parts, is_secure: bool) -> Option<String> {
    let scheme = if is_secure { "https" } else { "http" };
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
    // In HTTP/2 the host is in the request line.
    let host = host.or(parts.uri.authority().map(|authority| authority.as_str()));
    host.map(|host| format!("{scheme}://{host}"))
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
    fn sec_fetch_site_decides_or_else_origin() {
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
