use db::testing::Scratch;
use db::{Db, Error, Value, params};

use crate::constraints::failure;
use crate::support::{create, with_items};

async fn with_books() -> (Scratch, Db) {
    let (scratch, db) = with_items().await;
    for sql in [
        "CREATE TABLE shelves (id ID PRIMARY KEY)",
        "CREATE TABLE authors (id ID PRIMARY KEY,
         shelf_id BIGINT REFERENCES shelves (id) ON DELETE CASCADE)",
        "CREATE TABLE editors (id ID PRIMARY KEY)",
        "CREATE TABLE books (id ID PRIMARY KEY,
         author_id BIGINT REFERENCES authors (id),
         editor_id BIGINT REFERENCES editors (id))",
        // A key of two columns, so that SQLite's row id is not a column.
        "CREATE TABLE loans (book_id BIGINT NOT NULL REFERENCES books (id),
         editor_id BIGINT NOT NULL REFERENCES editors (id), PRIMARY KEY (book_id, editor_id))",
        "INSERT INTO shelves (id) VALUES (1), (2)",
        "INSERT INTO authors (id, shelf_id) VALUES (1, 1), (2, 2)",
        "INSERT INTO editors (id) VALUES (1), (2), (3)",
        "INSERT INTO books (id, author_id, editor_id) VALUES (1, 1, 1)",
        "INSERT INTO loans (book_id, editor_id) VALUES (1, 2)",
    ] {
        create(&db, sql).await;
    }
    (scratch, db)
}

async fn violated_key(db: &Db, sql: &'static str, params: &[Value<'_>]) -> String {
    match failure(db, sql, params).await {
        Error::ForeignKey(name) => name,
        other => panic!("{sql}: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_parent_is_named_on_insert() {
    let (_scratch, db) = with_books().await;
    for sql in [
        "INSERT INTO books (id, author_id) VALUES (2, $1)",
        "INSERT INTO books (id, author_id) VALUES (2, $1) RETURNING id",
        "INSERT INTO books (id, author_id) VALUES (2, 1), (3, $1), (4, 2)",
    ] {
        assert_eq!(
            violated_key(&db, sql, params![404]).await,
            "books_author_id_fkey",
            "{sql}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_parent_is_named_on_update() {
    let (_scratch, db) = with_books().await;
    for sql in [
        "UPDATE books SET author_id = $1 WHERE id = 1",
        "UPDATE books SET author_id = $1 WHERE id = 1 RETURNING id",
    ] {
        assert_eq!(
            violated_key(&db, sql, params![404]).await,
            "books_author_id_fkey",
            "{sql}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_violated_one_of_two_foreign_keys_is_named() {
    let (_scratch, db) = with_books().await;
    for (sql, name) in [
        (
            "INSERT INTO books (id, author_id, editor_id) VALUES (2, 404, 1)",
            "books_author_id_fkey",
        ),
        (
            "INSERT INTO books (id, author_id, editor_id) VALUES (2, 1, 404)",
            "books_editor_id_fkey",
        ),
        (
            "INSERT INTO books (id, author_id, editor_id) VALUES (2, NULL, 404)",
            "books_editor_id_fkey",
        ),
        (
            "UPDATE books SET editor_id = 404 WHERE id = 1",
            "books_editor_id_fkey",
        ),
        (
            "INSERT INTO loans (book_id, editor_id) VALUES (1, 404)",
            "loans_editor_id_fkey",
        ),
        ("UPDATE loans SET book_id = 404", "loans_book_id_fkey"),
    ] {
        assert_eq!(violated_key(&db, sql, &[]).await, name, "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_to_a_deleted_parent_is_named() {
    let (_scratch, db) = with_books().await;
    for (sql, id, name) in [
        (
            "DELETE FROM authors WHERE id = $1",
            1,
            "books_author_id_fkey",
        ),
        (
            "DELETE FROM authors WHERE id = $1 RETURNING id",
            1,
            "books_author_id_fkey",
        ),
        (
            "DELETE FROM editors WHERE id = $1",
            1,
            "books_editor_id_fkey",
        ),
        (
            "DELETE FROM editors WHERE id = $1",
            2,
            "loans_editor_id_fkey",
        ),
        (
            "DELETE FROM shelves WHERE id = $1",
            1,
            "books_author_id_fkey",
        ),
    ] {
        assert_eq!(violated_key(&db, sql, params![id]).await, name, "{sql}");
    }
    let ids: &[i64] = &[2, 1];
    assert_eq!(
        violated_key(&db, "DELETE FROM authors WHERE id = ANY($1)", params![ids]).await,
        "books_author_id_fkey"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn finding_the_violated_key_changes_nothing() {
    let (_scratch, db) = with_books().await;
    violated_key(&db, "DELETE FROM shelves WHERE id = $1", params![1]).await;
    violated_key(&db, "UPDATE books SET editor_id = 404", &[]).await;
    let mut read = db.read().await.expect("a reader");
    let rows: Vec<(i64, i64, i64)> = read
        .query(
            "SELECT s.id, b.id, b.editor_id FROM shelves s
             JOIN authors a ON a.shelf_id = s.id JOIN books b ON b.author_id = a.id",
            &[],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .await
        .expect("a join");
    assert_eq!(rows, [(1, 1, 1)]);
}

/// Finding the key defers checks briefly; afterwards they must be immediate again.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_violation_in_a_transaction_fails_at_once() {
    let (_scratch, db) = with_books().await;
    let mut tx = db.begin().await.expect("a transaction");
    let sql = "INSERT INTO books (id, author_id) VALUES ($1, 404)";
    tx.execute(sql, params![2]).await.expect_err("no author");
    tx.execute(sql, params![3]).await.expect_err("no author");
    drop(tx);
    let mut tx = db.begin().await.expect("a transaction");
    tx.execute(sql, params![4]).await.expect_err("no author");
    tx.rollback().await.expect("rolled back");
}

#[tokio::test(flavor = "multi_thread")]
async fn on_delete_cascade_deletes_children() {
    let (_scratch, db) = with_books().await;
    let mut tx = db.begin().await.expect("a transaction");
    let deleted = tx
        .execute("DELETE FROM shelves WHERE id = $1", params![2])
        .await;
    assert_eq!(deleted.expect("deleted"), 1);
    let left: Vec<i64> = tx
        .query("SELECT id FROM authors", &[], |row| row.get(0))
        .await
        .expect("authors can be read");
    assert_eq!(left, [1]);
}
