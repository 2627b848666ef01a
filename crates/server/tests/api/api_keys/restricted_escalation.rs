//! A restricted key cannot get around its restrictions, neither directly nor through other keys.

use serde_json::{Value, json};

use super::{new_value, restrict, restrictions_of};
use crate::support::{Answer, Client, TestApp};

#[track_caller]
fn assert_escalation_403(answer: &Answer) {
    answer.error(403, "privilege_escalation");
}

/// Only from this machine, until two o'clock, with 100 requests a second.
fn test_restrictions() -> Value {
    json!({
        "expires_at": "2026-03-01T14:00:00Z",
        "allowed_ips": ["127.0.0.0/8"],
        "requests_per_second": 100,
    })
}

async fn restricted_key(app: &TestApp, permissions: &[&str]) -> (i64, Client) {
    let (id, client) = app.key(permissions).await;
    restrict(&app.admin(), id, test_restrictions()).await.ok();
    (id, client)
}

#[service_test]
async fn a_key_cannot_loosen_its_own_restrictions_403(app: TestApp) {
    let (id, holder) = restricted_key(&app, &["admin.api-keys"]).await;
    let before = restrictions_of(&app.admin(), id).await;
    for looser in [
        json!({ "expires_at": null }),
        json!({ "expires_at": "2026-03-01T14:00:01Z" }),
        json!({ "allowed_ips": null }),
        json!({ "allowed_ips": ["0.0.0.0/0"] }),
        json!({ "allowed_ips": ["127.0.0.1", "10.0.0.1"] }),
        json!({ "allowed_ips": ["127.0.0.0/7"] }),
        json!({ "requests_per_second": null }),
        json!({ "requests_per_second": 101 }),
        json!({ "requests_per_second": 1, "expires_at": null }),
    ] {
        assert_escalation_403(&restrict(&holder, id, looser).await);
    }
    let mut after = restrictions_of(&app.admin(), id).await;
    for field in ["last_used_at", "last_used_ip"] {
        after[field] = before[field].clone();
    }
    assert_eq!(after, before);

    for tighter in [
        json!({}),
        test_restrictions(),
        json!({ "expires_at": "2026-03-01T13:00:00Z" }),
        json!({ "allowed_ips": ["127.0.0.1", "127.1.0.0/16"] }),
        json!({ "requests_per_second": 99 }),
    ] {
        restrict(&holder, id, tighter).await.ok();
    }
    assert_escalation_403(&restrict(&holder, id, test_restrictions()).await);
    restrict(&app.admin(), id, test_restrictions()).await.ok();
}

#[service_test]
async fn a_key_without_restrictions_can_restrict_itself(app: TestApp) {
    let (id, holder) = app.key(&["admin.api-keys"]).await;
    restrict(&holder, id, test_restrictions()).await.ok();
    assert_escalation_403(&restrict(&holder, id, json!({ "expires_at": null })).await);
}

#[service_test]
async fn a_key_created_by_a_restricted_key_inherits_its_restrictions(app: TestApp) {
    let (_, holder) = restricted_key(&app, &["admin.api-keys"]).await;
    let body = json!({ "name": "Puppet" });
    let made = holder.post("/api/api-keys", body).await.created();
    let id = made["api_key"]["id"].as_i64().expect("an id");
    let shown = restrictions_of(&holder, id).await;
    let expected = test_restrictions();
    for field in ["expires_at", "allowed_ips", "requests_per_second"] {
        assert_eq!(shown[field], expected[field], "{field}");
    }
    assert_escalation_403(&restrict(&holder, id, json!({ "expires_at": null })).await);
    assert_escalation_403(&restrict(&holder, id, json!({ "allowed_ips": null })).await);
    restrict(&holder, id, json!({ "allowed_ips": ["127.0.0.9"] }))
        .await
        .ok();

    let puppet = app.holder(new_value(&made));
    app.advance(2 * 60 * 60);
    puppet.get("/api/permissions").await.unauthorized();
}

/// Otherwise it could regenerate that key, or grant it permissions, and use it.
#[service_test]
async fn a_restricted_key_cannot_write_to_a_less_restricted_key_403(app: TestApp, admin: Client) {
    let (_, holder) = restricted_key(&app, &["admin.api-keys", "admin.roles"]).await;
    for (looser, reach) in [
        (json!({}), false),
        (json!({ "expires_at": "2026-03-01T13:00:00Z" }), false),
        (json!({ "allowed_ips": ["127.0.0.1"] }), false),
        (
            json!({ "expires_at": "2026-03-01T14:00:01Z", "allowed_ips": ["127.0.0.1"] }),
            false,
        ),
        (
            json!({ "expires_at": "2026-03-01T14:00:00Z", "allowed_ips": ["127.0.0.0/7"] }),
            false,
        ),
        // Rate limits are not compared; each key has its own.
        (
            json!({ "expires_at": "2026-03-01T14:00:00Z", "allowed_ips": ["127.0.0.0/8"] }),
            true,
        ),
    ] {
        let (id, _) = app.key(&["admin.roles.read"]).await;
        restrict(&admin, id, looser.clone()).await.ok();
        let path = format!("/api/api-keys/{id}");
        let overlap = json!({ "overlap_seconds": 60 });
        let ids = json!({ "permission_ids": [3] });
        let answers = [
            holder.put(&path, json!({ "name": "Mine" })).await,
            holder.post_empty(&format!("{path}/regenerate")).await,
            holder.post(&format!("{path}/rotate"), overlap).await,
            holder.put(&format!("{path}/permissions"), ids).await,
            restrict(&holder, id, json!({ "requests_per_second": 1 })).await,
        ];
        for answer in answers {
            if reach {
                answer.ok();
            } else {
                assert_escalation_403(&answer);
            }
        }
        // A leaked key can be revoked from any network.
        holder.delete(&path).await.ok();
    }
}

#[service_test]
async fn restricting_or_rotating_a_key_with_more_permissions_gives_403(app: TestApp) {
    let limited = app.actor(&["admin.api-keys", "admin.users"]).await;
    let (id, strong) = app.key(&["admin.users", "admin.roles.read"]).await;
    assert_escalation_403(&restrict(&limited, id, json!({ "requests_per_second": 1 })).await);
    assert_escalation_403(&restrict(&limited, id, json!({ "allowed_ips": [] })).await);
    let path = format!("/api/api-keys/{id}/rotate");
    let overlap = json!({ "overlap_seconds": 60 });
    assert_escalation_403(&limited.post(&path, overlap).await);
    assert_escalation_403(&limited.post(&path, json!({})).await);
    strong.get("/api/roles").await.ok();
    // Reading it is allowed.
    restrictions_of(&limited, id).await;
}
