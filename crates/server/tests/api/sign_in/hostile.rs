//! Providers that misbehave.

use std::time::{Duration, Instant};

use accounts::sign_in::{MAX_CONCURRENT, Settings};
use serde_json::json;
use tokio::sync::watch;

use super::{start, users};
use crate::support::providers::{
    Fake, LOGIN, ME, RETURN_TO, Reply, STEAM_ID, TOKEN, begin, finish_body, nonce,
};
use crate::support::{TestApp, count, eventually, post_at_once};

const FINISH: &str = "/api/sign-in/steam/finish";

/// Asserts the error of a sign-in with Steam, and that nothing was used up.
async fn gives(fake: &Fake, app: &TestApp, reply: Reply, status: u16, code: &str) {
    let begun = app.begin_sign_in("steam").await;
    let query = begun.steam_answer(STEAM_ID, &nonce("hostile")).query();
    fake.replies(LOGIN, reply.clone());
    let answer = app.finish_sign_in("steam", &begun, &query).await;
    assert_eq!(answer.status, status, "{answer:?}");
    answer.error(status, code);
    assert_eq!(answer.has_header("retry-after"), status == 503);
    assert_eq!(users(app).await, 0);
}

#[service_test]
async fn a_redirect_gives_422_and_is_not_followed() {
    let (fake, app) = start().await;
    let elsewhere = Fake::start_at("127.0.0.3").await;
    for status in [301, 302, 303, 307, 308] {
        let url = format!("{}{LOGIN}", elsewhere.origin());
        let reply = format!(
            "HTTP/1.1 {status} Moved\r\nlocation: {url}\r\ncontent-length: 13\r\n\r\nis_valid:true"
        );
        let reply = Reply::Bytes(reply.into_bytes());
        gives(&fake, &app, reply, 422, "sign_in_failed").await;
    }
    assert_eq!(elsewhere.requests().len(), 0);
}

#[service_test]
async fn an_answer_of_more_than_64_kib_gives_422() {
    let (fake, app) = start().await;
    let large = |size: usize| format!("is_valid:true\n{}", "x".repeat(size - 14));
    for reply in [
        Reply::ok(large((64 << 10) + 1)),
        Reply::ok(large(1 << 20)),
        Reply::Endless,
        Reply::Bytes(
            format!(
                "HTTP/1.1 200 OK\r\nx: {}\r\n\r\nis_valid:true",
                "x".repeat(1 << 20)
            )
            .into(),
        ),
    ] {
        gives(&fake, &app, reply, 422, "sign_in_failed").await;
    }
    let begun = app.begin_sign_in("steam").await;
    let query = begun.steam_answer(STEAM_ID, &nonce("hostile")).query();
    fake.replies(LOGIN, Reply::ok(large(64 << 10)));
    app.finish_sign_in("steam", &begun, &query).await.created();
}

#[service_test]
async fn an_answer_with_4xx_or_without_utf_8_gives_422() {
    let (fake, app) = start().await;
    for reply in [
        Reply::Body(400, "is_valid:true\n".into()),
        Reply::Body(404, "is_valid:true\n".into()),
        Reply::Body(429, "is_valid:true\n".into()),
        Reply::Bytes(b"HTTP/1.1 200 OK\r\n\r\nis_valid:true\n\xff".to_vec()),
    ] {
        gives(&fake, &app, reply, 422, "sign_in_failed").await;
    }
}

#[service_test]
async fn a_provider_that_fails_or_is_away_gives_503() {
    let (mut fake, app) = start().await;
    for reply in [
        Reply::Body(500, "is_valid:true\n".into()),
        Reply::Body(503, "is_valid:true\n".into()),
        Reply::Bytes(Vec::new()),
        Reply::Bytes(b"garbage\r\n\r\n".to_vec()),
        Reply::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nis_valid:true\n".to_vec()),
    ] {
        gives(&fake, &app, reply, 503, "provider_unavailable").await;
    }
    let begun = app.begin_sign_in("discord").await;
    fake.replies(TOKEN, Reply::Body(502, "{}".into()));
    let answer = app
        .finish_sign_in("discord", &begun, &begun.discord_answer())
        .await;
    answer.error(503, "provider_unavailable");
    fake.stop().await;
    gives(&fake, &app, Reply::Hang, 503, "provider_unavailable").await;
}

#[service_test]
async fn a_provider_that_does_not_answer_gives_503_after_5_seconds() {
    let start = async || {
        let fake = Fake::start().await;
        let settings = Settings {
            time_limit: Settings::default().time_limit,
            ..fake.settings()
        };
        (fake, TestApp::start_with_sign_in(settings).await)
    };
    let (fake, app) = start().await;
    let begun = Instant::now();
    let slow = gives(&fake, &app, Reply::Hang, 503, "provider_unavailable");
    let half = async {
        let (fake, app) = start().await;
        let half = b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nis_valid:true\n".to_vec();
        let hang = Reply::HangAfter(half);
        gives(&fake, &app, hang, 503, "provider_unavailable").await;
    };
    tokio::join!(slow, half);
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(5), "{took:?}");
    // Long enough on a busy machine, and much less than the time limit of a request.
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[service_test]
async fn while_64_sign_ins_wait_for_a_provider_another_gives_503() {
    let (fake, app) = start().await;
    let mut bodies = Vec::new();
    for i in 0..=MAX_CONCURRENT {
        // Each from its own network, because of the limit.
        let start = json!({ "return_to": RETURN_TO, "client_ip": format!("192.0.2.{i}") });
        let begun = begin(&app.admin(), "steam", start).await;
        let answer = begun.steam_answer(STEAM_ID, &nonce(&format!("n{i}")));
        bodies.push(finish_body(&begun, &answer.query()));
    }
    let (go, waiting) = watch::channel(false);
    fake.replies(LOGIN, Reply::Later(waiting));
    let one_more = bodies.pop().expect("a body");
    let client = app.admin();
    let finishing = post_at_once(&client, FINISH, bodies);
    let refused = async {
        let asked = async || fake.requests().len() == MAX_CONCURRENT;
        eventually("the provider is asked", asked).await;
        let refused = client.post(FINISH, one_more).await;
        refused.error(503, "busy");
        go.send_replace(true);
    };
    let (answers, ()) = tokio::join!(finishing, refused);
    assert_eq!(count(&answers, 201), MAX_CONCURRENT, "{answers:?}");
    assert_eq!(fake.requests().len(), MAX_CONCURRENT);
}

#[service_test]
async fn a_hostile_reply_of_discord_signs_nobody_in() {
    let (fake, app) = start().await;
    for (path, reply) in [
        (TOKEN, Reply::Body(302, String::new())),
        (TOKEN, Reply::ok("x".repeat(1 << 20))),
        (TOKEN, Reply::ok("[".repeat(60_000))),
        (TOKEN, Reply::Endless),
        (ME, Reply::Body(307, String::new())),
        (ME, Reply::ok("x".repeat(1 << 20))),
        (ME, Reply::ok("[".repeat(60_000))),
        (ME, Reply::Endless),
        (
            ME,
            Reply::Bytes(b"HTTP/1.1 200 OK\r\n\r\n{\"id\":\"8035111022467891\xff\"}".to_vec()),
        ),
    ] {
        fake.behaves_again();
        fake.replies(path, reply);
        let begun = app.begin_sign_in("discord").await;
        let answer = app
            .finish_sign_in("discord", &begun, &begun.discord_answer())
            .await;
        answer.error(422, "sign_in_failed");
    }
    assert_eq!(users(&app).await, 0);
}
