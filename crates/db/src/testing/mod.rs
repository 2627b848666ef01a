//! Temporary databases. `STEWARD_TEST_ENGINE` selects the engine: `sqlite` (the default) or
//! `postgres`, on the server at the address `STEWARD_TEST_POSTGRES`.

mod authority;
mod databases;
mod next_migration;
mod ports;
mod postgres_server;
mod proxy;
mod sqlite_template;

use std::path::PathBuf;

use tempfile::TempDir;

pub use self::authority::{Authority, Identity};
use self::databases::Database;
pub use self::next_migration::NEXT_MIGRATION;
pub(crate) use self::next_migration::known_migrations;
pub use self::ports::free_port;
pub use self::postgres_server::PostgresServer;
pub use self::proxy::Proxy;

use crate::{DatabaseUrl, Db, Engine, Options, Recorder, dialect};

/// A temporary database for one test.
pub struct Scratch {
    url: String,
    // Both are removed when dropped.
    _database: Option<Database>,
    folder: TempDir,
}

impl Scratch {
    /// Creates an empty database.
    pub async fn new() -> Self {
        if on_postgres() {
            return Self::on_server(Database::empty().await);
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self {
            url: format!("sqlite:{}", folder.path().join("steward.db").display()),
            _database: None,
            folder,
        }
    }

    /// Creates a database with the newest schema.
    pub async fn migrated() -> Self {
        if on_postgres() {
            return Self::on_server(Database::migrated().await);
        }
        let scratch = Self::new().await;
        sqlite_template::copy_to(&scratch.folder().join("steward.db")).await;
        scratch
    }

    fn on_server(database: Database) -> Self {
        Self {
            url: database.url(),
            _database: Some(database),
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// Puts a proxy in front of the PostgreSQL server. `None` on SQLite.
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

    /// The files directly in this folder.
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder()).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.is_file()).collect()
    }

    pub async fn open(&self) -> Db {
        self.open_recorded(Recorder::default()).await
    }

    pub async fn open_recorded(&self, recorder: Recorder) -> Db {
        let url: DatabaseUrl = self.url.parse().expect("a valid address");
        let options = Options {
            recorder,
            ..Options::default()
        };
        Db::open(&url, &options).await.expect("the database opens")
    }
}

fn on_postgres() -> bool {
    match std::env::var("STEWARD_TEST_ENGINE").as_deref() {
        Ok("postgres") => true,
        Ok("sqlite") | Err(_) => false,
        Ok(other) => panic!("STEWARD_TEST_ENGINE must be sqlite or postgres, not {other}"),
    }
}

impl Db {
    /// The statements that this database has run as reads.
    pub fn statements(&self) -> Vec<&'static str> {
        let metrics = match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.metrics(),
            Engine::Postgres(postgres) => postgres.metrics(),
        };
        metrics.statements.lock().iter().copied().collect()
    }

    /// Runs any SQL, however long it takes.
    pub async fn run_sql(&self, sql: &str) -> crate::Result<()> {
        let mut tx = self.begin().await?;
        tx.allow_long_statements().await?;
        tx.batch(sql).await?;
        tx.commit().await
    }

    /// The plan of a statement. The parameters are written as SQL literals.
    pub async fn plan(&self, sql: &str, params: &[&str]) -> crate::Result<String> {
        let mut read = self.read_alone().await?;
        let lines: Vec<String> = if self.is_postgres() {
            // Plan it as the service does, before the parameters are known.
            read.batch(&format!("PREPARE planned AS {sql}")).await?;
            let explain = format!("EXPLAIN EXECUTE planned({})", params.join(", "));
            let lines = read.query(explain.leak(), &[], |row| row.get(0)).await;
            read.batch("DEALLOCATE planned").await?;
            lines?
        } else {
            let mut sql = dialect::to_sqlite(sql);
            for (i, param) in params.iter().enumerate().rev() {
                sql = sql.replace(&format!("?{}", i + 1), param);
            }
            let explain = format!("EXPLAIN QUERY PLAN {sql}");
            read.query(explain.leak(), &[], |row| row.get(3)).await?
        };
        Ok(lines.join("\n"))
    }

    /// Returns `true` if this is PostgreSQL, for tests that apply to one engine only.
    pub fn on_postgres(&self) -> bool {
        self.is_postgres()
    }
}
