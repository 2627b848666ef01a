//! The triggers that maintain the totals of users, compared with a recount after every change.

use std::collections::BTreeMap;

use db::testing::Scratch;
use db::{Db, Error};

use crate::support::migrated;

type Counts = BTreeMap<(i64, String), i64>;

async fn counts(db: &Db, sql: &'static str) -> Counts {
    let mut read = db.read().await.expect("a reader");
    let found = read.query(sql, &[], |row| {
        Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
    });
    let found = found.await.expect("counts").into_iter();
    found.filter(|(_, count)| *count != 0).collect()
}

async fn assert_exact(db: &Db, change: &str) {
    let totals = counts(
        db,
        "SELECT role_id, status, CAST(SUM(count) AS BIGINT) FROM user_totals
         GROUP BY role_id, status",
    );
    let recounted = counts(
        db,
        "SELECT CAST(0 AS BIGINT), status, COUNT(*) FROM users GROUP BY status
         UNION ALL
         SELECT r.role_id, u.status, COUNT(*)
         FROM user_roles r JOIN users u ON u.id = r.user_id GROUP BY r.role_id, u.status",
    );
    assert_eq!(totals.await, recounted.await, "{change}");
    let buckets = counts(
        db,
        "SELECT bucket, '', CAST(SUM(count) AS BIGINT) FROM user_buckets GROUP BY bucket",
    );
    let recounted = counts(db, "SELECT id / 4096, '', COUNT(*) FROM users GROUP BY 1");
    assert_eq!(buckets.await, recounted.await, "{change}");
}

const USERS: &str = "
    INSERT INTO roles (name, description, color) VALUES ('Guard', '', ''), ('Cook', '', '');
    INSERT INTO users (username, email, username_folded, email_folded, password_hash, status,
                       blocked_until, created_at, updated_at)
    VALUES ('a', 'a', 'a', 'a', '', 'active', NULL, 0, 0),
           ('b', 'b', 'b', 'b', '', 'pending', NULL, 0, 0),
           ('c', 'c', 'c', 'c', '', 'on_leave', NULL, 0, 0),
           ('d', 'd', 'd', 'd', '', 'blocked', 9223372036854775807, 0, 0),
           ('e', 'e', 'e', 'e', '', 'blocked', 50, 0, 0),
           ('f', 'f', 'f', 'f', '', 'active', NULL, 0, 0);
    INSERT INTO user_roles (user_id, role_id)
    SELECT u.id, r.id FROM users u CROSS JOIN roles r WHERE u.id > 1";

/// Users with each status; all but the first have two roles.
async fn filled() -> (Scratch, Db) {
    let (scratch, db) = migrated().await;
    db.run_sql(USERS).await.expect("users");
    (scratch, db)
}

#[tokio::test(flavor = "multi_thread")]
async fn totals_and_buckets_of_users_stay_exact() {
    let (_scratch, db) = filled().await;
    assert_exact(&db, USERS).await;
    let form = match db.on_postgres() {
        true => "OVERRIDING SYSTEM VALUE",
        false => "",
    };
    let at_the_edges_of_buckets = format!(
        "INSERT INTO users (id, username, email, username_folded, email_folded, password_hash,
                            status, created_at, updated_at) {form}
         SELECT id, 'u' || id, 'u' || id, 'u' || id, 'u' || id, '', 'new', 0, 0
         FROM (SELECT 1023 AS id UNION ALL SELECT 4095 UNION ALL SELECT 4096 UNION ALL SELECT 8191
               UNION ALL SELECT 8192 UNION ALL SELECT 50000) ids"
    );
    for change in [
        "UPDATE users SET status = 'active', blocked_until = NULL WHERE blocked_until <= 50",
        "UPDATE users SET status = 'blocked', blocked_until = 70 WHERE status = 'pending'",
        "UPDATE users SET blocked_until = 80 WHERE blocked_until = 70",
        "DELETE FROM user_roles WHERE role_id = 2 AND user_id % 2 = 0",
        &at_the_edges_of_buckets,
        "INSERT INTO user_roles (user_id, role_id) SELECT id, 1 FROM users WHERE status = 'new'",
        "DELETE FROM users WHERE id IN (3, 4096)",
        "DELETE FROM roles WHERE id = 2",
        "DELETE FROM users",
    ] {
        db.run_sql(change).await.expect(change);
        assert_exact(&db, change).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_contradicts_blocked_until_is_refused() {
    let (_scratch, db) = filled().await;
    for refused in [
        "UPDATE users SET status = 'blocked' WHERE id = 1",
        "UPDATE users SET blocked_until = 50 WHERE id = 1",
        "UPDATE users SET status = 'active' WHERE id = 4",
        "UPDATE users SET blocked_until = NULL WHERE id = 4",
    ] {
        let error = db.run_sql(refused).await.expect_err(refused);
        assert!(
            matches!(&error, Error::Check(name) if name == "users_blocked_until_check"),
            "{refused}: {error:?}"
        );
    }
}
