//! A PostgreSQL server that disappears without closing its connections. SQLite has no connections.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use db::testing::Scratch;
use db::{Db, Error, Result};
use futures_util::future::join_all;

use crate::support::{create, eventually, put, stored, within};

/// How soon the service must work again after a failover: within 15 seconds, but a busy machine gets
/// longer.
static RECOVERY: LazyLock<Duration> = LazyLock::new(|| {
    let seconds = std::env::var("STEWARD_TEST_RECOVERY_SECONDS").ok();
    Duration::from_secs(seconds.map_or(60, |seconds| seconds.parse().expect("a number")))
});

async fn write(db: &Db, id: i64) -> Result<()> {
    let mut tx = db.begin().await?;
    put(&mut tx, id).await?;
    tx.commit().await
}

/// Retries until it succeeds, within the time for recovery.
async fn soon<T>(what: &str, attempt: impl AsyncFn() -> Result<T>) -> T {
    let started = Instant::now();
    loop {
        let left = RECOVERY.saturating_sub(started.elapsed());
        let outcome = tokio::time::timeout(left, attempt()).await;
        match outcome {
            Ok(Ok(done)) => return done,
            Ok(Err(error)) => {
                let is_known = matches!(error, Error::Unreachable(_) | Error::Busy);
                assert!(is_known, "{what}: {error:?}");
            }
            Err(_) => panic!("{what}: not within {:?}", *RECOVERY),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_writes_succeed_within_15_seconds_of_a_silent_failover() {
    let mut scratch = Scratch::new().await;
    let Some(proxy) = scratch.behind_proxy().await else {
        return;
    };
    let db = scratch.open().await;
    db.migrate(0).await.expect("the schema is created");
    create(&db, "CREATE TABLE items (id ID PRIMARY KEY)").await;
    // Fill the pool, so that there are many connections to lose.
    let held = within(join_all((0..15).map(|_| db.begin()))).await;
    drop(held);
    let is_known = || db.changes("roles").expect("readable").is_some();
    eventually("the channel is up", is_known).await;
    let shared = db.read().await.expect("a reader");
    let mut hung = db.begin().await.expect("a transaction");
    proxy.silence_existing();

    let lost = tokio::spawn(async move { put(&mut hung, 100).await });
    let started = Instant::now();
    let writes = soon("writes", async || write(&db, 1).await);
    let reads = soon("reads", async || {
        let mut read = db.read().await?;
        let sql = "SELECT COUNT(*) FROM items";
        read.query_one(sql, &[], |row| row.get::<i64>(0)).await
    });
    tokio::join!(writes, reads);
    assert!(started.elapsed() < *RECOVERY);
    drop(shared);
    let outcome = tokio::time::timeout(*RECOVERY, lost).await;
    let outcome = outcome.expect("in time").expect("no panic");
    assert!(matches!(outcome, Err(Error::Unreachable(_))), "{outcome:?}");
    assert_eq!(stored(&db).await, [1]);
    eventually("the channel is back", is_known).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_to_commit_is_outcome_unknown() {
    let mut scratch = Scratch::new().await;
    let Some(proxy) = scratch.behind_proxy().await else {
        return;
    };
    let db = scratch.open().await;
    create(&db, "CREATE TABLE items (id ID PRIMARY KEY)").await;
    proxy.lose_next_answer_to_commit();
    let outcome = within(write(&db, 1)).await;
    assert!(
        matches!(outcome, Err(Error::OutcomeUnknown(_))),
        "{outcome:?}"
    );
    // In this test the server has committed it.
    assert_eq!(stored(&db).await, [1]);
    within(write(&db, 2)).await.expect("written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_became_read_only_is_not_used_again() {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    if !db.on_postgres() {
        return;
    }
    create(&db, "CREATE TABLE items (id ID PRIMARY KEY)").await;
    let mut tx = db.begin().await.expect("a transaction");
    tx.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", &[])
        .await
        .expect("set");
    tx.commit().await.expect("committed");
    let outcome = within(write(&db, 1)).await;
    assert!(matches!(outcome, Err(Error::NotWritable(_))), "{outcome:?}");
    within(write(&db, 1)).await.expect("another connection");
}

/// The server allows fewer connections than the pool has.
#[tokio::test(flavor = "multi_thread")]
async fn fewer_connections_serve_while_the_server_refuses_more() {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    if !db.on_postgres() {
        return;
    }
    create(&db, "CREATE TABLE items (id ID PRIMARY KEY)").await;
    let (_, name) = scratch.url().rsplit_once('/').expect("a database");
    // Superusers are exempt from this limit.
    let role = format!("limited_{name}");
    let sql = format!(
        "CREATE ROLE {role} LOGIN; GRANT ALL ON items TO {role};
         ALTER ROLE {role} CONNECTION LIMIT 4"
    );
    db.run_sql(&sql).await.expect("a role");
    let url = scratch.url().replace("steward@", &format!("{role}@"));
    let limited = Db::open(&url.parse().expect("a URL"), &db::Options::default()).await;
    let limited = limited.expect("the database opens");
    let writes = join_all((1..=40).map(|id| write(&limited, id)));
    for outcome in within(writes).await {
        outcome.expect("written");
    }
    assert_eq!(stored(&db).await.len(), 40);
    let reads = join_all((0..40).map(async |_| stored(&limited).await.len()));
    assert_eq!(within(reads).await, [40; 40]);
    drop(limited);
}
