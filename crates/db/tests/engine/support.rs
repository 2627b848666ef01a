//! A table to write to, and helpers to check whether a future is waiting.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use db::testing::Scratch;
use db::{Db, Options, Result, Tx, params};
use futures_util::FutureExt;

/// How long to wait before a test fails: enough for a machine that is busy with other work.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Creates a table on either engine. `ID` stands for the type of an id, `BYTES` for that of a blob.
pub async fn create(db: &Db, sql: &str) {
    // On SQLite only an INTEGER column is the row id; on PostgreSQL only BIGINT holds an i64.
    let (id, bytes) = if db.on_postgres() {
        ("BIGINT NOT NULL", "BYTEA")
    } else {
        ("INTEGER NOT NULL", "BLOB")
    };
    let sql = sql.replace(" ID", &format!(" {id}"));
    db.run_sql(&sql.replace(" BYTES", &format!(" {bytes}")))
        .await
        .expect("the table is created");
}

/// A database with the table that [`put`] and [`stored`] use.
pub async fn with_items() -> (Scratch, Db) {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    create(&db, "CREATE TABLE items (id ID PRIMARY KEY)").await;
    (scratch, db)
}

pub async fn migrated() -> (Scratch, Db) {
    let scratch = Scratch::migrated().await;
    let db = scratch.open().await;
    (scratch, db)
}

pub async fn open_with(scratch: &Scratch, options: Options) -> Db {
    let url = scratch.url().parse().expect("a valid address");
    Db::open(&url, &options).await.expect("the database opens")
}

pub async fn put(tx: &mut Tx, id: i64) -> Result<u64> {
    tx.execute("INSERT INTO items (id) VALUES ($1)", params![id])
        .await
}

pub async fn put_alone(db: &Db, id: i64) {
    let mut tx = within(db.begin()).await.expect("a transaction");
    put(&mut tx, id).await.expect("a new row");
    within(tx.commit()).await.expect("committed");
}

/// The committed ids, in order.
pub async fn stored(db: &Db) -> Vec<i64> {
    let mut read = db.read().await.expect("a reader");
    read.query("SELECT id FROM items ORDER BY id", &[], |row| row.get(0))
        .await
        .expect("items can be read")
}

/// Fails the test instead of waiting forever.
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, future)
        .await
        .expect("done within the timeout")
}

/// Polls until `done` returns true.
pub async fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let end = tokio::time::Instant::now() + TIMEOUT;
    while !done() {
        assert!(tokio::time::Instant::now() < end, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A future that was polled at least once, so that it has a position in any queue.
pub enum Started<'a, T> {
    Waiting(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
    Done(T),
}

pub fn start<'a, T>(future: impl Future<Output = T> + Send + 'a) -> Started<'a, T> {
    let mut started = Started::Waiting(Box::pin(future));
    let _ = started.is_waiting();
    started
}

impl<T> Started<'_, T> {
    /// Polls once. The result is predictable on SQLite only: the PostgreSQL server may answer at
    /// any moment.
    pub fn is_waiting(&mut self) -> bool {
        if let Self::Waiting(future) = self
            && let Some(outcome) = future.now_or_never()
        {
            *self = Self::Done(outcome);
        }
        matches!(self, Self::Waiting(_))
    }

    pub async fn end(self) -> T {
        match self {
            Self::Waiting(future) => within(future).await,
            Self::Done(outcome) => outcome,
        }
    }
}

/// Consecutive writers. On SQLite they are one group: the first opens it, and the others queue
/// before the committer does.
pub async fn in_one_group<'a, const N: usize>(
    scratch: &Scratch,
    db: &'a Db,
) -> [Started<'a, Result<Tx>>; N] {
    let other = scratch.open().await;
    let blocker = other.begin().await.expect("a transaction");
    let mut writers = std::array::from_fn(|_| start(db.begin()));
    let all_wait = writers.iter_mut().all(Started::is_waiting);
    assert!(all_wait || db.on_postgres(), "a writer did not wait");
    blocker.rollback().await.expect("rolled back");
    writers
}
