//! Changes of many users in one request.

mod input;
mod races;

use serde_json::{Value, json};

use crate::support::{Client, TestApp, assert_fields};

const BULK: &str = "/api/users/bulk";

/// Users 1 to 4, and the roles 1 and 2.
async fn community() -> TestApp {
    let app = TestApp::start().await;
    let admin = app.admin();
    for name in ["anna", "berta", "clara", "dora"] {
        app.user(name).await;
    }
    for name in ["Guard", "Cook"] {
        admin.create_role(name).await;
    }
    app
}

async fn statuses(admin: &Client) -> Vec<Value> {
    let listed = admin.get("/api/users").await.ok();
    let users = listed["users"].as_array().expect("a list");
    users.iter().map(|user| user["status"].clone()).collect()
}

async fn roles(admin: &Client, id: i64) -> Value {
    let user = admin.get(&format!("/api/users/{id}")).await.ok();
    let roles = user["user"]["roles"].as_array().expect("a list").iter();
    roles.map(|role| role["id"].clone()).collect()
}

#[track_caller]
fn outcome(reply: &Value, changed: Value, unchanged: Value) {
    assert_fields(reply, &["message", "dry_run", "changed", "unchanged"]);
    assert_eq!(
        (&reply["changed"], &reply["unchanged"]),
        (&changed, &unchanged)
    );
}

#[service_test(community())]
async fn many_users_are_blocked_and_unblocked(app: TestApp, admin: Client) {
    let terms = json!({ "reason": "Spam", "until": "2026-03-01T13:00:00Z" });
    admin.post("/api/users/2/block", terms.clone()).await.ok();
    admin.post_empty("/api/users/3/block").await.ok();
    app.advance(60);

    let body = json!({ "ids": [3, 2, 1, 1], "block": terms });
    let reply = admin.post(BULK, body).await.ok();
    outcome(&reply, json!([1, 3]), json!([2]));
    assert_eq!(reply["dry_run"], false);
    let expected = ["blocked", "blocked", "blocked", "active"];
    assert_eq!(statuses(&admin).await, expected);
    let changed = admin.get("/api/users/1").await.ok();
    assert_eq!(changed["user"]["updated_at"], "2026-03-01T12:01:00Z");
    let same = admin.get("/api/users/2").await.ok();
    assert_eq!(same["user"]["updated_at"], "2026-03-01T12:00:00Z");

    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["action"], "users.bulk");
    assert_eq!(entry["resource"], "users");
    assert_eq!(entry["resource_id"], 0);
    let blocked = json!({ "status": "blocked", "block": terms });
    let endless = json!({ "status": "blocked", "block": { "reason": "", "until": null } });
    let expected = json!({ "users": { "1": { "status": "active", "block": null }, "3": endless } });
    assert_eq!(entry["before"], expected);
    let expected = json!({ "users": { "1": blocked, "3": blocked } });
    assert_eq!(entry["after"], expected);

    // The block is in the list of blocks, and the one it replaced has ended.
    let history = admin.get("/api/users/3/blocks").await.ok();
    assert_eq!(history["blocks"][0]["reason"], "Spam");
    assert_eq!(history["blocks"][0]["lifted_at"], json!(null));
    assert_eq!(history["blocks"][1]["lifted_at"], "2026-03-01T12:01:00Z");
    assert_eq!(admin.total("/api/users/2/blocks").await, "1");

    let body = json!({ "ids": [1, 2, 4], "unblock": true });
    let reply = admin.post(BULK, body.clone()).await.ok();
    outcome(&reply, json!([1, 2]), json!([4]));
    let expected = ["active", "active", "blocked", "active"];
    assert_eq!(statuses(&admin).await, expected);
    let reply = admin.post(BULK, body).await.ok();
    outcome(&reply, json!([]), json!([1, 2, 4]));
    let entry = admin.newest_audit_entry().await;
    let empty = json!({ "users": {} });
    assert_eq!((&entry["before"], &entry["after"]), (&empty, &empty));

    // After it expired there is nothing to unblock, and nothing is recorded.
    let body = json!({ "ids": [4], "block": { "until": "2026-03-01T12:02:00Z" } });
    admin.post(BULK, body).await.ok();
    app.advance(60);
    let body = json!({ "ids": [4], "unblock": true });
    outcome(&admin.post(BULK, body).await.ok(), json!([]), json!([4]));
    assert_eq!(statuses(&admin).await[3], "active");
}

#[service_test(community())]
async fn unblock_keeps_any_other_status(admin: Client) {
    let body = json!({ "status": "pending" });
    admin.put("/api/users/1", body).await.ok();
    let body = json!({ "ids": [1], "unblock": true });
    outcome(&admin.post(BULK, body).await.ok(), json!([]), json!([1]));
    assert_eq!(statuses(&admin).await[0], "pending");
}

#[service_test(community())]
async fn roles_are_added_and_removed(app: TestApp, admin: Client) {
    let body = json!({ "role_ids": [1] });
    admin.put("/api/users/2/roles", body).await.ok();
    app.advance(60);

    let body = json!({ "ids": [1, 2], "add_roles": [1, 1] });
    outcome(&admin.post(BULK, body).await.ok(), json!([1]), json!([2]));
    let entry = admin.newest_audit_entry().await;
    assert_eq!(
        entry["before"],
        json!({ "users": { "1": { "roles": [] } } })
    );
    assert_eq!(
        entry["after"],
        json!({ "users": { "1": { "roles": [1] } } })
    );
    let changed = admin.get("/api/users/1").await.ok();
    assert_eq!(changed["user"]["updated_at"], "2026-03-01T12:01:00Z");

    let body = json!({ "ids": [1, 2, 3], "add_roles": [2, 1] });
    let reply = admin.post(BULK, body).await.ok();
    outcome(&reply, json!([1, 2, 3]), json!([]));
    for (id, expected) in [(1, json!([1, 2])), (2, json!([1, 2])), (4, json!([]))] {
        assert_eq!(roles(&admin, id).await, expected);
    }

    let body = json!({ "ids": [1, 3, 4], "remove_roles": [1] });
    let reply = admin.post(BULK, body).await.ok();
    outcome(&reply, json!([1, 3]), json!([4]));
    for (id, expected) in [(1, json!([2])), (2, json!([1, 2])), (3, json!([2]))] {
        assert_eq!(roles(&admin, id).await, expected);
    }
    for nothing in [
        json!({ "ids": [1, 2], "add_roles": [] }),
        json!({ "ids": [1, 2], "remove_roles": [] }),
    ] {
        let reply = admin.post(BULK, nothing).await.ok();
        outcome(&reply, json!([]), json!([1, 2]));
    }
}

#[service_test(community())]
async fn a_dry_run_reports_the_outcome_and_changes_nothing(app: TestApp, admin: Client) {
    admin.post_empty("/api/users/2/block").await.ok();
    let body = json!({ "role_ids": [1] });
    admin.put("/api/users/3/roles", body).await.ok();
    let tags = async || {
        let mut tags = Vec::new();
        for id in 1..=4 {
            let user = admin.get(&format!("/api/users/{id}")).await;
            tags.push(user.header("etag").to_owned());
        }
        tags
    };
    let before = tags().await;
    let entries = "SELECT COUNT(*) FROM audit_log";
    let logged = app.number(entries).await;
    for (change, changed, unchanged) in [
        (json!({ "block": {} }), json!([1, 3]), json!([2])),
        (json!({ "unblock": true }), json!([2]), json!([1, 3])),
        (json!({ "add_roles": [1] }), json!([1, 2]), json!([3])),
        (json!({ "remove_roles": [1] }), json!([3]), json!([1, 2])),
    ] {
        let mut body = change;
        body["ids"] = json!([1, 2, 3]);
        body["dry_run"] = json!(true);
        let caller = admin.with("Idempotency-Key", "once");
        let answer = caller.post(BULK, body).await;
        assert!(!answer.has_header("idempotent-replayed"));
        outcome(&answer.ok(), changed, unchanged);
        assert_eq!(answer.json()["dry_run"], true);
    }
    assert_eq!(tags().await, before);
    assert_eq!(app.number(entries).await, logged);
    let kept = "SELECT COUNT(*) FROM idempotent_replies";
    assert_eq!(app.number(kept).await, 0);

    // It fails where the real request would.
    let body = json!({ "ids": [9], "unblock": true, "dry_run": true });
    let answer = admin.post(BULK, body).await;
    answer.invalid(&[("ids.0", "is not the id of a user")]);

    // The Idempotency-Key is still unused; the real request stores its reply under it.
    let caller = admin.with("Idempotency-Key", "once");
    let body = json!({ "ids": [1, 2], "block": {}, "dry_run": false });
    let first = caller.post(BULK, body.clone()).await;
    outcome(&first.ok(), json!([1]), json!([2]));
    let again = caller.post(BULK, body).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.text, first.text);
    assert_eq!(app.number(entries).await, logged + 1);
}

#[service_test]
async fn a_thousand_users_are_changed_in_one_request(app: TestApp, admin: Client) {
    let rows: Vec<String> = (1..=1000)
        .map(|number| {
            format!(
                "('u{number}', 'u{number}@x.y', 'u{number}', 'u{number}@x.y', '', 'active', 0, 0)"
            )
        })
        .collect();
    let sql = format!(
        "INSERT INTO users (username, email, username_folded, email_folded, password_hash, status,
                            created_at, updated_at) VALUES {}",
        rows.join(",")
    );
    app.core().db.run_sql(&sql).await.expect("users");
    let ids: Vec<i64> = (1..=1000).collect();
    let reply = admin.post(BULK, json!({ "ids": ids, "block": {} })).await;
    outcome(&reply.ok(), json!(ids), json!([]));
    let blocked = "SELECT COUNT(*) FROM users u JOIN user_blocks b ON b.user_id = u.id
                   WHERE u.status = 'blocked' AND b.lifted_at IS NULL";
    assert_eq!(app.number(blocked).await, 1000);
}
