//! A separate installation for each test: a folder, a database, and the program in it.

mod client;
mod game_server;
mod half_sent;
mod program;
mod roles;

use std::path::{Path, PathBuf};
use std::time::Duration;

use db::testing::{NEXT_MIGRATION, Scratch};
use db::{Db, Options, params};

pub use self::client::{Answer, Client};
pub use self::game_server::GameServer;
pub use self::half_sent::HalfSentPost;
pub use self::program::{Call, Ended, Program, program_path};
pub use self::roles::{Roles, stored_roles};

/// The value of the key `admin` unless a test chooses another.
pub const ADMIN_KEY: &str = "correct-horse-battery-staple";

/// Long for a background job, short for a person waiting for a failing test.
const TIMEOUT: Duration = Duration::from_secs(120);

pub struct Home {
    scratch: Scratch,
}

impl Home {
    pub async fn new() -> Self {
        Self {
            scratch: Scratch::new().await,
        }
    }

    /// The working directory, empty at first.
    pub fn folder(&self) -> &Path {
        self.scratch.folder()
    }

    pub fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    pub fn secret_key_file(&self) -> PathBuf {
        self.data().join("secret.key")
    }

    pub fn on_postgres(&self) -> bool {
        self.scratch.url().starts_with("postgres:")
    }

    pub fn database_url(&self) -> String {
        if self.on_postgres() {
            self.scratch.url().to_owned()
        } else {
            format!("sqlite:{}", self.data().join("steward.db").display())
        }
    }

    /// The database, opened directly.
    pub async fn database(&self) -> Db {
        let url = self.database_url().parse().expect("a valid address");
        Db::open(&url, &Options::default())
            .await
            .expect("the database opens")
    }

    /// The bytes of an SQLite database, with those of its log, which the one who closes it last may
    /// have left there.
    pub async fn file_bytes(&self) -> Option<Vec<u8>> {
        if self.on_postgres() {
            return None;
        }
        let db = self.database().await;
        let mut read = db.read().await.expect("a connection");
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy = read.query_one(sql, params![], |row| row.get::<i64>(0));
        assert_eq!(busy.await.expect("an answer"), 0);
        std::fs::read(self.data().join("steward.db")).ok()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder().join(name);
        std::fs::write(&file, text).expect("the file is written");
        file
    }

    /// A call in this folder, on this database, without other configuration.
    pub fn steward(&self, args: &[&str]) -> Call {
        let call = Call::new(self.folder(), args)
            .env("STEWARD_LISTEN", "127.0.0.1:0")
            // No test sends a packet to another machine.
            .env("STEWARD_SERVER_NETWORKS", "127.0.0.0/8")
            .env("STEWARD_WEBHOOK_NETWORKS", "127.0.0.0/8");
        if self.on_postgres() {
            call.env("STEWARD_DATABASE_URL", self.scratch.url())
        } else {
            call
        }
    }

    /// The same call of the next version: a program with one more migration, which adds a column and
    /// an index.
    pub fn next_version(&self, args: &[&str]) -> Call {
        let sql = "ALTER TABLE users ADD COLUMN note TEXT; CREATE INDEX users_note ON users (note)";
        self.steward(args).env(NEXT_MIGRATION, sql)
    }

    /// A call in this folder without any configuration, which means SQLite.
    pub fn bare(&self, args: &[&str]) -> Call {
        Call::new(self.folder(), args)
    }

    /// The service, with [`ADMIN_KEY`].
    pub async fn start(&self) -> Program {
        self.start_with(&[]).await
    }

    pub async fn start_with(&self, args: &[&str]) -> Program {
        self.steward(args)
            .env("STEWARD_ADMIN_KEY", ADMIN_KEY)
            .serve()
            .await
    }

    /// Runs a command to its end.
    pub async fn run(&self, args: &[&str]) -> Ended {
        self.steward(args).end().await
    }
}

/// A number from the environment, by which a longer run of the same test is asked for.
pub fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable}: {text}")),
        Err(_) => default,
    }
}

/// Fails a test that would otherwise wait forever.
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, future)
        .await
        .expect("it ends within the timeout")
}
