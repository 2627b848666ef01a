//! Tokens, codes and the client secret are stored nowhere and shown to nobody.

use serde_json::json;

use crate::support::holds;
use crate::support::providers::{ACCESS_TOKEN, CLIENT_SECRET, ME, Reply, STEAM_ID, TOKEN, nonce};

#[service_test]
async fn tokens_codes_states_and_the_client_secret_are_not_stored_or_shown() {
    let (fake, app) = super::start().await;
    let admin = app.admin();
    let begun = app.begin_sign_in("discord").await;
    let open = app.begin_sign_in("discord").await;
    let caller = admin.with("Idempotency-Key", "once");
    let body = crate::support::providers::finish_body(&begun, &begun.discord_answer());
    let made = caller.post("/api/sign-in/discord/finish", body).await;
    let session_token = made.created()["session_token"]
        .as_str()
        .expect("a token")
        .to_owned();
    let exchange = fake.requests_for(TOKEN)[0].fields();
    let verifier = exchange.iter().find(|(name, _)| name == "code_verifier");
    let verifier = verifier.expect("a verifier").1.clone();
    let mut shown = String::new();
    for (path, reply) in [
        (TOKEN, Reply::Body(400, ACCESS_TOKEN.into())),
        (ME, Reply::ok(ACCESS_TOKEN)),
    ] {
        fake.replies(path, reply);
        let refused = app
            .finish_sign_in("discord", &open, &open.discord_answer())
            .await;
        refused.error(422, "sign_in_failed");
        shown += &refused.text;
        fake.behaves_again();
    }
    let steam = app.begin_sign_in("steam").await;
    let answer = steam.steam_answer(STEAM_ID, &nonce("the-nonce-of-the-tests"));
    app.finish_sign_in("steam", &steam, &answer.query())
        .await
        .created();
    shown += &admin.get("/api/audit-log/export?format=ndjson").await.text;
    shown += &admin.get("/api/users/export?format=ndjson").await.text;
    let return_to = steam.parameter("openid.return_to");
    let (_, steam_state) = return_to.split_once("state=").expect("a state");

    let stored = app.everything_stored().await;
    assert!(holds(&stored, b"sessions.create"), "this is where to look");
    for secret in [
        CLIENT_SECRET,
        ACCESS_TOKEN,
        "the-refresh-token-of-the-tests",
        "the-code-of-the-tests",
        "the-nonce-of-the-tests",
        &begun.browser_token,
        &open.browser_token,
        &begun.parameter("state"),
        &open.parameter("state"),
        steam_state,
        &verifier,
        &session_token,
    ] {
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        for form in [secret, &hex] {
            assert!(!holds(&stored, form.as_bytes()), "{secret} is stored");
            assert!(!shown.contains(form), "{secret} is shown");
        }
    }
}

#[service_test]
async fn a_replay_returns_the_same_token_and_asks_the_provider_no_more() {
    let (fake, app) = super::start().await;
    let begun = app.begin_sign_in("steam").await;
    let query = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    let caller = app.admin().with("Idempotency-Key", "once");
    let body = crate::support::providers::finish_body(&begun, &query);
    let first = caller.post("/api/sign-in/steam/finish", body.clone()).await;
    let asked = fake.requests().len();
    let again = caller.post("/api/sign-in/steam/finish", body).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.created(), first.created());
    assert_eq!((asked, fake.requests().len()), (1, 1));

    // The reply to linking has another status.
    let token = first.json()["session_token"]
        .as_str()
        .expect("a token")
        .to_owned();
    let link = app.begin_link("discord", &token).await;
    let body = crate::support::providers::finish_body(&link, &link.discord_answer());
    let caller = app.admin().with("Idempotency-Key", "twice");
    let first = caller
        .post("/api/sign-in/discord/finish", body.clone())
        .await;
    let again = caller.post("/api/sign-in/discord/finish", body).await;
    assert_eq!(
        (again.ok(), again.header("etag")),
        (first.ok(), first.header("etag"))
    );
    assert_eq!(first.json()["user"]["id"], json!(1));
}
