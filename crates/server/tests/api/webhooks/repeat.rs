//! Sending again: retry, replay, and the sample event.

use serde_json::{Value, json};

use super::{create, create_role, deliveries, send, set_active};
use crate::support::receiver::{Behaviour, Receiver};
use crate::support::{Client, TestApp};

#[service_test]
async fn retry_sends_a_delivery_again_whatever_its_state(app: TestApp, admin: Client) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    create_role(&app, "Guard").await;
    send(&app).await;
    let event = deliveries(&app, id).await[0]["id"].clone();
    let path = format!("/api/webhooks/{id}/deliveries/{event}/retry");
    // Delivered, then pending.
    let retried = admin.post_empty(&path).await.expect(202);
    assert_eq!(retried["delivery"]["state"], "pending");
    let expected = "2026-03-01T12:00:00Z";
    assert_eq!(retried["delivery"]["next_attempt_at"], expected);
    receiver.behaves(Behaviour::Status(500));
    send(&app).await;
    assert_eq!(receiver.count(), 2);
    receiver.behaves(Behaviour::Status(200));
    send(&app).await;
    assert_eq!(receiver.count(), 2, "it waits");
    admin.post_empty(&path).await.expect(202);
    send(&app).await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 3);
    assert!(
        requests
            .iter()
            .all(|request| request.id() == requests[0].id())
    );
    let delivery = &deliveries(&app, id).await[0];
    assert_eq!(delivery["state"], "delivered");
    assert_eq!(delivery["attempts"].as_array().map(Vec::len), Some(3));
    let log = admin.get("/api/audit-log?action=webhooks.retry").await.ok();
    assert_eq!(log["audit_log"][0]["after"], json!({ "event_id": event }));
    // A delivery of another webhook is not found.
    let (other, _) = create(&app, &receiver, &["users.*"]).await;
    let path = format!("/api/webhooks/{other}/deliveries/{event}/retry");
    admin.post_empty(&path).await.not_found();
}

#[service_test]
async fn replay_sends_the_matching_events_of_a_period_again(app: TestApp, admin: Client) {
    let receiver = Receiver::start().await;
    create_role(&app, "before the webhook").await;
    app.advance(60);
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    create_role(&app, "first").await;
    send(&app).await;
    app.advance(60);
    set_active(&app, id, false).await;
    create_role(&app, "inactive").await;
    set_active(&app, id, true).await;
    app.advance(60);
    create_role(&app, "last").await;
    send(&app).await;
    assert_eq!(receiver.count(), 2);

    let replay = async |from: &str, to: &str| -> Value {
        let path = format!("/api/webhooks/{id}/replay");
        let body = json!({ "from": from, "to": to });
        let answer = admin.post(&path, body).await.expect(202);
        answer["queued"].clone()
    };
    assert_eq!(
        replay("2026-03-01T12:00:00Z", "2026-03-01T12:02:00Z").await,
        3
    );
    let again = replay("2026-03-01T12:00:00Z", "2026-03-01T12:02:00Z").await;
    assert_eq!(again, 0, "they are pending already");
    send(&app).await;
    let names = |from: usize| -> Vec<Value> {
        let requests = receiver.requests();
        let names = requests[from..].iter().map(|request| request.json());
        names
            .map(|value| value["data"]["after"]["name"].clone())
            .collect()
    };
    let mut sent = names(2);
    sent.sort_by_key(Value::to_string);
    assert_eq!(sent, ["before the webhook", "first", "inactive"]);
    assert_eq!(
        replay("2026-03-01T12:03:00Z", "2026-03-01T12:03:00Z").await,
        1
    );
    assert_eq!(
        replay("2027-01-01T00:00:00Z", "2027-01-02T00:00:00Z").await,
        0
    );
    send(&app).await;
    assert_eq!(names(5), ["last"]);
    let answer = admin.get("/api/audit-log?action=webhooks.replay").await;
    let log = answer.ok();
    assert_eq!(log["audit_log"][3]["after"]["queued"], 3);
}

#[service_test]
async fn replay_of_more_than_10_000_events_gives_422(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    let mut tx = app.core().db.begin().await.expect("a transaction");
    let entry = || {
        let text = |text: &'static str| db::Value::from(text);
        [
            db::Value::from(1),
            text("test"),
            text("test"),
            text("users.create"),
            text("users"),
            db::Value::from(1),
            text("{}"),
            text("{}"),
        ]
    };
    let columns = [
        "at",
        "key_name",
        "request_id",
        "action",
        "resource",
        "resource_id",
        "before",
        "after",
    ];
    let entries = (0..10_001).map(|_| entry());
    tx.load("audit_log", columns, entries)
        .await
        .expect("entries");
    tx.commit().await.expect("committed");
    let path = format!("/api/webhooks/{id}/replay");
    let body = json!({ "from": "1970-01-01T00:00:00Z", "to": "1970-01-01T00:00:01Z" });
    let answer = app.admin().post(&path, body).await;
    let fault = "must be closer to from: the period has more than 10000 events";
    answer.invalid(&[("to", fault)]);
    // An event that is queued by a replay first is not queued twice.
    create_role(&app, "Guard").await;
    let body = json!({ "from": "2026-03-01T00:00:00Z", "to": "2026-03-02T00:00:00Z" });
    let answer = app.admin().post(&path, body).await.expect(202);
    assert_eq!(answer["queued"], 1);
    send(&app).await;
    assert_eq!(receiver.count(), 1);
}

#[service_test]
async fn test_sends_a_sample_event_and_returns_the_response(app: TestApp, admin: Client) {
    let receiver = Receiver::start().await;
    let (id, secret) = create(&app, &receiver, &["roles.create"]).await;
    set_active(&app, id, false).await;
    let path = format!("/api/webhooks/{id}/test");
    let answer = admin.post_empty(&path).await.ok();
    assert_eq!(answer["message"], "The receiver accepted the event.");
    assert_eq!(answer["test"]["status"], 200);
    assert_eq!(answer["test"]["reply"], "status 200 OK");
    let request = &receiver.requests()[0];
    assert_eq!(request.signed_by(&[&secret]), [&secret]);
    assert_eq!(request.json()["type"], "webhooks.test");
    assert_eq!(request.json()["data"]["resource_id"], id);

    receiver.behaves(Behaviour::Status(500));
    let answer = admin.post_empty(&path).await.ok();
    assert_eq!(answer["message"], "The receiver did not accept the event.");
    assert_eq!(answer["test"]["status"], 500);
    receiver.stop().await;
    let answer = admin.post_empty(&path).await.ok();
    assert_eq!(answer["test"]["status"], Value::Null);
    let error = answer["test"]["error"].as_str();
    assert_eq!(error, Some("The receiver does not accept connections."));
    assert_eq!(
        deliveries(&app, id).await.len(),
        0,
        "a sample is not a delivery"
    );
}
