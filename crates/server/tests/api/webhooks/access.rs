//! Who may have which events sent: nobody receives through a webhook what they may not read.

use serde_json::{Value, json};

use super::{create, create_role, deliveries, send, show};
use crate::support::receiver::{Behaviour, Receiver};
use crate::support::{Client, TestApp, console_sign_in, sign_in};

const ALL_TIME: [&str; 2] = ["2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"];

fn period() -> Value {
    json!({ "from": ALL_TIME[0], "to": ALL_TIME[1] })
}

async fn post(caller: &Client, events: &[&str]) -> crate::support::Answer {
    let body = json!({ "url": "https://example.test", "events": events });
    caller.post("/api/webhooks", body).await
}

#[service_test]
async fn saving_and_replay_need_the_right_to_read_every_resource_named(app: TestApp) {
    let only_webhooks = app.actor(&["admin.webhooks"]).await;
    let of_users = app.actor(&["admin.webhooks", "admin.users.read"]).await;
    let auditor = app.actor(&["admin.webhooks", "admin.audit.read"]).await;
    let default = json!({ "url": "https://example.test" });
    for caller in [&only_webhooks, &of_users] {
        let answer = caller.post("/api/webhooks", default.clone()).await;
        answer.error(403, "privilege_escalation");
        for events in [
            &["*"][..],
            &["users.*", "roles.create"],
            &["payment-invoices.*"],
            &["demo.fill"],
        ] {
            post(caller, events)
                .await
                .error(403, "privilege_escalation");
        }
    }
    post(&only_webhooks, &["users.block"])
        .await
        .error(403, "privilege_escalation");
    post(&only_webhooks, &["webhooks.*"]).await.created();
    auditor.post("/api/webhooks", default).await.created();
    post(&auditor, &["users.*", "demo.fill"]).await.created();
    let made = post(&of_users, &["users.*"]).await.created();
    let own = format!("/api/webhooks/{}", made["webhook"]["id"]);
    let receiver = Receiver::start().await;
    let (everything, _) = create(&app, &receiver, &["*"]).await;
    let all = format!("/api/webhooks/{everything}");
    of_users.put(&own, json!({ "name": "Mine" })).await.ok();
    let wider = of_users.put(&own, json!({ "events": ["*"] })).await;
    wider.error(403, "privilege_escalation");
    // Not even another URL for what someone else chose.
    for body in [json!({ "url": "https://elsewhere.test" }), json!({})] {
        let answer = of_users.put(&all, body).await;
        answer.error(403, "privilege_escalation");
    }
    let replay = |path: &str| format!("{path}/replay");
    of_users.post(&replay(&own), period()).await.expect(202);
    let answer = of_users.post(&replay(&all), period()).await;
    answer.error(403, "privilege_escalation");
    auditor.post(&replay(&all), period()).await.expect(202);
}

#[service_test]
async fn a_key_with_network_or_time_restrictions_may_not_save_or_replay_403(app: TestApp) {
    let admin = app.admin();
    let receiver = Receiver::start().await;
    let (webhook, _) = create(&app, &receiver, &["*"]).await;
    let path = format!("/api/webhooks/{webhook}");
    for (restrictions, is_refused) in [
        (json!({ "allowed_ips": ["127.0.0.0/8"] }), true),
        (json!({ "expires_at": "2026-03-02T00:00:00Z" }), true),
        (json!({ "requests_per_second": 1000 }), false),
    ] {
        let (id, caller) = app.key(&["admin.webhooks", "admin.audit.read"]).await;
        let own = format!("/api/api-keys/{id}/restrictions");
        admin.put(&own, restrictions).await.ok();
        let answers = [
            post(&caller, &["*"]).await,
            caller.put(&path, json!({ "name": "Renamed" })).await,
            caller.post(&format!("{path}/replay"), period()).await,
        ];
        for answer in answers {
            match is_refused {
                true => drop(answer.error(403, "privilege_escalation")),
                false => assert!(answer.status < 300, "{answer:?}"),
            }
        }
    }
}

#[service_test]
async fn a_webhook_shows_who_saved_it_and_sends_only_what_they_may_read(app: TestApp) {
    let admin = app.admin();
    let anna = app
        .operator("anna", &["admin.webhooks", "admin.users.read"])
        .await;
    let console = app.signed_in("anna").await;
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.*", "users.*"]).await;
    let by_key = json!({ "kind": "key", "id": 1, "name": "admin" });
    assert_eq!(show(&admin, id).await["saved_by"], by_key);
    receiver.behaves(Behaviour::Status(500));
    create_role(&app, "Guard").await;
    send(&app).await;
    receiver.behaves(Behaviour::Status(200));

    // The event of the role waits. It is not for the one who saves the webhook now.
    let path = format!("/api/webhooks/{id}");
    app.advance(10);
    let saved = console.put(&path, json!({ "events": ["users.*"] })).await;
    let by_anna = json!({ "kind": "operator", "id": anna, "name": "anna" });
    assert_eq!(saved.ok()["webhook"]["saved_by"], by_anna);
    app.user("bert").await;
    send(&app).await;
    assert_eq!(receiver.actions(), ["roles.create", "users.create"]);
    let failed = deliveries(&app, id).await.pop().expect("a delivery");
    assert_eq!(failed["state"], "failed");
    let attempts = failed["attempts"].as_array().expect("a list");
    assert_eq!(attempts.len(), 2);
    let reason = "The key or operator that saved the webhook may not read this event.";
    assert_eq!(attempts[1]["error"], reason);
    // Neither is it after a retry.
    let retry = format!("{path}/deliveries/{}/retry", failed["id"]);
    admin.post_empty(&retry).await.expect(202);
    send(&app).await;
    assert_eq!(receiver.count(), 2);

    // An empty change is not a save. The entry has no name, which erasure would have to find.
    let same = admin.put(&path, json!({})).await.ok();
    assert_eq!(same["webhook"]["saved_by"], by_anna);
    let log = admin
        .get("/api/audit-log?action=webhooks.update")
        .await
        .ok();
    let entry = &log["audit_log"][1];
    assert_eq!(
        entry["after"]["saved_by"],
        json!({ "kind": "operator", "id": anna })
    );
    let permissions = json!(["admin.users.read", "admin.webhooks"]);
    let mut shown = entry["after"]["permissions"].clone();
    shown
        .as_array_mut()
        .expect("a list")
        .sort_by_key(Value::to_string);
    assert_eq!(shown, permissions);

    admin.delete(&format!("/api/operators/{anna}")).await.ok();
    admin
        .post_empty(&format!("/api/users/{anna}/erase"))
        .await
        .ok();
    assert_eq!(show(&admin, id).await["saved_by"]["name"], "***");
}

#[service_test]
async fn failed_sign_ins_are_sent_only_to_webhooks_that_name_them(app: TestApp) {
    let receiver = Receiver::start().await;
    let named = Receiver::start().await;
    create(&app, &receiver, &["*"]).await;
    create(&app, &receiver, &["console_sessions.*", "sessions.*"]).await;
    create(&app, &named, &["console-sessions.fail", "sessions.fail"]).await;
    send(&app).await;
    let before = receiver.count();
    let answer = app.admin().post("/api/sessions", sign_in("nobody")).await;
    answer.error(422, "invalid_credentials");
    let console = app.anonymous().with("Sec-Fetch-Site", "same-origin");
    let answer = console
        .post("/api/console/session", console_sign_in("nobody"))
        .await;
    answer.error(422, "invalid_credentials");
    send(&app).await;
    assert_eq!(named.actions(), ["sessions.fail", "console_sessions.fail"]);
    assert_eq!(receiver.count(), before);
}

#[service_test]
async fn retry_after_of_a_429_pauses_all_deliveries_of_the_webhook(app: TestApp) {
    let receiver = Receiver::start().await;
    let other = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    create(&app, &other, &["roles.create"]).await;
    receiver.behaves(Behaviour::Limited("90"));
    create_role(&app, "One").await;
    send(&app).await;
    create_role(&app, "Two").await;
    receiver.behaves(Behaviour::Status(200));
    app.advance(89);
    send(&app).await;
    assert_eq!((receiver.count(), other.count()), (1, 2));
    app.advance(1);
    for _ in 0..2 {
        send(&app).await;
    }
    assert_eq!(receiver.count(), 3);
    let listed = deliveries(&app, id).await;
    assert!(
        listed
            .iter()
            .all(|delivery| delivery["state"] == "delivered")
    );

    // Bounded, and another URL ends the pause.
    receiver.behaves(Behaviour::Limited("999999999999999999999"));
    create_role(&app, "Three").await;
    send(&app).await;
    receiver.behaves(Behaviour::Status(200));
    app.advance(3600);
    send(&app).await;
    assert_eq!(receiver.count(), 5);
    receiver.behaves(Behaviour::Limited("600"));
    create_role(&app, "Four").await;
    send(&app).await;
    assert_eq!(receiver.count(), 6);
    let body = json!({ "url": other.url_at("127-0-0-1.test") });
    app.admin()
        .put(&format!("/api/webhooks/{id}"), body)
        .await
        .ok();
    create_role(&app, "Five").await;
    let before = other.count();
    send(&app).await;
    assert_eq!(other.count(), before + 2, "of both webhooks");
}
