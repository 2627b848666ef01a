//! A revocation also reaches requests that have begun: what is not written yet is refused.

use kernel::write::Edit;
use platform::api_keys;
use serde_json::{Value, json};

use super::restrict;
use super::revocation::{WAYS, revoke, warm_second_instance};
use crate::support::{Client, HalfSent, TestApp, eventually};

const ROLES: &str = "POST /api/roles";

fn role() -> Value {
    json!({ "name": "Backdoor" })
}

async fn count(app: &TestApp, path: &str) -> String {
    let list = app.admin().get(&format!("{path}?per_page=1")).await;
    list.header("x-total-count").to_owned()
}

#[service_test]
async fn a_body_sent_after_the_revocation_gives_401_or_403_and_writes_nothing(app: TestApp) {
    let admin = app.admin();
    for (way, status) in WAYS {
        let (id, holder) = app.key(&["admin.roles", "admin.api-keys"]).await;
        let mut begun = Vec::new();
        for (line, body) in [
            (ROLES, role()),
            ("POST /api/api-keys", json!({ "name": "Backdoor" })),
            (
                &format!("PUT /api/api-keys/{id}/permissions"),
                json!({ "permission_ids": [1, 3] }),
            ),
            (
                &format!("POST /api/api-keys/{id}/rotate"),
                json!({ "overlap_seconds": 60 }),
            ),
        ] {
            let key = holder.key_value();
            begun.push(HalfSent::begin(&app.address, key, line, "", &body).await);
        }
        revoke(&admin, id, way).await;
        let (keys, roles) = (
            count(&app, "/api/api-keys").await,
            count(&app, "/api/roles").await,
        );
        let entries = count(&app, "/api/audit-log").await;
        for request in begun {
            let answer = request.finish().await;
            assert_eq!(answer.status, status, "{way}: {answer:?}");
        }
        assert_eq!(count(&app, "/api/api-keys").await, keys, "{way}");
        assert_eq!(count(&app, "/api/roles").await, roles, "{way}");
        assert_eq!(count(&app, "/api/audit-log").await, entries, "{way}");
    }
}

#[service_test]
async fn a_body_sent_after_expires_at_or_the_overlap_gives_401(app: TestApp, admin: Client) {
    for way in ["expires_at", "overlap"] {
        let (id, holder) = app.key(&["admin.roles"]).await;
        let in_time = app.core().clock.now().unix() + 60;
        let in_time = kernel::types::Timestamp::from_unix(in_time);
        if way == "expires_at" {
            let changes = json!({ "expires_at": in_time });
            restrict(&admin, id, changes).await.ok();
        } else {
            let body = json!({ "overlap_seconds": 60 });
            let path = format!("/api/api-keys/{id}/rotate");
            admin.post(&path, body).await.ok();
        }
        let key = holder.key_value();
        let request = HalfSent::begin(&app.address, key, ROLES, "", &role()).await;
        app.advance(60);
        request.finish().await.error(401, "unauthorized");
        assert_eq!(count(&app, "/api/roles").await, "0", "{way}");
    }
}

#[service_test]
async fn a_body_sent_after_the_revocation_on_another_instance_gives_401_or_403(app: TestApp) {
    let second = warm_second_instance(&app).await;
    for (way, status) in WAYS {
        let (id, holder) = app.key(&["admin.roles", "admin.api-keys"]).await;
        let key = holder.key_value();
        let elsewhere = second.holder(key);
        eventually("the second instance knows the key", async || {
            elsewhere.get("/api/roles").await.status == 200
        })
        .await;
        let mut begun = Vec::new();
        for line in [ROLES, "POST /api/api-keys"] {
            let address = &second.address;
            begun.push(HalfSent::begin(address, key, line, "", &role()).await);
        }
        revoke(&app.admin(), id, way).await;
        // No time passes in which the second instance could be notified.
        for request in begun {
            assert_eq!(request.finish().await.status, status, "{way}");
        }
        assert_eq!(count(&app, "/api/roles").await, "0", "{way}");
    }
}

#[service_test]
async fn a_replay_under_an_idempotency_key_after_the_revocation_gives_401_or_403(app: TestApp) {
    for (way, status) in WAYS {
        let (id, holder) = app.key(&["admin.roles"]).await;
        let first = holder.with("Idempotency-Key", way);
        first.post("/api/roles", role()).await.created();
        let headers = format!("idempotency-key: {way}\r\n");
        let key = holder.key_value();
        let request = HalfSent::begin(&app.address, key, ROLES, &headers, &role()).await;
        revoke(&app.admin(), id, way).await;
        let answer = request.finish().await;
        assert_eq!(answer.status, status, "{way}");
        assert!(answer.header("idempotent-replayed").is_none(), "{way}");
    }
}

#[service_test]
async fn a_read_whose_body_is_sent_after_the_revocation_gives_401(app: TestApp) {
    app.user("anna").await;
    let token = app.sign_in("anna").await;
    let (id, holder) = app.key(&["admin.sessions"]).await;
    let (line, body) = ("POST /api/sessions/verify", json!({ "token": token }));
    let key = holder.key_value();
    let request = HalfSent::begin(&app.address, key, line, "", &body).await;
    revoke(&app.admin(), id, "delete").await;
    request.finish().await.error(401, "unauthorized");
}

#[service_test]
async fn a_key_that_lost_a_permission_cannot_grant_it_afterwards_403(app: TestApp) {
    let (id, holder) = app.key(&["admin.roles", "admin.api-keys"]).await;
    let (other, _) = app.key(&[]).await;
    let line = format!("PUT /api/api-keys/{other}/permissions");
    let body = json!({ "permission_ids": [3] });
    let key = holder.key_value();
    let request = HalfSent::begin(&app.address, key, &line, "", &body).await;
    let path = format!("/api/api-keys/{id}/permissions");
    let body = json!({ "permission_ids": [1] });
    app.admin().put(&path, body).await.ok();
    request.finish().await.error(403, "privilege_escalation");
}

#[service_test]
async fn a_change_of_another_key_does_not_disturb_running_requests(app: TestApp) {
    let (_, holder) = app.key(&["admin.roles"]).await;
    let (other, _) = app.key(&[]).await;
    let key = holder.key_value();
    let request = HalfSent::begin(&app.address, key, ROLES, "", &role()).await;
    revoke(&app.admin(), other, "delete").await;
    assert_eq!(request.finish().await.status, 201);
}

/// On SQLite the deletion and the write that waits for it share a commit.
#[service_test]
async fn a_write_that_waits_for_the_deletion_of_its_key_gives_401(app: TestApp) {
    for _ in 0..20 {
        let (id, holder) = app.key(&["admin.api-keys"]).await;
        holder.get("/api/permissions").await.ok();
        let keys = count(&app, "/api/api-keys").await;
        app.advance(1);
        let mut edit = Edit::command_line(app.core()).await.expect("a turn");
        let key = api_keys::target_to_delete(&mut edit, id).await;
        let change = api_keys::delete(&mut edit, key.expect("the key")).await;
        let change = change.expect("deleted");
        let waiting = tokio::spawn({
            let body = json!({ "name": "Backdoor" });
            async move { holder.post("/api/api-keys", body).await }
        });
        eventually("the write is admitted", async || {
            let last = app.app.kernel.keys.last_use(id);
            last.is_some_and(|last| last.at == app.core().clock.now())
        })
        .await;
        edit.commit(change).await.expect("committed");
        waiting.await.expect("an answer").unauthorized();
        let left = count(&app, "/api/api-keys").await;
        assert_eq!(left.parse::<i64>(), keys.parse::<i64>().map(|n| n - 1));
    }
}
