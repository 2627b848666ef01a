//! Databases on the PostgreSQL server of the tests.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio_postgres::{Client, NoTls};

use crate::migrate::schema_checksum;
use crate::{Db, Options};

/// Held while a process creates the template; others wait for it.
const TEMPLATE_LOCK: i64 = 1;

/// Databases of tests that have ended, for the next test to drop. A thousand of them would take 10 GB.
static ENDED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A database of one test.
pub(super) struct Database(String);

impl Database {
    pub(super) async fn empty() -> Self {
        Self::copy_of("template1").await
    }

    /// Copies a migrated template, because migrations take longer than most tests.
    pub(super) async fn migrated() -> Self {
        let template = format!("steward_template_{}", &schema_checksum()[..16]);
        ensure_template(&template).await;
        Self::copy_of(&template).await
    }

    async fn copy_of(template: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("steward_test_{}_{count}", std::process::id());
        let client = connect().await;
        let ended = std::mem::take(&mut *ENDED.lock());
        for ended in ended {
            // A process that the test started may still be ending.
            run(&client, &format!("DROP DATABASE {ended} WITH (FORCE)")).await;
        }
        run(&client, &format!("DROP DATABASE IF EXISTS {name}")).await;
        // Copying the files takes half the time of copying their pages through the log.
        let create = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy");
        run(&client, &create).await;
        Self(name)
    }

    pub(super) fn url(&self) -> String {
        address(&self.0)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        ENDED.lock().push(std::mem::take(&mut self.0));
    }
}

async fn ensure_template(name: &str) {
    let client = connect().await;
    // The lock ends with the connection.
    run(
        &client,
        &format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})"),
    )
    .await;
    let is_complete = "SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate";
    let complete = client.query_opt(is_complete, &[&name]).await;
    if complete.expect("databases can be listed").is_some() {
        return;
    }
    run(&client, &format!("DROP DATABASE IF EXISTS {name}")).await;
    run(&client, &format!("CREATE DATABASE {name}")).await;
    let url = address(name).parse().expect("a valid address");
    let db = Db::open(&url, &Options::default())
        .await
        .expect("the template opens");
    db.migrate(0).await.expect("the schema is created");
    drop(db);
    // A database with open connections cannot be copied.
    let connections = "SELECT 1 FROM pg_stat_activity WHERE datname = $1 LIMIT 1";
    while let Some(_open) = client
        .query_opt(connections, &[&name])
        .await
        .expect("connections can be listed")
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    run(
        &client,
        &format!("ALTER DATABASE {name} IS_TEMPLATE true ALLOW_CONNECTIONS false"),
    )
    .await;
}

fn server() -> String {
    std::env::var("STEWARD_TEST_POSTGRES")
        .expect("STEWARD_TEST_POSTGRES must be set to the address of a server")
}

fn address(database: &str) -> String {
    let server = server();
    let (base, _) = server
        .rsplit_once('/')
        .expect("the address ends with the name of a database");
    format!("{base}/{database}")
}

async fn connect() -> Client {
    let (client, connection) = tokio_postgres::connect(&server(), NoTls)
        .await
        .expect("the server answers");
    tokio::spawn(connection);
    client
}

async fn run(client: &Client, sql: &str) {
    client
        .batch_execute(sql)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}
