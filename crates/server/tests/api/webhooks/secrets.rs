//! Signing secrets: rotation, and rotation of the key that they are sealed under.

use kernel::secret::SecretKey;
use platform::webhooks::{queue, sender};
use serde_json::json;
use server::app::{App, Settings};
use server::secret_rotation::{self, Rotation};

use super::{create, create_role, deliveries, send, show};
use crate::support::receiver::Receiver;
use crate::support::{TestApp, webhook_settings};

async fn rotate(app: &TestApp, id: i64, overlap: i64) -> String {
    let path = format!("/api/webhooks/{id}/rotate-secret");
    let body = json!({ "overlap_seconds": overlap });
    let rotated = app.admin().post(&path, body).await.ok();
    rotated["webhook"]["secret"]
        .as_str()
        .expect("a secret")
        .to_owned()
}

#[service_test]
async fn both_secrets_sign_until_the_overlap_ends(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, first) = create(&app, &receiver, &["roles.create"]).await;
    let second = rotate(&app, id, 60).await;
    let all = [first.as_str(), second.as_str()];
    let signed = async || {
        create_role(&app, "Guard").await;
        send(&app).await;
        receiver
            .requests()
            .last()
            .expect("a request")
            .signed_by(&all)
    };
    assert_eq!(signed().await, all);
    app.advance(59);
    assert_eq!(signed().await, all);
    app.advance(1);
    assert_eq!(signed().await, [&second]);
    // A clock that is set back revives nothing.
    app.core().clock.jump(-30);
    assert_eq!(signed().await, [&second]);
    let third = rotate(&app, id, 0).await;
    create_role(&app, "Guard").await;
    send(&app).await;
    let last = receiver.requests().pop().expect("a request");
    assert_eq!(last.signed_by(&[&first, &second, &third]), [&third]);
}

#[service_test]
async fn rotation_of_the_secret_key_seals_signing_secrets_again(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, first) = create(&app, &receiver, &["roles.create"]).await;
    let second = rotate(&app, id, 3600).await;
    create_role(&app, "Guard").await;
    let rotation = Rotation::begin(app.core()).await.expect("it begins");
    let new = SecretKey::new(&[8; 32]);
    rotation.finish(&new).await.expect("it ends");

    let settings = Settings {
        webhooks: webhook_settings(),
        ..Settings::default()
    };
    let (db, clock) = (app.scratch.open().await, app.core().clock.clone());
    let restarted = App::start(db, clock, new, settings)
        .await
        .expect("the new key");
    queue::once(&restarted.webhooks).await.expect("queued");
    sender::once(&restarted.webhooks).await.expect("sent");
    let both = [first.as_str(), second.as_str()];
    assert_eq!(receiver.requests()[0].signed_by(&both), both);
}

#[service_test]
async fn without_its_secret_a_webhook_is_off_until_it_gets_a_new_one(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    let forgotten = secret_rotation::reset(app.core()).await.expect("a reset");
    assert_eq!(forgotten.webhook_secrets, 1);
    assert_eq!(show(&app.admin(), id).await["active"], false);
    super::set_active(&app, id, true).await;
    create_role(&app, "Guard").await;
    send(&app).await;
    assert_eq!(receiver.count(), 0);
    let error = &deliveries(&app, id).await[0]["attempts"][0]["error"];
    assert_eq!(error, "The signing secret was lost. Rotate it.");
    let secret = rotate(&app, id, 60).await;
    app.advance(10);
    send(&app).await;
    assert_eq!(receiver.requests()[0].signed_by(&[&secret]), [&secret]);
}

#[service_test]
async fn the_token_in_a_discord_url_is_shown_to_those_who_may_change_the_webhook(app: TestApp) {
    let admin = app.admin();
    let whole = "https://discord.com/api/webhooks/1/token-one";
    let masked = "https://discord.com/api/webhooks/1/***";
    let body = json!({ "url": whole, "format": "discord", "active": false });
    let made = admin.post("/api/webhooks", body).await.created();
    assert_eq!(made["webhook"]["url"], whole);
    let path = format!("/api/webhooks/{}", made["webhook"]["id"]);
    let reader = app
        .actor(&["admin.webhooks.read", "admin.audit.read"])
        .await;
    let manager = app.actor(&["admin.webhooks"]).await;
    for (caller, url) in [(&reader, masked), (&manager, whole), (&admin, whole)] {
        assert_eq!(caller.get(&path).await.ok()["webhook"]["url"], url);
        let list = caller.get("/api/webhooks").await.ok();
        assert_eq!(list["webhooks"][0]["url"], url);
    }

    // Another token is another state, and the audit log shows that it changed.
    let tag = admin.etag(&path).await;
    app.advance(10);
    let other = "https://discord.com/api/webhooks/1/token-two";
    let changed = admin.put(&path, json!({ "url": other })).await.ok();
    assert_eq!(changed["webhook"]["url"], other);
    assert_eq!(changed["webhook"]["updated_at"], "2026-03-01T12:00:10Z");
    assert_ne!(admin.etag(&path).await, tag);
    let entry = reader.newest_audit_entry().await;
    assert_eq!(entry["after"], json!({ "url": "***" }));
    admin
        .put(&path, json!({ "url": "https://example.test/" }))
        .await
        .ok();
    let entry = reader.newest_audit_entry().await;
    assert_eq!(entry["before"], json!({ "url": masked }));
    admin.delete(&path).await.ok();
    let log = reader.get("/api/audit-log?resource=webhooks").await.text;
    assert!(!log.contains("token-"), "{log}");
}
