//! PostgreSQL reports changes over a connection that can break. SQLite has no such connection.

use std::time::{Duration, Instant};

use db::{Db, Version};
use tokio_postgres::{Client, NoTls};

use crate::support::{eventually, migrated, within};

/// The maximum age of a counter.
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

/// Connects to a database of the server other than the one under test.
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
        // Take the age first: in between, the counter can only become newer.
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

/// A hung connection looks alive, so the counter must expire.
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

/// Other instances that no longer answer are waited for until their counters have expired.
#[tokio::test(flavor = "multi_thread")]
async fn an_announcement_waits_for_late_and_for_lost_instances() {
    let (mut scratch, db) = migrated().await;
    let Some(proxy) = scratch.behind_proxy().await else {
        return;
    };
    let other = scratch.open().await;
    proxy.delay_notifications(Duration::from_millis(10));
    for count in 1..20 {
        eventually("the channel is up", || changes(&other) == Some(count - 1)).await;
        announce(&db).await;
        assert_ne!(changes(&other), Some(count - 1));
    }
    eventually("the channel is up", || changes(&other) == Some(19)).await;
    proxy.silence();
    let silent = Instant::now();
    announce(&db).await;
    assert_eq!(changes(&other), None);
    assert!(silent.elapsed() < 10 * MAX_AGE);
    // It is not waited for a second time. The fastest of several, since the machine may be busy.
    let mut fastest = MAX_AGE;
    for _ in 0..5 {
        let removed = Instant::now();
        announce(&db).await;
        fastest = fastest.min(removed.elapsed());
    }
    assert!(fastest < MAX_AGE / 2, "{fastest:?}");
}

/// Rows of instances that were killed do not stay.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_instance_removes_those_that_are_gone() {
    let (scratch, db) = migrated().await;
    if !db.on_postgres() {
        return;
    }
    let rows = async || -> i64 {
        let mut read = db.read().await.expect("a connection");
        let sql = "SELECT COUNT(*) FROM instances";
        let rows = read.query_one(sql, &[], |row| row.get(0)).await;
        rows.expect("a number")
    };
    for _ in 0..3 {
        let gone = scratch.open().await;
        eventually("the channel is up", || changes(&gone).is_some()).await;
    }
    assert_eq!(rows().await, 3);
    eventually("the channel is up", || changes(&db).is_some()).await;
    let started = Instant::now();
    while rows().await > 1 {
        assert!(started.elapsed() < 60 * MAX_AGE, "they stay");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(changes(&db).is_some());
}
