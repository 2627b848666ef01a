//! Temporary databases. `STEWARD_TEST_ENGINE` selects the engine: `sqlite` (the default) or
//! `postgres`, on the server of the address `STEWARD_TEST_POSTGRES`.

mod authority;
mod postgres_server;
mod proxy;

use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use tokio_postgres::NoTls;

pub use self::authority::{Authority, Identity};
pub use self::postgres_server::PostgresServer;
pub use self::proxy::Proxy;

use crate::{DatabaseUrl, Db, Options};

/// A temporary database for one test.
pub struct Scratch {
    url: String,
    // Removed when dropped. Databases on the PostgreSQL server are removed with the server.
    folder: TempDir,
}

impl Scratch {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = match std::env::var("STEWARD_TEST_ENGINE").as_deref() {
            Ok("postgres") => create_on_server().await,
            Ok("sqlite") | Err(_) => {
                format!("sqlite:{}", folder.path().join("steward.db").display())
            }
            Ok(other) => panic!("STEWARD_TEST_ENGINE must be sqlite or postgres, not {other}"),
        };
        Self { url, folder }
    }

    /// Puts a proxy before the PostgreSQL server. `None` on SQLite.
    pub async fn behind_proxy(&mut self) -> Option<Proxy> {
        if self.url.starts_with("sqlite:") {
            return None;
        }
        let proxy = Proxy::start(&self.url).await;
        self.url.clone_from(&proxy.url);
        Some(proxy)
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// A folder for files of the test.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub async fn open(&self) -> Db {
        let url: DatabaseUrl = self.url.parse().expect("a valid address");
        Db::open(&url, &Options::default())
            .await
            .expect("the database opens")
    }
}

async fn create_on_server() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let server = std::env::var("STEWARD_TEST_POSTGRES")
        .expect("STEWARD_TEST_POSTGRES must be set to the address of a server");
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("steward_test_{}_{count}", std::process::id());
    let (client, connection) = tokio_postgres::connect(&server, NoTls)
        .await
        .expect("the server answers");
    let driver = tokio::spawn(connection);
    client
        .batch_execute(&format!("DROP DATABASE IF EXISTS {name}"))
        .await
        .expect("an old database can be dropped");
    client
        .batch_execute(&format!("CREATE DATABASE {name}"))
        .await
        .expect("a database can be created");
    drop(client);
    let _ = driver.await;
    let (base, _) = server
        .rsplit_once('/')
        .expect("the address ends with the name of a database");
    format!("{base}/{name}")
}

/// The statements that [`Select`](crate::Select) has built in this process.
pub fn built_statements() -> Vec<&'static str> {
    crate::select::interned()
}

impl Db {
    /// Runs any SQL, however long it takes.
    pub async fn run_sql(&self, sql: &str) -> crate::Result<()> {
        let mut tx = self.begin().await?;
        tx.allow_long_statements().await?;
        tx.batch(sql).await?;
        tx.commit().await
    }

    /// Brings an empty database to an older version of the schema.
    pub async fn migrate_to_version(&self, version: usize) -> crate::Result<()> {
        self.migrate_to(version, 0).await.map(|_| ())
    }

    /// The plan of a statement. The parameters are written as SQL literals.
    pub async fn plan(&self, sql: &str, params: &[&str]) -> crate::Result<String> {
        let mut read = self.read_alone().await?;
        let lines: Vec<String> = if self.is_postgres() {
            // Plan it as the service does: before the parameters are known.
            read.batch(&format!("PREPARE planned AS {sql}")).await?;
            let explain = format!("EXPLAIN EXECUTE planned({})", params.join(", "));
            let lines = read.query(explain.leak(), &[], |row| row.get(0)).await;
            read.batch("DEALLOCATE planned").await?;
            lines?
        } else {
            let mut sql = sql.to_owned();
            for (i, param) in params.iter().enumerate().rev() {
                sql = sql.replace(&format!("${}", i + 1), param);
            }
            let explain = format!("EXPLAIN QUERY PLAN {sql}");
            read.query(explain.leak(), &[], |row| row.get(3)).await?
        };
        Ok(lines.join("\n"))
    }

    /// Whether this is PostgreSQL, for tests that apply to one engine only.
    pub fn on_postgres(&self) -> bool {
        self.is_postgres()
    }
}
