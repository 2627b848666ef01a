//! A caller gains no permissions through an operator who has more.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Client, TestApp, at_once};

/// Requests that take an operator over, or lock them out.
fn takeovers(id: i64) -> Vec<(Method, String, Option<Value>)> {
    let user = format!("/api/users/{id}");
    vec![
        (
            Method::PUT,
            user.clone(),
            Some(json!({ "password": "another one" })),
        ),
        (
            Method::PUT,
            user.clone(),
            Some(json!({ "email": "mallory@example.com" })),
        ),
        (
            Method::PUT,
            user.clone(),
            Some(json!({ "username": "mallory" })),
        ),
        (
            Method::PUT,
            user.clone(),
            Some(json!({ "status": "inactive" })),
        ),
        (Method::POST, format!("{user}/block"), None),
        (Method::POST, format!("{user}/unblock"), None),
        (
            Method::POST,
            "/api/users/bulk".into(),
            Some(json!({ "ids": [id], "block": {} })),
        ),
        (
            Method::POST,
            "/api/users/bulk".into(),
            Some(json!({ "ids": [id], "unblock": true })),
        ),
        (Method::DELETE, user, None),
    ]
}

#[service_test]
async fn a_user_manager_cannot_take_over_an_operator_who_holds_more(app: TestApp) {
    let boss = app
        .operator("boss", &["admin.users", "admin.payments"])
        .await;
    let peer = app.operator("peer", &["admin.users.read"]).await;
    app.operator("anna", &["admin.users"]).await;
    let (_, key) = app.key(&["admin.users"]).await;
    let console = app.signed_in("boss").await;
    let anna = app.signed_in("anna").await;
    for caller in [&anna, &key] {
        for (method, path, body) in takeovers(boss) {
            let answer = caller.send(method, &path, body).await;
            answer.error(403, "privilege_escalation");
        }
    }
    console.get("/api/users").await.ok();
    // An operator with no more permissions, or a user who is not an operator, can be changed.
    for (method, path, body) in takeovers(peer) {
        let answer = anna.send(method, &path, body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    app.signed_in("boss").await;
    let guest = app.user("guest").await;
    for (method, path, body) in takeovers(guest) {
        assert_eq!(key.send(method, &path, body).await.status, 200);
    }
}

#[service_test]
async fn access_is_granted_and_changed_only_within_the_callers_own_permissions(app: TestApp) {
    let boss = app
        .operator("boss", &["admin.api-keys", "admin.payments"])
        .await;
    let guest = app.user("guest").await;
    app.operator("anna", &["admin.api-keys", "admin.roles"])
        .await;
    let (_, key) = app.key(&["admin.api-keys", "admin.roles"]).await;
    let anna = app.signed_in("anna").await;
    let (of_boss, of_guest) = (
        format!("/api/operators/{boss}"),
        format!("/api/operators/{guest}"),
    );
    for caller in [&anna, &key] {
        let more = json!({ "permission_ids": [8] });
        let answer = caller.put(&of_guest, more).await;
        answer.error(403, "privilege_escalation");
        for (method, path) in [
            (Method::PUT, of_boss.clone()),
            (Method::DELETE, of_boss.clone()),
            (Method::POST, format!("{of_boss}/reset-two-factor")),
        ] {
            let body = (method == Method::PUT).then(|| json!({ "permission_ids": [] }));
            let answer = caller.send(method, &path, body).await;
            answer.error(403, "privilege_escalation");
        }
        let within = json!({ "permission_ids": [3, 11, 9] });
        caller.put(&of_guest, within).await.created();
        caller.delete(&of_guest).await.ok();
    }
    // An operator changes keys by the same rule.
    let (id, _) = app.key(&["admin.payments"]).await;
    let answer = anna.delete(&format!("/api/api-keys/{id}")).await;
    answer.error(403, "privilege_escalation");
}

#[service_test]
async fn a_restricted_key_cannot_make_an_operator_without_restrictions(app: TestApp) {
    let admin = app.admin();
    let (id, key) = app.key(&["admin.api-keys", "admin.users"]).await;
    let path = format!("/api/api-keys/{id}/restrictions");
    let body = json!({ "allowed_ips": ["127.0.0.0/8"] });
    admin.put(&path, body).await.ok();
    let guest = app.user("guest").await;
    let anna = app.operator("anna", &["admin.users.read"]).await;
    let grant = key.put(&format!("/api/operators/{guest}"), json!({})).await;
    grant.error(403, "privilege_escalation");
    let user = format!("/api/users/{anna}");
    let taken = key.put(&user, json!({ "password": "another one" })).await;
    taken.error(403, "privilege_escalation");
    let factor = format!("/api/operators/{anna}/reset-two-factor");
    let reset = key.post_empty(&factor).await;
    reset.error(403, "privilege_escalation");
    admin.post_empty(&factor).await.ok();
    // It gains nothing by excluding.
    key.post_empty(&format!("{user}/block")).await.ok();
}

/// The user becomes an operator while another changes the password.
#[service_test]
async fn a_password_that_races_with_a_grant_never_takes_an_operator_over(app: TestApp) {
    let (_, key) = app.key(&["admin.users"]).await;
    let guest = app.user("guest").await;
    let (of_operator, of_user) = (
        format!("/api/operators/{guest}"),
        format!("/api/users/{guest}"),
    );
    for round in 0..12 {
        let request = |client: Client, path: String, body: Value| async move {
            client.put(&path, body).await
        };
        let email = json!({ "email": format!("guest{round}@example.com") });
        let answers = at_once([
            request(
                app.admin(),
                of_operator.clone(),
                json!({ "permission_ids": [1] }),
            ),
            request(key.clone(), of_user.clone(), email),
        ])
        .await;
        answers[0].created();
        // Before the grant it is allowed, during it the caller retries, after it it is refused.
        assert!([200, 403, 503].contains(&answers[1].status), "{answers:?}");
        let late = key
            .put(&of_user, json!({ "email": "late@example.com" }))
            .await;
        late.error(403, "privilege_escalation");
        app.admin().delete(&of_operator).await.ok();
    }
}
