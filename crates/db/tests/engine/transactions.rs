use std::time::Duration;

use db::{AdvisoryLock, Error, params};

use crate::support::{migrated, put, put_alone, stored, with_items, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_is_visible_to_all_instances() {
    let (scratch, db) = with_items().await;
    let other = scratch.open().await;
    put_alone(&db, 1).await;
    assert_eq!(stored(&db).await, [1]);
    assert_eq!(stored(&other).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_transaction_is_rolled_back() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a transaction");
    put(&mut tx, 1).await.expect("a new row");
    drop(tx);
    put_alone(&db, 2).await;
    assert_eq!(stored(&db).await, [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_undoes_every_write() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a transaction");
    put(&mut tx, 1).await.expect("a new row");
    within(tx.rollback()).await.expect("rolled back");
    put_alone(&db, 2).await;
    assert_eq!(stored(&db).await, [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_reads_its_own_writes() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a transaction");
    put(&mut tx, 1).await.expect("a new row");
    let seen: i64 = tx
        .query_one("SELECT id FROM items", &[], |row| row.get(0))
        .await
        .expect("a row");
    assert_eq!(seen, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_do_not_see_uncommitted_rows() {
    let (scratch, db) = with_items().await;
    let other = scratch.open().await;
    let mut tx = db.begin().await.expect("a transaction");
    put(&mut tx, 1).await.expect("a new row");
    assert!(stored(&db).await.is_empty());
    assert!(stored(&other).await.is_empty());
    within(tx.commit()).await.expect("committed");
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_sees_the_newest_state_with_each_statement() {
    let (_scratch, db) = with_items().await;
    let mut read = db.read().await.expect("a reader");
    for id in 1..=3 {
        put_alone(&db, id).await;
        let newest: i64 = read
            .query_one("SELECT max(id) FROM items", &[], |row| row.get(0))
            .await
            .expect("a row");
        assert_eq!(newest, id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn execute_returns_how_many_rows_changed() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a transaction");
    for id in 1..=3 {
        assert_eq!(put(&mut tx, id).await.expect("a new row"), 1);
    }
    let deleted = tx
        .execute("DELETE FROM items WHERE id > $1", params![1])
        .await;
    assert_eq!(deleted.expect("deleted"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_row_is_none_or_no_row() {
    let (_scratch, db) = with_items().await;
    let mut read = db.read().await.expect("a reader");
    let row = read
        .query_opt("SELECT id FROM items", &[], |row| row.get::<i64>(0))
        .await;
    assert_eq!(row.expect("no failure"), None);
    let row = read
        .query_one("SELECT id FROM items", &[], |row| row.get::<i64>(0))
        .await;
    assert!(matches!(row, Err(Error::NoRow)), "{row:?}");
}

/// After a failed statement PostgreSQL rolls back at COMMIT, but reports success.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_succeeds_only_if_its_rows_were_written() {
    let (_scratch, db) = migrated().await;
    db.run_sql("CREATE TABLE items (id BIGINT NOT NULL PRIMARY KEY)")
        .await
        .expect("a table");
    let mut tx = db.begin().await.expect("a transaction");
    tx.announce("topic").await.expect("an announcement");
    put(&mut tx, 1).await.expect("a new row");
    put(&mut tx, 1).await.expect_err("a duplicate row");
    let committed = within(tx.commit()).await;
    assert_eq!(committed.is_ok(), stored(&db).await == [1], "{committed:?}");
    if let Err(error) = committed {
        assert!(matches!(error, Error::NotCommitted), "{error:?}");
        let version = db.changes("topic").expect("changes can be read");
        assert!(version.is_none_or(|version| version.counter() == 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_row_excludes_other_writers() {
    let (_scratch, db) = with_items().await;
    put_alone(&db, 0).await;
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                let mut tx = db.begin().await?;
                tx.lock("SELECT id FROM items WHERE id = $1 FOR UPDATE", params![0])
                    .await?;
                // Two transactions that read the same id would conflict.
                let last: i64 = tx
                    .query_one("SELECT max(id) FROM items", &[], |row| row.get(0))
                    .await?;
                put(&mut tx, last + 1).await?;
                tx.commit().await
            })
        })
        .collect();
    for task in tasks {
        within(task).await.expect("no panic").expect("committed");
    }
    assert_eq!(stored(&db).await, (0..=20).collect::<Vec<_>>());
}

/// SQLite has one writer at a time, so it needs no advisory locks.
#[tokio::test(flavor = "multi_thread")]
async fn an_advisory_lock_excludes_the_same_lock_and_no_other() {
    let (_scratch, db) = with_items().await;
    if !db.on_postgres() {
        return;
    }
    let mut holder = db.begin().await.expect("a transaction");
    let lock = holder.lock_advisory(AdvisoryLock::NavigationTree).await;
    lock.expect("locked");
    let mut other = db.begin().await.expect("a transaction");
    let lock = within(other.lock_advisory(AdvisoryLock::DefaultCurrency)).await;
    lock.expect("locked");
    let lock = other.lock_advisory(AdvisoryLock::NavigationTree);
    tokio::time::timeout(Duration::from_millis(100), lock)
        .await
        .expect_err("it must wait for the holder");
    drop(other);
    within(holder.commit()).await.expect("committed");
    let mut next = db.begin().await.expect("a transaction");
    let lock = within(next.lock_advisory(AdvisoryLock::NavigationTree)).await;
    lock.expect("locked");
}
