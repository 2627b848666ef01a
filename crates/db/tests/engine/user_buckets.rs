//! The migration to buckets of 4,096 ids, on a database with users in several slots.

use std::collections::BTreeMap;

use db::Db;
use db::testing::Scratch;

use crate::support::within;

/// The last version with buckets of 1,024 ids only.
const BEFORE: usize = 35;

const IDS: [i64; 8] = [1, 1023, 1024, 4095, 4096, 8191, 8192, 50_000];

fn insert(db: &Db, ids: &[i64]) -> String {
    let values: Vec<String> = ids
        .iter()
        .map(|id| format!("({id}, 'u{id}', 'e{id}', 'u{id}', 'e{id}', '', 'active', 0, 0)"))
        .collect();
    let form = match db.on_postgres() {
        true => "OVERRIDING SYSTEM VALUE",
        false => "",
    };
    format!(
        "INSERT INTO users (id, username, email, username_folded, email_folded, password_hash,
                            status, created_at, updated_at) {form} VALUES {}",
        values.join(", ")
    )
}

async fn counts(db: &Db) -> BTreeMap<i64, i64> {
    let mut read = db.read().await.expect("a reader");
    let sql = "SELECT bucket, CAST(SUM(count) AS BIGINT) FROM user_buckets GROUP BY bucket";
    let found = read.query(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)));
    let found = found.await.expect("buckets");
    found.into_iter().filter(|(_, count)| *count != 0).collect()
}

fn counted(ids: &[i64]) -> BTreeMap<i64, i64> {
    let mut counted = BTreeMap::new();
    for id in ids {
        *counted.entry(id / 4096).or_default() += 1;
    }
    counted
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_counted_in_larger_buckets_after_the_migration() {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    within(db.migrate_to_version(BEFORE))
        .await
        .expect("an older schema");
    db.run_sql(&insert(&db, &IDS)).await.expect("users");
    if db.on_postgres() {
        // As after two concurrent writers, one of which deleted what the other had created.
        let moved = "UPDATE user_stretches SET count = count + 3 WHERE stretch = 1;
                     INSERT INTO user_stretches (stretch, slot, count) VALUES (1, 7, -3)";
        db.run_sql(moved).await.expect("another slot");
    }
    within(db.migrate(0)).await.expect("it migrates");
    assert_eq!(counts(&db).await, counted(&IDS));

    db.run_sql(&insert(&db, &[4097, 60_000]))
        .await
        .expect("users");
    db.run_sql("DELETE FROM users WHERE id IN (1, 4096)")
        .await
        .expect("users are deleted");
    let left = [1023, 1024, 4095, 4097, 8191, 8192, 50_000, 60_000];
    assert_eq!(counts(&db).await, counted(&left));
}
