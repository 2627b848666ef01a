//! TLS to receivers, whose certificates are verified with the authorities that this machine trusts.

use std::io;
use std::sync::{Arc, OnceLock};

use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Loads the authorities' certificates with the first secure connection, since most machines have
/// many.
#[derive(Clone, Debug, Default)]
pub struct Tls(Arc<OnceLock<Arc<ClientConfig>>>);

impl Tls {
    #[cfg(test)]
    pub fn with_roots(roots: RootCertStore) -> Self {
        let config = client_config(roots).expect("a configuration");
        Self(Arc::new(OnceLock::from(config)))
    }

    pub async fn connect(
        &self,
        name: ServerName<'static>,
        stream: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        let config = self.config()?;
        TlsConnector::from(config).connect(name, stream).await
    }

    fn config(&self) -> io::Result<Arc<ClientConfig>> {
        if let Some(config) = self.0.get() {
            return Ok(Arc::clone(config));
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            tracing::warn!(
                "this machine has no certificates of authorities, so nothing can be sent over \
                 HTTPS; install them (on Debian ca-certificates)"
            );
        }
        let config = client_config(roots)?;
        Ok(Arc::clone(self.0.get_or_init(|| config)))
    }
}

fn client_config(roots: RootCertStore) -> io::Result<Arc<ClientConfig>> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
