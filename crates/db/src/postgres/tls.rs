//! TLS to the PostgreSQL server, with libpq's modes.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::Socket;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{Error, Result};

/// The value of libpq's `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Disable,
    /// TLS if the server supports it, without verifying the server.
    Prefer,
    /// TLS, without verifying the server.
    Require,
    /// TLS with a certificate of a trusted authority, for any name.
    VerifyCa,
    /// TLS with a certificate of a trusted authority for the host's name.
    VerifyFull,
}

/// `sslrootcert`: the authorities whose certificates are trusted.
#[derive(Clone, Debug)]
pub(super) enum Roots {
    System,
    File(PathBuf),
}

/// The TLS settings. The files are read for each connection, so that a renewed certificate is used
/// without a restart.
#[derive(Clone)]
pub(super) struct Tls(Arc<Parameters>);

struct Parameters {
    mode: Mode,
    roots: Option<Roots>,
    /// The files of `sslcert` and `sslkey`.
    identity: Option<(PathBuf, PathBuf)>,
}

impl Tls {
    pub fn new(mode: Mode, roots: Option<Roots>, identity: Option<(PathBuf, PathBuf)>) -> Self {
        // libpq does the same.
        let mode = match (mode, &roots) {
            (Mode::Require, Some(_)) => Mode::VerifyCa,
            _ => mode,
        };
        Self(Arc::new(Parameters {
            mode,
            roots,
            identity,
        }))
    }

    #[cfg(test)]
    pub fn mode(&self) -> Mode {
        self.0.mode
    }

    /// The mode as tokio-postgres has it.
    pub fn ssl_mode(&self) -> SslMode {
        match self.0.mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        }
    }

    /// Reads the files once, to find mistakes at the start.
    pub fn check(&self) -> Result<()> {
        self.client_config().map(|_| ())
    }

    fn client_config(&self) -> Result<ClientConfig> {
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(Error::engine)?
            .dangerous()
            .with_custom_certificate_verifier(self.verifier(provider)?);
        let identity = match self.0.mode {
            Mode::Disable => None,
            _ => self.0.identity.as_ref(),
        };
        let Some((certificate, key)) = identity else {
            return Ok(config.with_no_client_auth());
        };
        let chain = read_certificates("sslcert", certificate)?;
        let config = config.with_client_auth_cert(chain, read_key(key)?);
        config.map_err(|error| unusable("sslkey", key, error))
    }

    fn verifier(&self, provider: Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>> {
        let roots = match (self.0.mode, &self.0.roots) {
            (Mode::Disable, _) | (_, None) => None,
            (_, Some(Roots::System)) => Some(system_roots()?),
            (_, Some(Roots::File(file))) => Some(Arc::new(read_roots(file)?)),
        };
        Ok(match (self.0.mode, roots) {
            (Mode::VerifyFull, Some(roots)) => {
                WebPkiServerVerifier::builder_with_provider(roots, provider)
                    .build()
                    .map_err(Error::engine)?
            }
            (_, roots) => Arc::new(AnyName {
                roots,
                algorithms: provider.signature_verification_algorithms,
            }),
        })
    }
}

impl MakeTlsConnect<Socket> for Tls {
    type Stream = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;
    type TlsConnect = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;
    type Error = Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<Self::TlsConnect> {
        let mut connector = MakeRustlsConnect::new(self.client_config()?);
        let Ok(connect) = MakeTlsConnect::<Socket>::make_tls_connect(&mut connector, host);
        Ok(connect)
    }
}

/// Accepts a certificate for any name and, without roots, of any authority.
#[derive(Debug)]
struct AnyName {
    roots: Option<Arc<RootCertStore>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if let Some(roots) = &self.roots {
            let certificate = ParsedCertificate::try_from(certificate)?;
            let algorithms = self.algorithms.all;
            verify_server_cert_signed_by_trust_anchor(
                &certificate,
                roots,
                intermediates,
                now,
                algorithms,
            )?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// Caches the system's certificates, of which there are more than a hundred.
fn system_roots() -> Result<Arc<RootCertStore>> {
    static ROOTS: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    if let Some(roots) = ROOTS.get() {
        return Ok(Arc::clone(roots));
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        let missing = "sslrootcert=system: this machine has no certificates of authorities; \
                       install them (on Debian ca-certificates) or name a file";
        return Err(Error::Url(missing.into()));
    }
    Ok(Arc::clone(ROOTS.get_or_init(|| Arc::new(roots))))
}

fn read_roots(file: &Path) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in read_certificates("sslrootcert", file)? {
        let added = roots.add(certificate);
        added.map_err(|error| unusable("sslrootcert", file, error))?;
    }
    Ok(roots)
}

fn read_certificates(parameter: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let certificates = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, pem::Error>>)
        .map_err(|error| unreadable(parameter, file, error))?;
    if certificates.is_empty() {
        return Err(unusable(parameter, file, "there is no certificate in it"));
    }
    Ok(certificates)
}

/// Like libpq, refuses a key that other users can read.
fn read_key(file: &Path) -> Result<PrivateKeyDer<'static>> {
    const ROOT: u32 = 0;
    let metadata = file
        .metadata()
        .map_err(|error| unusable("sslkey", file, error))?;
    // The system may keep keys for a group of services.
    let forbidden = if metadata.uid() == ROOT { 0o037 } else { 0o077 };
    if metadata.mode() & forbidden != 0 {
        let open = "other users can read it; run chmod 600 on it";
        return Err(unusable("sslkey", file, open));
    }
    PrivateKeyDer::from_pem_file(file).map_err(|error| match error {
        pem::Error::NoItemsFound => {
            let none = "there is no private key in it that is not encrypted";
            unusable("sslkey", file, none)
        }
        error => unreadable("sslkey", file, error),
    })
}

/// Replaces the parser's message, which may quote the file.
fn unreadable(parameter: &str, file: &Path, error: pem::Error) -> Error {
    match error {
        pem::Error::Io(error) => unusable(parameter, file, error),
        _ => unusable(parameter, file, "it is not a valid PEM file"),
    }
}

fn unusable(parameter: &str, file: &Path, reason: impl std::fmt::Display) -> Error {
    Error::Url(format!("{parameter} {}: {reason}", file.display()))
}

/// The reason, if a connection failed because of TLS. Only a change of the configuration helps.
pub(super) fn fault(error: &tokio_postgres::Error) -> Option<String> {
    let cause = std::error::Error::source(error)?;
    if let Some(file) = cause.downcast_ref::<Error>() {
        return Some(file.to_string());
    }
    if let Some(io) = cause.downcast_ref::<io::Error>() {
        let inner = io.get_ref()?.downcast_ref::<rustls::Error>()?;
        return Some(inner.to_string());
    }
    // tokio-postgres has no error kind for it.
    let text = cause.to_string();
    (text == "server does not support TLS").then(|| "the server has no TLS".into())
}
