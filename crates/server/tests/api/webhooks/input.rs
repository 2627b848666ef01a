//! The rules of the fields of a webhook.

use serde_json::{Value, json};

use super::create;
use crate::support::receiver::Receiver;
use crate::support::{Client, TestApp};

const URL: &str = "must be a URL that begins with http:// or https:// and has a host";
const ADDRESS: &str = "must not be an address that is not public or is one of this machine, unless \
                       --webhook-networks names it";
const PATTERN: &str =
    "must be an action such as users.block, all of a resource such as users.*, or *";

#[service_test]
async fn wrong_fields_give_422_with_all_faults(app: TestApp, admin: Client) {
    let answer = admin.post("/api/webhooks", json!({})).await;
    answer.invalid(&[("url", "is required")]);
    let everything = json!({
        "url": "ftp://example.test", "name": " ", "events": ["users", "*"], "format": "xml",
        "active": "yes",
    });
    let faults = [
        ("url", URL),
        ("name", "must not be blank"),
        ("events.0", PATTERN),
        ("format", "must be standard or discord"),
        ("active", "must be true or false"),
    ];
    let made = admin.post("/api/webhooks", everything.clone()).await;
    made.invalid(&faults);
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["*"]).await;
    let path = format!("/api/webhooks/{id}");
    admin.put(&path, everything).await.invalid(&faults);
    for (events, fault) in [
        (json!([]), "must hold 1 to 50 actions"),
        (json!("*"), "must be a list of actions"),
        (json!(vec!["*"; 51]), "must hold 1 to 50 actions"),
    ] {
        let answer = admin.put(&path, json!({ "events": events })).await;
        answer.invalid(&[("events", fault)]);
    }
    let password = "must not contain a user name or a password";
    let answer = admin
        .put(&path, json!({ "url": "https://a:b@example.test" }))
        .await;
    answer.invalid(&[("url", password)]);
    for field in ["url", "name", "events", "format", "active"] {
        let answer = admin.put(&path, json!({ field: Value::Null })).await;
        answer.invalid(&[(field, "must not be null")]);
    }
}

#[service_test]
async fn a_literal_address_that_is_not_public_or_own_gives_422_with_all_other_faults(app: TestApp) {
    let admin = app.admin();
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["*"]).await;
    let path = format!("/api/webhooks/{id}");
    for url in [
        "http://10.0.0.1/",
        "https://192.168.1.1:8443/hook",
        "http://169.254.169.254/latest/meta-data/",
        "http://167772161/",
        "http://0xa.1/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://[fd00::1]/",
        "http://0.0.0.0/",
        "http://9.9.9.1/",
        "https://[::ffff:9.9.9.1]:8443/",
        "http://[64:ff9b::909:901]/",
    ] {
        let answer = admin.post("/api/webhooks", json!({ "url": url })).await;
        answer.invalid(&[("url", ADDRESS)]);
        let answer = admin.put(&path, json!({ "url": url })).await;
        answer.invalid(&[("url", ADDRESS)]);
        let both = json!({ "url": url, "format": "xml" });
        let answer = admin.post("/api/webhooks", both).await;
        answer.invalid(&[("url", ADDRESS), ("format", "must be standard or discord")]);
    }
    for url in [
        "http://127.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        "https://9.9.9.9/",
    ] {
        let body = json!({ "url": url, "active": false });
        admin.post("/api/webhooks", body).await.created();
    }
}

#[service_test]
async fn wrong_fields_of_actions_give_422(app: TestApp, admin: Client) {
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["*"]).await;
    let path = format!("/api/webhooks/{id}");
    let rotate = format!("{path}/rotate-secret");
    let range = "must be an integer from 0 to 604800";
    for (body, fault) in [
        (json!({}), "is required"),
        (json!({ "overlap_seconds": -1 }), range),
        (json!({ "overlap_seconds": 604_801 }), range),
    ] {
        let answer = admin.post(&rotate, body).await;
        answer.invalid(&[("overlap_seconds", fault)]);
    }
    let replay = format!("{path}/replay");
    let moment = "must be a moment in ISO 8601, such as 2026-03-01T12:00:00Z";
    let answer = admin.post(&replay, json!({ "from": "now" })).await;
    answer.invalid(&[("from", moment), ("to", "is required")]);
    let body = json!({ "from": "2026-03-02T00:00:00Z", "to": "2026-03-01T00:00:00Z" });
    let answer = admin.post(&replay, body).await;
    answer.invalid(&[("from", "must not be after to")]);
    let retry = format!("{path}/deliveries/999/retry");
    admin.post_empty(&retry).await.not_found();
}
