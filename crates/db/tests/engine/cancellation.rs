use std::time::Duration;

use db::testing::Scratch;
use db::{Db, Options, params};
use tokio::sync::oneshot;

use crate::support::{in_one_group, open_with, put, put_alone, start, stored, with_items, within};

async fn open_with_one_connection(scratch: &Scratch) -> Db {
    let options = Options {
        pool_size: 1,
        ..Options::default()
    };
    open_with(scratch, options).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aborted_task_rolls_back_its_transaction() {
    let (_scratch, db) = with_items().await;
    let (wrote, written) = oneshot::channel();
    let task = tokio::spawn({
        let db = db.clone();
        async move {
            let mut tx = db.begin().await.expect("a transaction");
            put(&mut tx, 1).await.expect("a new row");
            wrote.send(()).expect("the test receives it");
            std::future::pending::<()>().await;
            drop(tx);
        }
    });
    written.await.expect("the row is written");
    task.abort();
    assert!(task.await.expect_err("it was aborted").is_cancelled());
    // The same row, which would conflict with or wait for one that was not rolled back.
    put_alone(&db, 1).await;
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_dropped_while_it_queues_does_not_delay_the_next() {
    let (scratch, _db) = with_items().await;
    let db = open_with_one_connection(&scratch).await;
    let holder = within(db.begin()).await.expect("a transaction");
    let mut dropped = start(db.begin());
    let mut next = start(db.begin());
    assert!(
        dropped.is_waiting() && next.is_waiting(),
        "the holder is active"
    );
    drop(dropped);
    drop(holder);
    let mut tx = next.end().await.expect("a transaction");
    put(&mut tx, 1).await.expect("a new row");
    within(tx.commit()).await.expect("committed");
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_dropped_while_another_program_writes_is_rolled_back() {
    let (scratch, db) = with_items().await;
    let other = scratch.open().await;
    let mut holder = other.begin().await.expect("a transaction");
    put(&mut holder, 1).await.expect("a new row");
    let dropped = async {
        let mut tx = db.begin().await?;
        put(&mut tx, 2).await?;
        put(&mut tx, 1).await
    };
    // Long enough to reach the lock, which it cannot get.
    tokio::time::timeout(Duration::from_millis(100), dropped)
        .await
        .expect_err("it waits for the holder");
    holder.rollback().await.expect("rolled back");
    put_alone(&db, 1).await;
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_dropped_during_its_commit_is_written_whole_or_not_at_all() {
    let (scratch, db) = with_items().await;
    let [dropped, next] = in_one_group(&scratch, &db).await;
    let mut tx = dropped.end().await.expect("the first transaction");
    put(&mut tx, 1).await.expect("a new row");
    put(&mut tx, 2).await.expect("a new row");
    let commit = start(tx.commit());
    drop(commit);
    let mut tx = next.end().await.expect("the second transaction");
    put(&mut tx, 3).await.expect("a new row");
    within(tx.commit()).await.expect("committed");
    let pairs = stored(&db).await;
    assert!(pairs == [3] || pairs == [1, 2, 3], "{pairs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_dropped_during_a_query_leaves_the_pool_usable() {
    let (scratch, _db) = with_items().await;
    let db = open_with_one_connection(&scratch).await;
    put_alone(&db, 1).await;
    let mut read = db.read_alone().await.expect("a reader");
    let query = start(read.query("SELECT id FROM items", &[], |row| row.get::<i64>(0)));
    drop(query);
    drop(read);
    assert_eq!(within(stored(&db)).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_dropped_query_never_cancels_the_next() {
    // It runs long enough for a late cancellation to reach it.
    const COUNT: &str = "WITH RECURSIVE numbers(n) AS (
            SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $1
        ) SELECT COUNT(*) FROM numbers";
    const NUMBERS: i64 = 20_000;
    let (scratch, _db) = with_items().await;
    let db = open_with_one_connection(&scratch).await;
    for _ in 0..50 {
        let mut read = db.read_alone().await.expect("a reader");
        drop(start(
            read.query("SELECT id FROM items", &[], |row| row.get::<i64>(0)),
        ));
        drop(read);
        let mut read = within(db.read_alone()).await.expect("a reader");
        let count: i64 = within(read.query_one(COUNT, params![NUMBERS], |row| row.get(0)))
            .await
            .expect("it is not cancelled");
        assert_eq!(count, NUMBERS);
    }
}
