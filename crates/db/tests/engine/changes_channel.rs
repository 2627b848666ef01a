//! PostgreSQL reports changes over a connection that can break. SQLite has no such thing.

use std::time::{Duration, Instant};

use db::Db;
use tokio_postgres::{Client, NoTls};

use crate::support::{eventually, migrated, within};

/// How old an answer may be at most.
const FRESH: Duration = Duration::from_secs(1);

fn changes(db: &Db) -> Option<u64> {
    db.changes("roles").expect("changes can be read")
}

async fn announce(db: &Db) {
    let mut tx = within(db.begin()).await.expect("a turn");
    tx.announce("roles").await.expect("an announcement");
    within(tx.commit()).await.expect("it is kept");
}

async fn end_listeners(db: &Db) {
    db.run_sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'steward' AND datname = current_database()
         AND (query LIKE 'LISTEN%' OR query = 'SELECT topic, counter FROM changes')",
    )
    .await
    .expect("the listeners are ended");
}

/// Somebody at the server itself, outside of the database under test.
async fn administrator() -> Client {
    let server = std::env::var("STEWARD_TEST_POSTGRES").expect("a server");
    let (client, connection) = tokio_postgres::connect(&server, NoTls)
        .await
        .expect("the server answers");
    tokio::spawn(connection);
    client
}

async fn allow_connections(administrator: &Client, url: &str, allow: bool) {
    let (_, name) = url.rsplit_once('/').expect("a database");
    administrator
        .batch_execute(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {allow}"))
        .await
        .expect("the database changes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_channel_comes_back_with_what_was_missed() {
    let (scratch, db) = migrated().await;
    if !db.on_postgres() {
        return;
    }
    let other = scratch.open().await;
    announce(&other).await;
    eventually("the channel is up", || changes(&db) == Some(1)).await;
    end_listeners(&other).await;
    announce(&other).await;
    let announced = Instant::now();
    eventually("the missed announcement", || {
        // The age is taken first: the answer may only get newer in between.
        let age = announced.elapsed();
        let told = changes(&db);
        assert!(
            told != Some(1) || age < FRESH,
            "an old answer after {age:?}"
        );
        told == Some(2)
    })
    .await;
    announce(&other).await;
    eventually("news arrive again", || changes(&db) == Some(3)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_channel_nothing_is_claimed() {
    let (scratch, db) = migrated().await;
    if !db.on_postgres() {
        return;
    }
    let administrator = administrator().await;
    let other = scratch.open().await;
    announce(&other).await;
    eventually("the channel is up", || changes(&db) == Some(1)).await;
    allow_connections(&administrator, scratch.url(), false).await;
    end_listeners(&other).await;
    eventually("the loss is noticed", || changes(&db).is_none()).await;
    announce(&other).await;
    let lost = Instant::now();
    while lost.elapsed() < FRESH {
        assert_eq!(changes(&db), None);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    allow_connections(&administrator, scratch.url(), true).await;
    eventually("the channel is back", || changes(&db) == Some(2)).await;
}

/// A connection that hangs looks alive for long; the answer must not be taken for granted.
#[tokio::test(flavor = "multi_thread")]
async fn a_channel_that_hangs_is_not_trusted() {
    let (scratch, db) = migrated().await;
    if !db.on_postgres() {
        return;
    }
    let other = scratch.open().await;
    eventually("the channel is up", || changes(&db) == Some(0)).await;
    let mut tx = other.begin().await.expect("a turn");
    tx.execute("LOCK TABLE changes IN ACCESS EXCLUSIVE MODE", &[])
        .await
        .expect("the table is locked");
    let locked = Instant::now();
    eventually("the answer runs out", || {
        let age = locked.elapsed();
        let told = changes(&db);
        assert!(told.is_none() || age < FRESH, "an old answer after {age:?}");
        told.is_none()
    })
    .await;
    tx.announce("roles").await.expect("an announcement");
    within(tx.commit()).await.expect("it is kept");
    eventually("the channel is back", || changes(&db) == Some(1)).await;
}
