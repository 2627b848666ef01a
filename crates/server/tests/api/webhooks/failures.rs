//! Receivers that fail: retries, switching off, and that they harm no other.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{create, create_role, deliveries, send, set_active, show};
use crate::support::receiver::{Behaviour, Receiver};
use crate::support::{TestApp, eventually};

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

/// The delays that are promised, in seconds.
const DELAYS: [i64; 8] = [5, 30, 120, 600, HOUR, 3 * HOUR, 8 * HOUR, 24 * HOUR];

#[service_test]
async fn a_failed_attempt_is_retried_8_times_under_the_same_webhook_id(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, secret) = create(&app, &receiver, &["roles.create"]).await;
    receiver.behaves(Behaviour::Status(500));
    create_role(&app, "Guard").await;
    send(&app).await;
    for (attempts, delay) in (1..).zip(DELAYS) {
        assert_eq!(receiver.count(), attempts);
        let delivery = &deliveries(&app, id).await[0];
        assert_eq!(delivery["state"], "pending");
        assert_eq!(
            delivery["attempts"].as_array().map(Vec::len),
            Some(attempts)
        );
        app.advance(delay - 1);
        send(&app).await;
        assert_eq!(receiver.count(), attempts, "not before {delay} s");
        // The jitter is at most a fifth.
        app.advance(1 + delay / 5 + 1);
        send(&app).await;
    }
    assert_eq!(receiver.count(), 9);
    app.advance(30 * DAY);
    send(&app).await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 9, "it has failed for good");
    for request in &requests {
        assert_eq!(request.id(), requests[0].id());
        assert_eq!(request.body, requests[0].body);
        assert_eq!(request.signed_by(&[&secret]), [&secret]);
    }
    let timestamps: Vec<&String> = requests
        .iter()
        .map(|request| &request.headers["webhook-timestamp"])
        .collect();
    assert!(timestamps.is_sorted() && timestamps[0] < timestamps[8]);
    let delivery = &deliveries(&app, id).await[0];
    assert_eq!(
        (&delivery["state"], &delivery["next_attempt_at"]),
        (&json!("failed"), &Value::Null)
    );
    let statuses = delivery["attempts"].as_array().expect("a list").iter();
    let statuses: Vec<&Value> = statuses.map(|attempt| &attempt["status"]).collect();
    assert_eq!(statuses, [500; 9]);
}

#[service_test]
async fn a_receiver_that_recovers_gets_everything_once(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    receiver.behaves(Behaviour::Status(503));
    for i in 0..40 {
        create_role(&app, &i.to_string()).await;
    }
    send(&app).await;
    let failed = receiver.count();
    assert!(
        failed <= 4,
        "after a failure the rest is not tried: {failed}"
    );
    receiver.behaves(Behaviour::Status(200));
    for _ in 0..3 {
        app.advance(40);
        send(&app).await;
    }
    let delivered = receiver.requests();
    assert_eq!(delivered.len() - failed, 40);
    let mut ids: Vec<&str> = delivered[failed..]
        .iter()
        .map(|request| request.id())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 40);
    let listed = deliveries(&app, id).await;
    assert!(
        listed
            .iter()
            .all(|delivery| delivery["state"] == "delivered")
    );
}

#[service_test]
async fn answers_other_than_2xx_and_redirects_are_failures(app: TestApp) {
    for status in [301, 302, 307, 400, 404, 429, 500] {
        let receiver = Receiver::start().await;
        let (id, _) = create(&app, &receiver, &["roles.create"]).await;
        receiver.behaves(Behaviour::Status(status));
        create_role(&app, "Guard").await;
        send(&app).await;
        let delivery = &deliveries(&app, id).await[0];
        assert_eq!(delivery["state"], "pending", "{status}");
        assert_eq!(delivery["attempts"][0]["status"], status);
        assert_eq!(receiver.count(), 1, "{status}");
        let answer = app.admin().delete(&format!("/api/webhooks/{id}")).await;
        answer.ok();
    }
}

async fn last_entry(app: &TestApp) -> Value {
    let log = app
        .admin()
        .get("/api/audit-log?resource=webhooks&per_page=1")
        .await
        .ok();
    log["audit_log"][0].clone()
}

#[service_test]
async fn a_410_switches_the_webhook_off_at_once_with_an_audit_entry(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    receiver.behaves(Behaviour::Status(410));
    create_role(&app, "first").await;
    send(&app).await;
    assert_eq!(show(&app.admin(), id).await["active"], false);
    let entry = last_entry(&app).await;
    assert_eq!(entry["action"], "webhooks.disable");
    assert_eq!(entry["resource_id"], id);
    assert_eq!(
        (&entry["key_id"], &entry["key_name"]),
        (&Value::Null, &json!("system"))
    );
    assert_eq!(entry["before"], json!({ "active": true }));
    let reason = "The receiver answered with 410 Gone.";
    assert_eq!(entry["after"], json!({ "active": false, "reason": reason }));
    app.advance(DAY);
    create_role(&app, "second").await;
    send(&app).await;
    assert_eq!(receiver.count(), 1);
    // Undelivered events are sent when the webhook is enabled again.
    receiver.behaves(Behaviour::Status(200));
    set_active(&app, id, true).await;
    send(&app).await;
    assert_eq!(receiver.count(), 2);
}

#[service_test]
async fn a_receiver_that_only_fails_for_5_days_is_switched_off(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    let fail_daily = async |days: i64| {
        for day in 0..days {
            create_role(&app, &day.to_string()).await;
            send(&app).await;
            app.advance(DAY);
        }
    };
    receiver.behaves(Behaviour::Status(500));
    fail_daily(4).await;
    // One success begins a new period.
    receiver.behaves(Behaviour::Status(200));
    send(&app).await;
    receiver.behaves(Behaviour::Status(500));
    fail_daily(5).await;
    assert_eq!(show(&app.admin(), id).await["active"], true);
    fail_daily(1).await;
    assert_eq!(show(&app.admin(), id).await["active"], false);
    let entry = last_entry(&app).await;
    assert_eq!(entry["action"], "webhooks.disable");
    assert_eq!(entry["after"]["reason"], "Every attempt of 5 days failed.");
    // Switched on again, it has 5 days.
    set_active(&app, id, true).await;
    fail_daily(2).await;
    assert_eq!(show(&app.admin(), id).await["active"], true);
}

#[service_test]
async fn a_receiver_that_hangs_or_sends_an_endless_body_delays_no_other(app: TestApp) {
    let (hanging, endless, good) = (
        Receiver::start().await,
        Receiver::start().await,
        Receiver::start().await,
    );
    hanging.behaves(Behaviour::Hang);
    endless.behaves(Behaviour::Endless);
    create(&app, &hanging, &["roles.create"]).await;
    let (endless_id, _) = create(&app, &endless, &["roles.create"]).await;
    create(&app, &good, &["roles.create"]).await;
    for i in 0..50 {
        create_role(&app, &i.to_string()).await;
    }
    let begun = Instant::now();
    let running = tokio::spawn(platform::webhooks::run(app.app.webhooks.clone()));
    eventually("the hanging receiver is asked", async || {
        hanging.count() > 0
    })
    .await;
    eventually("the others get everything", async || {
        good.count() == 50 && endless.count() == 50
    })
    .await;
    // After 10 seconds the first ones end, and further ones begin.
    let most = 4 + begun.elapsed().as_secs() as usize / 10;
    assert!(hanging.count() <= most, "{}", hanging.count());
    eventually("the outcomes are stored", async || {
        let listed = deliveries(&app, endless_id).await;
        listed
            .iter()
            .all(|delivery| delivery["state"] == "delivered")
    })
    .await;
    let reply = deliveries(&app, endless_id).await[0]["attempts"][0]["reply"].clone();
    assert_eq!(reply.as_str().map(str::len), Some(4096));
    running.abort();
}

#[service_test]
async fn a_name_of_an_address_that_is_not_public_or_own_is_a_failed_attempt_that_says_so() {
    let app = TestApp::start().await;
    let admin = app.admin();
    for (host, error) in [
        ("10-0-0-1.test", "The address 10.0.0.1 is not public"),
        (
            "169-254-169-254.test",
            "The address 169.254.169.254 is not public",
        ),
        ("192-168-1-1.test", "The address 192.168.1.1 is not public"),
        (
            "9-9-9-1.test",
            "The address 9.9.9.1 is not public, or it is one of this machine; name its network \
             with --webhook-networks to allow it.",
        ),
        (
            "unknown.test",
            "The name of the receiver cannot be resolved.",
        ),
    ] {
        let body = json!({ "url": format!("http://{host}/"), "events": ["roles.create"] });
        let made = admin.post("/api/webhooks", body).await.created();
        let id = made["webhook"]["id"].as_i64().expect("an id");
        create_role(&app, "Guard").await;
        send(&app).await;
        let delivery = &deliveries(&app, id).await[0];
        assert_eq!(delivery["state"], "pending", "{host}");
        let attempt = &delivery["attempts"][0];
        assert_eq!(attempt["status"], Value::Null, "{host}");
        let said = attempt["error"].as_str().expect("an error");
        assert!(said.starts_with(error), "{said}");
        admin.delete(&format!("/api/webhooks/{id}")).await.ok();
    }
    // A name of an address that is allowed works.
    let receiver = Receiver::start().await;
    let body = json!({ "url": receiver.url_at("127-0-0-1.test"), "events": ["roles.create"] });
    admin.post("/api/webhooks", body).await.created();
    create_role(&app, "Guard").await;
    send(&app).await;
    assert_eq!(receiver.count(), 1);
    assert!(receiver.requests()[0].headers["host"].starts_with("127-0-0-1.test:"));
}

#[service_test]
async fn a_receiver_that_is_slow_gets_everything(app: TestApp) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    receiver.behaves(Behaviour::Slow(Duration::from_millis(50)));
    for i in 0..20 {
        create_role(&app, &i.to_string()).await;
    }
    send(&app).await;
    let listed = deliveries(&app, id).await;
    assert!(
        listed
            .iter()
            .all(|delivery| delivery["state"] == "delivered")
    );
    assert_eq!((listed.len(), receiver.count()), (20, 20));
}
