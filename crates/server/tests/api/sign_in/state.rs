//! The state of a sign-in that was begun.

use serde_json::json;
use tokio::sync::watch;

use super::{sessions, start, states, users};
use crate::support::providers::{Begun, Fake, LOGIN, RETURN_TO, Reply, STEAM_ID, begin, nonce};
use crate::support::{Client, TestApp, eventually};

#[service_test]
async fn a_page_that_is_not_configured_gives_422(app: TestApp, admin: Client) {
    for wrong in [
        "https://site.example/",
        "https://site.example/signed-in/",
        "https://site.example/signed-in?a=b",
        "https://site.example/Signed-in",
        "https://site.example:443/signed-in",
        "https://evil.example/signed-in",
    ] {
        let refused = admin
            .post("/api/sign-in/steam/start", json!({ "return_to": wrong }))
            .await;
        let text = "must be exactly one of the URLs that --sign-in-return-to names";
        refused.invalid(&[("return_to", text)]);
    }
    assert_eq!(states(&app).await, 0);
}

#[service_test]
async fn a_provider_that_is_unknown_or_not_configured_gives_404() {
    let fake = Fake::start().await;
    let mut settings = fake.settings();
    settings.discord = None;
    let app = TestApp::start_with_sign_in(settings).await;
    for provider in ["discord", "Steam", "vk", "1", "%00"] {
        for end in ["start", "finish"] {
            let path = format!("/api/sign-in/{provider}/{end}");
            // Before the body is looked at.
            app.admin().post(&path, json!({})).await.not_found();
        }
    }
    app.begin_sign_in("steam").await;
}

/// Asserts that this answer is refused.
async fn refuses(app: &TestApp, provider: &str, begun: &Begun, query: &str) {
    let refused = app.finish_sign_in(provider, begun, query).await;
    refused.error(422, "sign_in_failed");
}

#[service_test]
async fn an_unknown_state_gives_422(app: TestApp) {
    let begun = app.begin_sign_in("discord").await;
    let right = begun.discord_answer();
    for wrong in [
        right.replace("state=", "state=x"),
        "code=a&state=".to_owned(),
        "code=a".to_owned(),
        format!("{right}&state={}", begun.parameter("state")),
    ] {
        refuses(&app, "discord", &begun, &wrong).await;
    }
    app.finish_sign_in("discord", &begun, &right)
        .await
        .created();
}

#[service_test]
async fn a_state_of_another_browser_gives_422(app: TestApp) {
    let (one, other) = (
        app.begin_sign_in("steam").await,
        app.begin_sign_in("steam").await,
    );
    let query = one.steam_answer(STEAM_ID, &nonce("a")).query();
    refuses(&app, "steam", &other, &query).await;
    let unknown = Begun {
        browser_token: "stb_unknown".into(),
        ..one.clone()
    };
    refuses(&app, "steam", &unknown, &query).await;
    assert_eq!(users(&app).await, 0);
    app.finish_sign_in("steam", &one, &query).await.created();
}

#[service_test]
async fn a_state_of_another_provider_gives_422(app: TestApp) {
    let begun = app.begin_sign_in("discord").await;
    let state = begun.parameter("state");
    let as_steam = Begun {
        url: format!("http://a.test/?openid.return_to={RETURN_TO}%3Fstate%3D{state}")
            .parse()
            .expect("a URL"),
        ..begun.clone()
    };
    let query = as_steam.steam_answer(STEAM_ID, &nonce("a")).query();
    refuses(&app, "steam", &as_steam, &query).await;
    let right = begun.discord_answer();
    app.finish_sign_in("discord", &begun, &right)
        .await
        .created();
}

#[service_test]
async fn a_state_expires_after_10_minutes(app: TestApp, admin: Client) {
    let body = json!({ "return_to": RETURN_TO });
    let made = admin
        .post("/api/sign-in/discord/start", body)
        .await
        .created();
    assert_eq!(made["expires_at"], "2026-03-01T12:10:00Z");
    let begun = app.begin_sign_in("discord").await;
    app.advance(599);
    let late = app.begin_sign_in("discord").await;
    app.finish_sign_in("discord", &begun, &begun.discord_answer())
        .await
        .created();
    app.advance(600);
    refuses(&app, "discord", &late, &late.discord_answer()).await;
}

#[service_test]
async fn about_an_expired_state_no_provider_is_asked() {
    let (fake, app) = start().await;
    let begun = app.begin_sign_in("steam").await;
    app.advance(600);
    let query = begun
        .steam_answer(STEAM_ID, "2026-03-01T12:10:00Za")
        .query();
    refuses(&app, "steam", &begun, &query).await;
    assert_eq!(fake.requests().len(), 0);
}

#[service_test]
async fn a_state_that_expires_while_steam_is_asked_gives_422() {
    let (fake, app) = start().await;
    let (go, waiting) = watch::channel(false);
    fake.replies(LOGIN, Reply::Later(waiting));
    let begun = app.begin_sign_in("steam").await;
    app.advance(599);
    let query = begun
        .steam_answer(STEAM_ID, "2026-03-01T12:09:59Za")
        .query();
    let finishing = refuses(&app, "steam", &begun, &query);
    let expiring = async {
        eventually("Steam is asked", async || fake.requests().len() == 1).await;
        app.advance(1);
        go.send_replace(true);
    };
    tokio::join!(finishing, expiring);
    assert_eq!(sessions(&app).await, 0);
}

#[service_test]
async fn a_state_works_once(app: TestApp) {
    let begun = app.begin_sign_in("steam").await;
    let query = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    app.finish_sign_in("steam", &begun, &query).await.created();
    let other = begun.steam_answer(STEAM_ID, &nonce("b")).query();
    for query in [query, other] {
        refuses(&app, "steam", &begun, &query).await;
    }
    assert_eq!(sessions(&app).await, 1);
    assert_eq!(states(&app).await, 0);
}

#[service_test]
async fn old_states_and_nonces_are_removed_by_maintenance(app: TestApp) {
    app.steam_sign_in(STEAM_ID).await;
    app.begin_sign_in("steam").await;
    app.advance(599);
    app.begin_sign_in("steam").await;
    let nonces = "SELECT COUNT(*) FROM sign_in_nonces";
    app.maintain(Default::default()).await;
    assert_eq!((states(&app).await, app.number(nonces).await), (2, 1));
    app.advance(1);
    app.maintain(Default::default()).await;
    assert_eq!((states(&app).await, app.number(nonces).await), (1, 0));
}

#[service_test]
async fn of_10000_open_states_the_oldest_is_dropped(app: TestApp) {
    let oldest = app.begin_sign_in("discord").await;
    let second = app.begin_sign_in("discord").await;
    let sql = match app.core().db.on_postgres() {
        true => {
            "INSERT INTO sign_in_states (state_hash, browser_hash, provider, return_to, expires_at)
             SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), '\\x00', 'steam', 'x', 1772367000
             FROM generate_series(1, 9998) n"
        }
        false => {
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9998)
             INSERT INTO sign_in_states (state_hash, browser_hash, provider, return_to, expires_at)
             SELECT CAST(n AS BLOB), x'00', 'steam', 'x', 1772367000 FROM numbers"
        }
    };
    app.core().db.run_sql(sql).await.expect("rows are made");
    assert_eq!(states(&app).await, 10_000);
    let newest = app.begin_sign_in("discord").await;
    assert_eq!(states(&app).await, 10_000);
    refuses(&app, "discord", &oldest, &oldest.discord_answer()).await;
    for open in [second, newest] {
        let right = open.discord_answer();
        app.finish_sign_in("discord", &open, &right).await.created();
    }
}

#[service_test]
async fn a_failed_finish_uses_nothing_up(app: TestApp) {
    let begun = app.begin_sign_in("steam").await;
    let right = begun.steam_answer(STEAM_ID, &nonce("a"));
    refuses(
        &app,
        "steam",
        &begun,
        &right.clone().with("openid.ns", "x").query(),
    )
    .await;
    assert_eq!(states(&app).await, 1);
    assert_eq!(app.number("SELECT COUNT(*) FROM sign_in_nonces").await, 0);
    app.finish_sign_in("steam", &begun, &right.query())
        .await
        .created();
}

#[service_test]
async fn a_state_of_one_instance_is_finished_on_another(app: TestApp) {
    let other = app.second_instance().await;
    let client = other.holder(app.admin_key());
    let begun = begin(&client, "discord", json!({ "return_to": RETURN_TO })).await;
    let right = begun.discord_answer();
    app.finish_sign_in("discord", &begun, &right)
        .await
        .created();
    let body = crate::support::providers::finish_body(&begun, &right);
    let again = client.post("/api/sign-in/discord/finish", body).await;
    again.error(422, "sign_in_failed");
}

#[service_test]
async fn a_rotation_of_the_secret_key_drops_open_states(app: TestApp) {
    let begun = app.begin_sign_in("discord").await;
    let rotation = server::secret_rotation::Rotation::begin(app.core()).await;
    let new = kernel::secret::SecretKey::new(&[9; 32]);
    rotation
        .expect("begun")
        .finish(&new)
        .await
        .expect("rotated");
    assert_eq!(states(&app).await, 0);
    refuses(&app, "discord", &begun, &begun.discord_answer()).await;
}
