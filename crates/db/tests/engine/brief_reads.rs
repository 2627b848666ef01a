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
async fn each_sees_what_was_committed_before_it() {
    let (_scratch, db) = with_items().await;
    // Held all along, so that the others share with it where they can.
    let mut first = db.read_briefly().await.expect("a reader");
    for id in 1..50 {
        put_alone(&db, id).await;
        let mut read = db.read_briefly().await.expect("a reader");
        assert_eq!(count(&mut read).await.expect("a count"), id);
        assert_eq!(count(&mut first).await.expect("a count"), id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_fails_does_not_take_the_others_along() {
    let (_scratch, db) = with_items().await;
    put_alone(&db, 1).await;
    let one = async |n: i64| {
        let mut read = db.read_briefly().await.expect("a reader");
        match n % 3 {
            0 => {
                let wrong = read.query("SELECT nothing FROM items", &[], |_| Ok(()));
                assert!(wrong.await.is_err());
            }
            1 => drop(tokio::time::timeout(std::time::Duration::ZERO, count(&mut read)).await),
            _ => assert_eq!(count(&mut read).await.expect("a count"), 1),
        }
    };
    within(join_all((0..200).map(one))).await;
}

/// Reads that never stop must leave something for others, however few connections there are.
#[tokio::test(flavor = "multi_thread")]
async fn they_do_not_keep_writers_out() {
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
                        let mut read = db.read_briefly().await.expect("a reader");
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

async fn connection(db: &Db) -> i64 {
    let mut read = db.read_briefly().await.expect("a reader");
    let id = "SELECT pg_backend_pid()::BIGINT, pg_sleep(0.01)::TEXT";
    let ids = read.query(id, &[], |row| row.get(0)).await;
    ids.expect("the server tells")[0]
}

/// Only PostgreSQL has connections to spare.
#[tokio::test(flavor = "multi_thread")]
async fn they_share_few_connections() {
    let (scratch, db) = with_items().await;
    if !db.on_postgres() {
        return;
    }
    let options = Options {
        pool_size: 8,
        ..Options::default()
    };
    let db = open_with(&scratch, options).await;
    // The first opens one; of all the others, one opens another while the rest go on.
    connection(&db).await;
    let used = within(join_all((0..100).map(|_| connection(&db)))).await;
    let used: HashSet<i64> = used.into_iter().collect();
    assert_eq!(used.len(), 2);
}

/// Whoever could share does not wait until others are done.
#[tokio::test(flavor = "multi_thread")]
async fn they_share_when_writers_have_all_the_rest() {
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
        let mut read = within(db.read_briefly()).await.expect("a reader");
        assert_eq!(count(&mut read).await.expect("a count"), 0);
        reads.push(read);
    }
    drop(writers);
}
