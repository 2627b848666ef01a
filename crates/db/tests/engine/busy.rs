use std::time::{Duration, Instant};

use db::{Db, Error, Options, Result};

use crate::support::{open_with, put, put_alone, start, stored, with_items, within};

const SHORT: Duration = Duration::from_secs(1);

async fn write(db: &Db, id: i64) -> Result<()> {
    let mut tx = db.begin().await?;
    put(&mut tx, id).await?;
    tx.commit().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_waits_for_another_program_without_blocking_anybody() {
    let (scratch, db) = with_items().await;
    let other = scratch.open().await;
    let mut holder = other.begin().await.expect("a turn");
    put(&mut holder, 1).await.expect("a new row");
    let started = Instant::now();
    let mut writer = start(write(&db, 1));
    assert!(writer.waits(), "the other program has not finished");
    assert!(
        started.elapsed() < Duration::from_secs(1),
        "the thread was held"
    );
    holder.rollback().await.expect("the other program finishes");
    writer.end().await.expect("the way is free");
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_gives_up_on_another_program_that_never_finishes() {
    let (scratch, db) = with_items().await;
    let options = Options {
        timeout: SHORT,
        ..Options::default()
    };
    let short = open_with(&scratch, options).await;
    let mut holder = db.begin().await.expect("a turn");
    put(&mut holder, 1).await.expect("a new row");
    let started = Instant::now();
    let given_up = within(write(&short, 1)).await;
    assert!(matches!(given_up, Err(Error::Busy)), "{given_up:?}");
    assert!(started.elapsed() >= SHORT, "it waited as long as it may");
    holder.rollback().await.expect("the other finishes at last");
    put_alone(&short, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_gives_up_on_a_turn_that_never_comes() {
    let (scratch, _db) = with_items().await;
    let options = Options {
        pool_size: 1,
        timeout: SHORT,
        ..Options::default()
    };
    let db = open_with(&scratch, options).await;
    let holder = db.begin().await.expect("a turn");
    let given_up = within(db.begin()).await.map(|_| ());
    assert!(matches!(given_up, Err(Error::Busy)), "{given_up:?}");
    drop(holder);
    put_alone(&db, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_do_not_wait_for_writers() {
    let (scratch, db) = with_items().await;
    put_alone(&db, 1).await;
    let other = scratch.open().await;
    let mut holder = db.begin().await.expect("a turn");
    put(&mut holder, 2).await.expect("a new row");
    for db in [&db, &other] {
        assert_eq!(within(stored(db)).await, [1]);
    }
}
