use db::{Error, Options};
use tokio::task::JoinSet;

use crate::support::{in_one_group, open_with, put, start, stored, with_items, within};

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_concurrent_writers_all_commit() {
    let (_scratch, db) = with_items().await;
    let mut writers = JoinSet::new();
    for id in 0..200 {
        let db = db.clone();
        writers.spawn(async move {
            let mut tx = db.begin().await?;
            put(&mut tx, id).await?;
            tx.commit().await?;
            // A writer finds its row after the commit.
            assert!(stored(&db).await.contains(&id));
            Ok::<_, Error>(())
        });
    }
    for outcome in within(writers.join_all()).await {
        outcome.expect("every writer commits");
    }
    assert_eq!(stored(&db).await, (0..200).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_fails_rolls_back_alone() {
    let (scratch, db) = with_items().await;
    let [first, failing, last] = in_one_group(&scratch, &db).await;

    let mut tx = first.end().await.expect("the first transaction");
    put(&mut tx, 1).await.expect("a new row");
    let first = start(tx.commit());

    let mut tx = failing.end().await.expect("the second transaction");
    put(&mut tx, 2).await.expect("a new row");
    let error = put(&mut tx, 1).await.expect_err("a duplicate row");
    assert!(matches!(&error, Error::Unique(name) if name == "items_pkey"));
    drop(tx);

    let mut tx = last.end().await.expect("the third transaction");
    put(&mut tx, 3).await.expect("a new row");
    within(tx.commit()).await.expect("the last commits");
    first.end().await.expect("the first commits");
    assert_eq!(stored(&db).await, [1, 3]);
}

/// The first member has no savepoint: its rollback ends the transaction.
#[tokio::test(flavor = "multi_thread")]
async fn a_first_member_that_fails_leaves_the_others_a_group() {
    let (scratch, db) = with_items().await;
    let [dropped, rolled_back, second, third] = in_one_group(&scratch, &db).await;

    let mut tx = dropped.end().await.expect("the first transaction");
    put(&mut tx, 1).await.expect("a new row");
    drop(tx);

    let mut tx = rolled_back.end().await.expect("the second transaction");
    put(&mut tx, 2).await.expect("a new row");
    within(tx.rollback()).await.expect("rolled back");

    let mut tx = second.end().await.expect("the third transaction");
    put(&mut tx, 3).await.expect("a new row");
    let second = start(tx.commit());

    let mut tx = third.end().await.expect("the fourth transaction");
    put(&mut tx, 4).await.expect("a new row");
    put(&mut tx, 3).await.expect_err("the id is taken");
    drop(tx);

    second.end().await.expect("committed");
    assert_eq!(stored(&db).await, [3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_commit_returns_before_the_group_is_durable() {
    let (scratch, db) = with_items().await;
    let [first, last] = in_one_group(&scratch, &db).await;
    let mut tx = first.end().await.expect("the first transaction");
    put(&mut tx, 1).await.expect("a new row");
    let mut commit = start(tx.commit());
    let last = last.end().await.expect("the last transaction");
    if !db.on_postgres() {
        assert!(commit.is_waiting(), "the last member is not done");
        assert!(stored(&db).await.is_empty());
    }
    drop(last);
    commit.end().await.expect("the group is durable");
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_waits_until_the_rows_it_read_are_durable() {
    let (scratch, db) = with_items().await;
    let [writer, reader, last] = in_one_group(&scratch, &db).await;

    let mut tx = writer.end().await.expect("the first transaction");
    put(&mut tx, 1).await.expect("a new row");
    let commit = start(tx.commit());

    let mut tx = reader.end().await.expect("the second transaction");
    let seen: Vec<i64> = tx
        .query("SELECT id FROM items", &[], |row| row.get(0))
        .await
        .expect("items can be read");
    let mut rollback = start(tx.rollback());

    let last = last.end().await.expect("the last transaction");
    if !db.on_postgres() {
        assert_eq!(seen, [1], "members see each other");
        assert!(rollback.is_waiting(), "the group is not durable yet");
    }
    drop(last);
    rollback.end().await.expect("the group is durable");
    let durable = stored(&db).await;
    assert!(seen.iter().all(|id| durable.contains(id)));
    commit.end().await.expect("the writer commits");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_that_read_no_other_member_does_not_wait() {
    let (scratch, db) = with_items().await;
    let [first, last] = in_one_group(&scratch, &db).await;
    let tx = first.end().await.expect("the first transaction");
    let mut rollback = start(tx.rollback());
    let _last = last.end().await.expect("the last transaction");
    assert!(db.on_postgres() || !rollback.is_waiting());
    rollback.end().await.expect("rolled back");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_group_is_durable_before_the_next_turn() {
    let (scratch, _) = with_items().await;
    let options = Options {
        max_group_size: 1,
        ..Options::default()
    };
    let db = open_with(&scratch, options).await;
    let [first, last] = in_one_group(&scratch, &db).await;
    let mut tx = first.end().await.expect("the first transaction");
    put(&mut tx, 1).await.expect("a new row");
    let commit = start(tx.commit());
    let mut tx = last.end().await.expect("the last transaction");
    put(&mut tx, 2).await.expect("a new row");
    commit.end().await.expect("committed without the other");
    assert_eq!(stored(&db).await, [1]);
    drop(tx);
    assert_eq!(stored(&db).await, [1]);
}
