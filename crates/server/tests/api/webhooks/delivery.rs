//! Requests that receivers get, and deliveries that operators see.

use platform::webhooks::deliveries::Retention;
use platform::webhooks::{queue, sender};
use serde_json::{Value, json};
use server::maintenance::Rules;

use super::{create, create_role, deliveries, send, set_active};
use crate::support::receiver::{Behaviour, Receiver};
use crate::support::{Client, TestApp, assert_fields, eventually};

const DAY: i64 = 24 * 60 * 60;

#[service_test]
async fn an_event_arrives_signed_with_its_values_before_and_after(app: TestApp, admin: Client) {
    let receiver = Receiver::start().await;
    let (id, secret) = create(&app, &receiver, &["users.*"]).await;
    let user = crate::support::new_user("anna");
    let made = admin.post("/api/users", user).await.created();
    let user_id = made["user"]["id"].as_i64().expect("an id");
    let path = format!("/api/users/{user_id}");
    let change = json!({ "username": "bert", "password": "correct horse" });
    admin.put(&path, change).await.ok();
    send(&app).await;

    let requests = receiver.sorted_requests();
    assert_eq!(requests.len(), 2);
    let log = admin.get("/api/audit-log?resource=users").await.ok();
    for (request, entry) in requests.iter().zip([1, 0].map(|i| &log["audit_log"][i])) {
        assert_eq!(request.signed_by(&[&secret]), [&secret]);
        assert_eq!(request.headers["content-type"], "application/json");
        let key_id = entry["key_id"].clone();
        assert_eq!(
            request.json(),
            json!({
                "type": entry["action"],
                "timestamp": entry["at"],
                "data": {
                    "id": entry["id"],
                    "at": entry["at"],
                    "action": entry["action"],
                    "resource": "users",
                    "resource_id": user_id,
                    "actor": { "kind": "key", "id": key_id, "name": "admin" },
                    "before": entry["before"],
                    "after": entry["after"],
                },
            })
        );
    }
    let update = requests[1].json();
    assert_eq!(update["data"]["after"]["username"], "bert");
    assert_eq!(update["data"]["after"]["password"], "***");
    assert_ne!(requests[0].id(), requests[1].id());

    let listed = deliveries(&app, id).await;
    assert_eq!(listed.len(), 2);
    let newest = &listed[0];
    assert_fields(
        newest,
        &[
            "id",
            "action",
            "state",
            "created_at",
            "next_attempt_at",
            "attempts",
        ],
    );
    assert_eq!(newest["id"], update["data"]["id"]);
    assert_eq!(newest["action"], "users.update");
    assert_eq!(newest["state"], "delivered");
    assert_eq!(newest["next_attempt_at"], Value::Null);
    let attempt = &newest["attempts"][0];
    assert_fields(attempt, &["at", "status", "duration_ms", "error", "reply"]);
    assert_eq!(
        (&attempt["status"], &attempt["error"]),
        (&json!(200), &Value::Null)
    );
    assert_eq!(attempt["reply"], "status 200 OK");
}

#[service_test]
async fn only_events_that_match_are_sent_each_once(app: TestApp, admin: Client) {
    create_role(&app, "before the webhooks").await;
    let (all, some, one) = (
        Receiver::start().await,
        Receiver::start().await,
        Receiver::start().await,
    );
    create(&app, &all, &["*"]).await;
    create(&app, &some, &["navbar-items.*", "roles.create"]).await;
    create(&app, &one, &["roles.delete"]).await;
    for name in ["a", "b"] {
        create_role(&app, name).await;
        send(&app).await;
    }
    let item = json!({ "title": "Home" });
    admin.post("/api/navbar-items", item).await.created();
    admin.delete("/api/roles/2").await.ok();
    for _ in 0..3 {
        send(&app).await;
    }
    assert_eq!(
        all.actions(),
        [
            "webhooks.create",
            "webhooks.create",
            "webhooks.create",
            "roles.create",
            "roles.create",
            "navbar_items.create",
            "roles.delete",
        ]
    );
    let expected = ["roles.create", "roles.create", "navbar_items.create"];
    assert_eq!(some.actions(), expected);
    assert_eq!(one.actions(), ["roles.delete"]);
}

#[service_test]
async fn events_of_the_time_when_it_is_inactive_are_not_sent_later(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    // The first is queued before the webhook is switched off, the second is not.
    create_role(&app, "queued").await;
    queue::once(&app.app.webhooks).await.expect("queued");
    create_role(&app, "not queued").await;
    set_active(&app, id, false).await;
    create_role(&app, "inactive").await;
    send(&app).await;
    assert_eq!(receiver.count(), 0, "nothing is sent while it is inactive");
    set_active(&app, id, true).await;
    create_role(&app, "active").await;
    send(&app).await;
    let names = |receiver: &Receiver| -> Vec<String> {
        let requests = receiver.requests();
        let name = |value: &Value| value["data"]["after"]["name"].as_str().map(str::to_owned);
        let names = requests.iter().map(|request| request.json());
        let mut names: Vec<String> = names.filter_map(|value| name(&value)).collect();
        names.sort();
        names
    };
    assert_eq!(names(&receiver), ["active", "not queued", "queued"]);

    // The result is the same twice and without queueing in between.
    for round in 0..2 {
        set_active(&app, id, false).await;
        create_role(&app, &format!("inactive {round}")).await;
        set_active(&app, id, true).await;
    }
    send(&app).await;
    assert_eq!(receiver.count(), 3);
}

#[service_test]
async fn deliveries_are_listed_by_state_and_paged_by_cursor(app: TestApp, admin: Client) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    for i in 0..7 {
        if i == 3 {
            send(&app).await;
            receiver.behaves(Behaviour::Status(500));
        }
        if i == 5 {
            send(&app).await;
        }
        create_role(&app, &i.to_string()).await;
    }
    queue::once(&app.app.webhooks).await.expect("queued");
    let path = format!("/api/webhooks/{id}/deliveries");
    for (query, total) in [
        ("", 7),
        ("?state=delivered", 3),
        ("?state=pending", 4),
        ("?state=failed", 0),
    ] {
        let answer = admin.get(&format!("{path}{query}")).await;
        assert_eq!(answer.header("x-total-count"), total.to_string(), "{query}");
        let list = answer.ok()["deliveries"].as_array().expect("a list").len();
        assert_eq!(list, total, "{query}");
    }
    let all = deliveries(&app, id).await;
    let ids = |list: &[Value]| -> Vec<i64> {
        let ids = list.iter().map(|delivery| delivery["id"].as_i64());
        ids.map(|id| id.expect("an id")).collect()
    };
    let mut sorted = ids(&all);
    sorted.sort_by_key(|id| std::cmp::Reverse(*id));
    assert_eq!(ids(&all), sorted);
    let mut walked = Vec::new();
    let mut next = format!("{path}?per_page=2");
    loop {
        let page = admin.get(&next).await;
        walked.extend(ids(page.ok()["deliveries"].as_array().expect("a list")));
        let Some(link) = page.headers.get("link") else {
            break;
        };
        let link = link.to_str().expect("text");
        next = link[1..link.find('>').expect("a link")].to_owned();
    }
    assert_eq!(walked, sorted);
    let wrong = admin.get(&format!("{path}?state=lost")).await;
    wrong.invalid(&[("state", "must be pending, delivered or failed")]);
}

#[service_test]
async fn a_finished_delivery_is_deleted_after_delivery_days_and_a_pending_one_is_not(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    create_role(&app, "delivered").await;
    send(&app).await;
    receiver.behaves(Behaviour::Status(500));
    create_role(&app, "pending").await;
    send(&app).await;
    let rules = Rules {
        deliveries: Retention { days: 3 },
        ..Rules::default()
    };
    for (days, left) in [(1, 2), (1, 2), (1, 1), (1, 1)] {
        app.advance(days * DAY + 1);
        app.maintain(rules).await;
        assert_eq!(deliveries(&app, id).await.len(), left);
    }
    assert_eq!(deliveries(&app, id).await[0]["state"], "pending");
}

#[service_test]
async fn events_are_queued_and_sent_in_the_background_and_the_stop_waits_for_them(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    let running = tokio::spawn(platform::webhooks::run(app.app.webhooks.clone()));
    create_role(&app, "first").await;
    eventually("it arrives", async || receiver.count() == 1).await;
    receiver.behaves(Behaviour::Slow(std::time::Duration::from_millis(500)));
    create_role(&app, "second").await;
    eventually("it arrives", async || receiver.count() == 2).await;
    app.app.webhooks.dispatcher.stop();
    running.await.expect("it ends");
    let listed = deliveries(&app, id).await;
    assert!(
        listed
            .iter()
            .all(|delivery| delivery["state"] == "delivered"),
        "{listed:?}"
    );
    let metrics = app.anonymous().get("/metrics").await.text;
    for name in [
        "steward_webhook_attempts_total{outcome=\"delivered\"}",
        "steward_webhook_attempt_seconds_count",
    ] {
        assert!(metrics.contains(name), "{name} in {metrics}");
    }
}

#[service_test]
async fn an_event_whose_audit_entry_was_deleted_fails_and_says_so(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    create_role(&app, "old").await;
    queue::once(&app.app.webhooks).await.expect("queued");
    app.advance(2 * DAY);
    let rules = Rules {
        audit_days: Some(1),
        ..Rules::default()
    };
    app.maintain(rules).await;
    app.advance(2 * DAY);
    app.maintain(rules).await;
    sender::once(&app.app.webhooks).await.expect("sent");
    assert_eq!(receiver.count(), 0);
    let delivery = &deliveries(&app, id).await[0];
    assert_eq!(
        (&delivery["state"], &delivery["action"]),
        (&json!("failed"), &Value::Null)
    );
    let error = delivery["attempts"][0]["error"].as_str();
    assert_eq!(error, Some("The audit entry of the event was deleted."));
}
