//! Prepared statements, and how many are cached.

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
