use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Request;
use bytes::Bytes;
use db::testing::Authority;
use h2::client::{Builder, SendRequest};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Longer than any limit that a test sets.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Connects with TLS, trusting one authority.
pub struct SecureClient(RootCertStore);

impl SecureClient {
    pub fn trusting(authority: &Authority) -> Self {
        let mut roots = RootCertStore::empty();
        let certificate = CertificateDer::from_pem_slice(authority.certificate().as_bytes());
        roots.add(certificate.expect("PEM")).expect("an authority");
        Self(roots)
    }

    /// A connection on which the client speaks one of these protocols.
    pub async fn connect(
        &self,
        address: SocketAddr,
        protocols: &[&str],
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let provider = Arc::new(ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(self.0.clone())
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|p| p.as_bytes().to_vec()).collect();
        let name = ServerName::from(address.ip());
        let stream = TcpStream::connect(address).await?;
        let connect = TlsConnector::from(Arc::new(config)).connect(name, stream);
        tokio::time::timeout(TIMEOUT, connect).await?
    }

    pub async fn http2(&self, address: SocketAddr) -> Http2 {
        self.http2_with(address, &Builder::new()).await
    }

    /// A client with these settings of flow control.
    pub async fn http2_with(&self, address: SocketAddr, builder: &Builder) -> Http2 {
        let stream = self.connect(address, &["h2"]).await.expect("connected");
        Http2::start(stream, builder).await
    }
}

/// A connection with HTTP/2.
pub struct Http2 {
    pub requests: SendRequest<Bytes>,
    driver: tokio::task::JoinHandle<()>,
}

impl Http2 {
    async fn start(stream: TlsStream<TcpStream>, builder: &Builder) -> Self {
        let (requests, connection) = builder.handshake(stream).await.expect("HTTP/2");
        let driver = tokio::spawn(async {
            let _ = connection.await;
        });
        Self { requests, driver }
    }

    pub async fn send(&self, request: Request<Bytes>) -> Result<(u16, Bytes), h2::Error> {
        let exchange = exchange(self.requests.clone(), request);
        tokio::time::timeout(TIMEOUT, exchange)
            .await
            .expect("in time")
    }

    /// Waits until the service has closed it.
    pub async fn closed(&mut self) {
        let closed = tokio::time::timeout(TIMEOUT, &mut self.driver).await;
        closed.expect("in time").expect("no panic");
    }

    pub fn is_open(&self) -> bool {
        !self.driver.is_finished()
    }
}

/// Returns the status and the body.
async fn exchange(
    requests: SendRequest<Bytes>,
    request: Request<Bytes>,
) -> Result<(u16, Bytes), h2::Error> {
    let (head, body) = request.into_parts();
    let head = Request::from_parts(head, ());
    let mut requests = requests.ready().await?;
    let (response, mut sender) = requests.send_request(head, body.is_empty())?;
    if !body.is_empty() {
        sender.send_data(body, true)?;
    }
    let (head, mut body) = response.await?.into_parts();
    let mut whole = Vec::new();
    while let Some(part) = body.data().await {
        let part = part?;
        body.flow_control().release_capacity(part.len())?;
        whole.extend_from_slice(&part);
    }
    Ok((head.status.as_u16(), whole.into()))
}
