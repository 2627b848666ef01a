//! Each condition that an answer of Steam must meet, alone. The provider of these tests confirms
//! every answer, so only the condition itself can refuse it.

use super::{start, users};
use crate::support::TestApp;
use crate::support::providers::{Fake, LOGIN, RETURN_TO, Reply, STEAM_ID, SteamAnswer, nonce};

/// Asserts that each changed answer is refused, and that the unchanged one then signs in.
async fn refuses(change: impl Fn(SteamAnswer) -> Vec<SteamAnswer>) {
    let (fake, app) = start().await;
    let begun = app.begin_sign_in("steam").await;
    let right = begun.steam_answer(STEAM_ID, &nonce("a"));
    for wrong in change(right.clone()) {
        let answer = app.finish_sign_in("steam", &begun, &wrong.query()).await;
        answer.error(422, "sign_in_failed");
        assert_eq!(users(&app).await, 0, "{wrong:?}");
    }
    assert_eq!(
        fake.requests().len(),
        0,
        "Steam is not asked about such an answer"
    );
    app.finish_sign_in("steam", &begun, &right.query())
        .await
        .created();
}

#[service_test]
async fn the_visitor_is_sent_to_steam_with_the_state_in_return_to(app: TestApp) {
    let begun = app.begin_sign_in("steam").await;
    assert_eq!(begun.url.path(), LOGIN);
    for (name, expected) in [
        ("openid.ns", "http://specs.openid.net/auth/2.0"),
        ("openid.mode", "checkid_setup"),
        ("openid.realm", "https://site.example"),
        (
            "openid.identity",
            "http://specs.openid.net/auth/2.0/identifier_select",
        ),
        (
            "openid.claimed_id",
            "http://specs.openid.net/auth/2.0/identifier_select",
        ),
    ] {
        assert_eq!(begun.parameter(name), expected);
    }
    let return_to = begun.parameter("openid.return_to");
    let state = return_to
        .strip_prefix(&format!("{RETURN_TO}?state="))
        .expect(&return_to);
    assert_eq!(state.len(), 43);
    assert_ne!(
        app.begin_sign_in("steam")
            .await
            .parameter("openid.return_to"),
        return_to
    );
}

#[service_test]
async fn steam_is_asked_about_the_same_parameters_at_the_configured_address() {
    let (fake, app) = start().await;
    let begun = app.begin_sign_in("steam").await;
    let answer = begun.steam_answer(STEAM_ID, &nonce("a+/="));
    app.finish_sign_in("steam", &begun, &answer.query())
        .await
        .created();
    let requests = fake.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(
        (requests[0].method.as_str(), requests[0].path.as_str()),
        ("POST", LOGIN)
    );
    let expected = answer
        .with("openid.mode", "check_authentication")
        .without("state");
    assert_eq!(requests[0].fields(), expected.0);
}

#[service_test]
async fn a_parameter_of_openid_that_is_there_twice_gives_422() {
    let names = ["ns", "mode", "claimed_id", "sig", "response_nonce", "other"];
    refuses(|right| {
        let twice = |name: &&str| {
            let name = format!("openid.{name}");
            let found = right.0.iter().find(|(other, _)| *other == name);
            let value = found.map_or("x", |(_, value)| value).to_owned();
            right.clone().with(&name, &value).adding(&name, &value)
        };
        names.iter().map(twice).collect()
    })
    .await;
}

#[service_test]
async fn another_namespace_gives_422() {
    refuses(|right| {
        vec![
            right
                .clone()
                .with("openid.ns", "http://openid.net/signon/1.1"),
            right.without("openid.ns"),
        ]
    })
    .await;
}

#[service_test]
async fn another_mode_gives_422() {
    refuses(|right| {
        vec![
            right.clone().with("openid.mode", "setup_needed"),
            right.clone().with("openid.mode", "error"),
            right.without("openid.mode"),
        ]
    })
    .await;
}

#[service_test]
async fn another_op_endpoint_gives_422_and_is_not_contacted() {
    let elsewhere = Fake::start_at("127.0.0.3").await;
    let url = format!("{}{LOGIN}", elsewhere.origin());
    refuses(|right| {
        let others = [
            "https://steamcommunity.com.example/openid/login",
            url.as_str(),
        ];
        let with = |other: &&str| right.clone().with("openid.op_endpoint", other);
        let mut wrong: Vec<SteamAnswer> = others.iter().map(with).collect();
        wrong.push(right.clone().with(
            "openid.op_endpoint",
            "http://steamcommunity.com/openid/login",
        ));
        wrong.push(right.without("openid.op_endpoint"));
        wrong
    })
    .await;
    assert_eq!(elsewhere.requests().len(), 0);
}

#[service_test]
async fn an_identity_other_than_the_claimed_id_gives_422() {
    let other = "https://steamcommunity.com/openid/id/76561197960265731";
    refuses(|right| {
        vec![
            right.clone().with("openid.identity", other),
            right.clone().with("openid.claimed_id", other),
            right.without("openid.identity"),
        ]
    })
    .await;
}

#[service_test]
async fn a_claimed_id_that_is_not_at_steam_gives_422() {
    refuses(|right| {
        let with = |id: &str| {
            right
                .clone()
                .with("openid.claimed_id", id)
                .with("openid.identity", id)
        };
        vec![
            with("https://steamcommunity.com.example/openid/id/76561197969249708"),
            with("http://steamcommunity.com/openid/id/76561197969249708"),
            with("https://example.com/?https://steamcommunity.com/openid/id/76561197969249708"),
            with("https://steamcommunity.com/openid/id/76561197969249708/"),
            with("76561197969249708"),
        ]
    })
    .await;
}

#[service_test]
async fn a_claimed_id_that_is_not_of_a_person_gives_422() {
    refuses(|right| {
        // A group, the number after the last person, and other spellings.
        let ids = [
            "103582791429521408",
            "76561202255233024",
            "STEAM_0:0:4491990",
            "076561197969249708",
        ];
        let with = |id: &&str| {
            let id = format!("https://steamcommunity.com/openid/id/{id}");
            right
                .clone()
                .with("openid.claimed_id", &id)
                .with("openid.identity", &id)
        };
        ids.iter().map(with).collect()
    })
    .await;
}

#[service_test]
async fn a_return_to_that_differs_in_a_byte_gives_422() {
    refuses(|right| {
        let sent = right.0.iter().find(|(name, _)| name == "openid.return_to");
        let sent = sent.expect("a page").1.clone();
        let with = |page: String| right.clone().with("openid.return_to", &page);
        vec![
            with(format!("{sent}&")),
            with(sent.replace("https:", "http:")),
            with(sent.replace("site.example", "SITE.example")),
            with(RETURN_TO.to_owned()),
            right.clone().without("openid.return_to"),
        ]
    })
    .await;
}

#[service_test]
async fn a_signature_that_does_not_cover_what_is_read_gives_422() {
    refuses(|right| {
        let all = "op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle";
        let mut wrong: Vec<SteamAnswer> = all
            .split(',')
            .map(|name| {
                let others: Vec<&str> = all.split(',').filter(|other| *other != name).collect();
                right.clone().with("openid.signed", &others.join(","))
            })
            .collect();
        wrong.push(right.clone().with("openid.signed", &format!("x{all}")));
        wrong.push(right.clone().without("openid.signed"));
        wrong.push(right.without("openid.assoc_handle"));
        wrong
    })
    .await;
}

#[service_test]
async fn a_nonce_older_than_5_minutes_gives_422() {
    refuses(|right| {
        let with = |text: &str| right.clone().with("openid.response_nonce", text);
        vec![with("2026-03-01T11:54:59Za"), with("1970-01-01T00:00:00Za")]
    })
    .await;
}

#[service_test]
async fn a_nonce_5_minutes_ahead_gives_422() {
    refuses(|right| vec![right.with("openid.response_nonce", "2026-03-01T12:05:01Za")]).await;
}

#[service_test]
async fn a_nonce_of_5_minutes_ago_or_ahead_is_accepted(app: TestApp) {
    for text in ["2026-03-01T11:55:00Za", "2026-03-01T12:05:00Za"] {
        let begun = app.begin_sign_in("steam").await;
        let query = begun.steam_answer(STEAM_ID, text).query();
        app.finish_sign_in("steam", &begun, &query).await.created();
    }
}

#[service_test]
async fn a_nonce_without_a_time_gives_422() {
    refuses(|right| {
        let with = |text: &str| right.clone().with("openid.response_nonce", text);
        vec![
            with("a"),
            with("2026-03-01T12:00:00+00:00"),
            with("2026-03-01T12:00:00Z\u{e9}"),
            right.clone().without("openid.response_nonce"),
        ]
    })
    .await;
}

#[service_test]
async fn a_nonce_that_was_used_gives_422_also_with_another_state(app: TestApp) {
    let once = nonce("once");
    let first = app.begin_sign_in("steam").await;
    let query = first.steam_answer(STEAM_ID, &once).query();
    app.finish_sign_in("steam", &first, &query).await.created();
    let second = app.begin_sign_in("steam").await;
    let query = second.steam_answer(STEAM_ID, &once).query();
    let refused = app.finish_sign_in("steam", &second, &query).await;
    refused.error(422, "sign_in_failed");
    // The state was not used up.
    let query = second.steam_answer(STEAM_ID, &nonce("other")).query();
    app.finish_sign_in("steam", &second, &query).await.created();
}

#[service_test]
async fn a_visitor_who_declines_gives_422_sign_in_cancelled(app: TestApp) {
    let begun = app.begin_sign_in("steam").await;
    let right = begun.steam_answer(STEAM_ID, &nonce("a"));
    let declined = right.clone().with("openid.mode", "cancel");
    let answer = app.finish_sign_in("steam", &begun, &declined.query()).await;
    answer.error(422, "sign_in_cancelled");
    app.finish_sign_in("steam", &begun, &right.query())
        .await
        .created();
}

#[service_test]
async fn a_reply_that_does_not_confirm_the_answer_gives_422() {
    let (fake, app) = start().await;
    let begun = app.begin_sign_in("steam").await;
    let query = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    for reply in [
        Reply::ok("ns:http://specs.openid.net/auth/2.0\nis_valid:false\n"),
        Reply::ok("is_valid:true\nis_valid:false\n"),
        Reply::ok("is_valid:false\nis_valid:true\n"),
        Reply::ok("xis_valid:true\n"),
        Reply::ok(""),
        Reply::Body(201, "is_valid:true\n".into()),
    ] {
        fake.replies(LOGIN, reply);
        let refused = app.finish_sign_in("steam", &begun, &query).await;
        refused.error(422, "sign_in_failed");
    }
    assert_eq!(users(&app).await, 0);
    fake.behaves_again();
    app.finish_sign_in("steam", &begun, &query).await.created();
}

#[service_test]
async fn a_query_that_cannot_be_decoded_gives_422(app: TestApp) {
    let begun = app.begin_sign_in("steam").await;
    let right = begun.steam_answer(STEAM_ID, &nonce("a")).query();
    for wrong in ["a=%", "a=%zz", "a=%ff", "%c3%28=a"] {
        let query = format!("{right}&{wrong}");
        let refused = app.finish_sign_in("steam", &begun, &query).await;
        refused.error(422, "sign_in_failed");
    }
    let query = format!("?{right}&a=%C3%A9");
    app.finish_sign_in("steam", &begun, &query).await.created();
}
