//! A table to write into, and the means to say who waits for whom.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use db::testing::Scratch;
use db::{Db, Options, Result, Tx, params};
use futures_util::FutureExt;

/// Long for anything that goes on by itself, short for a person who waits for a failing test.
const PATIENCE: Duration = Duration::from_secs(8);

/// Makes tables on either engine: `ID` stands for the type of an id, `BYTES` for that of a blob.
pub async fn create(db: &Db, sql: &str) {
    // Only a column declared as INTEGER is SQLite's row id, and only BIGINT takes an i64 on
    // PostgreSQL.
    let (id, bytes) = if db.on_postgres() {
        ("BIGINT NOT NULL", "BYTEA")
    } else {
        ("INTEGER NOT NULL", "BLOB")
    };
    let sql = sql.replace(" ID", &format!(" {id}"));
    db.run_sql(&sql.replace(" BYTES", &format!(" {bytes}")))
        .await
        .expect("the table is made");
}

/// A database with the table that [`put`] and [`stored`] speak of.
pub async fn with_items() -> (Scratch, Db) {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    create(&db, "CREATE TABLE items (id ID PRIMARY KEY)").await;
    (scratch, db)
}

pub async fn migrated() -> (Scratch, Db) {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    db.migrate(0).await.expect("the schema is made");
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
    let mut tx = within(db.begin()).await.expect("a turn comes");
    put(&mut tx, id).await.expect("the row is new");
    within(tx.commit()).await.expect("the row is kept");
}

/// The ids that a reader finds, in order.
pub async fn stored(db: &Db) -> Vec<i64> {
    let mut read = db.read().await.expect("a reader");
    read.query("SELECT id FROM items ORDER BY id", &[], |row| row.get(0))
        .await
        .expect("items can be read")
}

/// A test that would wait for ever fails instead.
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("nobody waits for ever")
}

/// Tries until `done`, for what no event tells of.
pub async fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let end = tokio::time::Instant::now() + PATIENCE;
    while !done() {
        assert!(tokio::time::Instant::now() < end, "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Something under way that has taken its place in whatever queue there is.
pub enum Started<'a, T> {
    Waiting(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
    Done(T),
}

pub fn start<'a, T>(future: impl Future<Output = T> + Send + 'a) -> Started<'a, T> {
    let mut started = Started::Waiting(Box::pin(future));
    let _ = started.waits();
    started
}

impl<T> Started<'_, T> {
    /// Takes a step. On PostgreSQL the server may answer at any moment, so only on SQLite does
    /// a test know what to expect.
    pub fn waits(&mut self) -> bool {
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

/// Writers in a row, which on SQLite are one group: the first opens it, and since the rest
/// already queue then, the committer comes after them.
pub async fn in_one_group<'a, const N: usize>(
    scratch: &Scratch,
    db: &'a Db,
) -> [Started<'a, Result<Tx>>; N] {
    let other = scratch.open().await;
    let gate = other.begin().await.expect("the gate closes");
    let mut turns = std::array::from_fn(|_| start(db.begin()));
    let closed = turns.iter_mut().all(Started::waits);
    assert!(closed || db.on_postgres(), "nobody gets past the gate");
    gate.rollback().await.expect("the gate opens");
    turns
}
