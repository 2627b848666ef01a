//! Places in the queue of passwords.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use accounts::console;
use accounts::passwords::Waiter;
use kernel::Limits;
use kernel::types::IpNetworks;
use serde_json::json;

use crate::support::{SESSION, TestApp, console_sign_in, cookie, new_user, sign_in};

const PAUSE: Duration = Duration::from_millis(50);

#[service_test]
async fn visitors_at_80_addresses_do_not_stop_others_from_signing_in() {
    let proxy = IpNetworks::from_stored("127.0.0.1");
    let app = TestApp::start_with_costly_passwords(Limits {
        trusted_proxies: proxy,
        ..Limits::default()
    })
    .await;
    app.operator("anna", &[]).await;
    app.user("berta").await;
    let first = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let proof = cookie(&first, "steward-browser").expect("a proof");
    let known = app
        .anonymous()
        .with("Cookie", &format!("steward-browser={proof}"));

    let stop = Arc::new(AtomicBool::new(false));
    let refused = Arc::new(AtomicUsize::new(0));
    let load = (0..80).map(|number| {
        let client = app.anonymous();
        let client = client.with("X-Forwarded-For", &format!("192.0.2.{number}"));
        let (stop, refused) = (Arc::clone(&stop), Arc::clone(&refused));
        tokio::spawn(async move {
            for attempt in 0.. {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let login = format!("nobody {number} {attempt}");
                let answer = client.post(SESSION, console_sign_in(&login)).await;
                if answer.status == 503 {
                    refused.fetch_add(1, Ordering::Relaxed);
                }
                // The places stay taken: a check takes longer than this for 16 of 80 clients.
                tokio::time::sleep(PAUSE).await;
            }
        })
    });
    let load: Vec<_> = load.collect();
    while refused.load(Ordering::Relaxed) < 80 {
        tokio::time::sleep(PAUSE).await;
    }
    for number in 0..2 {
        known.post(SESSION, console_sign_in("anna")).await.created();
        let admin = app.admin();
        admin
            .post("/api/sessions", sign_in("berta"))
            .await
            .created();
        let body = new_user(&format!("guest{number}"));
        admin.post("/api/users", body).await.created();
    }
    stop.store(true, Ordering::Relaxed);
    for client in load {
        client.await.expect("it ends");
    }
}

#[service_test]
async fn the_limits_are_asked_before_a_place_is_taken(app: TestApp) {
    app.operator("anna", &[]).await;
    let anonymous = app.anonymous();
    let mut wrong = console_sign_in("anna");
    wrong["password"] = json!("a wrong one");
    for _ in 0..5 {
        let answer = anonymous.post(SESSION, wrong.clone()).await;
        answer.error(422, "invalid_credentials");
    }
    let passwords = &app.app.users.passwords;
    let visitor =
        |number: u32| passwords.queue(Waiter::Visitor(Some(std::net::IpAddr::V4(number.into()))));
    let places: Vec<_> = (0..16)
        .map(|number| visitor(number).expect("a place"))
        .collect();
    let answer = anonymous.post(SESSION, wrong).await;
    answer.error(429, "too_many_attempts");
    let answer = anonymous.post(SESSION, console_sign_in("berta")).await;
    answer.error(503, "busy");
    drop(places);
    let answer = anonymous.post(SESSION, console_sign_in("berta")).await;
    answer.error(422, "invalid_credentials");
}

#[service_test]
async fn setup_with_a_right_token_takes_no_place_of_a_visitor(app: TestApp) {
    let token = console::first_token(app.core())
        .await
        .expect("made")
        .expect("the first");
    let passwords = &app.app.users.passwords;
    let visitor =
        |number: u32| passwords.queue(Waiter::Visitor(Some(std::net::IpAddr::V4(number.into()))));
    let _places: Vec<_> = (0..16)
        .map(|number| visitor(number).expect("a place"))
        .collect();
    let body = json!({
        "token": token.reveal(), "username": "anna", "email": "anna@example.com",
        "password": "battery staple",
    });
    app.anonymous()
        .post("/api/console/setup", body)
        .await
        .created();
}
