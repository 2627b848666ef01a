//! Internal errors: the caller gets a 500 without details.

use accounts::roles::{self, NewRole};
use axum::Router;
use axum::routing::{get, post};
use kernel::Result;
use kernel::auth::permission::Roles;
use kernel::http::Writer;
use kernel::http::reply::Created;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp, listen};

const APOLOGY: &str = "An internal error occurred. The log has its cause under the request id.";

#[track_caller]
fn assert_500(answer: &Answer) {
    let body = answer.error(500, "internal_error");
    assert_eq!(body["message"], APOLOGY);
    let words = answer.text.to_lowercase();
    for secret in [
        "secret", "panic", "select", "relation", "table", ".rs", "/api",
    ] {
        assert!(!words.contains(secret), "{words}");
    }
}

async fn panic_immediately() {
    panic!("secret words")
}

/// Creates a role as the service does, then panics before the commit.
async fn create_and_panic(writer: Writer<Roles, NewRole>) -> Result<Created<Value>> {
    let run = writer.run(async |edit, body| {
        let created = roles::create(edit, body.valid()?).await?;
        Ok(created.map(|_| -> Value { panic!("secret words") }))
    });
    run.await
}

/// A router on the same service whose handlers panic.
async fn failing_router(app: &TestApp) -> String {
    let router = Router::new()
        .route("/api/panic", get(panic_immediately))
        .route("/api/roles", post(create_and_panic))
        .with_state(app.app.kernel.clone());
    listen(&app.app, kernel::http::wrap(&app.app.kernel, router)).await
}

#[service_test]
async fn a_panic_gives_500_in_the_usual_shape(app: TestApp) {
    let address = failing_router(&app).await;
    let caller = Client::new(&address, None).with("X-Request-Id", "mine");
    for _ in 0..3 {
        let answer = caller.get("/api/panic").await;
        assert_500(&answer);
        assert_eq!(answer.header("x-request-id"), "mine");
        caller.get("/nothing").await.not_found();
    }
    app.admin().get("/api/roles").await.ok();
}

#[service_test]
async fn a_panic_during_a_write_rolls_back(app: TestApp, admin: Client) {
    let address = failing_router(&app).await;
    let unlucky = Client::new(&address, Some(app.admin_key())).with("Idempotency-Key", "again");
    // More often than there are database connections, so that leaked ones would run short.
    for _ in 0..20 {
        assert_500(&unlucky.post("/api/roles", json!({ "name": "Ghost" })).await);
    }
    assert_eq!(admin.get("/api/roles").await.ok()["roles"], json!([]));
    let log = admin.get("/api/audit-log?resource=roles").await.ok();
    assert_eq!(log["audit_log"], json!([]));

    let admin = admin.with("Idempotency-Key", "again");
    let body = json!({ "name": "Guard" });
    let created = admin.post("/api/roles", body).await;
    assert_eq!(created.created()["role"]["name"], "Guard");
    assert!(!created.has_header("idempotent-replayed"));
}

#[service_test]
async fn concurrent_panics_do_not_affect_other_writes(app: TestApp) {
    let address = failing_router(&app).await;
    let mut requests = tokio::task::JoinSet::new();
    for i in 0..40 {
        let unlucky = Client::new(&address, Some(app.admin_key()));
        let admin = app.admin();
        requests.spawn(async move {
            let body = json!({ "name": format!("Guard {i}") });
            if i % 2 == 0 {
                assert_500(&unlucky.post("/api/roles", body).await);
            } else {
                admin.post("/api/roles", body).await.created();
            }
        });
    }
    requests.join_all().await;
    assert_eq!(app.admin().total("/api/roles").await, "20");
}

#[service_test]
async fn a_database_error_gives_500_without_details(app: TestApp, admin: Client) {
    let body = json!({ "name": "Guard" });
    admin.post("/api/roles", body.clone()).await.created();

    let sql = "ALTER TABLE roles RENAME TO mislaid";
    app.app
        .kernel
        .core
        .db
        .run_sql(sql)
        .await
        .expect("the table is gone");
    assert_500(&admin.get("/api/roles").await);
    assert_500(&admin.get("/api/roles/1").await);
    assert_500(&admin.post("/api/roles", body.clone()).await);
    assert_500(&admin.put("/api/roles/1", body.clone()).await);
    assert_500(&admin.delete("/api/roles/1").await);
    admin.get("/api/api-keys").await.ok();

    let sql = "ALTER TABLE mislaid RENAME TO roles";
    app.app
        .kernel
        .core
        .db
        .run_sql(sql)
        .await
        .expect("the table is back");
    admin.put("/api/roles/1", body.clone()).await.ok();
    admin.post("/api/roles", body).await.created();
    assert_eq!(admin.total("/api/roles").await, "2");
}
