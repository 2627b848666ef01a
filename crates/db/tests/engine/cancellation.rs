use std::time::Duration;

use db::Options;
use tokio::sync::oneshot;

use crate::support::{in_one_group, open_with, put, put_alone, start, stored, with_items, within};

#[tokio::test(flavor = "multi_thread")]
async fn an_aborted_task_leaves_nothing_of_its_transaction() {
    let (_scratch, db) = with_items().await;
    let (wrote, written) = oneshot::channel();
    let task = tokio::spawn({
        let db = db.clone();
        async move {
            let mut tx = db.begin().await.expect("a turn");
            put(&mut tx, 1).await.expect("a new row");
            wrote.send(()).expect("somebody listens");
            std::future::pending::<()>().await;
            drop(tx);
        }
    });
    written.await.expect("the row is written");
    task.abort();
    assert!(task.await.expect_err("it was aborted").is_cancelled());
    // The same row: it would collide with, or wait for, one that is still there.
    put_alone(&db, 1).await;
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_away_while_waiting_for_a_turn_does_not_hold_up_the_next() {
    let (scratch, _db) = with_items().await;
    let db = open_with(
        &scratch,
        Options {
            pool_size: 1,
            ..Options::default()
        },
    )
    .await;
    let holder = within(db.begin()).await.expect("a turn");
    let mut leaver = start(db.begin());
    let mut next = start(db.begin());
    assert!(leaver.waits() && next.waits(), "the holder is not done");
    drop(leaver);
    drop(holder);
    let mut tx = next.end().await.expect("the turn comes");
    put(&mut tx, 1).await.expect("a new row");
    within(tx.commit()).await.expect("it is kept");
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_away_while_another_program_writes_leaves_nothing() {
    let (scratch, db) = with_items().await;
    let other = scratch.open().await;
    let mut holder = other.begin().await.expect("a turn");
    put(&mut holder, 1).await.expect("a new row");
    let leaver = async {
        let mut tx = db.begin().await?;
        put(&mut tx, 2).await?;
        put(&mut tx, 1).await
    };
    // Time enough to get as far as the lock; it cannot get past it.
    tokio::time::timeout(Duration::from_millis(100), leaver)
        .await
        .expect_err("it waits for the holder");
    holder.rollback().await.expect("the holder goes");
    put_alone(&db, 1).await;
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_away_in_the_middle_of_a_commit_is_written_whole_or_not_at_all() {
    let (scratch, db) = with_items().await;
    let [leaver, next] = in_one_group(&scratch, &db).await;
    let mut tx = leaver.end().await.expect("the first turn");
    put(&mut tx, 1).await.expect("a new row");
    put(&mut tx, 2).await.expect("a new row");
    let commit = start(tx.commit());
    drop(commit);
    let mut tx = next.end().await.expect("the second turn");
    put(&mut tx, 3).await.expect("a new row");
    within(tx.commit()).await.expect("it is kept");
    let pairs = stored(&db).await;
    assert!(pairs == [3] || pairs == [1, 2, 3], "{pairs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_goes_away_in_the_middle_does_not_spoil_its_connection() {
    let (scratch, _db) = with_items().await;
    let db = open_with(
        &scratch,
        Options {
            pool_size: 1,
            ..Options::default()
        },
    )
    .await;
    put_alone(&db, 1).await;
    let mut read = db.read().await.expect("a reader");
    let question = start(read.query("SELECT id FROM items", &[], |row| row.get::<i64>(0)));
    drop(question);
    drop(read);
    assert_eq!(within(stored(&db)).await, [1]);
}
