//! A private certificate authority.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};

/// An authority that signs certificates.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, as PEM.
pub struct Identity {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    pub fn certificate(&self) -> String {
        self.0.pem()
    }

    /// Issues a certificate for a host, or for a user of PostgreSQL.
    pub fn issue(&self, name: &str) -> Identity {
        self.sign(name, params(name))
    }

    /// Issues a certificate that has expired.
    pub fn issue_expired(&self, name: &str) -> Identity {
        let mut params = params(name);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2020, 12, 31);
        self.sign(name, params)
    }

    fn sign(&self, name: &str, mut params: CertificateParams) -> Identity {
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        Identity {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }
}

fn params(name: &str) -> CertificateParams {
    CertificateParams::new([name.to_owned()]).expect("a name")
}

impl Identity {
    /// Writes `NAME.crt` and `NAME.key`, which only the owner can read.
    pub fn write(&self, folder: &Path, name: &str) -> (PathBuf, PathBuf) {
        let certificate = folder.join(format!("{name}.crt"));
        let key = folder.join(format!("{name}.key"));
        fs::write(&certificate, &self.certificate).expect("written");
        fs::write(&key, &self.key).expect("written");
        fs::set_permissions(&key, Permissions::from_mode(0o600)).expect("closed to others");
        (certificate, key)
    }
}
