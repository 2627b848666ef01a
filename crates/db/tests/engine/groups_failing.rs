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

/// Only the COMMIT finds out about this one.
async fn put_stray(tx: &mut Tx) -> Result<u64> {
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
async fn a_commit_that_fails_writes_nothing_and_says_so_to_every_member() {
    let (scratch, db) = with_pets().await;
    let [first, stray, last] = in_one_group(&scratch, &db).await;

    let mut tx = first.end().await.expect("the first turn");
    put(&mut tx, 1).await.expect("a new row");
    let first = start(tx.commit());

    let mut tx = stray.end().await.expect("the second turn");
    put_stray(&mut tx).await.expect("not looked at yet");
    put(&mut tx, 2).await.expect("a new row");
    let stray = start(tx.commit());

    let mut tx = last.end().await.expect("the third turn");
    put(&mut tx, 3).await.expect("a new row");
    let last = within(tx.commit()).await;

    let first = first.end().await;
    let stray = stray.end().await;
    assert_eq!(pets(&db).await, 0);
    if db.on_postgres() {
        assert!(
            matches!(&stray, Err(Error::ForeignKey(name)) if name == "pets_owner_id_fkey"),
            "{stray:?}"
        );
        first.expect("there is no group to fail with");
        last.expect("there is no group to fail with");
        assert_eq!(stored(&db).await, [1, 3]);
    } else {
        for told in [first, stray, last] {
            assert!(matches!(told, Err(Error::NotCommitted)), "{told:?}");
        }
        assert!(stored(&db).await.is_empty());
    }

    put_alone(&db, 4).await;
    assert!(stored(&db).await.ends_with(&[4]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_is_told_when_what_it_read_was_never_written() {
    let (scratch, db) = with_pets().await;
    let [stray, reader] = in_one_group(&scratch, &db).await;

    let mut tx = stray.end().await.expect("the first turn");
    put_stray(&mut tx).await.expect("not looked at yet");
    let commit = start(tx.commit());

    let mut tx = reader.end().await.expect("the second turn");
    let seen: i64 = tx
        .query_one("SELECT count(*) FROM pets", &[], |row| row.get(0))
        .await
        .expect("pets can be counted");
    let told = within(tx.rollback()).await;
    commit.end().await.expect_err("the owner is missing");
    assert_eq!(told.is_ok(), seen == 0, "{told:?}");
    assert_eq!(pets(&db).await, 0);
}

/// A full disk makes SQLite undo all that the group did, not only the statement that met it.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_fails_the_group_and_nothing_slips_past_it() {
    let (scratch, db) = with_items().await;
    if db.on_postgres() {
        return;
    }
    create(&db, "CREATE TABLE files (id ID PRIMARY KEY, data BYTES)").await;
    db.run_sql("PRAGMA max_page_count = 1")
        .await
        .expect("the file may not grow");
    let [first, big, last] = in_one_group(&scratch, &db).await;

    let mut tx = first.end().await.expect("the first turn");
    put(&mut tx, 1).await.expect("a new row");
    let first = start(tx.commit());

    let mut tx = big.end().await.expect("the second turn");
    tx.execute(
        "INSERT INTO files (id, data) VALUES (1, $1)",
        params![&vec![7_u8; 1 << 20]],
    )
    .await
    .expect_err("there is no room");
    // There is no transaction any more that could be rolled back.
    put(&mut tx, 2).await.expect_err("the transaction is gone");
    let big = within(tx.commit()).await;
    assert!(matches!(big, Err(Error::NotCommitted)), "{big:?}");

    let mut tx = last.end().await.expect("the third turn");
    put(&mut tx, 3).await.expect("a new row");
    within(tx.commit()).await.expect("a group of its own");
    let first = first.end().await;
    assert!(matches!(first, Err(Error::NotCommitted)), "{first:?}");
    assert_eq!(stored(&db).await, [3]);
}
