//! Invitations: links with which people become operators.

use serde_json::{Value, json};

use crate::support::{Answer, Client, SESSION, TestApp, assert_fields, at_once, count};

const INVITATIONS: &str = "/api/operators/invitations";
const SETUP: &str = "/api/console/setup";
const CHECK: &str = "/api/console/setup/check";

/// Roles (3) and users, read only (13).
fn new_invitation() -> Value {
    json!({ "permission_ids": [3, 13], "note": "For Anna" })
}

/// The token in the link of a new invitation.
async fn invited(caller: &Client) -> String {
    let reply = caller.post(INVITATIONS, new_invitation()).await.created();
    token(&reply)
}

fn token(reply: &Value) -> String {
    let url = reply["url"].as_str().expect("a URL");
    let (_, token) = url.split_once("/console/setup#token=").expect("a link");
    token.to_owned()
}

fn person(token: &str, name: &str) -> Value {
    json!({
        "token": token, "username": name, "email": format!("{name}@example.com"),
        "password": "battery staple",
    })
}

async fn accept(app: &TestApp, token: &str, name: &str) -> Answer {
    app.anonymous().post(SETUP, person(token, name)).await
}

async fn check(app: &TestApp, token: &str) -> Answer {
    app.anonymous().post(CHECK, json!({ "token": token })).await
}

fn names(permissions: &Value) -> Vec<&str> {
    let permissions = permissions.as_array().expect("a list").iter();
    permissions
        .filter_map(|permission| permission["name"].as_str())
        .collect()
}

#[service_test]
async fn an_invitation_makes_one_operator_with_exactly_its_permissions(app: TestApp) {
    let admin = app.admin();
    let olga = app
        .operator("olga", &["admin.api-keys", "admin.roles", "admin.users"])
        .await;
    let as_olga = app.signed_in("olga").await;
    let made = as_olga.post(INVITATIONS, new_invitation()).await;
    let reply = made.created();
    assert_fields(&reply, &["message", "url", "invitation"]);
    let url = reply["url"].as_str().expect("a URL");
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    let expected = json!({
        "id": 1,
        "note": "For Anna",
        "permissions": reply["invitation"]["permissions"],
        "created_at": "2026-03-01T12:00:00Z",
        "expires_at": "2026-03-04T12:00:00Z",
        "invited_by": { "kind": "operator", "id": olga, "name": "olga" },
    });
    assert_eq!(reply["invitation"], expected);
    let granted = ["admin.roles", "admin.users.read"];
    assert_eq!(names(&reply["invitation"]["permissions"]), granted);
    let listed = admin.get(INVITATIONS).await;
    assert_eq!(listed.ok(), json!({ "invitations": [expected] }));
    assert_eq!(listed.header("x-total-count"), "1");
    let single = admin.get(made.header("location")).await.ok();
    assert_eq!(single, json!({ "invitation": expected }));
    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["action"], "operator_invitations.create");
    assert_eq!(entry["after"]["token"], "***");

    // Only a hash is stored, and a check uses nothing up.
    let token = token(&reply);
    let hashes = "SELECT COUNT(*) FROM operator_invitations WHERE LENGTH(hash) = 32";
    assert_eq!(app.number(hashes).await, 1);
    let checked = check(&app, &token).await.ok();
    assert_eq!(checked["purpose"], "invitation");
    assert_eq!(names(&checked["permissions"]), granted);
    assert_eq!(checked["invited_by"], expected["invited_by"]);
    let taken = accept(&app, &token, "olga").await;
    taken.error(422, "validation_failed");

    let made = accept(&app, &token, "anna").await;
    assert_eq!(names(&made.created()["permissions"]), granted);
    let anna = app.with_session(&made);
    anna.create_role("Guard").await;
    let refused = anna.get("/api/operators").await;
    refused.error(403, "missing_permission");
    let session = anna.get(SESSION).await.ok();
    assert_eq!(session["operator"]["username"], "anna");
    let log = admin
        .get("/api/audit-log?action=operators.create")
        .await
        .ok();
    let entry = &log["audit_log"][0];
    assert_eq!(entry["user_name"], "anna");
    assert_eq!(entry["before"]["invitation"]["id"], 1);

    accept(&app, &token, "berta")
        .await
        .error(422, "invalid_setup_token");
    assert_eq!(admin.get(INVITATIONS).await.ok()["invitations"], json!([]));
}

#[service_test]
async fn of_many_who_use_one_invitation_at_once_one_becomes_an_operator(app: TestApp) {
    let token = invited(&app.admin()).await;
    let requests = (0..8).map(|number| {
        let (client, body) = (app.anonymous(), person(&token, &format!("anna{number}")));
        async move { client.post(SETUP, body).await }
    });
    let answers = at_once(requests).await;
    assert_eq!((count(&answers, 201), count(&answers, 422)), (1, 7));
    assert_eq!(app.number("SELECT COUNT(*) FROM operators").await, 1);
    assert_eq!(app.number("SELECT COUNT(*) FROM users").await, 1);
}

#[service_test]
async fn a_withdrawn_or_expired_invitation_is_void(app: TestApp, admin: Client) {
    let withdrawn = invited(&admin).await;
    let deleted = admin.delete(&format!("{INVITATIONS}/1")).await;
    assert_fields(&deleted.ok(), &["message"]);
    admin.delete(&format!("{INVITATIONS}/1")).await.not_found();
    admin.get(&format!("{INVITATIONS}/1")).await.not_found();
    check(&app, &withdrawn)
        .await
        .error(422, "invalid_setup_token");

    let expired = invited(&admin).await;
    app.advance(72 * 3600 - 1);
    check(&app, &expired).await.ok();
    app.advance(1);
    check(&app, &expired)
        .await
        .error(422, "invalid_setup_token");
    accept(&app, &expired, "anna")
        .await
        .error(422, "invalid_setup_token");
    assert_eq!(admin.total(INVITATIONS).await, "0");
    admin.delete(&format!("{INVITATIONS}/2")).await.not_found();
    // The next one removes the row.
    invited(&admin).await;
    let rows = "SELECT COUNT(*) FROM operator_invitations";
    assert_eq!(app.number(rows).await, 1);
}

#[service_test]
async fn an_invitation_is_void_once_the_inviter_has_lost_one_of_its_permissions(app: TestApp) {
    let admin = app.admin();
    let all = ["admin.api-keys", "admin.roles", "admin.users"];
    let olga = app.operator("olga", &all).await;
    let operator = format!("/api/operators/{olga}");
    let user = format!("/api/users/{olga}");
    let as_olga = app.signed_in("olga").await;
    let token = invited(&as_olga).await;
    let is_void = async || check(&app, &token).await.status == 422;
    assert!(!is_void().await);

    app.permit(olga, &["admin.api-keys", "admin.roles"]).await;
    assert!(is_void().await, "one permission is gone");
    accept(&app, &token, "anna")
        .await
        .error(422, "invalid_setup_token");
    app.permit(olga, &all).await;
    assert!(!is_void().await);
    admin.put(&operator, json!({ "active": false })).await.ok();
    assert!(is_void().await, "inactive");
    admin.put(&operator, json!({ "active": true })).await.ok();
    admin.post_empty(&format!("{user}/block")).await.ok();
    assert!(is_void().await, "blocked");
    admin.post_empty(&format!("{user}/unblock")).await.ok();
    assert!(!is_void().await);
    admin.delete(&operator).await.ok();
    assert!(is_void().await, "no longer an operator");
    admin.delete(&user).await.ok();
    assert_eq!(admin.total(INVITATIONS).await, "0");

    // The same holds for keys.
    let (id, key) = app.key(&all).await;
    let path = format!("/api/api-keys/{id}");
    let token = invited(&key).await;
    let is_void = async || check(&app, &token).await.status == 422;
    assert!(!is_void().await);
    let restrictions = format!("{path}/restrictions");
    let soon = json!({ "expires_at": "2026-03-02T00:00:00Z" });
    admin.put(&restrictions, soon).await.ok();
    assert!(is_void().await, "restricted");
    let unrestricted = json!({ "expires_at": null });
    admin.put(&restrictions, unrestricted).await.ok();
    assert!(!is_void().await);
    admin.put(&path, json!({ "active": false })).await.ok();
    assert!(is_void().await, "inactive");
    admin.delete(&path).await.ok();
    assert_eq!(admin.total(INVITATIONS).await, "0");
}

#[service_test]
async fn an_invitation_grants_no_more_than_the_caller_has(app: TestApp, admin: Client) {
    let caller = app.actor(&["admin.api-keys", "admin.roles"]).await;
    let answer = caller.post(INVITATIONS, new_invitation()).await;
    answer.error(403, "privilege_escalation");
    let body = json!({ "permission_ids": [1, 3, 9] });
    let made = caller.post(INVITATIONS, body).await.created();
    assert_eq!(made["invitation"]["note"], "");
    invited(&admin).await;
    let answer = caller.delete(&format!("{INVITATIONS}/2")).await;
    answer.error(403, "privilege_escalation");
    caller.delete(&format!("{INVITATIONS}/1")).await.ok();

    // A restricted key would give itself an access without restrictions.
    let (id, restricted) = app
        .key(&["admin.api-keys", "admin.roles", "admin.users"])
        .await;
    let path = format!("/api/api-keys/{id}/restrictions");
    let soon = json!({ "expires_at": "2026-03-02T00:00:00Z" });
    admin.put(&path, soon).await.ok();
    let answer = restricted.post(INVITATIONS, new_invitation()).await;
    answer.error(403, "privilege_escalation");
}

#[service_test]
async fn all_faults_of_an_invitation_are_in_one_422(admin: Client) {
    let body = json!({ "permission_ids": [99], "note": "x".repeat(101) });
    admin.post(INVITATIONS, body).await.invalid(&[
        ("permission_ids.0", "is not the id of a permission"),
        ("note", "must be at most 100 characters long"),
    ]);
    let answer = admin.post(INVITATIONS, json!({})).await;
    answer.invalid(&[("permission_ids", "is required")]);
}

#[service_test]
async fn an_invitation_needs_a_recent_confirmation(app: TestApp) {
    app.operator("olga", &["admin.api-keys", "admin.roles", "admin.users"])
        .await;
    let olga = app.signed_in("olga").await;
    olga.post(INVITATIONS, new_invitation()).await.created();
    app.advance(15 * 60);
    let answer = olga.post(INVITATIONS, new_invitation()).await;
    answer.error(403, "confirmation_required");
    let answer = olga.delete(&format!("{INVITATIONS}/1")).await;
    answer.error(403, "confirmation_required");
    olga.get(INVITATIONS).await.ok();
}
