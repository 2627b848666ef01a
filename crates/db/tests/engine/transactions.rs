use db::{Error, params};

use crate::support::{migrated, put, put_alone, stored, with_items, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_is_seen_by_everybody() {
    let (scratch, db) = with_items().await;
    let other = scratch.open().await;
    put_alone(&db, 1).await;
    assert_eq!(stored(&db).await, [1]);
    assert_eq!(stored(&other).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_transaction_leaves_nothing() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a turn");
    put(&mut tx, 1).await.expect("a new row");
    drop(tx);
    put_alone(&db, 2).await;
    assert_eq!(stored(&db).await, [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_leaves_nothing() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a turn");
    put(&mut tx, 1).await.expect("a new row");
    within(tx.rollback()).await.expect("it is undone");
    put_alone(&db, 2).await;
    assert_eq!(stored(&db).await, [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_reads_its_own_writes() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a turn");
    put(&mut tx, 1).await.expect("a new row");
    let seen: i64 = tx
        .query_one("SELECT id FROM items", &[], |row| row.get(0))
        .await
        .expect("the row is there");
    assert_eq!(seen, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_do_not_see_what_is_not_committed() {
    let (scratch, db) = with_items().await;
    let other = scratch.open().await;
    let mut tx = db.begin().await.expect("a turn");
    put(&mut tx, 1).await.expect("a new row");
    assert!(stored(&db).await.is_empty());
    assert!(stored(&other).await.is_empty());
    within(tx.commit()).await.expect("it is kept");
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
async fn statements_say_how_many_rows_they_touched() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a turn");
    for id in 1..=3 {
        assert_eq!(put(&mut tx, id).await.expect("a new row"), 1);
    }
    let gone = tx
        .execute("DELETE FROM items WHERE id > $1", params![1])
        .await;
    assert_eq!(gone.expect("rows go"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_row_is_told_apart_from_a_failure() {
    let (_scratch, db) = with_items().await;
    let mut read = db.read().await.expect("a reader");
    let row = read
        .query_opt("SELECT id FROM items", &[], |row| row.get::<i64>(0))
        .await;
    assert_eq!(row.expect("a question without an answer"), None);
    let row = read
        .query_one("SELECT id FROM items", &[], |row| row.get::<i64>(0))
        .await;
    assert!(matches!(row, Err(Error::NoRow)), "{row:?}");
}

/// PostgreSQL answers COMMIT with success, and a rollback, once a statement has failed.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_never_claims_what_it_did_not_write() {
    let (_scratch, db) = migrated().await;
    db.run_sql("CREATE TABLE items (id BIGINT NOT NULL PRIMARY KEY)")
        .await
        .expect("a table");
    let mut tx = db.begin().await.expect("a turn");
    tx.announce("topic").await.expect("an announcement");
    put(&mut tx, 1).await.expect("a new row");
    put(&mut tx, 1).await.expect_err("the row is there already");
    let committed = within(tx.commit()).await;
    assert_eq!(committed.is_ok(), stored(&db).await == [1], "{committed:?}");
    if let Err(error) = committed {
        assert!(matches!(error, Error::NotCommitted), "{error:?}");
        assert!(matches!(db.changes("topic"), Ok(None | Some(0))));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_holds_a_row_is_alone_with_it() {
    let (_scratch, db) = with_items().await;
    put_alone(&db, 0).await;
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                let mut tx = db.begin().await?;
                tx.lock("SELECT id FROM items WHERE id = $1 FOR UPDATE", params![0])
                    .await?;
                // Two that read the same would collide.
                let last: i64 = tx
                    .query_one("SELECT max(id) FROM items", &[], |row| row.get(0))
                    .await?;
                put(&mut tx, last + 1).await?;
                tx.commit().await
            })
        })
        .collect();
    for task in tasks {
        within(task).await.expect("no panic").expect("it lands");
    }
    assert_eq!(stored(&db).await, (0..=20).collect::<Vec<_>>());
}
