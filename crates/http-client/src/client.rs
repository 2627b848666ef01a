//! Sends one request, to addresses that the caller has chosen.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, USER_AGENT};
use hyper::rt::{Read, Write};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use url::{Host, Position, Url};

use crate::tls::Tls;
use crate::{Failure, Resolve};

/// How much of an answer is read, in bytes.
pub const MAX_ANSWER: usize = 64 << 10;

/// How long an address may take to accept a connection while there is another to try.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);
/// How many addresses of a name are tried.
const MAX_ADDRESSES: usize = 3;

/// Sends requests. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    resolver: Arc<dyn Resolve>,
    tls: Tls,
}

/// A request with a body of JSON.
#[derive(Clone, Debug)]
pub struct Post<'a> {
    pub url: &'a Url,
    /// Besides those that every request has.
    pub headers: &'a [(&'static str, String)],
    pub body: Bytes,
}

/// What the receiver said.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// As much of the body as came in time, at most [`MAX_ANSWER`] bytes.
    pub body: Vec<u8>,
}

impl Client {
    pub fn new(resolver: Arc<dyn Resolve>) -> Self {
        Self {
            resolver,
            tls: Tls::default(),
        }
    }

    /// The addresses of the URL's host: the one that it is, or those of its name.
    pub async fn resolve(&self, url: &Url) -> Result<Vec<IpAddr>, Failure> {
        match (literal_address(url), url.host_str()) {
            (Some(address), _) => Ok(vec![address]),
            (None, Some(name)) => self.resolver.resolve(name).await.map_err(Failure::Name),
            (None, None) => Err(Failure::Url),
        }
    }

    /// Posts to the first of these addresses that accepts a connection. The answer must begin before
    /// `end`; its body is read until then.
    pub async fn post(
        &self,
        post: Post<'_>,
        addresses: &[IpAddr],
        end: Instant,
    ) -> Result<Answer, Failure> {
        let url = post.url;
        let request = request(post)?;
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
        let (response, connection) = sent.map_err(|_| Failure::Timeout)??;
        let status = response.status().as_u16();
        let mut received = Vec::new();
        // The status says whether the request has arrived. A body that does not end changes nothing.
        let receiving = receive(response.into_body(), &mut received);
        let _ = tokio::time::timeout_at(end, receiving).await;
        drop(connection);
        Ok(Answer {
            status,
            body: received,
        })
    }
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

fn request(post: Post<'_>) -> Result<Request<Full<Bytes>>, Failure> {
    let Post { url, headers, body } = post;
    let target = &url[Position::BeforePath..Position::AfterQuery];
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let request = Request::post(target)
        .header(HOST, host)
        .header(CONTENT_TYPE, "application/json")
        .header(CONNECTION, "close")
        .header(USER_AGENT, concat!("Steward/", env!("CARGO_PKG_VERSION")));
    let headers = headers.iter();
    let request = headers.fold(request, |request, (name, value)| {
        request.header(*name, value)
    });
    request.body(Full::from(body)).map_err(|_| Failure::Url)
}

/// A task that is ended with what it belongs to.
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
        // What ends the connection early is reported to the request, too.
        let _ = connection.await;
    }));
    let response = sender.send_request(request).await;
    Ok((response.map_err(Failure::Protocol)?, connection))
}

/// Adds to `received` what comes, up to the limit.
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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
    use rustls::crypto::ring;
    use rustls::pki_types::PrivateKeyDer;
    use rustls::{RootCertStore, ServerConfig};
    use tokio::io::AsyncWriteExt;
    use tokio_rustls::TlsAcceptor;

    use super::*;
    use crate::Resolving;
    use crate::testing::{OK, answer, listener};

    /// Every name is this machine.
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
    async fn of_an_endless_answer_64_kib_are_read() {
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
