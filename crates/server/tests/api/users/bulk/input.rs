use serde_json::json;

use super::{BULK, community, statuses};
use crate::support::{Client, TestApp};

const NONE: &str = "is required, unless there is one of unblock, add_roles, remove_roles";
const MANY: &str = "must be the only one of block, unblock, add_roles, remove_roles";

#[service_test(community())]
async fn all_faults_of_a_bulk_change_are_in_one_422(admin: Client) {
    let not_an_id = "must be an integer of at least 1";
    let count = "must hold 1 to 1000 ids";
    for (body, faults) in [
        (json!({}), vec![("ids", "is required"), ("block", NONE)]),
        (
            json!({ "ids": [1], "dry_run": true }),
            vec![("block", NONE)],
        ),
        (
            json!({ "ids": [], "unblock": null, "block": null }),
            vec![("ids", count), ("block", NONE)],
        ),
        (
            json!({ "ids": vec![1; 1001], "unblock": true }),
            vec![("ids", count)],
        ),
        (
            json!({ "ids": null, "unblock": true }),
            vec![("ids", "must not be null")],
        ),
        (
            json!({ "ids": 1, "unblock": true }),
            vec![("ids", "must be a list of ids")],
        ),
        (
            json!({ "ids": [1, 0, "2"], "unblock": false, "dry_run": 1 }),
            vec![
                ("ids.1", not_an_id),
                ("ids.2", not_an_id),
                ("unblock", "must be true, or be left out"),
                ("dry_run", "must be true or false"),
            ],
        ),
        (
            json!({ "ids": [1], "block": {}, "add_roles": [1] }),
            vec![("block", MANY), ("add_roles", MANY)],
        ),
        (
            json!({ "ids": [1], "unblock": true, "add_roles": [], "remove_roles": [] }),
            vec![
                ("unblock", MANY),
                ("add_roles", MANY),
                ("remove_roles", MANY),
            ],
        ),
        (
            json!({ "ids": [1], "block": true }),
            vec![("block", "must be an object")],
        ),
        (
            json!({ "ids": [1], "block": { "reason": "x".repeat(1001), "until": 7 } }),
            vec![
                ("block.reason", "must be at most 1000 characters long"),
                ("block.until", "must be a string"),
            ],
        ),
        (
            json!({ "ids": [1], "remove_roles": [0] }),
            vec![("remove_roles.0", not_an_id)],
        ),
    ] {
        admin.post(BULK, body).await.invalid(&faults);
    }
    let strict = admin.with("Prefer", "handling=strict");
    let body = json!({ "ids": [1], "block": { "for": "ever" } });
    let unknown = ("block.for", "is not a field of this request");
    strict.post(BULK, body).await.invalid(&[unknown]);
    assert_eq!(statuses(&admin).await, ["active"; 4]);
}

#[service_test(community())]
async fn one_missing_user_gives_422_for_all(app: TestApp, admin: Client) {
    let user = "is not the id of a user";
    let role = "is not the id of a role";
    let past = "2026-03-01T12:00:00Z";
    for (body, faults) in [
        (
            json!({ "ids": [1, 2, 3, 9], "block": {} }),
            vec![("ids.3", user)],
        ),
        (
            json!({ "ids": [8, 1, 8], "block": { "until": past } }),
            vec![
                ("ids.0", user),
                ("ids.2", user),
                ("block.until", "must be in the future"),
            ],
        ),
        (
            json!({ "ids": [7, 1], "add_roles": [1, 5] }),
            vec![("ids.0", user), ("add_roles.1", role)],
        ),
        (
            json!({ "ids": [1], "remove_roles": [5] }),
            vec![("remove_roles.0", role)],
        ),
    ] {
        admin.post(BULK, body).await.invalid(&faults);
    }
    assert_eq!(statuses(&admin).await, ["active"; 4]);
    assert_eq!(admin.total("/api/audit-log?action=users.bulk").await, "0");
    assert_eq!(app.number("SELECT COUNT(*) FROM user_roles").await, 0);
}

#[service_test]
async fn more_than_ten_thousand_pairs_of_user_and_role_give_422(app: TestApp, admin: Client) {
    let users = "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                    status, created_at, updated_at)
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                 SELECT 'u' || i, 'u' || i, 'u' || i, 'u' || i, '', 'active', 0, 0 FROM n";
    let roles = "INSERT INTO roles (name, description, color)
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 110)
                 SELECT 'r', '', '#808080' FROM n";
    // Everybody has a hundred roles that the requests do not name.
    let held = "INSERT INTO user_roles (user_id, role_id)
                SELECT u.id, r.id FROM users u CROSS JOIN roles r WHERE r.id > 10";
    for sql in [users, roles, held] {
        app.core().db.run_sql(sql).await.expect("rows");
    }
    let ids: Vec<i64> = (1..=1000).collect();
    let most: Vec<i64> = (1..=10).collect();
    let more: Vec<i64> = (1..=11).collect();
    for field in ["add_roles", "remove_roles"] {
        let answer = admin.post(BULK, json!({ "ids": ids, field: more })).await;
        answer.invalid(&[(field, "must be at most 10 ids for 1000 users")]);
        let answer = admin.post(BULK, json!({ "ids": ids, field: most })).await;
        assert_eq!(answer.ok()["changed"].as_array().map(Vec::len), Some(1000));
        // The entry names the roles of the request, not all that the users have.
        let length = "SELECT CAST(LENGTH(before) + LENGTH(after) AS BIGINT) FROM audit_log
                      ORDER BY id DESC LIMIT 1";
        let length = app.number(length).await;
        assert!(length < 100_000, "{length} characters");
        assert_eq!(
            app.number("SELECT COUNT(*) FROM audit_log WHERE resource = 'users'")
                .await,
            if field == "add_roles" { 1 } else { 2 }
        );
    }
    assert_eq!(app.number("SELECT COUNT(*) FROM user_roles").await, 100_000);
}
