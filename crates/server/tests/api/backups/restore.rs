//! A restore brings data back, not the access that was ended since.

use db::Progress;
use db::testing::Scratch;
use kernel::Limits;
use kernel::write::Edit;
use platform::backups::{self, Kept};
use reqwest::Method;
use serde_json::json;

use crate::contract::document::{all_operations, operations};
use crate::support::{Client, SESSION, TestApp, console_sign_in, cookie, sign_in};

struct Silent;

impl Progress for Silent {
    fn begin(&mut self, _: &'static str, _: u64) {}
    fn advance(&mut self, _: u64) {}
}

/// Credentials from before the backup.
struct Old {
    cookie: String,
    session_token: String,
    key: String,
}

/// A service with an operator and a user who have signed in.
async fn service() -> (TestApp, Old) {
    let app = TestApp::start().await;
    app.operator("anna", &["admin.users", "admin.api-keys"])
        .await;
    app.user("bert").await;
    let signed_in = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let cookie = cookie(&signed_in, "steward").expect("a session");
    let made = app.admin().post("/api/sessions", sign_in("bert")).await;
    let session_token = made.created()["session_token"]
        .as_str()
        .expect("a token")
        .to_owned();
    let (_, key) = app.key(&["admin.users", "admin.roles"]).await;
    let old = Old {
        cookie,
        session_token,
        key: key.key_value().to_owned(),
    };
    (app, old)
}

/// Copies the database of a service into an empty one, and serves that.
pub async fn restored(app: &TestApp, kept: Kept) -> TestApp {
    let scratch = Scratch::migrated().await;
    let target = crate::support::open(&scratch, Limits::default()).await;
    let mut edit = Edit::command_line(&target.kernel.core)
        .await
        .expect("a transaction");
    let mut from = app.core().db.snapshot().await.expect("a snapshot");
    let change = backups::restore(&mut edit, &mut from, kept, &mut Silent).await;
    edit.commit(change.expect("restored"))
        .await
        .expect("committed");
    from.close().await;
    let limits = Limits {
        wrong_keys_per_minute: u32::MAX,
        ..Limits::default()
    };
    TestApp::start_on(scratch, limits).await
}

async fn verify(caller: &Client, token: &str) -> crate::support::Answer {
    caller
        .post("/api/sessions/verify", json!({ "token": token }))
        .await
}

pub const DEFAULT: Kept = Kept {
    keep_sessions: false,
    deactivate_keys: false,
    send_commands: false,
};

#[service_test]
async fn a_restore_refuses_old_cookies_and_session_tokens_in_every_operation() {
    let (before, old) = service().await;
    before.console(&old.cookie).get("/api/users").await.ok();
    let key = before.holder(&old.key).with("Idempotency-Key", "once");
    key.post("/api/roles", json!({ "name": "Guard" }))
        .await
        .created();
    let invitation = json!({ "permission_ids": [] });
    before
        .admin()
        .post("/api/operators/invitations", invitation)
        .await
        .created();
    let wrong = sign_in("nobody");
    before
        .admin()
        .post("/api/sessions", wrong)
        .await
        .error(422, "invalid_credentials");

    let app = restored(&before, DEFAULT).await;
    let console = app.console(&old.cookie);
    let mut seen = 0;
    for operation in all_operations(&app).await {
        let security = operation.documented["security"].to_string();
        if !security.contains("Session") {
            continue;
        }
        let path = operation.path_with("1");
        let answer = console.send(operation.method.clone(), &path, None).await;
        answer.unauthorized();
        seen += 1;
    }
    assert!(seen > 100, "{seen} operations were called");
    let holder = app.holder(&old.key);
    for rows in [
        "SELECT COUNT(*) FROM console_sessions",
        "SELECT COUNT(*) FROM idempotent_replies",
        "SELECT COUNT(*) FROM operator_invitations",
        "SELECT COUNT(*) FROM setup_tokens",
        "SELECT COUNT(*) FROM sign_in_attempts",
        "SELECT COUNT(*) FROM user_sessions",
    ] {
        assert_eq!(app.number(rows).await, 0, "{rows}");
    }
    // The data is back, with the keys: the stored reply is not.
    let again = holder.with("Idempotency-Key", "once");
    let made = again.post("/api/roles", json!({ "name": "Guard" })).await;
    assert!(!made.has_header("idempotent-replayed"), "{made:?}");
    made.created();
    assert_eq!(app.number("SELECT COUNT(*) FROM roles").await, 2);
    let sites = Client::new(&app.address, Some(before.admin_key()));
    verify(&sites, &old.session_token)
        .await
        .error(422, "session_invalid");
    sites.get("/api/users/1").await.ok();
    // Everybody can sign in again.
    app.signed_in("anna").await.get("/api/users").await.ok();
}

#[service_test]
async fn keep_sessions_brings_them_back_and_deactivate_keys_ends_every_key() {
    let (before, old) = service().await;
    let kept = restored(&before, Kept::UNCHANGED).await;
    kept.console(&old.cookie).get("/api/users").await.ok();
    let sites = kept.holder(before.admin_key());
    verify(&sites, &old.session_token).await.ok();

    let kept = Kept {
        deactivate_keys: true,
        ..DEFAULT
    };
    let app = restored(&before, kept).await;
    for key in [&*old.key, before.admin_key()] {
        let holder = app.holder(key);
        let mut refused = 0;
        for operation in operations(&app).await {
            let path = operation.path_with("1");
            let answer = holder.send(operation.method.clone(), &path, None).await;
            answer.unauthorized();
            refused += 1;
        }
        assert!(refused > 100, "{refused} operations were called");
    }
    let sql = "SELECT COUNT(*) FROM api_keys WHERE active";
    assert_eq!(app.number(sql).await, 0);
    let head = app
        .console(&old.cookie)
        .send(Method::HEAD, "/api/users", None)
        .await;
    assert_eq!(head.status, 401);
}
