use serde_json::{Value, json};

use super::{new_value, restrict, restrictions_of};
use crate::support::{Answer, Client, TestApp, assert_fields, at_once};

async fn rotate(client: &Client, id: i64, overlap: i64) -> Answer {
    let path = format!("/api/api-keys/{id}/rotate");
    let body = json!({ "overlap_seconds": overlap });
    client.post(&path, body).await
}

/// The id of a new key, and its value.
async fn key(app: &TestApp) -> (i64, String) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    (id, holder.key_value().to_owned())
}

async fn is_valid(app: &TestApp, value: &str) -> bool {
    let status = app.holder(value).get("/api/roles").await.status;
    assert!([200, 401].contains(&status), "{status}");
    status == 200
}

#[service_test]
async fn both_values_are_valid_until_the_overlap_ends(app: TestApp, admin: Client) {
    let (id, old) = key(&app).await;
    let before = admin.get(&format!("/api/api-keys/{id}")).await.ok();
    let reply = rotate(&admin, id, 60).await.ok();
    assert_fields(&reply, &["message", "api_key"]);
    assert_fields(
        &reply["api_key"],
        &["id", "name", "key", "active", "created_at"],
    );
    for field in ["id", "name", "active", "created_at"] {
        assert_eq!(reply["api_key"][field], before["api_key"][field]);
    }
    let new = new_value(&reply);
    assert_ne!(new, old);
    assert!(new.starts_with("stw_") && new.len() == 50, "{new}");
    let end = "2026-03-01T12:01:00Z";
    let shown = restrictions_of(&admin, id).await;
    assert_eq!(shown["previous_key_valid_until"], end);
    let masked = admin.get(&format!("/api/api-keys/{id}")).await.ok();
    assert_eq!(masked["api_key"]["key"], format!("{}********", &new[..8]));

    assert!(is_valid(&app, &old).await && is_valid(&app, new).await);
    app.advance(59);
    assert!(is_valid(&app, &old).await && is_valid(&app, new).await);
    app.advance(1);
    assert!(!is_valid(&app, &old).await && is_valid(&app, new).await);
    let shown = restrictions_of(&admin, id).await;
    assert_eq!(shown["previous_key_valid_until"], Value::Null);
    assert!(is_valid(&app, new).await);
}

#[service_test]
async fn without_an_overlap_the_old_value_is_revoked_at_once(app: TestApp, admin: Client) {
    let (id, old) = key(&app).await;
    let reply = rotate(&admin, id, 0).await.ok();
    assert!(!is_valid(&app, &old).await);
    assert!(is_valid(&app, new_value(&reply)).await);
    let shown = restrictions_of(&admin, id).await;
    assert_eq!(shown["previous_key_valid_until"], Value::Null);
}

#[service_test]
async fn another_rotation_revokes_the_value_before_the_last(app: TestApp, admin: Client) {
    let (id, first) = key(&app).await;
    let second = rotate(&admin, id, 600).await.ok();
    let third = rotate(&admin, id, 60).await.ok();
    assert!(!is_valid(&app, &first).await);
    assert!(is_valid(&app, new_value(&second)).await && is_valid(&app, new_value(&third)).await);
    app.advance(60);
    assert!(!is_valid(&app, new_value(&second)).await && is_valid(&app, new_value(&third)).await);
}

#[service_test]
async fn revoking_a_key_revokes_its_previous_value_too(app: TestApp, admin: Client) {
    for way in ["regenerate", "delete", "deactivate", "expire", "network"] {
        let (id, old) = key(&app).await;
        let reply = rotate(&admin, id, 600).await.ok();
        assert!(is_valid(&app, &old).await, "{way}");
        let path = format!("/api/api-keys/{id}");
        match way {
            "regenerate" => admin.post_empty(&format!("{path}/regenerate")).await.ok(),
            "delete" => admin.delete(&path).await.ok(),
            "deactivate" => admin.put(&path, json!({ "active": false })).await.ok(),
            "expire" => {
                let end = app.core().clock.now().unix() + 1;
                let end = kernel::types::Timestamp::from_unix(end).to_string();
                let answer = restrict(&admin, id, json!({ "expires_at": end })).await;
                let set = answer.ok();
                app.advance(1);
                set
            }
            _ => restrict(&admin, id, json!({ "allowed_ips": ["192.0.2.1"] }))
                .await
                .ok(),
        };
        assert!(!is_valid(&app, &old).await, "{way}");
        assert!(!is_valid(&app, new_value(&reply)).await, "{way}");
    }
}

#[service_test]
async fn a_key_can_rotate_itself_by_its_current_value(app: TestApp) {
    let (id, first) = app.key(&["admin.api-keys"]).await;
    let second = rotate(&first, id, 600).await.ok();
    let second = app.holder(new_value(&second));
    first.get("/api/api-keys").await.ok();
    let third = rotate(&second, id, 600).await.ok();
    first.get("/api/api-keys").await.unauthorized();
    second.get("/api/api-keys").await.ok();
    let answer = app.holder(new_value(&third)).get("/api/api-keys").await;
    answer.ok();
}

#[service_test]
async fn overlap_seconds_is_required_and_at_most_a_week_422(app: TestApp, admin: Client) {
    let (id, old) = key(&app).await;
    let path = format!("/api/api-keys/{id}/rotate");
    let sentence = "must be an integer from 0 to 604800";
    for (body, sentence) in [
        (json!({}), "is required"),
        (json!({ "overlap_seconds": null }), "must not be null"),
        (json!({ "overlap_seconds": -1 }), sentence),
        (json!({ "overlap_seconds": 604_801 }), sentence),
        (json!({ "overlap_seconds": 1.5 }), sentence),
        (json!({ "overlap_seconds": "60" }), sentence),
    ] {
        let answer = admin.post(&path, body).await;
        answer.invalid(&[("overlap_seconds", sentence)]);
    }
    admin.post_empty(&path).await.error(422, "missing_body");
    let answer = admin.post("/api/api-keys/77/rotate", json!({})).await;
    answer.not_found();
    let reader = app.actor(&["admin.api-keys.read"]).await;
    rotate(&reader, id, 60).await.forbidden("admin.api-keys");
    assert!(is_valid(&app, &old).await);

    rotate(&admin, id, 604_800).await.ok();
    app.advance(604_799);
    assert!(is_valid(&app, &old).await);
    app.advance(1);
    assert!(!is_valid(&app, &old).await);
}

#[service_test]
async fn of_many_rotations_at_once_one_value_is_current_and_one_previous(app: TestApp) {
    let admin = app.admin();
    let (id, old) = key(&app).await;
    let rotating = (0..50).map(|_| {
        let admin = admin.clone();
        async move { rotate(&admin, id, 600).await }
    });
    let answers = at_once(rotating).await;
    let mut open = Vec::new();
    for value in answers
        .iter()
        .map(|answer| new_value(&answer.ok()).to_owned())
    {
        if is_valid(&app, &value).await {
            open.push(value);
        }
    }
    assert!(
        !is_valid(&app, &old).await,
        "49 rotations came after its own"
    );
    assert_eq!(open.len(), 2);
    app.advance(600);
    let mut current = 0;
    for value in &open {
        current += usize::from(is_valid(&app, value).await);
    }
    assert_eq!(current, 1);
}

/// Both values are stored, so every instance knows them.
#[service_test]
async fn other_instances_accept_both_values(app: TestApp) {
    let second = app.second_instance().await;
    let (id, old) = key(&app).await;
    let reply = rotate(&app.admin(), id, 60).await.ok();
    let is_valid = async |value: &str| {
        let holder = second.holder(value);
        holder.get("/api/roles").await.status == 200
    };
    crate::support::within_a_second("the notification arrives", async || {
        is_valid(new_value(&reply)).await
    })
    .await;
    assert!(is_valid(&old).await);
    second.app.kernel.core.clock.advance(60);
    assert!(!is_valid(&old).await && is_valid(new_value(&reply)).await);
}

#[service_test]
async fn the_previous_value_cannot_change_keys_403_previous_key_value(app: TestApp) {
    let (id, old) = app.key(&["admin.api-keys", "admin.roles"]).await;
    let (other, _) = app.key(&[]).await;
    let reply = rotate(&app.admin(), id, 60).await.ok();
    let new = app.holder(new_value(&reply));

    let own = format!("/api/api-keys/{id}");
    let others = format!("/api/api-keys/{other}");
    let refused = |answer: Answer| answer.error(403, "previous_key_value");
    refused(rotate(&old, id, 0).await);
    refused(old.post_empty(&format!("{own}/regenerate")).await);
    refused(old.delete(&own).await);
    refused(old.put(&own, json!({ "active": false })).await);
    refused(restrict(&old, id, json!({ "expires_at": null })).await);
    let body = json!({ "permission_ids": [] });
    refused(old.put(&format!("{own}/permissions"), body).await);
    refused(old.delete(&others).await);
    refused(
        old.post("/api/api-keys", json!({ "name": "Backdoor" }))
            .await,
    );
    refused(old.post("/api/api-keys", json!({ "name": 7 })).await);

    // Everything else works with both values.
    old.get("/api/api-keys").await.ok();
    old.create_role("Guard").await;
    new.delete(&others).await.ok();
    new.put(&own, json!({ "name": "Mine" })).await.ok();
}
