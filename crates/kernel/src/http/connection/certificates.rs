//! The TLS certificate of the service, reloaded when its files change.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::RwLock;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use zeroize::Zeroizing;

/// How often the files are checked for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Larger than any certificate chain.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The current certificate. Cheap to clone; all clones share it.
#[derive(Clone)]
pub struct Certificates(Arc<State>);

struct State {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<ServerConfig>>,
}

/// The contents of the files.
#[derive(PartialEq)]
struct Content {
    certificate: Vec<u8>,
    key: Zeroizing<Vec<u8>>,
}

impl Certificates {
    /// Reads both files, which are PEM: the chain of the certificate, and its private key.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, String> {
        let config = Content::read(certificate, key)?.config(certificate, key)?;
        Ok(Self(Arc::new(State {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            current: RwLock::new(Arc::new(config)),
        })))
    }

    /// An acceptor with the current certificate.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        Arc::clone(&self.0.current.read()).into()
    }

    /// Reloads the files when they change. If new files are unusable, the old certificate stays.
    pub fn keep_reloading(self) -> BoxFuture<'static, ()> {
        Box::pin(self.reload_until_dropped())
    }

    async fn reload_until_dropped(self) {
        let mut seen = None;
        loop {
            let state = Arc::clone(&self.0);
            let read = move || Content::read(&state.certificate, &state.key);
            let content = match tokio::task::spawn_blocking(read).await {
                Ok(content) => content,
                Err(error) => Err(error.to_string()),
            };
            if seen.is_some() && seen.as_ref() != Some(&content) {
                self.replace(&content);
            }
            seen = Some(content);
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
    }

    fn replace(&self, content: &Result<Content, String>) {
        let State {
            certificate, key, ..
        } = &*self.0;
        let config = match content {
            Ok(content) => content.config(certificate, key),
            Err(error) => Err(error.clone()),
        };
        match config {
            Ok(config) => {
                *self.0.current.write() = Arc::new(config);
                tracing::info!("reloaded the TLS certificate");
            }
            Err(error) => {
                tracing::warn!(
                    error,
                    "the new TLS certificate is unusable; keeping the old one"
                );
            }
        }
    }
}

impl Content {
    fn read(certificate: &Path, key: &Path) -> Result<Self, String> {
        Ok(Self {
            certificate: read(certificate)?,
            key: read(key)?.into(),
        })
    }

    fn config(&self, certificate: &Path, key: &Path) -> Result<ServerConfig, String> {
        // The parser's messages may quote the file.
        let invalid = |file: &Path, what| format!("{}: there is no {what} in it", file.display());
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&self.certificate)
            .collect::<Result<_, _>>()
            .map_err(|_| invalid(certificate, "valid certificate"))?;
        if chain.is_empty() {
            return Err(invalid(certificate, "certificate"));
        }
        let private = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|_| invalid(key, "private key that is not encrypted"))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_no_client_auth()
            .with_single_cert(chain, private)
            .map_err(|error| {
                let (certificate, key) = (certificate.display(), key.display());
                format!("{certificate} and {key}: {error}")
            })?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let explain = |error| format!("{}: {error}", file.display());
    let metadata = std::fs::metadata(file).map_err(explain)?;
    if metadata.len() > MAX_FILE_BYTES {
        return Err(format!("{}: the file is too large", file.display()));
    }
    std::fs::read(file).map_err(explain)
}
