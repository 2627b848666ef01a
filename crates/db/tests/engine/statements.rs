//! Prepared statements and the limit of cached ones.

use db::params;

use crate::support::migrated;

#[tokio::test]
async fn the_number_of_prepared_statements_of_a_connection_is_bounded() {
    let (_scratch, db) = migrated().await;
    let mut read = db.read_alone().await.expect("a reader");
    for number in 0..1500_i64 {
        let sql: &'static str = format!("SELECT CAST({number} AS BIGINT)").leak();
        for _ in 0..2 {
            let found = read.query_one(sql, &[], |row| row.get::<i64>(0)).await;
            assert_eq!(found.expect("a number"), number);
        }
    }
    if db.on_postgres() {
        let sql = "SELECT COUNT(*) FROM pg_prepared_statements";
        let cached = read.query_one(sql, &[], |row| row.get::<i64>(0)).await;
        let cached = cached.expect("a number");
        assert!((1..=600).contains(&cached), "{cached}");
    }
}

/// Triggers of `users` also insert into other tables and into the full-text index.
#[tokio::test]
async fn an_insert_returns_the_id_of_its_own_row() {
    let (_scratch, db) = migrated().await;
    for number in 1..=3_i64 {
        let name = format!("user{number}");
        let mut tx = db.begin().await.expect("a transaction");
        for role in 0..4 {
            let name = format!("{name} role {role}");
            let sql =
                "INSERT INTO roles (name, description, color) VALUES ($1, '', '') RETURNING id";
            let id = tx.insert(sql, params![&name]).await;
            assert_eq!(id.expect("an id"), 4 * (number - 1) + role + 1);
        }
        let id = tx
            .insert(
                "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                    status, created_at, updated_at)
                 VALUES ($1, $1, $1, $1, '', 'active', 0, 0)
                 RETURNING id",
                params![&name],
            )
            .await;
        assert_eq!(id.expect("an id"), number);
        tx.commit().await.expect("committed");
        let mut read = db.read().await.expect("a reader");
        let sql = "SELECT id FROM users WHERE username = $1";
        let found = read
            .query_one(sql, params![&name], |row| row.get::<i64>(0))
            .await;
        assert_eq!(found.expect("a user"), number);
    }
}

/// SQLite always compares code points.
#[tokio::test]
async fn usernames_sort_by_code_point_in_every_locale() {
    let (_scratch, db) = migrated().await;
    if db.on_postgres() {
        let mut read = db.read().await.expect("a reader");
        let collation = read.query_one(
            "SELECT collation_name::text FROM information_schema.columns
             WHERE table_name = 'users' AND column_name = 'username_folded'",
            &[],
            |row| row.get::<String>(0),
        );
        assert_eq!(collation.await.expect("a collation"), "C");
    }
}
