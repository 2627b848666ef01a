//! `steward health`: asks the running service whether it is ready, as a container runtime does.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::any_certificate::AnyCertificate;
use crate::error::Result;
use crate::options::Options;
use crate::output::print_line;

/// Container runtimes allow more than this by default.
const TIME_LIMIT: Duration = Duration::from_secs(10);

pub async fn run(options: &Options) -> Result {
    let address = address_to_ask(options.listen)?;
    let origin = options.origin_at(address);
    let failed = |why: String| format!("the service at {origin} is not ready: {why}");
    let asked = tokio::time::timeout(TIME_LIMIT, ask(address, options.tls_files().is_some()));
    match asked.await {
        Ok(Ok(status)) if status == "200" => Ok(print_line!("ready")?),
        Ok(Ok(status)) => Err(failed(format!("/readyz answers {status}")).into()),
        Ok(Err(error)) => Err(failed(error.to_string()).into()),
        Err(_) => {
            let seconds = TIME_LIMIT.as_secs();
            Err(failed(format!("there is no answer within {seconds} seconds")).into())
        }
    }
}

/// The address at which this machine reaches a service that listens on `listen`.
fn address_to_ask(listen: SocketAddr) -> std::result::Result<SocketAddr, &'static str> {
    if listen.port() == 0 {
        return Err("--listen has no port; pass the one that the service printed");
    }
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    Ok(SocketAddr::new(ip, listen.port()))
}

/// The status of the response to `GET /readyz`.
async fn ask(address: SocketAddr, has_tls: bool) -> Result<String> {
    let stream = TcpStream::connect(address).await?;
    if !has_tls {
        return read_status(stream).await;
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(AnyCertificate::new(&provider));
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    let name = ServerName::IpAddress(address.ip().into());
    let connector = TlsConnector::from(Arc::new(config));
    read_status(connector.connect(name, stream).await?).await
}

async fn read_status(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> Result<String> {
    let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await?;
    // `HTTP/1.1 200`
    let mut line = [0; 12];
    stream.read_exact(&mut line).await?;
    let line = String::from_utf8_lossy(&line);
    let status = line.strip_prefix("HTTP/1.1 ");
    Ok(status.ok_or("the answer is not HTTP")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::address_to_ask;

    #[test]
    fn a_service_at_all_addresses_is_asked_at_loopback() {
        for (listen, asked) in [
            ("0.0.0.0:8080", Some("127.0.0.1:8080")),
            ("[::]:8080", Some("[::1]:8080")),
            ("192.0.2.7:80", Some("192.0.2.7:80")),
            ("127.0.0.1:0", None),
        ] {
            let address = address_to_ask(listen.parse().expect("an address")).ok();
            let address = address.map(|address| address.to_string());
            assert_eq!(address.as_deref(), asked);
        }
    }
}
