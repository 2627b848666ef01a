//! A file that never changes while the service runs: hashed and compressed once, not for each
//! request.

use std::sync::{Arc, OnceLock};

use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use tokio::task::spawn_blocking;

use super::caller::joined;
use super::compression::{Effort, compress};
use super::encoding::{Accepted, Encoding};
use crate::Error;
use crate::write::etag;

pub struct StaticFile {
    plain: Bytes,
    media_type: HeaderValue,
    /// Instead of the policy that every response has.
    policy: Option<HeaderValue>,
    etag: String,
    /// By encoding, each from its first request on.
    compressed: [OnceLock<Awaited<Bytes>>; Encoding::ALL.len()],
}

/// The result of a task that all requests wait for together; `None` if it failed. The task
/// continues if the request that started it is cancelled.
type Awaited<T> = Shared<BoxFuture<'static, Option<T>>>;

fn start<T, F>(task: F) -> Awaited<T>
where
    T: Clone + Send + 'static,
    F: FnOnce() -> Option<T> + Send + 'static,
{
    let task = spawn_blocking(task);
    async { task.await.ok()? }.boxed().shared()
}

/// A file that the first request makes: most runs of the program never show it.
pub struct LazyFile {
    make: Arc<dyn Fn() -> StaticFile + Send + Sync>,
    made: OnceLock<Awaited<Arc<StaticFile>>>,
}

impl LazyFile {
    pub fn new(make: impl Fn() -> StaticFile + Send + Sync + 'static) -> Self {
        Self {
            make: Arc::new(make),
            made: OnceLock::new(),
        }
    }

    pub async fn respond(&self, request: &HeaderMap) -> Response {
        let made = self.made.get_or_init(|| {
            let make = Arc::clone(&self.make);
            start(move || Some(Arc::new(make())))
        });
        match made.clone().await {
            Some(file) => file.respond(request).await,
            None => Error::internal("the file could not be made").into_response(),
        }
    }
}

impl StaticFile {
    pub fn new(content: impl Into<Bytes>, media_type: &'static str) -> Self {
        let plain = content.into();
        Self {
            etag: etag::of_bytes(&plain),
            plain,
            media_type: HeaderValue::from_static(media_type),
            policy: None,
            compressed: Default::default(),
        }
    }

    pub fn with_policy(self, policy: HeaderValue) -> Self {
        Self {
            policy: Some(policy),
            ..self
        }
    }

    /// Answers a request with these headers: with the file, or 304 if the client's copy is current.
    pub async fn respond(&self, request: &HeaderMap) -> Response {
        let compressed = match Accepted::read(request).choose(&Encoding::ALL) {
            Some(encoding) => self.compressed(encoding).await.map(|body| (encoding, body)),
            None => None,
        };
        let etag = match &compressed {
            Some((encoding, _)) => etag::of_encoded(&self.etag, encoding.token()),
            None => self.etag.clone(),
        };
        let known = joined(request, IF_NONE_MATCH);
        let is_known = known.is_some_and(|known| etag::find(&known, &self.etag).is_some());
        let mut headers = self.headers(&etag);
        if is_known {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        match compressed {
            Some((encoding, compressed)) => {
                let encoding = HeaderValue::from_static(encoding.token());
                headers.insert(CONTENT_ENCODING, encoding);
                (headers, compressed).into_response()
            }
            None => (headers, self.plain.clone()).into_response(),
        }
    }

    fn headers(&self, etag: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, self.media_type.clone());
        // Clients may cache it, but must revalidate it: the next version of the program has another.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(etag) = HeaderValue::from_str(etag) {
            headers.insert(ETAG, etag);
        }
        if let Some(policy) = &self.policy {
            headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
        }
        headers
    }

    async fn compressed(&self, encoding: Encoding) -> Option<Bytes> {
        let compressed = self.compressed[encoding as usize].get_or_init(|| {
            let plain = self.plain.clone();
            let compress = move || compress(&plain, encoding, Effort::Once);
            start(move || compress().ok().map(Bytes::from))
        });
        compressed.clone().await
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::http::header::ACCEPT_ENCODING;
    use http_body_util::BodyExt;

    use super::*;

    async fn get(
        file: &StaticFile,
        name: axum::http::HeaderName,
        value: &str,
    ) -> (Response, Bytes) {
        let mut request = HeaderMap::new();
        request.insert(name, HeaderValue::from_str(value).expect("a value"));
        let (parts, body) = file.respond(&request).await.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        (Response::from_parts(parts, Default::default()), bytes)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn all_requests_with_one_encoding_get_the_same_bytes_in_memory() {
        let file = StaticFile::new("abcdefgh".repeat(100_000), "text/html");
        for encoding in ["gzip", "br", "zstd"] {
            let requests = (0..50).map(|_| get(&file, ACCEPT_ENCODING, encoding));
            let answers = futures_util::future::join_all(requests).await;
            let address = answers[0].1.as_ptr();
            for (response, bytes) in &answers {
                assert_eq!(response.headers()[CONTENT_ENCODING], encoding);
                assert!(bytes.len() < 10_000);
                assert_eq!(bytes.as_ptr(), address, "compressed again");
            }
        }
        let plain = get(&file, ACCEPT_ENCODING, "identity").await.1;
        assert_eq!(plain.as_ptr(), file.plain.as_ptr(), "copied");
    }

    #[test]
    fn compression_goes_on_when_the_first_request_is_cancelled() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.max_blocking_threads(1).build().expect("a runtime");
        runtime.block_on(async {
            let (release, held) = std::sync::mpsc::channel::<()>();
            spawn_blocking(move || held.recv());
            let file = StaticFile::new("abcdefgh".repeat(1000), "text/html");
            let first = get(&file, ACCEPT_ENCODING, "gzip").now_or_never();
            assert!(first.is_none(), "the only thread is taken");
            let started = file.compressed[Encoding::Gzip as usize].get();
            let started = started.expect("started").clone();
            release.send(()).expect("the thread waits");
            let bytes = get(&file, ACCEPT_ENCODING, "gzip").await.1;
            let first = started.await.expect("compressed");
            assert_eq!(bytes.as_ptr(), first.as_ptr(), "compressed again");
        });
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_lazy_file_is_made_once_by_the_first_request() {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let file = LazyFile::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            StaticFile::new("text", "text/plain")
        });
        assert_eq!(count.load(Ordering::Relaxed), 0);
        let request = HeaderMap::new();
        let requests = (0..50).map(|_| file.respond(&request));
        for response in futures_util::future::join_all(requests).await {
            assert_eq!(response.status(), 200);
        }
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn if_none_match_with_any_of_the_etags_gives_304_without_a_body() {
        let file = StaticFile::new("text", "text/html");
        let (plain, _) = get(&file, ACCEPT_ENCODING, "identity").await;
        let (gzip, _) = get(&file, ACCEPT_ENCODING, "gzip").await;
        let (brotli, _) = get(&file, ACCEPT_ENCODING, "br").await;
        let (zstd, _) = get(&file, ACCEPT_ENCODING, "zstd").await;
        let tags = [&plain, &gzip, &brotli, &zstd].map(|response| &response.headers()[ETAG]);
        assert_eq!(HashSet::from(tags).len(), 4, "{tags:?}");
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
