use db::testing::Scratch;
use db::{Db, Error, Value, params};

use crate::support::{create, migrated, put, stored, with_items, within};

async fn with_users() -> (Scratch, Db) {
    let (scratch, db) = with_items().await;
    create(
        &db,
        "CREATE TABLE users (
             id ID PRIMARY KEY,
             email TEXT UNIQUE,
             site BIGINT NOT NULL DEFAULT 0,
             place BIGINT,
             age BIGINT CONSTRAINT users_age_check CHECK (age >= 0),
             UNIQUE (site, place)
         )",
    )
    .await;
    create(
        &db,
        "CREATE TABLE visits (user_id BIGINT NOT NULL, day BIGINT NOT NULL,
         PRIMARY KEY (user_id, day))",
    )
    .await;
    db.run_sql("INSERT INTO users (id, email, site, place) VALUES (1, 'a@example.org', 1, 1)")
        .await
        .expect("a user");
    db.run_sql("INSERT INTO visits (user_id, day) VALUES (1, 1)")
        .await
        .expect("a visit");
    (scratch, db)
}

/// Returns the error of the statement, and checks that the database is still usable.
pub async fn failure(db: &Db, sql: &'static str, params: &[Value<'_>]) -> Error {
    let before = stored(db).await;
    let new_id = before.len() as i64;
    let mut tx = within(db.begin()).await.expect("a transaction");
    let error = if sql.contains("RETURNING") {
        let rows = tx.query(sql, params, |row| row.get::<i64>(0)).await;
        rows.map(|_| ()).expect_err(sql)
    } else {
        tx.execute(sql, params).await.map(|_| ()).expect_err(sql)
    };
    if db.on_postgres() {
        within(tx.rollback()).await.expect("rolled back");
        tx = within(db.begin()).await.expect("a transaction");
    }
    put(&mut tx, new_id).await.expect("a new row");
    within(tx.commit()).await.expect("committed");
    assert_eq!(stored(db).await.len(), before.len() + 1);
    error
}

async fn unique_name(db: &Db, sql: &'static str, params: &[Value<'_>]) -> String {
    match failure(db, sql, params).await {
        Error::Unique(name) => name,
        other => panic!("{sql}: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unique_column_is_named() {
    let (_scratch, db) = with_users().await;
    for sql in [
        "INSERT INTO users (id, email) VALUES (2, $1)",
        "INSERT INTO users (id, email) VALUES (2, $1) RETURNING id",
    ] {
        let name = unique_name(&db, sql, params!["a@example.org"]).await;
        assert_eq!(name, "users_email_key");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unique_column_is_named_on_update() {
    let (_scratch, db) = with_users().await;
    db.run_sql("INSERT INTO users (id, email) VALUES (2, 'b@example.org')")
        .await
        .expect("another user");
    for sql in [
        "UPDATE users SET email = $1 WHERE id = 2",
        "UPDATE users SET email = $1 WHERE id = 2 RETURNING id",
    ] {
        let name = unique_name(&db, sql, params!["a@example.org"]).await;
        assert_eq!(name, "users_email_key");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unique_pair_of_columns_is_named() {
    let (_scratch, db) = with_users().await;
    let sql = "INSERT INTO users (id, site, place) VALUES (2, $1, $2)";
    let name = unique_name(&db, sql, params![1, 1]).await;
    assert_eq!(name, "users_site_place_key");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_primary_key_is_named() {
    let (_scratch, db) = with_users().await;
    let sql = "INSERT INTO users (id) VALUES ($1)";
    assert_eq!(unique_name(&db, sql, params![1]).await, "users_pkey");
    let sql = "INSERT INTO visits (user_id, day) VALUES ($1, $2)";
    assert_eq!(unique_name(&db, sql, params![1, 1]).await, "visits_pkey");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_constraint_is_named() {
    let (_scratch, db) = with_users().await;
    for sql in [
        "INSERT INTO users (id, age) VALUES (2, $1)",
        "INSERT INTO users (id, age) VALUES (2, $1) RETURNING id",
        "UPDATE users SET age = $1 WHERE id = 1",
    ] {
        let error = failure(&db, sql, params![-1]).await;
        assert!(
            matches!(&error, Error::Check(name) if name == "users_age_check"),
            "{sql}: {error:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_failures_are_engine_errors() {
    let (_scratch, db) = with_users().await;
    for sql in [
        "INSERT INTO visits (user_id, day) VALUES (2, NULL)",
        "INSERT INTO nowhere (id) VALUES (1)",
    ] {
        let error = failure(&db, sql, &[]).await;
        assert!(matches!(error, Error::Engine(_)), "{sql}: {error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_does_not_contain_parameters() {
    let (_scratch, db) = with_users().await;
    for sql in [
        "INSERT INTO users (id, email) VALUES (2, $1) RETURNING wrong",
        "INSERT INTO users (id, email, site) VALUES (2, $1, NULL)",
    ] {
        let error = failure(&db, sql, params!["secret"]).await;
        assert!(
            !format!("{error:?} {error}").contains("secret"),
            "{error:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_engines_name_the_constraints_of_the_schema_alike() {
    let (_scratch, db) = migrated().await;
    create(&db, "CREATE TABLE items (id ID PRIMARY KEY)").await;
    db.run_sql("INSERT INTO permissions (id, name, description) VALUES (1, 'a', '')")
        .await
        .expect("a permission");
    db.run_sql("INSERT INTO roles (name, description, color) VALUES ('r', '', '')")
        .await
        .expect("a role");
    let sql = "INSERT INTO permissions (id, name, description) VALUES (2, $1, '')";
    let expected = "permissions_name_key";
    assert_eq!(unique_name(&db, sql, params!["a"]).await, expected);
    let sql = "INSERT INTO role_permissions (role_id, permission_id) VALUES (1, $1)";
    let error = failure(&db, sql, params![404]).await;
    assert!(
        matches!(&error, Error::ForeignKey(name) if name == "role_permissions_permission_id_fkey"),
        "{error:?}"
    );
}

/// The look-up of the constraint's name expects a parent with an `id`, and fails here.
#[tokio::test(flavor = "multi_thread")]
async fn foreign_keys_are_checked_at_once_after_a_look_up_of_their_name_failed() {
    let (_scratch, db) = with_items().await;
    create(&db, "CREATE TABLE owners (number BIGINT PRIMARY KEY)").await;
    let pets = "CREATE TABLE pets (id ID PRIMARY KEY, owner BIGINT REFERENCES owners (number))";
    create(&db, pets).await;
    let orphan = "INSERT INTO pets (id, owner) VALUES (1, 404)";
    for _ in 0..2 {
        let mut tx = within(db.begin()).await.expect("a transaction");
        for _ in 0..2 {
            let added = tx.execute(orphan, &[]).await;
            let error = added.expect_err("no such owner");
            if db.on_postgres() {
                break;
            }
            assert!(matches!(error, Error::ForeignKey(_)), "{error:?}");
        }
        within(tx.rollback()).await.expect("rolled back");
    }
    let mut tx = within(db.begin()).await.expect("a transaction");
    put(&mut tx, 1).await.expect("a new row");
    within(tx.commit()).await.expect("committed");
}
