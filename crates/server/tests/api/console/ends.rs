//! When sessions end.

use serde_json::json;
use server::maintenance::Rules;

use crate::support::{Client, SESSION, TestApp, console_sign_in, cookie};

const HOUR: i64 = 3600;

#[service_test]
async fn a_session_ends_after_12_hours_without_use_or_7_days(app: TestApp) {
    app.operator("anna", &["admin.roles"]).await;
    let unused = app.signed_in("anna").await;
    let used = app.signed_in("anna").await;
    app.advance(12 * HOUR - 1);
    used.get("/api/roles").await.ok();
    app.advance(1);
    unused.get("/api/roles").await.unauthorized();
    for _ in 0..14 {
        used.get("/api/roles").await.ok();
        app.advance(11 * HOUR);
    }
    used.get("/api/roles").await.ok();
    let end = 7 * 24 * HOUR - 12 * HOUR - 14 * 11 * HOUR;
    app.advance(end - 1);
    used.get("/api/roles").await.ok();
    app.advance(1);
    used.get("/api/roles").await.unauthorized();
    app.maintain(Rules::default()).await;
    let left = "SELECT COUNT(*) FROM console_sessions";
    assert_eq!(app.number(left).await, 0);
}

#[service_test]
async fn an_operator_loses_access_from_the_next_request_on_every_instance(app: TestApp) {
    let second = app.second_instance().await;
    let admin = app.admin();
    let id = app.operator("anna", &["admin.roles"]).await;
    let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let token = cookie(&answer, "steward").expect("a session");
    let here = app.console(&token);
    let there = Client::new(&second.address, None)
        .with("Cookie", &format!("steward={token}"))
        .with("Sec-Fetch-Site", "same-origin");
    let seen = async |status: u16| {
        for client in [&here, &there] {
            assert_eq!(client.get("/api/roles").await.status, status);
            let body = json!({ "name": "Guard" });
            let written = client.post("/api/roles", body).await.status;
            assert_eq!(written, if status == 200 { 201 } else { status });
        }
    };
    let operator = format!("/api/operators/{id}");
    let user = format!("/api/users/{id}");
    seen(200).await;
    let body = json!({ "permission_ids": [11] });
    admin.put(&operator, body).await.ok();
    assert_eq!(here.get("/api/roles").await.status, 200);
    for client in [&here, &there] {
        let body = json!({ "name": "Guard" });
        let answer = client.post("/api/roles", body).await;
        answer.forbidden("admin.roles");
    }
    let body = json!({ "permission_ids": [3] });
    admin.put(&operator, body).await.ok();
    seen(200).await;
    admin.post_empty(&format!("{user}/block")).await.ok();
    seen(401).await;
    // Its end is final.
    admin.post_empty(&format!("{user}/unblock")).await.ok();
    seen(401).await;
    let next = app.signed_in("anna").await;
    admin.put(&operator, json!({ "active": false })).await.ok();
    next.get("/api/roles").await.unauthorized();
    admin.put(&operator, json!({ "active": true })).await.ok();
    next.get("/api/roles").await.unauthorized();
    let again = app.signed_in("anna").await;
    admin.delete(&operator).await.ok();
    again.get("/api/roles").await.unauthorized();
}

#[service_test]
async fn a_write_running_when_its_session_ends_gives_401_and_changes_nothing(app: TestApp) {
    let id = app.operator("anna", &["admin.roles"]).await;
    let mut given = [0, 0];
    for round in 0..10 {
        let anna = app.signed_in("anna").await;
        let path = format!("/api/operators/{id}");
        let name = format!("Guard {round}");
        let end = async {
            if round % 2 == 0 {
                tokio::task::yield_now().await;
            }
            let admin = app.admin();
            admin.put(&path, json!({ "active": false })).await.ok();
        };
        let body = json!({ "name": name });
        let (answer, ()) = tokio::join!(anna.post("/api/roles", body), end);
        let roles = app.admin().get("/api/roles").await.text;
        assert_eq!(roles.contains(&format!("\"{name}\"")), answer.status == 201);
        given[usize::from(answer.status == 201)] += 1;
        assert!([201, 401].contains(&answer.status), "{answer:?}");
        anna.get("/api/roles").await.unauthorized();
        app.admin().put(&path, json!({ "active": true })).await.ok();
    }
    assert_eq!(given.iter().sum::<i32>(), 10);
}

#[service_test]
async fn only_an_active_user_uses_the_console_and_any_other_status_ends_sessions(app: TestApp) {
    let admin = app.admin();
    let id = app.operator("anna", &["admin.roles"]).await;
    let user = format!("/api/users/{id}");
    let soon = kernel::types::Timestamp::from_unix(app.core().clock.now().unix() + 60);
    let changes = [
        (
            "PUT",
            user.clone(),
            json!({ "status": "inactive" }),
            "not_an_operator",
        ),
        (
            "PUT",
            user.clone(),
            json!({ "status": "pending" }),
            "not_an_operator",
        ),
        (
            "PUT",
            user.clone(),
            json!({ "status": "blocked" }),
            "user_blocked",
        ),
        (
            "POST",
            format!("{user}/block"),
            json!({ "until": soon }),
            "user_blocked",
        ),
        (
            "POST",
            "/api/users/bulk".into(),
            json!({ "ids": [id], "block": {} }),
            "user_blocked",
        ),
    ];
    for (method, path, body, code) in changes {
        let anna = app.signed_in("anna").await;
        let method = method.parse().expect("a method");
        admin.send(method, &path, Some(body)).await.ok();
        anna.get(SESSION).await.unauthorized();
        let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
        answer.error(403, code);
        admin.put(&user, json!({ "status": "active" })).await.ok();
        anna.get(SESSION).await.unauthorized();
    }
    // A block that has expired by itself revives no session either.
    let anna = app.signed_in("anna").await;
    admin
        .post(&format!("{user}/block"), json!({ "until": soon }))
        .await
        .ok();
    app.advance(60);
    anna.get(SESSION).await.unauthorized();
    let anna = app.signed_in("anna").await;
    // Lifting no block and setting the same status end nothing.
    admin.post_empty(&format!("{user}/unblock")).await.ok();
    admin.put(&user, json!({ "status": "active" })).await.ok();
    anna.get(SESSION).await.ok();
}
