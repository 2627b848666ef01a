use db::{Db, Error, Result, Value, params};

use crate::support::{create, put, stored, with_items, within};

const DELETE: &str = "DELETE FROM items WHERE id IN
    (SELECT id FROM items WHERE id <= $1 ORDER BY id LIMIT $2)";

async fn with_many(count: i64) -> (db::testing::Scratch, Db) {
    let (scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a transaction");
    for id in 1..=count {
        put(&mut tx, id).await.expect("a new row");
    }
    within(tx.commit()).await.expect("committed");
    (scratch, db)
}

async fn delete_up_to(db: &Db, last: i64, size: i64) -> Result<()> {
    within(db.execute_in_batches(DELETE, params![last], size)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn execute_in_batches_deletes_everything_that_matches_and_nothing_else() {
    for matching in [0, 1, 2, 3, 4, 6, 7] {
        let (_scratch, db) = with_many(9).await;
        delete_up_to(&db, matching, 3).await.expect("deleted");
        let left: Vec<i64> = (matching + 1..=9).collect();
        assert_eq!(stored(&db).await, left);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn execute_in_batches_commits_each_batch_and_rolls_back_one_that_fails() {
    let (_scratch, db) = with_many(9).await;
    create(
        &db,
        "CREATE TABLE lines (item_id BIGINT NOT NULL REFERENCES items (id))",
    )
    .await;
    db.run_sql("INSERT INTO lines (item_id) VALUES (6)")
        .await
        .expect("a row that refers to an item of the third batch");
    let failed = delete_up_to(&db, 9, 2).await;
    assert!(matches!(failed, Err(Error::ForeignKey(_))), "{failed:?}");
    assert_eq!(stored(&db).await, [5, 6, 7, 8, 9]);
}

/// Each batch inserts one row; the batch that inserts none is the last.
#[tokio::test(flavor = "multi_thread")]
async fn execute_in_batches_binds_the_size_after_the_other_parameters() {
    let (_scratch, db) = with_many(1).await;
    let insert = "INSERT INTO items (id) SELECT id + $1 FROM items
                  WHERE id + $1 < $2 AND id + $1 NOT IN (SELECT id FROM items) LIMIT $3";
    let params = [Value::from(2_i64), Value::from(8_i64)];
    within(db.execute_in_batches(insert, &params, 1))
        .await
        .expect("inserted");
    assert_eq!(stored(&db).await, [1, 3, 5, 7]);
}
