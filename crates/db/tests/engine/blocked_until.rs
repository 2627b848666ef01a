//! The migration that adds `users.blocked_until`, on a database with users in every state.

use std::collections::BTreeMap;

use db::testing::Scratch;
use db::{Db, Result, Row};

use crate::support::within;

/// The last version without the column.
const BEFORE: usize = 21;

const FOR_GOOD: i64 = i64::MAX;

/// A user before the migration, and what it must make of them.
struct Case {
    status: &'static str,
    /// `until` and `lifted_at` of the blocks in the history, as SQL.
    blocks: &'static [(&'static str, &'static str)],
    migrated: (&'static str, Option<i64>),
}

const CASES: &[Case] = &[
    Case {
        status: "active",
        blocks: &[],
        migrated: ("active", None),
    },
    Case {
        status: "pending",
        blocks: &[("NULL", "7")],
        migrated: ("pending", None),
    },
    Case {
        status: "on_leave",
        blocks: &[],
        migrated: ("on_leave", None),
    },
    Case {
        status: "blocked",
        blocks: &[("NULL", "NULL")],
        migrated: ("blocked", Some(FOR_GOOD)),
    },
    Case {
        status: "blocked",
        blocks: &[("NULL", "7"), ("5000000000", "NULL")],
        migrated: ("blocked", Some(5_000_000_000)),
    },
    // Expired, and not cleared yet.
    Case {
        status: "blocked",
        blocks: &[("50", "NULL")],
        migrated: ("blocked", Some(50)),
    },
    // Without an open block, `blocked` was shown as active.
    Case {
        status: "blocked",
        blocks: &[],
        migrated: ("active", None),
    },
    Case {
        status: "blocked",
        blocks: &[("50", "50"), ("NULL", "60")],
        migrated: ("active", None),
    },
    // The user was saved after the block had expired.
    Case {
        status: "active",
        blocks: &[("50", "NULL")],
        migrated: ("active", None),
    },
    Case {
        status: "pending",
        blocks: &[("50", "NULL")],
        migrated: ("pending", None),
    },
];

/// Two users of each case; every second user has two roles.
async fn filled() -> (Scratch, Db) {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    within(db.migrate_to_version(BEFORE))
        .await
        .expect("an older schema");
    let mut sql = "INSERT INTO roles (name, description, color)
                   VALUES ('Guard', '', ''), ('Cook', '', '');"
        .to_owned();
    for (i, case) in CASES.iter().chain(CASES).enumerate() {
        let id = i + 1;
        sql += &format!(
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                status, created_at, updated_at)
             VALUES ('u{id}', 'e{id}', 'u{id}', 'e{id}', '', '{}', 0, 0);",
            case.status
        );
        for (until, lifted_at) in case.blocks {
            sql += &format!(
                "INSERT INTO user_blocks (user_id, reason, until, blocked_at, lifted_at, key_name)
                 VALUES ({id}, 'Spam', {until}, 1, {lifted_at}, '');"
            );
        }
        if id > CASES.len() {
            sql +=
                &format!("INSERT INTO user_roles (user_id, role_id) VALUES ({id}, 1), ({id}, 2);");
        }
    }
    db.run_sql(&sql).await.expect("users");
    (scratch, db)
}

async fn rows<T>(db: &Db, sql: &'static str, map: impl Fn(&Row<'_>) -> Result<T>) -> Vec<T> {
    let mut read = db.read().await.expect("a reader");
    read.query(sql, &[], map).await.expect("rows")
}

type Totals = BTreeMap<(i64, String), i64>;

async fn totals(db: &Db, sql: &'static str) -> Totals {
    let found = rows(db, sql, |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?))).await;
    found.into_iter().filter(|(_, count)| *count != 0).collect()
}

async fn stored(db: &Db) -> Totals {
    let sql = "SELECT role_id, status, CAST(SUM(count) AS BIGINT) FROM user_totals
               GROUP BY role_id, status";
    totals(db, sql).await
}

async fn recounted(db: &Db) -> Totals {
    let sql = "SELECT CAST(0 AS BIGINT), status, COUNT(*) FROM users GROUP BY status
               UNION ALL
               SELECT r.role_id, u.status, COUNT(*)
               FROM user_roles r JOIN users u ON u.id = r.user_id GROUP BY r.role_id, u.status";
    totals(db, sql).await
}

#[tokio::test(flavor = "multi_thread")]
async fn blocked_until_is_filled_from_users_in_every_state() {
    let (_scratch, db) = filled().await;
    let history = "SELECT CAST(COUNT(*) AS BIGINT) FROM user_blocks WHERE lifted_at IS NULL";
    let open = rows(&db, history, |row| row.get::<i64>(0)).await;
    let before = stored(&db).await;
    within(db.migrate(0)).await.expect("it migrates");
    let users = rows(
        &db,
        "SELECT status, blocked_until FROM users ORDER BY id",
        |row| Ok((row.get::<String>(0)?, row.get(1)?)),
    )
    .await;
    let expected = CASES.iter().chain(CASES);
    let expected: Vec<(String, Option<i64>)> = expected
        .map(|case| (case.migrated.0.to_owned(), case.migrated.1))
        .collect();
    assert_eq!(users, expected);
    assert_eq!(stored(&db).await, before, "totals do not change");
    assert_eq!(recounted(&db).await, before);
    assert_eq!(rows(&db, history, |row| row.get::<i64>(0)).await, open);
}

#[tokio::test(flavor = "multi_thread")]
async fn totals_stay_exact_after_the_migration_to_blocked_until() {
    let (_scratch, db) = filled().await;
    within(db.migrate(0)).await.expect("it migrates");
    for change in [
        "UPDATE users SET status = 'active', blocked_until = NULL WHERE blocked_until <= 50",
        "UPDATE users SET status = 'blocked', blocked_until = 70 WHERE status = 'pending'",
        "UPDATE users SET blocked_until = 80 WHERE blocked_until = 70",
        "DELETE FROM user_roles WHERE role_id = 2 AND user_id % 2 = 0",
        "DELETE FROM users WHERE id % 3 = 0",
        "DELETE FROM roles WHERE id = 2",
        "INSERT INTO users (username, email, username_folded, email_folded, password_hash, status,
                            blocked_until, created_at, updated_at)
         VALUES ('a', 'a', 'a', 'a', '', 'blocked', 90, 0, 0), ('b', 'b', 'b', 'b', '', 'new', NULL, 0, 0)",
        "INSERT INTO user_roles (user_id, role_id) SELECT id, 1 FROM users WHERE status = 'new'",
        "DELETE FROM user_blocks",
    ] {
        db.run_sql(change).await.expect(change);
        assert_eq!(stored(&db).await, recounted(&db).await, "{change}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_contradicts_blocked_until_is_refused() {
    let (_scratch, db) = filled().await;
    within(db.migrate(0)).await.expect("it migrates");
    for refused in [
        "UPDATE users SET status = 'blocked' WHERE id = 1",
        "UPDATE users SET blocked_until = 50 WHERE id = 1",
        "UPDATE users SET status = 'active' WHERE id = 4",
        "UPDATE users SET blocked_until = NULL WHERE id = 4",
    ] {
        db.run_sql(refused).await.expect_err(refused);
    }
}
