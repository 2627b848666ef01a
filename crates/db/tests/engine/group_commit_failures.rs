use db::testing::Scratch;
use db::{Db, Error, Result, Tx, params};

use crate::support::{create, in_one_group, put, put_alone, start, stored, with_items, within};

async fn with_pets() -> (Scratch, Db) {
    let (scratch, db) = with_items().await;
    create(&db, "CREATE TABLE owners (id ID PRIMARY KEY)").await;
    create(
        &db,
        "CREATE TABLE pets (id ID PRIMARY KEY,
         owner_id BIGINT REFERENCES owners (id) DEFERRABLE INITIALLY DEFERRED)",
    )
    .await;
    (scratch, db)
}

/// The constraint is deferred, so only the COMMIT fails.
async fn put_orphan(tx: &mut Tx) -> Result<u64> {
    tx.execute("INSERT INTO pets (id, owner_id) VALUES (1, 404)", &[])
        .await
}

async fn pets(db: &Db) -> i64 {
    let mut read = db.read().await.expect("a reader");
    read.query_one("SELECT count(*) FROM pets", &[], |row| row.get(0))
        .await
        .expect("pets can be counted")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_commit_writes_nothing_and_every_member_gets_the_error() {
    let (scratch, db) = with_pets().await;
    let [first, orphan, last] = in_one_group(&scratch, &db).await;

    let mut tx = first.end().await.expect("the first transaction");
    put(&mut tx, 1).await.expect("a new row");
    let first = start(tx.commit());

    let mut tx = orphan.end().await.expect("the second transaction");
    put_orphan(&mut tx).await.expect("not checked yet");
    put(&mut tx, 2).await.expect("a new row");
    let orphan = start(tx.commit());

    let mut tx = last.end().await.expect("the third transaction");
    put(&mut tx, 3).await.expect("a new row");
    let last = within(tx.commit()).await;

    let first = first.end().await;
    let orphan = orphan.end().await;
    assert_eq!(pets(&db).await, 0);
    if db.on_postgres() {
        assert!(
            matches!(&orphan, Err(Error::ForeignKey(name)) if name == "pets_owner_id_fkey"),
            "{orphan:?}"
        );
        first.expect("PostgreSQL has no groups");
        last.expect("PostgreSQL has no groups");
        assert_eq!(stored(&db).await, [1, 3]);
    } else {
        for outcome in [first, orphan, last] {
            assert!(matches!(outcome, Err(Error::NotCommitted)), "{outcome:?}");
        }
        assert!(stored(&db).await.is_empty());
    }

    put_alone(&db, 4).await;
    assert!(stored(&db).await.ends_with(&[4]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_fails_if_rows_it_read_were_not_committed() {
    let (scratch, db) = with_pets().await;
    let [orphan, reader] = in_one_group(&scratch, &db).await;

    let mut tx = orphan.end().await.expect("the first transaction");
    put_orphan(&mut tx).await.expect("not checked yet");
    let commit = start(tx.commit());

    let mut tx = reader.end().await.expect("the second transaction");
    let seen: i64 = tx
        .query_one("SELECT count(*) FROM pets", &[], |row| row.get(0))
        .await
        .expect("pets can be counted");
    let outcome = within(tx.rollback()).await;
    commit.end().await.expect_err("the owner is missing");
    assert_eq!(outcome.is_ok(), seen == 0, "{outcome:?}");
    assert_eq!(pets(&db).await, 0);
}

/// A full disk makes SQLite roll back the whole group, not only the statement that failed.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_fails_the_whole_group_and_nothing_is_committed_outside_it() {
    let (scratch, db) = with_items().await;
    if db.on_postgres() {
        return;
    }
    create(&db, "CREATE TABLE files (id ID PRIMARY KEY, data BYTES)").await;
    db.run_sql("PRAGMA max_page_count = 1")
        .await
        .expect("the file cannot grow");
    let [first, big, last] = in_one_group(&scratch, &db).await;

    let mut tx = first.end().await.expect("the first transaction");
    put(&mut tx, 1).await.expect("a new row");
    let first = start(tx.commit());

    let mut tx = big.end().await.expect("the second transaction");
    tx.execute(
        "INSERT INTO files (id, data) VALUES (1, $1)",
        params![&vec![7_u8; 1 << 20]],
    )
    .await
    .expect_err("there is no room");
    // Outside a transaction, this row could not be rolled back.
    put(&mut tx, 2).await.expect_err("the transaction is gone");
    let big = within(tx.commit()).await;
    assert!(matches!(big, Err(Error::NotCommitted)), "{big:?}");

    let mut tx = last.end().await.expect("the third transaction");
    put(&mut tx, 3).await.expect("a new row");
    within(tx.commit()).await.expect("a group of its own");
    let first = first.end().await;
    assert!(matches!(first, Err(Error::NotCommitted)), "{first:?}");
    assert_eq!(stored(&db).await, [3]);
}
