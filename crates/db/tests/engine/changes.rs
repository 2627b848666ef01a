use db::{Db, Version};

use crate::support::{eventually, migrated, within};

fn known_counter(db: &Db, topic: &str) -> Option<i64> {
    let version = db.changes(topic).expect("changes can be read");
    version.map(Version::counter)
}

/// Waits until this instance knows the counter.
async fn counter(db: &Db, topic: &str) -> i64 {
    let mut known = None;
    eventually("the counter is known", || {
        known = known_counter(db, topic);
        known.is_some()
    })
    .await;
    known.expect("known by now")
}

/// SQLite shows a change at once, PostgreSQL when the notification arrives.
async fn assert_becomes(db: &Db, topic: &str, counter: i64) {
    if db.on_postgres() {
        eventually("the announcement arrives", || {
            known_counter(db, topic) == Some(counter)
        })
        .await;
    } else {
        assert_eq!(known_counter(db, topic), Some(counter));
    }
}

async fn announce(db: &Db, topic: &'static str) {
    let mut tx = within(db.begin()).await.expect("a transaction");
    tx.announce(topic).await.expect("an announcement");
    within(tx.commit()).await.expect("committed");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_announcement_is_seen_after_the_commit_and_not_before() {
    let (scratch, db) = migrated().await;
    let other = scratch.open().await;
    assert_eq!(counter(&db, "roles").await, 0);
    assert_eq!(counter(&other, "roles").await, 0);
    let mut tx = db.begin().await.expect("a transaction");
    tx.announce("roles").await.expect("an announcement");
    assert_eq!(counter(&db, "roles").await, 0);
    assert_eq!(counter(&other, "roles").await, 0);
    within(tx.commit()).await.expect("committed");
    // No instance sees the old counter any more.
    assert_ne!(known_counter(&db, "roles"), Some(0));
    assert_ne!(known_counter(&other, "roles"), Some(0));
    assert_becomes(&db, "roles", 1).await;
    assert_becomes(&other, "roles", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_announcement_that_was_rolled_back_is_not_seen() {
    let (scratch, db) = migrated().await;
    let other = scratch.open().await;
    counter(&other, "roles").await;
    let mut tx = db.begin().await.expect("a transaction");
    tx.announce("roles").await.expect("an announcement");
    within(tx.rollback()).await.expect("rolled back");
    let mut tx = db.begin().await.expect("a transaction");
    tx.announce("roles").await.expect("an announcement");
    drop(tx);
    // Notifications arrive in the order of commits, so the others cannot arrive after this one.
    announce(&db, "keys").await;
    assert_becomes(&other, "keys", 1).await;
    for db in [&db, &other] {
        assert_eq!(counter(db, "roles").await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_topic_has_its_own_counter() {
    let (scratch, db) = migrated().await;
    let other = scratch.open().await;
    counter(&other, "roles").await;
    announce(&db, "roles").await;
    announce(&other, "keys").await;
    announce(&other, "roles").await;
    for db in [&db, &other] {
        assert_becomes(db, "roles", 2).await;
        assert_becomes(db, "keys", 1).await;
        assert_eq!(counter(db, "never announced").await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_announcements_are_all_counted() {
    let (scratch, db) = migrated().await;
    let other = scratch.open().await;
    let tasks: Vec<_> = (0..40)
        .map(|i| {
            let db = if i % 2 == 0 { &db } else { &other }.clone();
            tokio::spawn(async move { announce(&db, "roles").await })
        })
        .collect();
    for task in tasks {
        task.await.expect("an announcement");
    }
    for db in [&db, &other] {
        counter(db, "roles").await;
        assert_becomes(db, "roles", 40).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_opened_later_knows_the_counters() {
    let (scratch, db) = migrated().await;
    announce(&db, "roles").await;
    announce(&db, "roles").await;
    let later = scratch.open().await;
    assert_eq!(counter(&later, "roles").await, 2);
}

/// Simulates a restore or a failover that loses the last announcements.
async fn lose_announcements(db: &Db, count: i64) {
    let sql = format!("UPDATE changes SET counter = counter - {count}");
    db.run_sql(&sql).await.expect("lowered");
    // It is not announced. SQLite reads the counters again after 2 ms.
    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counter_that_repeats_a_value_has_a_new_version() {
    let (scratch, db) = migrated().await;
    let other = scratch.open().await;
    for _ in 0..3 {
        announce(&db, "roles").await;
    }
    for db in [&db, &other] {
        assert_becomes(db, "roles", 3).await;
    }
    let version = |db: &Db| db.changes("roles").expect("changes can be read");
    let before = [version(&db), version(&other)];
    lose_announcements(&db, 1).await;
    for db in [&db, &other] {
        assert_becomes(db, "roles", 2).await;
    }
    announce(&db, "roles").await;
    for db in [&db, &other] {
        assert_becomes(db, "roles", 3).await;
    }
    assert_ne!(version(&db), before[0]);
    assert_ne!(version(&other), before[1]);
}
