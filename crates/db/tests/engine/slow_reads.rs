//! Slow statements end in time, and others do not wait for them.
//!
//! The runtime has one worker thread, so a statement that blocks it stops every task.

use std::time::{Duration, Instant};

use db::testing::Scratch;
use db::{Client, Db, Error, Options, Result, params};
use futures_util::future::join_all;

use crate::support::{create, open_with, put, stored, with_items, within};

/// Counts to a number. Counting to `ENDLESS` takes hours.
const COUNT: &str = "WITH RECURSIVE numbers(n) AS (
        SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $1
    ) SELECT COUNT(*) FROM numbers";
const ENDLESS: i64 = 1 << 40;
/// Long enough to be interrupted and restarted, short enough to wait for.
const LONG: i64 = 40_000;

const TIMEOUT: Duration = Duration::from_secs(10);

async fn with_timeout(timeout: Duration) -> (Scratch, Db) {
    let (scratch, _) = with_items().await;
    let options = Options {
        timeout,
        ..Options::default()
    };
    let db = open_with(&scratch, options).await;
    (scratch, db)
}

async fn count(db: Db, to: i64) -> Result<i64> {
    let mut read = db.read_alone().await?;
    read.query_one(COUNT, params![to], |row| row.get(0)).await
}

async fn write(db: Db, id: i64) -> Result<()> {
    let mut tx = db.begin().await?;
    put(&mut tx, id).await?;
    tx.commit().await
}

fn spawn_for<T: Send + 'static>(
    share: u64,
    work: impl Future<Output = T> + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    tokio::spawn(Client::new(None).with_share(Some(share)).scope(work))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn sixty_four_slow_reads_of_one_client_delay_no_other_client() {
    let (_scratch, db) = with_timeout(TIMEOUT).await;
    let slow: Vec<_> = (0..64)
        .map(|_| spawn_for(1, count(db.clone(), ENDLESS)))
        .collect();
    for id in 1..=2 {
        let db = db.clone();
        let other = spawn_for(2, async move {
            write(db.clone(), id).await?;
            assert_eq!(stored(&db).await.len() as i64, id);
            count(db.clone(), LONG).await
        });
        assert_eq!(within(other).await.expect("no panic").expect("read"), LONG);
    }
    assert!(
        slow.iter().all(|read| !read.is_finished()),
        "the other client waited for the slow reads"
    );
    // A read that waited nearly to the end for its turn has its whole time after that.
    let ended = tokio::time::timeout(3 * TIMEOUT, join_all(slow)).await;
    for outcome in ended.expect("all end") {
        let outcome = outcome.expect("no panic");
        assert!(matches!(outcome, Err(Error::Busy)), "{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_read_past_the_timeout_is_busy_and_later_reads_succeed() {
    let timeout = Duration::from_secs(5);
    let (_scratch, db) = with_timeout(timeout).await;
    for _ in 0..2 {
        let started = Instant::now();
        let outcome = within(tokio::spawn(count(db.clone(), ENDLESS))).await;
        let outcome = outcome.expect("no panic");
        assert!(matches!(outcome, Err(Error::Busy)), "{outcome:?}");
        assert!(started.elapsed() >= timeout);
        for to in [1, LONG] {
            let counted = within(tokio::spawn(count(db.clone(), to))).await;
            assert_eq!(counted.expect("no panic").expect("a count"), to);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_read_ends_at_the_deadline_of_its_client() {
    let (_scratch, db) = with_timeout(Duration::from_secs(60)).await;
    if db.on_postgres() {
        // On PostgreSQL, the request's own timeout drops the read and its connection.
        return;
    }
    let end = Instant::now() + Duration::from_millis(300);
    let read = Client::new(Some(end)).scope(count(db.clone(), ENDLESS));
    let outcome = within(tokio::spawn(read)).await.expect("no panic");
    assert!(matches!(outcome, Err(Error::Busy)), "{outcome:?}");
    assert!(Instant::now() >= end);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_dropped_read_frees_its_slot() {
    let (_scratch, db) = with_timeout(Duration::from_secs(60)).await;
    for _ in 0..3 {
        let reads: Vec<_> = (0..64)
            .map(|_| spawn_for(1, count(db.clone(), ENDLESS)))
            .collect();
        tokio::time::sleep(Duration::from_millis(100)).await;
        for read in &reads {
            read.abort();
        }
        let counted = within(spawn_for(1, count(db.clone(), LONG))).await;
        // On PostgreSQL the server still runs the statement, until the connection ends.
        assert_eq!(counted.expect("no panic").expect("a count"), LONG);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_slow_write_blocks_no_other_task_and_is_busy_past_the_timeout() {
    let (_scratch, db) = with_timeout(TIMEOUT).await;
    let slow = {
        let db = db.clone();
        tokio::spawn(async move {
            let mut tx = db.begin().await?;
            let sql = "INSERT INTO items (id) WITH RECURSIVE numbers(n) AS (
                    SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $1
                ) SELECT n FROM numbers WHERE n < 0";
            tx.execute(sql, params![ENDLESS]).await
        })
    };
    let started = Instant::now();
    for _ in 0..20 {
        let counted = within(tokio::spawn(count(db.clone(), 1))).await;
        assert_eq!(counted.expect("no panic").expect("a count"), 1);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(started.elapsed() < TIMEOUT, "reads waited for the write");
    assert!(!slow.is_finished());
    let outcome = within(slow).await.expect("no panic");
    assert!(matches!(outcome, Err(Error::Busy)), "{outcome:?}");
    within(tokio::spawn(write(db.clone(), 1)))
        .await
        .expect("no panic")
        .expect("written");
    assert_eq!(stored(&db).await, [1]);
}

/// A slow read copies its rows between threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_slow_read_has_the_values_of_a_brief_one() {
    let (_scratch, db) = with_timeout(TIMEOUT).await;
    let table = "CREATE TABLE things (id ID PRIMARY KEY, name TEXT, bytes BYTES, note TEXT)";
    create(&db, table).await;
    let mut tx = db.begin().await.expect("a transaction");
    let bytes: &[u8] = &[0, 255];
    for id in 1..=2_i64 {
        let sql = "INSERT INTO things (id, name, bytes) VALUES ($1, $2, $3)";
        let added = tx.execute(sql, params![id, "Grüße", bytes]).await;
        added.expect("a new row");
    }
    tx.commit().await.expect("committed");
    let sql = "SELECT id, name, bytes, id > 1, note FROM things WHERE (
            WITH RECURSIVE numbers(n) AS (
                SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $1
            ) SELECT COUNT(*) FROM numbers) = $1 ORDER BY id";
    let mut read = db.read_alone().await.expect("a reader");
    for to in [1, LONG] {
        let rows = read
            .query(sql, params![to], |row| {
                let id: i64 = row.get(0)?;
                let name: String = row.get(1)?;
                let bytes: Vec<u8> = row.get(2)?;
                let is_second: bool = row.get(3)?;
                let note: Option<String> = row.get(4)?;
                Ok((id, name, bytes, is_second, note))
            })
            .await
            .expect("rows");
        let expected = |id| (id, "Grüße".to_owned(), vec![0, 255], id == 2, None);
        assert_eq!(rows, [expected(1), expected(2)]);
    }
}
