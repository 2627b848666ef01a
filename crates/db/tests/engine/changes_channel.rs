//! PostgreSQL reports changes over a connection that can break. SQLite has no such connection.

use std::time::{Duration, Instant};

use db::{Db, Version};
use tokio_postgres::{Client, NoTls};

use crate::support::{eventually, migrated, within};

/// How old a counter may be.
const MAX_AGE: Duration = Duration::from_secs(1);

fn changes(db: &Db) -> Option<i64> {
    let version = db.changes("roles").expect("changes can be read");
    version.map(Version::counter)
}

async fn announce(db: &Db) {
    let mut tx = within(db.begin()).await.expect("a transaction");
    tx.announce("roles").await.expect("an announcement");
    within(tx.commit()).await.expect("committed");
}

async fn end_listeners(db: &Db) {
    db.run_sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'steward' AND datname = current_database()
         AND (query LIKE 'LISTEN%' OR query LIKE 'SELECT topic, counter%')",
    )
    .await
    .expect("terminated");
}

/// A connection to another database of the server than the one under test.
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
async fn after_a_reconnect_missed_announcements_are_known() {
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
        // Take the age first: the counter can only get newer in between.
        let age = announced.elapsed();
        let counter = changes(&db);
        assert!(
            counter != Some(1) || age < MAX_AGE,
            "an old counter after {age:?}"
        );
        counter == Some(2)
    })
    .await;
    announce(&other).await;
    eventually("notifications arrive again", || changes(&db) == Some(3)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_channel_the_counter_is_unknown() {
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
    while lost.elapsed() < MAX_AGE {
        assert_eq!(changes(&db), None);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    allow_connections(&administrator, scratch.url(), true).await;
    eventually("the channel is back", || changes(&db) == Some(2)).await;
}

/// A connection that hangs looks alive, so the counter must expire.
#[tokio::test(flavor = "multi_thread")]
async fn when_the_channel_hangs_the_counter_expires() {
    let (scratch, db) = migrated().await;
    if !db.on_postgres() {
        return;
    }
    let other = scratch.open().await;
    eventually("the channel is up", || changes(&db) == Some(0)).await;
    let mut tx = other.begin().await.expect("a transaction");
    tx.execute("LOCK TABLE changes IN ACCESS EXCLUSIVE MODE", &[])
        .await
        .expect("the table is locked");
    let locked = Instant::now();
    eventually("the counter expires", || {
        let age = locked.elapsed();
        let counter = changes(&db);
        assert!(
            counter.is_none() || age < MAX_AGE,
            "an old counter after {age:?}"
        );
        counter.is_none()
    })
    .await;
    tx.announce("roles").await.expect("an announcement");
    within(tx.commit()).await.expect("committed");
    eventually("the channel is back", || changes(&db) == Some(1)).await;
}
