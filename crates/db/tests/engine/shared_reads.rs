use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use db::{Db, Options, Read, Result};
use futures_util::future::join_all;

use crate::support::{open_with, put_alone, stored, with_items, within};

async fn count(read: &mut Read) -> Result<i64> {
    let rows = read.query("SELECT COUNT(*) FROM items", &[], |row| row.get(0));
    Ok(rows.await?[0])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_read_sees_rows_committed_before_it() {
    let (_scratch, db) = with_items().await;
    // Held throughout, so that the others share its connection.
    let mut first = db.read().await.expect("a reader");
    for id in 1..50 {
        put_alone(&db, id).await;
        let mut read = db.read().await.expect("a reader");
        assert_eq!(count(&mut read).await.expect("a count"), id);
        assert_eq!(count(&mut first).await.expect("a count"), id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_or_dropped_read_does_not_fail_the_others_on_its_connection() {
    let (_scratch, db) = with_items().await;
    put_alone(&db, 1).await;
    let read_one = async |n: i64| {
        let mut read = db.read().await.expect("a reader");
        match n % 3 {
            0 => {
                let wrong = read.query("SELECT nothing FROM items", &[], |_| Ok(()));
                assert!(wrong.await.is_err());
            }
            1 => drop(tokio::time::timeout(std::time::Duration::ZERO, count(&mut read)).await),
            _ => assert_eq!(count(&mut read).await.expect("a count"), 1),
        }
    };
    within(join_all((0..200).map(read_one))).await;
}

/// Constant reads must leave connections for writers, however small the pool is.
#[tokio::test(flavor = "multi_thread")]
async fn shared_reads_do_not_starve_writers() {
    let (scratch, _db) = with_items().await;
    for pool_size in [2, 4, 8] {
        let options = Options {
            pool_size,
            ..Options::default()
        };
        let db = open_with(&scratch, options).await;
        let stop = Arc::new(AtomicBool::new(false));
        let readers: Vec<_> = (0..40)
            .map(|_| {
                let (db, stop) = (db.clone(), Arc::clone(&stop));
                tokio::spawn(async move {
                    while !stop.load(Ordering::Relaxed) {
                        let mut read = db.read().await.expect("a reader");
                        count(&mut read).await.expect("a count");
                    }
                })
            })
            .collect();
        let before = stored(&db).await.len() as i64;
        for id in 1..=20 {
            put_alone(&db, before + id).await;
        }
        stop.store(true, Ordering::Relaxed);
        within(join_all(readers)).await;
    }
}

/// Reads of SQLite never wait, so nothing but tokio's budget interrupts them.
#[tokio::test]
async fn a_chain_of_reads_lets_other_tasks_run() {
    const MOST: usize = 10_000;
    let (_scratch, db) = with_items().await;
    let has_run = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&has_run);
    let reader = tokio::spawn(async move {
        let mut read = db.read().await.expect("a reader");
        let mut reads = 0;
        while reads < MOST && !flag.load(Ordering::Relaxed) {
            count(&mut read).await.expect("a count");
            reads += 1;
        }
        reads
    });
    tokio::spawn(async move { has_run.store(true, Ordering::Relaxed) });
    assert!(within(reader).await.expect("the reader") < MOST);
}

async fn connection(db: &Db) -> i64 {
    let mut read = db.read().await.expect("a reader");
    let id = "SELECT pg_backend_pid()::BIGINT, pg_sleep(0.01)::TEXT";
    let ids = read.query(id, &[], |row| row.get(0)).await;
    ids.expect("a process id")[0]
}

/// PostgreSQL only.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_reads_share_two_connections_of_a_pool_of_eight() {
    let (scratch, db) = with_items().await;
    if !db.on_postgres() {
        return;
    }
    let options = Options {
        pool_size: 8,
        ..Options::default()
    };
    let db = open_with(&scratch, options).await;
    // The first read opens one connection; one of the others opens a second while the rest share.
    connection(&db).await;
    let used = within(join_all((0..100).map(|_| connection(&db)))).await;
    let used: HashSet<i64> = used.into_iter().collect();
    assert_eq!(used.len(), 2);
}

/// A read that can share does not wait for a free connection. PostgreSQL only.
#[tokio::test(flavor = "multi_thread")]
async fn reads_share_one_connection_while_writers_hold_all_others() {
    let (scratch, db) = with_items().await;
    if !db.on_postgres() {
        return;
    }
    let options = Options {
        pool_size: 8,
        ..Options::default()
    };
    let db = open_with(&scratch, options).await;
    let writers = within(join_all((0..7).map(|_| db.begin()))).await;
    let mut reads = Vec::new();
    for _ in 0..80 {
        let mut read = within(db.read()).await.expect("a reader");
        assert_eq!(count(&mut read).await.expect("a count"), 0);
        reads.push(read);
    }
    drop(writers);
}
