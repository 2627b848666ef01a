//! `include=roles,social,block`: what lists, search, look-ups and single reads show in addition.

use serde_json::{Value, json};

use crate::support::{Client, TestApp, assert_fields};

const ITEM: [&str; 5] = ["id", "username", "email", "created_at", "status"];
const DETAIL: [&str; 7] = [
    "id",
    "username",
    "email",
    "status",
    "created_at",
    "updated_at",
    "roles",
];
const FAULT: &str = "must be one or more of roles, social and block, separated by commas";

/// Anna has everything, Annabel nothing, and the block of Annika expires at once.
async fn people() -> TestApp {
    let app = TestApp::start().await;
    let admin = app.admin();
    for name in ["anna", "annabel", "annika"] {
        app.user(name).await;
    }
    for name in ["Guard", "VIP"] {
        let body = json!({ "name": name, "description": "Of honour." });
        admin.post("/api/roles", body).await.created();
    }
    let body = json!({ "role_ids": [2, 1] });
    admin.put("/api/users/1/roles", body).await.ok();
    app.link(1, 2, "80351110224678912").await;
    app.link(1, 1, "[U:1:8983980]").await;
    let body = json!({ "reason": "Spam", "until": "2026-03-02T00:00:00Z" });
    admin.post("/api/users/1/block", body).await.ok();
    let body = json!({ "until": "2026-03-01T12:00:10Z" });
    admin.post("/api/users/3/block", body).await.ok();
    app.advance(10);
    app
}

fn roles() -> Value {
    json!([
        { "id": 1, "name": "Guard", "description": "Of honour.", "expires_at": null },
        { "id": 2, "name": "VIP", "description": "Of honour.", "expires_at": null },
    ])
}

fn links() -> Value {
    json!([
        { "id": 1, "network": "discord", "profile_url": "80351110224678912" },
        { "id": 2, "network": "steam", "profile_url": "76561197969249708" },
    ])
}

fn block() -> Value {
    json!({
        "reason": "Spam",
        "until": "2026-03-02T00:00:00Z",
        "at": "2026-03-01T12:00:00Z",
        "by": { "kind": "key", "id": 1, "name": "admin" },
    })
}

#[service_test(people())]
async fn lists_and_search_show_the_parts_of_include(admin: Client) {
    for list in ["/api/users?", "/api/users/search?q=ann&"] {
        let plain = admin.get(&format!("{list}per_page=3")).await.ok();
        let path = format!("{list}per_page=3&include=roles,social,block");
        let mut reply = admin.get(&path).await.ok();
        let expected = [
            (roles(), links(), block()),
            (json!([]), json!([]), Value::Null),
            (json!([]), json!([]), Value::Null),
        ];
        for (at, (roles, links, block)) in expected.into_iter().enumerate() {
            let user = &mut reply["users"][at];
            assert_eq!(user["roles"], roles, "{path}");
            assert_eq!(user["social_networks"], links, "{path}");
            assert_eq!(user["block"], block, "{path}");
            let fields = user.as_object_mut().expect("a user");
            assert_eq!(fields.len(), 8, "{path}");
            for added in ["roles", "social_networks", "block"] {
                fields.remove(added);
            }
        }
        assert_eq!(reply, plain, "{path}");
        for user in plain["users"].as_array().expect("a list") {
            assert_fields(user, &ITEM);
        }
        for (include, field) in [
            ("roles", "roles"),
            ("social", "social_networks"),
            ("block", "block"),
        ] {
            let reply = admin.get(&format!("{list}include={include}")).await.ok();
            let fields = [&ITEM[..], &[field]].concat();
            for user in reply["users"].as_array().expect("a list") {
                assert_fields(user, &fields);
            }
        }
    }
}

#[service_test(people())]
async fn single_reads_and_lookups_show_the_parts_of_include(admin: Client) {
    let read = async |query: &str| {
        let by_id = admin.get(&format!("/api/users/1{query}")).await;
        let path = format!("/api/users/by-social/discord/80351110224678912{query}");
        let by_social = admin.get(&path).await;
        assert_eq!(by_social.ok(), by_id.ok(), "{query}");
        assert_eq!(by_social.header("etag"), by_id.header("etag"), "{query}");
        let body = json!({ "network": "discord", "values": ["80351110224678912"] });
        let lookup = admin.post(&format!("/api/users/lookup{query}"), body).await;
        assert_eq!(
            lookup.ok()["users"][0]["user"],
            by_id.ok()["user"],
            "{query}"
        );
        by_id
    };
    let plain = read("").await;
    assert_fields(&plain.ok()["user"], &DETAIL);
    let tag = plain.header("etag");
    // Roles are always there; `include` adds their ends.
    assert_eq!(read("?include=roles").await.ok()["user"]["roles"], roles());

    let whole = read("?include=block,social,roles,block").await;
    let mut expected = plain.ok();
    expected["user"]["roles"] = roles();
    expected["user"]["social_networks"] = links();
    expected["user"]["block"] = block();
    assert_eq!(whole.ok(), expected);
    let state = |tag: &str| tag.split('.').next().map(str::to_owned);
    assert_ne!(whole.header("etag"), tag);
    assert_eq!(state(whole.header("etag")), state(tag));
    let careful = admin.with("If-Match", whole.header("etag"));
    careful.post_empty("/api/users/1/unblock").await.ok();
    let reply = read("?include=block").await.ok();
    assert_eq!(reply["user"]["block"], Value::Null);
}

#[service_test(people())]
async fn an_unknown_include_gives_422(admin: Client) {
    for include in [
        "",
        "devices",
        "roles,",
        "roles,devices",
        "Roles",
        "roles;block",
    ] {
        for path in [
            "/api/users?include=",
            "/api/users/search?q=ann&include=",
            "/api/users/by-social/steam/x?include=",
        ] {
            let answer = admin.get(&format!("{path}{include}")).await;
            answer.invalid(&[("include", FAULT)]);
        }
        let path = format!("/api/users/lookup?include={include}");
        let body = json!({ "network": "steam", "values": ["x"] });
        admin.post(&path, body).await.invalid(&[("include", FAULT)]);
    }
    let answer = admin.get("/api/users?include=devices&role_id=x").await;
    answer.invalid(&[
        ("include", FAULT),
        ("role_id", "must be an integer of at least 1"),
    ]);
}

#[service_test(people())]
async fn the_next_page_keeps_include(admin: Client) {
    let first = admin.get("/api/users?per_page=1&include=social").await;
    let link = first.header("link");
    assert_eq!(link.matches("include=social").count(), 3, "{link}");
    let export = admin.get("/api/users/export?include=social").await;
    assert!(
        !export.text.contains("80351110224678912"),
        "exports ignore it"
    );
}

#[service_test(people())]
async fn include_operator_tells_those_who_may_read_operators(app: TestApp, admin: Client) {
    app.permit(2, &["admin.roles"]).await;
    for (id, is_operator) in [(1, false), (2, true)] {
        let user = admin
            .get(&format!("/api/users/{id}?include=operator"))
            .await;
        assert_eq!(user.ok()["user"]["operator"], is_operator);
        let plain = admin.get(&format!("/api/users/{id}")).await.ok();
        assert_fields(&plain["user"], &DETAIL);
    }
    let path = "/api/users/2?include=block,operator";
    let reader = app
        .actor(&["admin.users.read", "admin.api-keys.read"])
        .await;
    reader.get(path).await.ok();
    let reader = app.actor(&["admin.users.read"]).await;
    reader.get(path).await.forbidden(" admin.api-keys.read.");
    reader.get("/api/users/2?include=block").await.ok();
    let answer = admin.get("/api/users/1?include=devices").await;
    let fault = "must be one or more of roles, social, block and operator, separated by commas";
    answer.invalid(&[("include", fault)]);
    for path in ["/api/users", "/api/users/by-social/steam/x"] {
        let answer = admin.get(&format!("{path}?include=operator")).await;
        answer.invalid(&[("include", FAULT)]);
    }
}
