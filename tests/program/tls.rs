//! HTTPS with files that the operator names and renews, and PostgreSQL with the machine's
//! authorities.

use std::sync::Arc;

use db::testing::{Authority, PostgresServer};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::support::{ADMIN_KEY, Home, Program, within};

/// The answer to a request, if the authority is that of the service.
async fn get(service: &Program, authority: &Authority) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_slice(authority.certificate().as_bytes());
    roots.add(certificate.expect("PEM")).expect("an authority");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").expect("a name");
    let stream = TcpStream::connect(&service.address).await?;
    let connect = TlsConnector::from(Arc::new(config)).connect(name, stream);
    let mut stream = within(connect).await?;
    let request = format!(
        "GET /api/status HTTP/1.1\r\nHost: x\r\nX-API-Key: {ADMIN_KEY}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    within(stream.read_to_string(&mut answer)).await?;
    Ok(answer)
}

async fn serves(service: &Program, authority: &Authority) -> bool {
    let answer = get(service, authority).await;
    answer.is_ok_and(|answer| answer.starts_with("HTTP/1.1 200 OK\r\n"))
}

async fn until_served(service: &Program, authority: &Authority) {
    let served = async {
        while !serves(service, authority).await {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    within(served).await;
}

#[tokio::test]
async fn a_renewed_certificate_is_used_and_a_broken_one_is_not() {
    let home = Home::new().await;
    let old = Authority::new("Old");
    let (certificate, key) = old.issue("127.0.0.1").write(home.folder(), "tls");
    let mut service = home
        .steward(&["--tls-cert", "tls.crt", "--log-format", "json"])
        .env("STEWARD_TLS_KEY", "tls.key")
        .env("STEWARD_ADMIN_KEY", ADMIN_KEY)
        .serve()
        .await;
    assert!(serves(&service, &old).await);

    // The key does not fit, as between two writes of a renewal.
    let new = Authority::new("New");
    let identity = new.issue("127.0.0.1");
    std::fs::write(&certificate, &identity.certificate).expect("written");
    let kept = "the new TLS certificate is unusable; keeping the old one";
    service
        .logged(|line| line["level"] == "WARN" && line["message"] == kept)
        .await;
    assert!(serves(&service, &old).await);
    std::fs::write(&key, &identity.key).expect("written");
    until_served(&service, &new).await;
    assert!(!serves(&service, &old).await);
    service.stop().await.ok();
}

#[tokio::test]
async fn files_that_cannot_be_used_and_half_of_the_options_stop_the_start() {
    let home = Home::new().await;
    let identity = Authority::new("Private").issue("127.0.0.1");
    identity.write(home.folder(), "tls");
    let other = Authority::new("Other").issue("127.0.0.1");
    other.write(home.folder(), "other");
    home.write("empty.pem", "");
    for (args, words) in [
        (["--tls-cert", "tls.crt"].as_slice(), "--tls-key"),
        (&["--tls-key", "tls.key"], "--tls-cert"),
    ] {
        home.run(args).await.misused(&[words]);
    }
    for (certificate, key, words) in [
        ("missing.crt", "tls.key", "missing.crt: No such file"),
        ("empty.pem", "tls.key", "empty.pem: there is no certificate"),
        ("tls.crt", "tls.crt", "tls.crt: there is no private key"),
        ("tls.crt", "other.key", "tls.crt and other.key: "),
    ] {
        let args = ["--tls-cert", certificate, "--tls-key", key];
        let ended = home.run(&args).await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains(words), "{ended:?}");
    }
    assert!(!home.data().exists(), "nothing was created");
}

/// Whether it warns that keys cross the network in plain text. It then fails, because the address
/// is not one of this machine.
async fn warns(home: &Home, address: &str, args: &[&str]) -> bool {
    let all = [&["--log-format", "json", "--listen", address], args].concat();
    let ended = home.run(&all).await;
    assert!(ended.stderr.contains("cannot listen on"), "{ended:?}");
    ended.log().iter().any(|line| {
        let message = line["message"].as_str().unwrap_or_default();
        line["level"] == "WARN" && message.contains("unencrypted")
    })
}

#[tokio::test]
async fn a_public_address_without_tls_or_proxy_is_warned_of() {
    let home = Home::new().await;
    let identity = Authority::new("Private").issue("127.0.0.1");
    identity.write(home.folder(), "tls");
    // For documentation only.
    let public = "192.0.2.1:8080";
    assert!(warns(&home, public, &[]).await);
    // A link-local address is not public.
    assert!(!warns(&home, "169.254.255.255:8080", &[]).await);
    assert!(!warns(&home, public, &["--trusted-proxies", "10.0.0.0/8"]).await);
    let tls = ["--tls-cert", "tls.crt", "--tls-key", "tls.key"];
    assert!(!warns(&home, public, &tls).await);
}

#[tokio::test]
async fn sslrootcert_system_trusts_the_authorities_of_the_machine() {
    let home = Home::new().await;
    let Some(mut server) = PostgresServer::create() else {
        return;
    };
    let authority = Authority::new("Private");
    let identity = authority.issue("127.0.0.1");
    server.configure("ssl = on");
    server.write("server.crt", &identity.certificate);
    server.write("server.key", &identity.key);
    server.start();
    let url = format!("{}?sslrootcert=system", server.url());
    let roots = home.write("roots.crt", &authority.certificate());
    let other = Authority::new("Other").certificate();
    let other = home.write("other.crt", &other);
    for (machine, code) in [(roots, 0), (other, 1)] {
        let ended = home
            .bare(&["key", "list"])
            .env("STEWARD_DATABASE_URL", &url)
            .env("SSL_CERT_FILE", machine.to_str().expect("text"))
            .end()
            .await;
        assert_eq!(ended.code, Some(code), "{ended:?}");
        let is_untrusted = ended.stderr.contains("cannot connect securely");
        assert_eq!(is_untrusted, code == 1, "{ended:?}");
    }
}
