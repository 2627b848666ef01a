use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use db::params;

use crate::support::{create, stored, with_items, within};

const MAX_BYTES: u64 = 16 << 20;
const WRITERS: i64 = 100;
const ROUNDS: i64 = 60;

/// There are concurrent readers, because a reader can prevent SQLite from reusing the log.
#[tokio::test(flavor = "multi_thread")]
async fn the_size_of_the_write_ahead_log_is_bounded() {
    let (scratch, db) = with_items().await;
    let Some(path) = scratch.url().strip_prefix("sqlite:") else {
        return;
    };
    create(&db, "CREATE TABLE pages (id ID PRIMARY KEY, data BYTES)").await;
    let done = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn({
        let (db, done) = (db.clone(), Arc::clone(&done));
        async move {
            while !done.load(Ordering::Relaxed) {
                stored(&db).await;
                tokio::task::yield_now().await;
            }
        }
    });
    let writers = (0..WRITERS).map(|writer| {
        let db = db.clone();
        tokio::spawn(async move {
            for round in 0..ROUNDS {
                let mut tx = db.begin().await.expect("a transaction");
                tx.execute(
                    "INSERT INTO pages (id, data) VALUES ($1, $2)",
                    params![writer * ROUNDS + round, &[7_u8; 4096]],
                )
                .await
                .expect("a new row");
                tx.commit().await.expect("committed");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        within(writer).await.expect("every writer commits");
    }
    done.store(true, Ordering::Relaxed);
    reader.await.expect("the reader ends");
    let wal = std::fs::metadata(format!("{path}-wal")).expect("there is a log");
    assert!(wal.len() < MAX_BYTES, "the log has {} bytes", wal.len());
}
