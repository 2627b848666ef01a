//! How many sign-ins may be begun.

use serde_json::{Value, json};

use super::states;
use crate::support::providers::RETURN_TO;
use crate::support::{Answer, Client, TestApp, at_once, count};

const START: &str = "/api/sign-in/steam/start";

fn body(client_ip: Value) -> Value {
    json!({ "return_to": RETURN_TO, "client_ip": client_ip })
}

#[service_test]
async fn the_31st_start_from_a_network_within_a_minute_gets_429(app: TestApp, admin: Client) {
    for (i, ip) in ["2001:db8::1", "2001:db8::2"]
        .into_iter()
        .cycle()
        .take(30)
        .enumerate()
    {
        let provider = ["steam", "discord"][i % 2];
        let path = format!("/api/sign-in/{provider}/start");
        admin.post(&path, body(json!(ip))).await.created();
    }
    let refused = admin.post(START, body(json!("2001:db8::3"))).await;
    refused.error(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), "60");
    assert_eq!(states(&app).await, 30);
    for other in ["2001:db8:0:1::1", "192.0.2.1"] {
        admin.post(START, body(json!(other))).await.created();
    }
    // That of the client without it.
    admin
        .post(START, json!({ "return_to": RETURN_TO }))
        .await
        .created();
    app.advance(60);
    admin
        .post(START, body(json!("2001:db8::3")))
        .await
        .created();
}

#[service_test]
async fn without_client_ip_the_network_of_the_client_is_limited(admin: Client) {
    for _ in 0..30 {
        admin.post(START, body(Value::Null)).await.created();
    }
    admin
        .post(START, body(Value::Null))
        .await
        .error(429, "too_many_attempts");
    admin
        .post(START, body(json!("127.0.0.1")))
        .await
        .error(429, "too_many_attempts");
}

#[service_test]
async fn the_limit_holds_for_starts_at_once_on_two_instances(app: TestApp) {
    let other = app.second_instance().await;
    let clients = [app.admin(), other.holder(app.admin_key())];
    let starts = (0..40).map(|i| {
        let client = clients[i % 2].clone();
        async move { client.post(START, body(json!("192.0.2.1"))).await }
    });
    let answers: Vec<Answer> = at_once(starts).await;
    assert_eq!((count(&answers, 201), count(&answers, 429)), (30, 10));
}
