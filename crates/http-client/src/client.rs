//! Sends one request to addresses that the caller has chosen.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue,
    RETRY_AFTER, USER_AGENT,
};
use hyper::http::request::Builder;
use hyper::rt::{Read, Write};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use url::{Host, Position, Url, form_urlencoded};

use crate::tls::Tls;
use crate::{Failure, FetchFailure, Resolve};

/// The limit of an answer in bytes. Of a longer one, [`Client::post`] does not read the rest, and
/// [`Client::fetch`] fails.
pub const MAX_ANSWER: usize = 64 << 10;

/// The time limit of connecting to an address while there is another to try.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);
/// The number of addresses of a name that are tried.
const MAX_ADDRESSES: usize = 3;

/// Sends requests. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    resolver: Arc<dyn Resolve>,
    tls: Tls,
}

/// A request with a JSON body.
#[derive(Clone, Debug)]
pub struct Post<'a> {
    pub url: &'a Url,
    /// Additional headers.
    pub headers: &'a [(&'static str, String)],
    pub body: Bytes,
}

/// A request of which the whole answer is needed. It is not printed: it may have secrets.
#[derive(Clone, Copy)]
pub struct Fetch<'a> {
    pub action: Action<'a>,
    pub url: &'a Url,
    pub headers: &'a [(&'static str, &'a str)],
    /// The limit of the body of the answer in bytes.
    pub max_answer: usize,
}

/// The method of a [`Fetch`], and its form.
#[derive(Clone, Copy)]
pub enum Action<'a> {
    Get,
    /// Posts the fields of a form.
    Post(&'a [(&'a str, &'a str)]),
    /// Without a body.
    Put,
    Delete,
}

/// A complete answer, which is not a redirect. It is not printed: it may have secrets.
pub struct Fetched {
    pub status: u16,
    pub body: Vec<u8>,
    headers: HeaderMap,
}

impl Fetched {
    /// A header that is a number of seconds, such as `Retry-After`; fractions are allowed.
    pub fn seconds(&self, name: &str) -> Option<Duration> {
        let seconds: f64 = self.headers.get(name)?.to_str().ok()?.trim().parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// A header that is a whole number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.headers.get(name)?.to_str().ok()?.trim().parse().ok()
    }
}

/// The receiver's answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The part of the body that arrived in time, at most [`MAX_ANSWER`] bytes.
    pub body: Vec<u8>,
    /// `Retry-After` in seconds. A date is ignored: the clocks may differ.
    pub retry_after: Option<i64>,
}

impl Client {
    pub fn new(resolver: Arc<dyn Resolve>) -> Self {
        Self {
            resolver,
            tls: Tls::default(),
        }
    }

    /// The addresses of the URL's host: the literal address, or those of its name.
    pub async fn resolve(&self, url: &Url) -> Result<Vec<IpAddr>, Failure> {
        match (literal_address(url), url.host_str()) {
            (Some(address), _) => Ok(vec![address]),
            (None, Some(name)) => self.resolver.resolve(name).await.map_err(Failure::Name),
            (None, None) => Err(Failure::Url),
        }
    }

    /// Posts to the first of these addresses that accepts a connection. The answer must begin
    /// before `end`; its body is read until then.
    pub async fn post(
        &self,
        post: Post<'_>,
        addresses: &[IpAddr],
        end: Instant,
    ) -> Result<Answer, Failure> {
        let (url, request) = (post.url, post_request(post)?);
        let (response, connection) = self.exchange(url, request, addresses, end).await?;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let mut received = Vec::new();
        // The status proves that the request has arrived, even if the body is incomplete.
        let receiving = receive(response.into_body(), &mut received);
        let _ = tokio::time::timeout_at(end, receiving).await;
        drop(connection);
        Ok(Answer {
            status,
            body: received,
            retry_after,
        })
    }

    /// Sends a request and reads the whole answer, both within this time. Fails if the answer is a
    /// redirect, is incomplete, or has more than [`MAX_ANSWER`] bytes in its head or more than the
    /// fetch allows in its body.
    pub async fn fetch(&self, fetch: Fetch<'_>, time: Duration) -> Result<Fetched, FetchFailure> {
        let end = Instant::now() + time;
        let fetching = tokio::time::timeout_at(end, self.fetch_until(fetch, end)).await;
        match fetching.map_err(|_| Failure::Timeout)? {
            Err(FetchFailure::NoAnswer(Failure::Protocol(error))) if error.is_parse_too_large() => {
                Err(FetchFailure::TooLarge)
            }
            outcome => outcome,
        }
    }

    async fn fetch_until(&self, fetch: Fetch<'_>, end: Instant) -> Result<Fetched, FetchFailure> {
        let url = fetch.url;
        let addresses = self.resolve(url).await?;
        let request = fetch_request(fetch)?;
        let (response, connection) = self.exchange(url, request, &addresses, end).await?;
        let (head, body) = response.into_parts();
        if head.status.is_redirection() {
            return Err(FetchFailure::Redirect);
        }
        let body = receive_whole(body, fetch.max_answer).await?;
        drop(connection);
        Ok(Fetched {
            status: head.status.as_u16(),
            body,
            headers: head.headers,
        })
    }

    /// Connects, and sends a request. The answer must begin before `end`.
    async fn exchange(
        &self,
        url: &Url,
        request: Request<Full<Bytes>>,
        addresses: &[IpAddr],
        end: Instant,
    ) -> Result<(Response<Incoming>, Task), Failure> {
        let sending = async {
            let stream = connect(url, addresses, end).await?;
            match url.scheme() {
                "http" => send(TokioIo::new(stream), request).await,
                "https" => {
                    let secure = self.tls.connect(server_name(url)?, stream).await;
                    send(TokioIo::new(secure.map_err(Failure::Tls)?), request).await
                }
                _ => Err(Failure::Url),
            }
        };
        let sent = tokio::time::timeout_at(end, sending).await;
        sent.map_err(|_| Failure::Timeout)?
    }
}

fn retry_after(headers: &HeaderMap) -> Option<i64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    // Some servers send fractions.
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    // Only a number that is too large fails here.
    let seconds: i64 = whole.parse().unwrap_or(i64::MAX);
    Some(seconds.saturating_add(i64::from(fraction.contains(|c| c != '0'))))
}

async fn connect(url: &Url, addresses: &[IpAddr], end: Instant) -> Result<TcpStream, Failure> {
    let port = url.port_or_known_default().ok_or(Failure::Url)?;
    let addresses = &addresses[..addresses.len().min(MAX_ADDRESSES)];
    let mut failure = Failure::NoAddress;
    for (i, address) in addresses.iter().enumerate() {
        let limit = match i + 1 == addresses.len() {
            true => end,
            false => end.min(Instant::now() + CONNECT_LIMIT),
        };
        let connecting = TcpStream::connect(SocketAddr::new(*address, port));
        match tokio::time::timeout_at(limit, connecting).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => failure = Failure::Connection(error),
            Err(_) => failure = Failure::Timeout,
        }
    }
    Err(failure)
}

/// The address, if the URL has one instead of a name.
pub fn literal_address(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(v4) => Some(v4.into()),
        Host::Ipv6(v6) => Some(v6.into()),
        Host::Domain(_) => None,
    }
}

fn server_name(url: &Url) -> Result<ServerName<'static>, Failure> {
    match (literal_address(url), url.host_str()) {
        (Some(address), _) => Ok(ServerName::IpAddress(address.into())),
        (None, Some(name)) => ServerName::try_from(name.to_owned()).map_err(|_| Failure::Url),
        (None, None) => Err(Failure::Url),
    }
}

fn post_request(post: Post<'_>) -> Result<Request<Full<Bytes>>, Failure> {
    let Post { url, headers, body } = post;
    let request = request(Method::POST, url).header(CONTENT_TYPE, "application/json");
    let headers = headers.iter();
    let request = headers.fold(request, |request, (name, value)| {
        request.header(*name, value)
    });
    request.body(Full::from(body)).map_err(|_| Failure::Url)
}

fn fetch_request(fetch: Fetch<'_>) -> Result<Request<Full<Bytes>>, Failure> {
    let Fetch {
        action,
        url,
        headers,
        max_answer: _,
    } = fetch;
    let (request, body) = match action {
        Action::Get => (request(Method::GET, url), Bytes::new()),
        // Some servers want the length even of no body.
        Action::Put => {
            let request = request(Method::PUT, url).header(CONTENT_LENGTH, 0);
            (request, Bytes::new())
        }
        Action::Delete => (request(Method::DELETE, url), Bytes::new()),
        Action::Post(fields) => {
            let mut body = form_urlencoded::Serializer::new(String::new());
            body.extend_pairs(fields);
            let request = request(Method::POST, url);
            let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
            (request, Bytes::from(body.finish()))
        }
    };
    let mut request = request.body(Full::from(body)).map_err(|_| Failure::Url)?;
    for (name, value) in headers {
        let value = HeaderValue::from_str(value).map_err(|_| Failure::Url)?;
        // Replaces a header that all have.
        request
            .headers_mut()
            .insert(HeaderName::from_static(name), value);
    }
    Ok(request)
}

/// A request with the headers that all have.
fn request(method: Method, url: &Url) -> Builder {
    let target = &url[Position::BeforePath..Position::AfterQuery];
    let host = &url[Position::BeforeHost..Position::AfterPort];
    Request::builder()
        .method(method)
        .uri(target)
        .header(HOST, host)
        .header(CONNECTION, "close")
        .header(USER_AGENT, concat!("Steward/", env!("CARGO_PKG_VERSION")))
}

/// A task that is aborted when this is dropped.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn send(
    stream: impl Read + Write + Send + Unpin + 'static,
    request: Request<Full<Bytes>>,
) -> Result<(Response<Incoming>, Task), Failure> {
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_ANSWER);
    let (mut sender, connection) = builder.handshake(stream).await.map_err(Failure::Protocol)?;
    let connection = Task(tokio::spawn(async move {
        // The request also reports an error that ends the connection.
        let _ = connection.await;
    }));
    let response = sender.send_request(request).await;
    Ok((response.map_err(Failure::Protocol)?, connection))
}

/// Appends the body to `received`, up to the limit.
async fn receive(mut body: Incoming, received: &mut Vec<u8>) -> io::Result<()> {
    while received.len() < MAX_ANSWER {
        let Some(frame) = body.frame().await else {
            break;
        };
        if let Ok(data) = frame.map_err(io::Error::other)?.into_data() {
            let free = MAX_ANSWER - received.len();
            received.extend_from_slice(&data[..data.len().min(free)]);
        }
    }
    Ok(())
}

/// The whole body, if it is within the limit.
async fn receive_whole(mut body: Incoming, limit: usize) -> Result<Vec<u8>, FetchFailure> {
    let mut received = Vec::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(Failure::Protocol)?.into_data() {
            if received.len() + data.len() > limit {
                return Err(FetchFailure::TooLarge);
            }
            received.extend_from_slice(&data);
        }
    }
    Ok(received)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
    use rustls::crypto::ring;
    use rustls::pki_types::PrivateKeyDer;
    use rustls::{RootCertStore, ServerConfig};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    use super::*;
    use crate::Resolving;
    use crate::testing::{OK, answer, listener};

    /// Resolves every name to this machine.
    #[derive(Debug)]
    struct Loopback;

    impl Resolve for Loopback {
        fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
            Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
        }
    }

    fn client() -> Client {
        Client::new(Arc::new(Loopback))
    }

    const TIME_LIMIT: Duration = Duration::from_secs(10);

    async fn post(client: &Client, url: &Url) -> Result<Answer, Failure> {
        let post = Post {
            url,
            headers: &[("x-number", "7".to_owned())],
            body: Bytes::from_static(b"{}"),
        };
        let addresses = client.resolve(url).await.expect("an address");
        client
            .post(post, &addresses, Instant::now() + TIME_LIMIT)
            .await
    }

    fn url(text: &str) -> Url {
        text.parse().expect(text)
    }

    #[tokio::test]
    async fn a_request_arrives_with_its_headers_and_its_answer_comes_back() {
        let (listener, port) = listener("127.0.0.1").await;
        let receiving = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("a connection");
            answer(stream, OK).await
        });
        let client = client();
        let url = url(&format!("http://example.test:{port}/hook?a=b#part"));
        let got = post(&client, &url).await;
        let got = got.expect("an answer");
        assert_eq!((got.status, &got.body[..]), (200, &b"fine"[..]));
        let request = receiving.await.expect("a request").to_lowercase();
        for line in [
            "post /hook?a=b http/1.1\r\n".to_owned(),
            format!("\r\nhost: example.test:{port}\r\n"),
            "\r\ncontent-type: application/json\r\n".to_owned(),
            "\r\nx-number: 7\r\n".to_owned(),
            "\r\n\r\n{}".to_owned(),
        ] {
            assert!(request.contains(&line), "{line:?} in {request:?}");
        }
    }

    #[tokio::test]
    async fn the_next_address_is_tried_if_one_refuses_connections() {
        let (listener, port) = listener("127.0.0.1").await;
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("a connection");
            answer(stream, OK).await
        });
        let (client, url) = (client(), url(&format!("http://receiver.test:{port}/")));
        let addresses = ["127.0.0.2", "127.0.0.1"].map(|text| text.parse().expect(text));
        for (addresses, is_answered) in [(&addresses[..], true), (&addresses[..1], false)] {
            let post = Post {
                url: &url,
                headers: &[],
                body: Bytes::from_static(b"{}"),
            };
            let end = Instant::now() + TIME_LIMIT;
            let got = client.post(post, addresses, end).await;
            assert_eq!(got.is_ok(), is_answered, "{got:?}");
        }
    }

    #[tokio::test]
    async fn a_redirect_is_an_answer_and_not_followed() {
        let (listener, port) = listener("127.0.0.1").await;
        let (elsewhere, other) = self::listener("127.0.0.1").await;
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("a connection");
            let redirect = format!(
                "HTTP/1.1 301 Moved\r\nlocation: http://127.0.0.1:{other}/\r\ncontent-length: 0\r\n\r\n"
            );
            answer(stream, redirect.as_bytes()).await
        });
        let client = client();
        let url = url(&format!("http://127.0.0.1:{port}/"));
        let got = post(&client, &url).await;
        assert_eq!(got.expect("an answer").status, 301);
        let accepting = tokio::time::timeout(Duration::from_millis(50), elsewhere.accept());
        assert!(accepting.await.is_err());
    }

    #[tokio::test]
    async fn only_64_kib_of_an_endless_answer_are_read() {
        let (listener, port) = listener("127.0.0.1").await;
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
            head.extend([b'x'; 1000]);
            while stream.write_all(&head).await.is_ok() {
                head = vec![b'x'; 1000];
            }
        });
        let client = client();
        let url = url(&format!("http://127.0.0.1:{port}/"));
        let got = post(&client, &url).await;
        let got = got.expect("an answer");
        assert_eq!((got.status, got.body.len()), (200, MAX_ANSWER));
    }

    #[tokio::test(start_paused = true)]
    async fn a_receiver_that_does_not_answer_fails_at_the_end_of_its_time() {
        let (listener, port) = listener("127.0.0.1").await;
        let client = client();
        let url = url(&format!("http://127.0.0.1:{port}/"));
        let begun = Instant::now();
        let got = post(&client, &url).await;
        assert!(matches!(got, Err(Failure::Timeout)), "{got:?}");
        assert!(begun.elapsed() <= TIME_LIMIT + Duration::from_millis(100));
        drop(listener);
    }

    /// Serves one connection, and returns what was sent up to this text.
    async fn serve(listener: TcpListener, until: &str, answer: Vec<u8>) -> String {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut request = Vec::new();
        while !request.ends_with(until.as_bytes()) {
            assert!(stream.read_buf(&mut request).await.expect("a request") > 0);
        }
        let _ = stream.write_all(&answer).await;
        String::from_utf8(request).expect("text").to_lowercase()
    }

    /// Fetches from a server with this answer.
    async fn fetched(answer: Vec<u8>) -> Result<(u16, Vec<u8>), FetchFailure> {
        let (listener, port) = listener("127.0.0.1").await;
        let serving = tokio::spawn(serve(listener, "\r\n\r\n", answer));
        let url = url(&format!("http://127.0.0.1:{port}/"));
        let fetch = Fetch {
            action: Action::Get,
            url: &url,
            headers: &[],
            max_answer: MAX_ANSWER,
        };
        let got = client().fetch(fetch, TIME_LIMIT).await;
        drop(serving);
        got.map(|fetched| (fetched.status, fetched.body))
    }

    #[tokio::test]
    async fn a_get_arrives_with_its_headers_and_its_answer_comes_back() {
        let (listener, port) = listener("127.0.0.1").await;
        let receiving = tokio::spawn(serve(listener, "\r\n\r\n", OK.to_vec()));
        let url = url(&format!("http://example.test:{port}/me?a=b"));
        let fetch = Fetch {
            action: Action::Get,
            url: &url,
            headers: &[("authorization", "Bearer t0ken")],
            max_answer: MAX_ANSWER,
        };
        let got = client().fetch(fetch, TIME_LIMIT).await;
        let got = got.unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!((got.status, &got.body[..]), (200, &b"fine"[..]));
        let request = receiving.await.expect("a request");
        for line in [
            "get /me?a=b http/1.1\r\n".to_owned(),
            format!("\r\nhost: example.test:{port}\r\n"),
            "\r\nauthorization: bearer t0ken\r\n".to_owned(),
        ] {
            assert!(request.contains(&line), "{line:?} in {request:?}");
        }
        assert!(!request.contains("content-type"), "{request:?}");
    }

    #[tokio::test]
    async fn a_form_arrives_with_its_fields_encoded() {
        let (listener, port) = listener("127.0.0.1").await;
        let receiving = tokio::spawn(serve(listener, "end=1", OK.to_vec()));
        let url = url(&format!("http://127.0.0.1:{port}/token"));
        let fetch = Fetch {
            action: Action::Post(&[("code", "a b&c=\u{e9}"), ("end", "1")]),
            url: &url,
            headers: &[],
            max_answer: MAX_ANSWER,
        };
        let got = client().fetch(fetch, TIME_LIMIT).await;
        assert!(got.is_ok());
        let request = receiving.await.expect("a request");
        for part in [
            "post /token http/1.1\r\n",
            "\r\ncontent-type: application/x-www-form-urlencoded\r\n",
            "\r\n\r\ncode=a+b%26c%3d%c3%a9&end=1",
        ] {
            assert!(request.contains(part), "{part:?} in {request:?}");
        }
    }

    #[tokio::test]
    async fn a_put_and_a_delete_have_no_body_and_their_answer_has_headers() {
        const LIMITED: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 2\r\n\
            x-reset: 0.25\r\nx-left: 7\r\nx-word: soon\r\ncontent-length: 0\r\n\r\n";
        for (action, lines) in [
            (
                Action::Put,
                ["put /role http/1.1\r\n", "\r\ncontent-length: 0\r\n"],
            ),
            (
                Action::Delete,
                ["delete /role http/1.1\r\n", "\r\nuser-agent: another\r\n"],
            ),
        ] {
            let (listener, port) = listener("127.0.0.1").await;
            let receiving = tokio::spawn(serve(listener, "\r\n\r\n", LIMITED.to_vec()));
            let url = url(&format!("http://127.0.0.1:{port}/role"));
            let fetch = Fetch {
                action,
                url: &url,
                headers: &[("user-agent", "another")],
                max_answer: MAX_ANSWER,
            };
            let got = client().fetch(fetch, TIME_LIMIT).await;
            let got = got.unwrap_or_else(|failure| panic!("{failure}"));
            assert_eq!(got.status, 429);
            assert_eq!(got.seconds("retry-after"), Some(Duration::from_secs(2)));
            assert_eq!(got.seconds("x-reset"), Some(Duration::from_millis(250)));
            assert_eq!((got.seconds("x-word"), got.seconds("x-none")), (None, None));
            assert_eq!(
                (got.number("x-left"), got.number("x-reset")),
                (Some(7), None)
            );
            let request = receiving.await.expect("a request");
            for line in lines {
                assert!(request.contains(line), "{line:?} in {request:?}");
            }
        }
    }

    #[tokio::test]
    async fn an_answer_of_64_kib_is_read_and_a_longer_one_is_too_large() {
        let of_size = |size: usize| {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n");
            [head.into_bytes(), vec![b'x'; size]].concat()
        };
        let whole = fetched(of_size(MAX_ANSWER))
            .await
            .expect("within the limit");
        assert_eq!((whole.0, whole.1.len()), (200, MAX_ANSWER));
        for size in [MAX_ANSWER + 1, 1 << 20] {
            let failure = fetched(of_size(size)).await.expect_err("too large");
            assert!(matches!(failure, FetchFailure::TooLarge), "{failure:?}");
        }
        let head = format!(
            "HTTP/1.1 200 OK\r\nx-large: {}\r\n\r\n",
            "x".repeat(1 << 20)
        );
        let failure = fetched(head.into_bytes()).await.expect_err("too large");
        assert!(matches!(failure, FetchFailure::TooLarge), "{failure:?}");
    }

    #[tokio::test]
    async fn a_redirect_of_a_fetch_is_a_failure() {
        for status in [301, 302, 303, 307, 308] {
            let answer = format!(
                "HTTP/1.1 {status} Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"
            );
            let failure = fetched(answer.into_bytes()).await.expect_err("a redirect");
            assert!(matches!(failure, FetchFailure::Redirect), "{failure:?}");
        }
    }

    #[tokio::test]
    async fn an_incomplete_answer_is_a_failure() {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfine".to_vec();
        let failure = fetched(answer).await.expect_err("incomplete");
        assert!(
            matches!(failure, FetchFailure::NoAnswer(Failure::Protocol(_))),
            "{failure:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_does_not_end_in_time_is_a_timeout() {
        let (listener, port) = listener("127.0.0.1").await;
        let url = url(&format!("http://127.0.0.1:{port}/"));
        let fetch = Fetch {
            action: Action::Get,
            url: &url,
            headers: &[],
            max_answer: MAX_ANSWER,
        };
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nx").await;
            std::future::pending::<()>().await;
        });
        let begun = Instant::now();
        let got = client().fetch(fetch, TIME_LIMIT).await;
        assert!(matches!(got, Err(FetchFailure::NoAnswer(Failure::Timeout))));
        assert!(begun.elapsed() <= TIME_LIMIT + Duration::from_millis(100));
        serving.abort();
    }

    #[tokio::test]
    async fn https_verifies_the_name_of_the_receiver() {
        let authority_key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = params.self_signed(&authority_key).expect("a certificate");
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone()).expect("a root");
        let issuer = Issuer::new(params, authority_key);
        let key = KeyPair::generate().expect("a key");
        let own = CertificateParams::new(["receiver.test".to_owned()]).expect("a name");
        let own = own.signed_by(&key, &issuer).expect("a certificate");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(
                vec![own.der().clone()],
                PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            )
            .expect("a configuration");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let (listener, port) = listener("127.0.0.1").await;
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                if let Ok(stream) = acceptor.accept(stream).await {
                    answer(stream, OK).await;
                }
            }
        });
        let trusting = Client {
            tls: Tls::with_roots(roots),
            ..client()
        };
        let good = url(&format!("https://receiver.test:{port}/"));
        let got = post(&trusting, &good).await;
        assert_eq!(got.expect("an answer").status, 200);
        let wrong = url(&format!("https://other.test:{port}/"));
        let strict = client();
        for (client, url) in [(&trusting, &wrong), (&strict, &good)] {
            let got = post(client, url).await;
            assert!(matches!(got, Err(Failure::Tls(_))), "{got:?}");
        }
    }
}
