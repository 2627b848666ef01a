//! TLS to PostgreSQL servers with certificates of a private authority. SQLite has no connections.

use std::path::Path;

use db::testing::{Authority, Identity, PostgresServer, Scratch};
use db::{Db, Error, Options, Result};

use crate::support::within;

/// The name in the server's certificate. It is never resolved.
const NAME: &str = "db.internal";

/// A server with TLS, and its authority.
struct Secured {
    server: PostgresServer,
    authority: Authority,
    /// The files of the client.
    files: tempfile::TempDir,
}

impl Secured {
    /// Starts a server. `None` unless the tests run on PostgreSQL.
    fn start(access: &str) -> Option<Self> {
        let server = PostgresServer::create()?;
        let mut secured = Self {
            server,
            authority: Authority::new("Private"),
            files: tempfile::tempdir().expect("a temporary folder"),
        };
        let server = &mut secured.server;
        server.configure("ssl = on\nssl_ca_file = 'ca.crt'");
        server.write("pg_hba.conf", access);
        server.write("ca.crt", &secured.authority.certificate());
        secured.present(&secured.authority.issue(NAME));
        std::fs::write(secured.roots(), secured.authority.certificate()).expect("written");
        secured.server.start();
        Some(secured)
    }

    fn present(&self, identity: &Identity) {
        self.server.write("server.crt", &identity.certificate);
        self.server.write("server.key", &identity.key);
    }

    fn roots(&self) -> std::path::PathBuf {
        self.files.path().join("ca.crt")
    }

    /// Opens the database under the name `host`, without resolving it.
    async fn open(&self, host: &str, parameters: &str) -> Result<Db> {
        let port = self.server.port();
        open(&format!(
            "postgres://steward:secret@{host}:{port}/postgres?hostaddr=127.0.0.1&{parameters}"
        ))
        .await
    }

    async fn verified(&self, host: &str, mode: &str, roots: &Path) -> Result<Db> {
        let roots = roots.display();
        self.open(host, &format!("sslmode={mode}&sslrootcert={roots}"))
            .await
    }
}

async fn open(url: &str) -> Result<Db> {
    within(Db::open(&url.parse()?, &Options::default())).await
}

/// Whether the connections of this process are encrypted.
async fn encrypted(db: &Db) -> Vec<bool> {
    let sql = "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
               WHERE application_name = 'steward' AND datname = current_database()";
    let mut read = db.read().await.expect("a reader");
    let rows = read.query(sql, &[], |row| row.get(0)).await;
    rows.expect("readable")
}

fn cause(outcome: Result<Db>) -> String {
    match outcome {
        Err(Error::Insecure(cause)) => cause,
        Err(other) => panic!("another error: {other:?}"),
        Ok(_) => panic!("it connected"),
    }
}

const TLS_ONLY: &str = "hostssl all all 127.0.0.1/32 trust";

#[tokio::test(flavor = "multi_thread")]
async fn each_sslmode_checks_what_libpq_checks() {
    let Some(secured) = Secured::start(TLS_ONLY) else {
        return;
    };
    let ours = secured.roots();
    let other = secured.files.path().join("other.crt");
    std::fs::write(&other, Authority::new("Other").certificate()).expect("written");

    let db = secured.verified(NAME, "verify-full", &ours).await;
    let db = db.expect("the right name and authority");
    db.migrate(0).await.expect("the schema is created");
    // The channel for changes has a separate connection.
    crate::support::eventually("the channel is up", || {
        db.changes("roles").expect("readable").is_some()
    })
    .await;
    assert_eq!(encrypted(&db).await, [true]);
    // A statement that nothing awaits is cancelled over TLS as well.
    let mut read = db.read_alone().await.expect("a reader");
    let sleep = read.query_one("SELECT pg_sleep(600)", &[], |_| Ok(()));
    let waited = tokio::time::timeout(std::time::Duration::from_millis(300), sleep).await;
    assert!(waited.is_err(), "{waited:?}");
    drop(read);
    let mut sleeping = 1;
    while sleeping > 0 {
        let sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active'
                   AND query LIKE 'SELECT pg_sleep%'";
        let mut read = within(db.read()).await.expect("a reader");
        let count = read.query_one(sql, &[], |row| row.get::<i64>(0)).await;
        sleeping = count.expect("readable");
    }

    let wrong_name = cause(secured.verified("db.example", "verify-full", &ours).await);
    assert!(wrong_name.contains("not valid for name"), "{wrong_name}");
    let ca_only = secured.verified("db.example", "verify-ca", &ours).await;
    ca_only.expect("verify-ca does not check the name");
    for mode in ["verify-full", "verify-ca", "require", "prefer"] {
        let unknown = cause(secured.verified(NAME, mode, &other).await);
        assert!(unknown.contains("UnknownIssuer"), "{mode}: {unknown}");
    }
    for mode in ["require", "prefer"] {
        let db = secured.open(NAME, &format!("sslmode={mode}")).await;
        let db = db.expect("any certificate");
        assert_eq!(encrypted(&db).await, [true], "{mode}");
    }
    let plain = secured.open(NAME, "sslmode=disable").await;
    let error = plain.err().expect("the server refuses it");
    assert!(matches!(error, Error::Rejected(_)), "{error:?}");
    assert!(!error.to_string().contains("secret@"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_certificate_is_refused_and_its_successor_accepted() {
    let Some(secured) = Secured::start(TLS_ONLY) else {
        return;
    };
    let roots = secured.roots();
    let db = secured.verified(NAME, "verify-full", &roots).await;
    let db = db.expect("a valid certificate");
    secured.present(&secured.authority.issue_expired(NAME));
    secured.server.reload();
    for mode in ["verify-full", "verify-ca"] {
        let mut outcome = secured.verified(NAME, mode, &roots).await;
        // The server takes a while to read the new file.
        while outcome.is_ok() {
            outcome = secured.verified(NAME, mode, &roots).await;
        }
        let expired = cause(outcome);
        assert!(expired.contains("expired"), "{mode}: {expired}");
    }
    assert_eq!(encrypted(&db).await, [true], "older connections go on");

    // Replace the authority, and the client's file with it.
    let successor = Authority::new("Successor");
    secured.present(&successor.issue(NAME));
    secured.server.reload();
    std::fs::write(&roots, successor.certificate()).expect("written");
    let renewed = async || secured.verified(NAME, "verify-full", &roots).await;
    while renewed().await.is_err() {}
    let held = within(futures_util::future::join_all((0..8).map(|_| db.begin()))).await;
    assert!(
        held.iter().all(Result::is_ok),
        "new connections of the old pool"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_may_require_a_client_certificate_or_channel_binding() {
    let access = "hostssl postgres steward 127.0.0.1/32 cert\n\
                  hostssl template1 steward 127.0.0.1/32 scram-sha-256";
    let Some(secured) = Secured::start(access) else {
        return;
    };
    let roots = secured.roots();
    let base = format!("sslmode=verify-full&sslrootcert={}", roots.display());
    let with = async |(certificate, key): (std::path::PathBuf, std::path::PathBuf)| {
        let (certificate, key) = (certificate.display(), key.display());
        let parameters = format!("{base}&sslcert={certificate}&sslkey={key}");
        secured.open(NAME, &parameters).await
    };
    let folder = secured.files.path();
    let ours = secured.authority.issue("steward").write(folder, "steward");
    let db = with(ours.clone()).await.expect("the right certificate");
    assert_eq!(encrypted(&db).await, [true]);

    let without = secured.open(NAME, &base).await.err().expect("refused");
    assert!(matches!(without, Error::Rejected(_)), "{without:?}");
    let other_user = secured.authority.issue("someone").write(folder, "someone");
    let refused = with(other_user).await.err().expect("refused");
    assert!(matches!(refused, Error::Rejected(_)), "{refused:?}");
    let stranger = Authority::new("Other").issue("steward");
    let refused = with(stranger.write(folder, "stranger")).await;
    assert!(refused.is_err(), "a certificate of an unknown authority");

    let (certificate, key) = ours;
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .expect("set");
    let open_key = with((certificate.clone(), key.clone())).await;
    let error = open_key.err().expect("refused").to_string();
    assert!(error.contains("chmod 600"), "{error}");
    let missing = with((certificate, folder.join("missing"))).await;
    let error = missing.err().expect("refused").to_string();
    assert!(error.starts_with("sslkey "), "{error}");

    db.run_sql("ALTER ROLE steward PASSWORD 'secret'")
        .await
        .expect("a password");
    let port = secured.server.port();
    let scram = format!(
        "postgres://steward:secret@{NAME}:{port}/template1?hostaddr=127.0.0.1&{base}\
         &channel_binding=require"
    );
    open(&scram).await.expect("bound to the channel");
    let wrong = scram.replace(":secret@", ":hunter2@");
    let error = open(&wrong).await.err().expect("a wrong password");
    assert!(matches!(error, Error::Rejected(_)), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_tls_on_the_server_only_prefer_and_disable_connect() {
    let scratch = Scratch::new().await;
    if scratch.url().starts_with("sqlite:") {
        return;
    }
    for mode in ["prefer", "disable"] {
        let db = open(&format!("{}?sslmode={mode}", scratch.url())).await;
        assert_eq!(encrypted(&db.expect("plain")).await, [false], "{mode}");
    }
    let roots = scratch.folder().join("ca.crt");
    std::fs::write(&roots, Authority::new("Private").certificate()).expect("written");
    let roots = roots.display();
    for mode in ["require", "verify-ca", "verify-full"] {
        let url = format!("{}?sslmode={mode}&sslrootcert={roots}", scratch.url());
        assert_eq!(cause(open(&url).await), "the server has no TLS", "{mode}");
    }
}
