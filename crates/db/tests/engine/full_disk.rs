//! A full disk: no acknowledged write is lost, and writes succeed again when there is room.

use db::{Db, Error, Result, params};
use futures_util::future::join_all;

use crate::support::{create, with_items, within};

/// The number of free pages of 4 KiB.
const ROOM: i64 = 100;

/// Limits the size of the SQLite file, which gives the same error as a full disk.
async fn set_room(db: &Db, pages: i64) {
    let mut read = db.read().await.expect("a reader");
    let used: i64 = read
        .query_one("PRAGMA page_count", &[], |row| row.get(0))
        .await
        .expect("a number");
    let sql = format!("PRAGMA max_page_count = {}", used + pages);
    db.run_sql(&sql).await.expect("limited");
}

async fn write(db: &Db, id: i64) -> Result<()> {
    let mut tx = db.begin().await?;
    let text = "x".repeat(3000);
    tx.execute(
        "INSERT INTO notes (id, text) VALUES ($1, $2)",
        params![id, &text],
    )
    .await?;
    tx.commit().await
}

async fn notes(db: &Db) -> Vec<i64> {
    let mut read = db.read().await.expect("a reader");
    let ids = read.query("SELECT id FROM notes ORDER BY id", &[], |row| row.get(0));
    ids.await.expect("notes can be read")
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writers_on_a_full_disk_lose_no_acknowledged_write() {
    let (_scratch, db) = with_items().await;
    if db.on_postgres() {
        return;
    }
    create(&db, "CREATE TABLE notes (id ID PRIMARY KEY, text TEXT)").await;
    let mut acknowledged: Vec<i64> = Vec::new();
    for round in 0..3 {
        set_room(&db, ROOM).await;
        let first = round * 1000;
        let writes = join_all((first..first + 3 * ROOM).map(async |id| (id, write(&db, id).await)));
        let outcomes = within(writes).await;
        let mut refused = 0;
        for (id, outcome) in outcomes {
            match outcome {
                Ok(()) => acknowledged.push(id),
                Err(Error::NotWritable(_) | Error::NotCommitted) => refused += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
        assert!(refused > 0, "the disk was not full");
        assert_eq!(notes(&db).await, acknowledged);
        // A single writer may find room for a few more rows.
        for id in first + 3 * ROOM.. {
            match write(&db, id).await {
                Ok(()) => acknowledged.push(id),
                Err(Error::NotWritable(_)) => break,
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(notes(&db).await, acknowledged);
    }
    set_room(&db, ROOM).await;
    within(write(&db, -1)).await.expect("there is room again");
}
