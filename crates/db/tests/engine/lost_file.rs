//! The SQLite file or its write-ahead log is removed or replaced while it is open. Writes to a file
//! without a name would be lost, so none is acknowledged.

use std::path::PathBuf;

use db::{Db, Error, Options, Result};

use crate::support::{put, put_alone, stored, with_items};

async fn write(db: &Db, id: i64) -> Result<()> {
    let mut tx = db.begin().await?;
    put(&mut tx, id).await?;
    tx.commit().await
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_fail_while_the_file_is_gone_or_another() {
    let (scratch, db) = with_items().await;
    if db.on_postgres() {
        return;
    }
    let file: PathBuf = scratch.folder().join("steward.db");
    let aside = scratch.folder().join("aside.db");
    put_alone(&db, 1).await;
    std::fs::rename(&file, &aside).expect("moved");
    for replaced in [false, true] {
        if replaced {
            std::fs::write(&file, b"").expect("another file");
        }
        let failed = write(&db, 2).await.expect_err("no acknowledgement");
        assert!(matches!(failed, Error::NotWritable(_)), "{failed:?}");
    }
    // The same file under its own name again.
    std::fs::rename(&aside, &file).expect("moved back");
    assert_eq!(stored(&db).await, [1]);
    put_alone(&db, 3).await;
    assert_eq!(stored(&db).await, [1, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_removed_during_a_transaction_fails_its_commit() {
    let (scratch, db) = with_items().await;
    if db.on_postgres() {
        return;
    }
    let mut tx = db.begin().await.expect("a transaction");
    put(&mut tx, 1).await.expect("written");
    std::fs::remove_file(scratch.folder().join("steward.db")).expect("removed");
    let failed = tx.commit().await.expect_err("no acknowledgement");
    assert!(matches!(failed, Error::NotWritable(_)), "{failed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_fail_once_the_log_is_gone_or_another_and_what_it_held_is_saved() {
    let (scratch, db) = with_items().await;
    if db.on_postgres() {
        return;
    }
    let log: PathBuf = scratch.folder().join("steward.db-wal");
    put_alone(&db, 1).await;
    std::fs::remove_file(&log).expect("removed");
    for replaced in [false, true] {
        if replaced {
            std::fs::write(&log, b"").expect("another log");
        }
        let failed = write(&db, 2).await.expect_err("no acknowledgement");
        assert!(matches!(failed, Error::NotWritable(_)), "{failed:?}");
        let failed = db.check_readable().await.expect_err("not ready");
        assert!(matches!(failed, Error::NotWritable(_)), "{failed:?}");
    }
    // As after a crash: a copy of the database alone.
    let copy = scratch.folder().join("copy.db");
    std::fs::copy(scratch.folder().join("steward.db"), &copy).expect("copied");
    let url = format!("sqlite:{}", copy.display()).parse();
    let copy = Db::open(&url.expect("an address"), &Options::default()).await;
    let copy = copy.expect("it opens");
    assert_eq!(stored(&copy).await, [1]);
    put_alone(&copy, 2).await;
}
