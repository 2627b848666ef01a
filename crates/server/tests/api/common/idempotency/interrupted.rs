//! Interrupted requests leave the `Idempotency-Key` unused.

use std::sync::Arc;

use accounts::roles::{self, NewRole};
use axum::Router;
use axum::routing::post;
use kernel::auth::permission::Roles;
use kernel::http::Writer;
use kernel::http::reply::{Created, Message};
use serde_json::json;
use tokio::sync::Notify;

use super::{HEADER, is_replayed};
use crate::support::{Client, RawConnection, TestApp, listen};

/// A create that panics after it has written.
async fn create_and_panic(writer: Writer<Roles, NewRole>) -> kernel::Result<Created<Message>> {
    let run = writer.run(async |edit, body| {
        let created = roles::create(edit, body.valid()?).await?;
        assert!(edit.actor().key_id.is_none(), "this handler always panics");
        Ok(created.map(|_| Message::new("Role created.")))
    });
    run.await
}

/// A create that never ends after it has written.
async fn create_and_wait(
    writer: Writer<Roles, NewRole>,
    written: Arc<Notify>,
) -> kernel::Result<Created<Message>> {
    let run = writer.run(async move |edit, body| {
        let created = roles::create(edit, body.valid()?).await?;
        written.notify_one();
        std::future::pending::<()>().await;
        Ok(created.map(|_| Message::new("Role created.")))
    });
    run.await
}

#[service_test]
async fn a_panic_leaves_the_idempotency_key_unused(app: TestApp) {
    let router = Router::new()
        .route("/api/roles", post(create_and_panic))
        .with_state(app.app.kernel.clone());
    let broken = listen(&app.app, kernel::http::wrap(&app.app.kernel, router)).await;
    let body = || json!({ "name": "Guard" });

    let caller = Client::new(&broken, Some(app.admin_key())).with(HEADER, "once");
    for _ in 0..2 {
        let answer = caller.post("/api/roles", body()).await;
        let error = answer.error(500, "internal_error");
        assert_eq!(error["code"], "internal_error");
        let expected = "An internal error occurred. The log has its cause under the request id.";
        assert_eq!(error["message"], expected);
    }
    assert_eq!(app.admin().total("/api/roles").await, "0");

    let caller = app.admin().with(HEADER, "once");
    let created = caller.post("/api/roles", body()).await;
    assert!(!is_replayed(&created));
    created.created();
    assert_eq!(
        app.admin().total("/api/audit-log?resource=roles").await,
        "1"
    );
}

#[service_test]
async fn a_disconnected_client_leaves_the_idempotency_key_unused(app: TestApp) {
    let written = Arc::new(Notify::new());
    let told = Arc::clone(&written);
    let handler = move |writer| create_and_wait(writer, Arc::clone(&told));
    let router = Router::new()
        .route("/api/roles", post(handler))
        .with_state(app.app.kernel.clone());
    let endless = listen(&app.app, kernel::http::wrap(&app.app.kernel, router)).await;

    let mut connection = RawConnection::connect(&endless).await;
    let body = r#"{"name":"Guard"}"#;
    connection
        .send(format!(
            "POST /api/roles HTTP/1.1\r\nHost: x\r\nX-API-Key: {}\r\n{HEADER}: once\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            app.admin_key(),
            body.len(),
        ))
        .await;
    written.notified().await;
    drop(connection);

    // It waits until the other has ended.
    let caller = app.admin().with(HEADER, "once");
    let created = caller.post("/api/roles", json!({ "name": "Guard" })).await;
    assert!(!is_replayed(&created));
    created.created();
    assert_eq!(app.admin().total("/api/roles").await, "1");
    assert_eq!(
        app.admin().total("/api/audit-log?resource=roles").await,
        "1"
    );
}
