use std::time::{Duration, Instant};

use db::{Db, Error, Options, Result};

use crate::support::{open_with, put, put_alone, start, stored, with_items, within};

/// Also for opening the database.
const TIMEOUT: Duration = Duration::from_secs(5);

async fn write(db: &Db, id: i64) -> Result<()> {
    let mut tx = db.begin().await?;
    put(&mut tx, id).await?;
    tx.commit().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_waits_for_another_program_without_blocking_its_thread() {
    let (scratch, db) = with_items().await;
    let other = scratch.open().await;
    let mut holder = other.begin().await.expect("a transaction");
    put(&mut holder, 1).await.expect("a new row");
    let started = Instant::now();
    let mut writer = start(write(&db, 1));
    assert!(writer.is_waiting(), "it must wait for the other program");
    let timeout = Options::default().timeout;
    assert!(started.elapsed() < timeout, "the thread was blocked");
    holder.rollback().await.expect("rolled back");
    writer.end().await.expect("committed");
    assert_eq!(stored(&db).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_is_busy_when_another_program_holds_the_lock_past_the_timeout() {
    let (scratch, db) = with_items().await;
    let options = Options {
        timeout: TIMEOUT,
        ..Options::default()
    };
    let short = open_with(&scratch, options).await;
    let mut holder = db.begin().await.expect("a transaction");
    put(&mut holder, 1).await.expect("a new row");
    let started = Instant::now();
    let outcome = within(write(&short, 1)).await;
    assert!(matches!(outcome, Err(Error::Busy)), "{outcome:?}");
    assert!(started.elapsed() >= TIMEOUT, "it gave up early");
    holder.rollback().await.expect("rolled back");
    put_alone(&short, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_is_busy_when_no_connection_is_free_before_the_timeout() {
    let (scratch, _db) = with_items().await;
    let options = Options {
        pool_size: 1,
        timeout: TIMEOUT,
        ..Options::default()
    };
    let db = open_with(&scratch, options).await;
    let holder = db.begin().await.expect("a transaction");
    let outcome = within(db.begin()).await.map(|_| ());
    assert!(matches!(outcome, Err(Error::Busy)), "{outcome:?}");
    drop(holder);
    put_alone(&db, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_do_not_wait_for_writers() {
    let (scratch, db) = with_items().await;
    put_alone(&db, 1).await;
    let other = scratch.open().await;
    let mut holder = db.begin().await.expect("a transaction");
    put(&mut holder, 2).await.expect("a new row");
    for db in [&db, &other] {
        assert_eq!(within(stored(db)).await, [1]);
    }
}
