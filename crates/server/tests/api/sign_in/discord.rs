//! Each condition that an answer of Discord must meet, alone.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{identities, start, users};
use crate::support::TestApp;
use crate::support::providers::{
    ACCESS_TOKEN, Begun, CLIENT_SECRET, DISCORD_ID, Fake, ME, RETURN_TO, REVOKE, Reply, TOKEN,
};

/// The value of a header of a request, whose names are in lower case.
fn header(head: &str, name: &str) -> String {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(other, _)| other.eq_ignore_ascii_case(name));
    found
        .unwrap_or_else(|| panic!("{name} in {head}"))
        .1
        .to_owned()
}

#[service_test]
async fn the_visitor_is_sent_to_discord_with_pkce_and_the_scope_identify_only(app: TestApp) {
    let begun = app.begin_sign_in("discord").await;
    assert_eq!(begun.url.path(), "/oauth2/authorize");
    for (name, expected) in [
        ("response_type", "code"),
        ("client_id", "1234567890"),
        ("scope", "identify"),
        ("redirect_uri", RETURN_TO),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(begun.parameter(name), expected);
    }
    assert_eq!(begun.parameter("state").len(), 43);
    assert_eq!(begun.parameter("code_challenge").len(), 43);
    assert!(!begun.url.as_str().contains(CLIENT_SECRET));
}

#[service_test]
async fn a_code_is_exchanged_with_the_verifier_of_the_challenge() {
    let (fake, app) = start().await;
    let begun = app.begin_sign_in("discord").await;
    let finished = app
        .finish_sign_in("discord", &begun, &begun.discord_answer())
        .await;
    let made = finished.created();
    assert_eq!(made["created"], true);
    let id = made["user"]["id"].as_i64().expect("an id");
    let identity = &identities(&app, id).await[0];
    assert_eq!(
        (&identity["provider"], &identity["subject"]),
        (&json!("discord"), &json!(DISCORD_ID))
    );

    let exchange = &fake.requests_for(TOKEN)[0];
    assert_eq!(exchange.method, "POST");
    let fields = exchange.fields();
    let field = |name: &str| {
        let mut found = fields.iter().filter(|(other, _)| other == name);
        found.next().map(|(_, value)| value.as_str())
    };
    assert_eq!(field("grant_type"), Some("authorization_code"));
    assert_eq!(field("code"), Some("the-code-of-the-tests"));
    assert_eq!(field("redirect_uri"), Some(RETURN_TO));
    let verifier = field("code_verifier").expect("a verifier");
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    assert_eq!(begun.parameter("code_challenge"), challenge);
    let basic = STANDARD.encode(format!("1234567890:{CLIENT_SECRET}"));
    assert_eq!(
        header(&exchange.head, "authorization"),
        format!("Basic {basic}")
    );

    let me = &fake.requests_for(ME)[0];
    assert_eq!(me.method, "GET");
    assert_eq!(
        header(&me.head, "authorization"),
        format!("Bearer {ACCESS_TOKEN}")
    );
    assert_eq!(fake.requests().len(), 3);
}

#[service_test]
async fn the_token_is_revoked_also_if_the_user_cannot_be_read() {
    let (fake, app) = start().await;
    for (i, me) in [None, Some(Reply::Body(403, "{}".into()))]
        .into_iter()
        .enumerate()
    {
        if let Some(reply) = me {
            fake.replies(ME, reply);
        }
        let begun = app.begin_sign_in("discord").await;
        app.finish_sign_in("discord", &begun, &begun.discord_answer())
            .await;
        let revoked = fake.requests_for(REVOKE);
        assert_eq!(revoked.len(), i + 1);
        let fields = revoked[i].fields();
        assert!(
            fields.contains(&("token".into(), ACCESS_TOKEN.into())),
            "{fields:?}"
        );
        header(&revoked[i].head, "authorization");
    }
}

async fn refuses(app: &TestApp, begun: &Begun, query: &str) {
    let refused = app.finish_sign_in("discord", begun, query).await;
    refused.error(422, "sign_in_failed");
    assert_eq!(users(app).await, 0, "{query}");
}

#[service_test]
async fn an_answer_without_one_code_gives_422() {
    let (fake, app) = start().await;
    let begun = app.begin_sign_in("discord").await;
    let state = begun.parameter("state");
    for wrong in [
        format!("state={state}"),
        format!("code=a&code=a&state={state}"),
    ] {
        refuses(&app, &begun, &wrong).await;
    }
    assert_eq!(fake.requests().len(), 0);
    let right = begun.discord_answer();
    app.finish_sign_in("discord", &begun, &right)
        .await
        .created();
}

#[service_test]
async fn an_error_of_discord_gives_422_and_declining_sign_in_cancelled() {
    let (fake, app) = start().await;
    let begun = app.begin_sign_in("discord").await;
    let right = begun.discord_answer();
    refuses(&app, &begun, &format!("{right}&error=server_error")).await;
    refuses(
        &app,
        &begun,
        &format!("{right}&error=access_denied&error=access_denied"),
    )
    .await;
    let declined = format!("{right}&error=access_denied");
    let answer = app.finish_sign_in("discord", &begun, &declined).await;
    answer.error(422, "sign_in_cancelled");
    assert_eq!(fake.requests().len(), 0);
    app.finish_sign_in("discord", &begun, &right)
        .await
        .created();
}

async fn refuses_replies(path: &str, replies: &[Reply]) {
    let fake = Fake::start().await;
    let app = TestApp::start_with_providers(&fake).await;
    for reply in replies {
        fake.replies(path, reply.clone());
        let begun = app.begin_sign_in("discord").await;
        refuses(&app, &begun, &begun.discord_answer()).await;
    }
    fake.behaves_again();
    let begun = app.begin_sign_in("discord").await;
    let right = begun.discord_answer();
    app.finish_sign_in("discord", &begun, &right)
        .await
        .created();
}

#[service_test]
async fn a_code_that_discord_refuses_gives_422() {
    let refused = Reply::Body(400, r#"{"error":"invalid_grant"}"#.into());
    let with_token = json!({ "access_token": ACCESS_TOKEN, "token_type": "Bearer" }).to_string();
    refuses_replies(TOKEN, &[refused, Reply::Body(401, with_token)]).await;
}

#[service_test]
async fn a_reply_without_a_usable_token_gives_422() {
    let of = |token: &str, kind: &str| {
        Reply::ok(json!({ "access_token": token, "token_type": kind }).to_string())
    };
    refuses_replies(
        TOKEN,
        &[
            Reply::ok("{}"),
            Reply::ok("not JSON"),
            of("", "Bearer"),
            of("a b", "Bearer"),
            of("a\r\nb: c", "Bearer"),
            of(&"a".repeat(5000), "Bearer"),
            of("abc", "mac"),
            Reply::ok(r#"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#),
        ],
    )
    .await;
}

#[service_test]
async fn an_id_that_is_not_one_of_discord_gives_422() {
    let of = |id: serde_json::Value| Reply::ok(json!({ "id": id }).to_string());
    refuses_replies(
        ME,
        &[
            of(json!("")),
            of(json!("gordon")),
            of(json!(80_351_110_224_678_912_i64)),
            of(json!("8035111022467891")),
            of(json!("803511102246789128035")),
            of(json!("08035111022467891")),
            of(json!("8035111022467891２")),
            Reply::ok("{}"),
            Reply::ok(r#"{"id":"80351110224678912","id":"80351110224678913"}"#),
            Reply::Body(401, json!({ "id": DISCORD_ID }).to_string()),
        ],
    )
    .await;
}

#[service_test]
async fn a_token_that_cannot_be_revoked_gives_422() {
    refuses_replies(REVOKE, &[Reply::Body(400, "{}".into())]).await;
}
