//! A file inside the program, hashed once and compressed once in each encoding.

use std::sync::OnceLock;

use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::encoding::{Accepted, Encoding};
use super::header::joined;
use crate::write::etag;

/// The headers of pages beside their policy: no other page may hold on to their window, and none of
/// the browser's devices is used.
const PAGE_HEADERS: [(&str, &str); 2] = [
    ("cross-origin-opener-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
];

pub struct StaticFile {
    content: &'static str,
    /// Kept, so that clients without a key cannot make the service compress it again and again.
    compressed: [OnceLock<Bytes>; Encoding::ALL.len()],
    media_type: HeaderValue,
    /// Replaces the policy that every response has.
    policy: Option<HeaderValue>,
    etag: String,
}

impl StaticFile {
    pub fn new(content: &'static str, media_type: &'static str) -> Self {
        Self {
            content,
            compressed: Default::default(),
            etag: etag::of_bytes(content.as_bytes()),
            media_type: HeaderValue::from_static(media_type),
            policy: None,
        }
    }

    pub fn with_policy(self, policy: HeaderValue) -> Self {
        Self {
            policy: Some(policy),
            ..self
        }
    }

    /// Answers a request with these headers: with the file, or 304 if the client's copy is current.
    pub fn respond(&self, request: &HeaderMap) -> Response {
        let encoding = Accepted::read(request).choose(&Encoding::ALL);
        let etag = match encoding {
            Some(encoding) => etag::of_encoded(&self.etag, encoding.token()),
            None => self.etag.clone(),
        };
        let known = joined(request, IF_NONE_MATCH);
        let is_known = known.is_some_and(|known| etag::find(&known, &self.etag).is_some());
        let mut headers = self.headers(&etag);
        if is_known {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        if let Some(encoding) = encoding {
            let encoding = HeaderValue::from_static(encoding.token());
            headers.insert(CONTENT_ENCODING, encoding);
        }
        (headers, self.form(encoding)).into_response()
    }

    fn form(&self, encoding: Option<Encoding>) -> Bytes {
        let plain = self.content.as_bytes();
        let Some(encoding) = encoding else {
            return Bytes::from_static(plain);
        };
        let compress = || encoding.compress(plain).expect("memory can be written");
        let compressed = &self.compressed[encoding as usize];
        compressed.get_or_init(|| compress().into()).clone()
    }

    fn headers(&self, etag: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, self.media_type.clone());
        // Clients may cache it, but must revalidate it: the next version of the program may differ.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(etag) = HeaderValue::from_str(etag) {
            headers.insert(ETAG, etag);
        }
        if let Some(policy) = &self.policy {
            headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
            for (name, value) in PAGE_HEADERS {
                headers.insert(name, HeaderValue::from_static(value));
            }
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use axum::http::header::ACCEPT_ENCODING;
    use flate2::read::GzDecoder;
    use http_body_util::BodyExt;

    use super::*;

    const TEXT: &str = "text";

    async fn get(
        file: &StaticFile,
        name: axum::http::HeaderName,
        value: &str,
    ) -> (Response, Bytes) {
        let mut request = HeaderMap::new();
        request.insert(name, HeaderValue::from_str(value).expect("a value"));
        let (parts, body) = file.respond(&request).into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        (Response::from_parts(parts, Default::default()), bytes)
    }

    #[tokio::test]
    async fn a_client_gets_the_form_that_it_accepts_compressed_once() {
        let file = StaticFile::new(TEXT, "text/html");
        for (accepted, encoding) in [
            ("identity", None),
            ("br", None),
            ("gzip", Some(Encoding::Gzip)),
            ("zstd", Some(Encoding::Zstd)),
            ("gzip, zstd", Some(Encoding::Zstd)),
        ] {
            let (response, body) = get(&file, ACCEPT_ENCODING, accepted).await;
            let sent = response.headers().get(CONTENT_ENCODING);
            let expected = encoding.map(|encoding| encoding.token().as_bytes());
            assert_eq!(sent.map(HeaderValue::as_bytes), expected, "{accepted}");
            let unpacked = match encoding {
                Some(Encoding::Zstd) => zstd::decode_all(&body[..]),
                Some(Encoding::Gzip) => {
                    std::io::read_to_string(GzDecoder::new(&body[..])).map(Into::into)
                }
                None => Ok(body.to_vec()),
            };
            assert_eq!(unpacked.expect(accepted), TEXT.as_bytes());
            let (_, again) = get(&file, ACCEPT_ENCODING, accepted).await;
            assert_eq!(again.as_ptr(), body.as_ptr(), "compressed again or copied");
        }
    }

    #[tokio::test]
    async fn if_none_match_with_any_of_the_etags_gives_304_without_a_body() {
        let file = StaticFile::new(TEXT, "text/html");
        let (plain, _) = get(&file, ACCEPT_ENCODING, "identity").await;
        let (gzip, _) = get(&file, ACCEPT_ENCODING, "gzip").await;
        let (zstd, _) = get(&file, ACCEPT_ENCODING, "zstd").await;
        let tags = [&plain, &gzip, &zstd].map(|response| &response.headers()[ETAG]);
        assert_eq!(HashSet::from(tags).len(), 3, "{tags:?}");
        for tag in tags {
            let tag = tag.to_str().expect("text");
            assert!(tag.starts_with('"'), "strong");
            let (response, body) = get(&file, IF_NONE_MATCH, tag).await;
            assert_eq!((response.status().as_u16(), body.len()), (304, 0));
        }
        let (response, _) = get(&file, IF_NONE_MATCH, "\"other\"").await;
        assert_eq!(response.status(), 200);
    }
}
