//! Many finishes at once, on two instances.

use reqwest::Method;
use serde_json::Value;

use super::{identities, sessions, states, users};
use crate::support::providers::{RETURN_TO, STEAM_ID, begin, finish_body, nonce};
use crate::support::{Answer, TestApp, at_once, count};

#[service_test]
async fn of_64_finishes_at_once_of_a_new_profile_one_creates_the_user(app: TestApp) {
    let other = app.second_instance().await;
    let clients = [app.admin(), other.holder(app.admin_key())];
    let mut bodies = Vec::new();
    for i in 0..64 {
        // Each from its own network, because of the limit.
        let start =
            serde_json::json!({ "return_to": RETURN_TO, "client_ip": format!("192.0.2.{i}") });
        let begun = begin(&clients[i % 2], "steam", start).await;
        let query = begun
            .steam_answer(STEAM_ID, &nonce(&format!("n{i}")))
            .query();
        bodies.push(finish_body(&begun, &query));
    }
    let finishes = bodies.into_iter().enumerate().map(|(i, body)| {
        let client = clients[i % 2].clone();
        async move { client.post("/api/sign-in/steam/finish", body).await }
    });
    let answers: Vec<Answer> = at_once(finishes).await;
    assert_eq!(count(&answers, 201), 64, "{answers:?}");
    let created = |answer: &&Answer| answer.json()["created"] == Value::Bool(true);
    assert_eq!(answers.iter().filter(created).count(), 1);
    let ids: Vec<Value> = answers
        .iter()
        .map(|answer| answer.json()["user"]["id"].clone())
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(
        (users(&app).await, sessions(&app).await, states(&app).await),
        (1, 64, 0)
    );
    assert_eq!(app.number("SELECT COUNT(*) FROM user_identities").await, 1);
}

#[service_test]
async fn of_64_finishes_at_once_of_one_state_one_begins_a_session(app: TestApp) {
    let other = app.second_instance().await;
    let clients = [app.admin(), other.holder(app.admin_key())];
    for (known, round) in [(false, 0), (true, 1)] {
        let begun = app.begin_sign_in("steam").await;
        let finishes = (0..64).map(|i| {
            // Each with a nonce of its own, so that only the state can refuse it.
            let query = begun
                .steam_answer(STEAM_ID, &nonce(&format!("{round}n{i}")))
                .query();
            let (client, body) = (clients[i % 2].clone(), finish_body(&begun, &query));
            async move { client.post("/api/sign-in/steam/finish", body).await }
        });
        let answers: Vec<Answer> = at_once(finishes).await;
        assert_eq!(
            (count(&answers, 201), count(&answers, 422)),
            (1, 63),
            "{known} {answers:?}"
        );
        for refused in answers.iter().filter(|answer| answer.status == 422) {
            refused.error(422, "sign_in_failed");
        }
        assert_eq!((users(&app).await, sessions(&app).await), (1, 1 + round));
    }
}

#[service_test]
async fn no_session_of_a_profile_begins_while_it_is_unlinked(app: TestApp) {
    let other = app.second_instance().await;
    let clients = [app.admin(), other.holder(app.admin_key())];
    for round in 0..8 {
        let made = app.steam_sign_in(STEAM_ID).await;
        let user = made["user"]["id"].as_i64().expect("an id");
        let body = serde_json::json!({ "password": "battery staple" });
        app.admin()
            .put(&format!("/api/users/{user}"), body)
            .await
            .ok();
        let identity = identities(&app, user).await[0]["id"].clone();
        let mut requests = vec![(
            Method::DELETE,
            format!("/api/users/{user}/identities/{identity}"),
            None,
        )];
        for i in 0..15 {
            let ip = format!("192.0.2.{}", round * 15 + i);
            let start = serde_json::json!({ "return_to": RETURN_TO, "client_ip": ip });
            let begun = begin(&clients[0], "steam", start).await;
            let nonce = nonce(&format!("{round}u{i}"));
            let query = begun.steam_answer(STEAM_ID, &nonce).query();
            let path = "/api/sign-in/steam/finish".to_owned();
            let mut body = finish_body(&begun, &query);
            body["create"] = Value::Bool(false);
            requests.push((Method::POST, path, Some(body)));
        }
        let sending = requests
            .into_iter()
            .enumerate()
            .map(|(i, (method, path, body))| {
                let client = clients[i % 2].clone();
                async move { client.send(method, &path, body).await }
            });
        let answers: Vec<Answer> = at_once(sending).await;
        for answer in &answers {
            assert!([200, 201, 422, 503].contains(&answer.status), "{answer:?}");
        }
        assert_eq!((count(&answers, 200), sessions(&app).await), (1, 0));
    }
}

#[service_test]
async fn of_16_finishes_at_once_with_one_nonce_one_begins_a_session(app: TestApp) {
    app.steam_sign_in(STEAM_ID).await;
    let mut bodies = Vec::new();
    for _ in 0..16 {
        let begun = app.begin_sign_in("steam").await;
        let query = begun.steam_answer(STEAM_ID, &nonce("once")).query();
        bodies.push(finish_body(&begun, &query));
    }
    let client = app.admin();
    let finishes = bodies.into_iter().map(|body| {
        let client = client.clone();
        async move { client.post("/api/sign-in/steam/finish", body).await }
    });
    let answers: Vec<Answer> = at_once(finishes).await;
    assert_eq!(
        (count(&answers, 201), count(&answers, 422)),
        (1, 15),
        "{answers:?}"
    );
}
