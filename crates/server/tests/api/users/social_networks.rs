use serde_json::{Value, json};

use crate::support::{Client, TestApp, assert_fields};

const LINKS: &str = "/api/users/1/social-networks";
const NETWORKS: [&str; 12] = [
    "steam",
    "discord",
    "vk",
    "telegram",
    "youtube",
    "twitch",
    "x",
    "facebook",
    "instagram",
    "tiktok",
    "github",
    "website",
];

fn link_body(network_id: impl Into<Value>, profile_url: impl Into<Value>) -> Value {
    json!({ "network_id": network_id.into(), "profile_url": profile_url.into() })
}

#[service_test]
async fn every_network_can_be_linked_once_422(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.user("berta").await;
    let mut expected = Vec::new();
    for (at, network) in NETWORKS.iter().enumerate() {
        let answer = admin.post(LINKS, link_body(at + 1, "gordon")).await;
        let added = answer.created();
        assert_fields(&added, &["message", "social_network"]);
        assert_fields(&added["social_network"], &["id", "network", "profile_url"]);
        assert_eq!(added["social_network"]["network"], *network);
        assert_eq!(added["social_network"]["profile_url"], "gordon");
        expected.push(added["social_network"].clone());
    }
    let listed = admin.get(LINKS).await;
    assert_eq!(listed.ok(), json!({ "social_networks": expected }));
    assert_eq!(listed.header("x-total-count"), "12");

    let again = admin.post(LINKS, link_body(3, "freeman")).await;
    again.invalid(&[("network_id", "has already been taken")]);
    let other = admin.post("/api/users/2/social-networks", link_body(3, "gordon"));
    other.await.created();
}

#[service_test]
async fn a_link_that_is_not_a_url_or_a_handle_gives_422(app: TestApp, admin: Client) {
    app.user("anna").await;
    let unknown = "is not the id of a social network";
    for id in [json!(0), json!(13), json!("1"), json!(1.5), json!(true)] {
        let answer = admin.post(LINKS, link_body(id, "gordon")).await;
        answer.invalid(&[("network_id", unknown)]);
    }
    admin.post(LINKS, json!({})).await.invalid(&[
        ("network_id", "is required"),
        ("profile_url", "is required"),
    ]);
    let wrong = "must be an http or https address, or a handle without spaces";
    let long = "must be 1 to 2048 characters long";
    for (url, sentence) in [
        ("", long),
        (&"x".repeat(2049), long),
        ("  ", "must not be blank"),
        ("gordon freeman", wrong),
        ("gordon\n", wrong),
        ("https://example.com/a b", wrong),
        ("https://", wrong),
        ("javascript:alert(1)", wrong),
        ("JavaScript:alert(1)", wrong),
        ("data:text/html,x", wrong),
        ("ftp://example.com", wrong),
    ] {
        let answer = admin.post(LINKS, link_body(1, url)).await;
        answer.invalid(&[("profile_url", sentence)]);
    }
    for (at, url) in [
        "https://steamcommunity.com/id/gordon?l=en#top",
        "HTTP://example.com",
        "https://пример.рф/путь",
        "@gordon",
        "gordon#1234",
        "STEAM_0:1:4491990",
        &"x".repeat(2048),
    ]
    .iter()
    .enumerate()
    {
        let added = admin.post(LINKS, link_body(at + 1, *url)).await.created();
        assert_eq!(added["social_network"]["profile_url"], *url);
    }
}

#[service_test]
async fn a_link_of_another_user_gives_404(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.user("berta").await;
    let answer = admin.post(LINKS, link_body(12, "example.com")).await;
    let added = answer.created();
    let id = &added["social_network"]["id"];

    for (user, link) in [
        ("2", id.to_string()),
        ("9", id.to_string()),
        ("1", "12".into()),
    ] {
        let path = format!("/api/users/{user}/social-networks/{link}");
        admin.delete(&path).await.not_found();
    }
    let path = format!("{LINKS}/{id}");
    assert_fields(&admin.delete(&path).await.ok(), &["message"]);
    admin.delete(&path).await.not_found();
    assert_eq!(admin.get(LINKS).await.ok()["social_networks"], json!([]));
    admin.post(LINKS, link_body(12, "again")).await.created();
}
