//! Cookies, and where a request with one may come from.

use kernel::Limits;
use kernel::types::IpNetworks;
use serde_json::json;

use crate::support::{SESSION, TestApp, console_sign_in, cookie, unknown_key};

#[tokio::test(flavor = "multi_thread")]
async fn a_write_with_a_cookie_from_elsewhere_gives_403_cross_site() {
    let app = TestApp::start().await;
    app.operator("anna", &["admin.roles"]).await;
    let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let token = cookie(&answer, "steward").expect("a session");
    let bare = app.anonymous().with("Cookie", &format!("steward={token}"));
    let role = || json!({ "name": "Guard" });
    for (header, value, allowed) in [
        ("X-Nothing", "", false),
        ("Sec-Fetch-Site", "cross-site", false),
        ("Sec-Fetch-Site", "same-site", false),
        ("Sec-Fetch-Site", "none", false),
        ("Sec-Fetch-Site", "same-origin", true),
        ("Origin", "http://127.0.0.1:1", false),
        ("Origin", "null", false),
        ("Origin", &app.address, true),
    ] {
        let client = bare.with(header, value);
        let answer = client.post("/api/roles", role()).await;
        match allowed {
            true => drop(answer.created()),
            false => drop(answer.error(403, "cross_site")),
        }
        // Reading is harmless: another site does not see the answer.
        client.get("/api/roles").await.ok();
        let out = client.delete("/api/console/sessions/999").await;
        assert_eq!(out.status, if allowed { 404 } else { 403 }, "{value}");
    }
    let elsewhere = app.anonymous().with("Sec-Fetch-Site", "cross-site");
    let answer = elsewhere.post(SESSION, console_sign_in("anna")).await;
    answer.error(403, "cross_site");
    assert_eq!(cookie(&answer, "steward"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_both_a_key_and_a_cookie_the_key_counts() {
    let app = TestApp::start().await;
    app.operator("anna", &["admin.roles"]).await;
    let anna = app.signed_in("anna").await;
    anna.get("/api/roles").await.ok();
    let wrong = anna.with("X-API-Key", &unknown_key());
    wrong.get("/api/roles").await.unauthorized();
    let (_, other) = app.key(&["admin.users"]).await;
    let both = anna.with("X-API-Key", other.key_value());
    both.get("/api/roles").await.forbidden("admin.roles.read");
    both.get("/api/users").await.ok();
    both.get(SESSION).await.unauthorized();
    let bearer = anna.with("Authorization", &format!("Bearer {}", other.key_value()));
    bearer.get("/api/users").await.ok();
    let proxy = anna.with("Authorization", "Basic dXNlcjpwYXNzd29yZA==");
    proxy.get("/api/roles").await.ok();
    other.get(SESSION).await.unauthorized();
    app.console("x").get("/api/roles").await.unauthorized();
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_proxy_with_https_the_cookie_is_secure_and_has_the_host_prefix() {
    let limits = Limits {
        trusted_proxies: IpNetworks::from_stored("127.0.0.1"),
        ..Limits::default()
    };
    let app = TestApp::start_with(limits).await;
    app.operator("anna", &["admin.roles"]).await;
    let https = app.anonymous().with("X-Forwarded-Proto", "https");
    let answer = https.post(SESSION, console_sign_in("anna")).await;
    answer.created();
    let lines = answer.headers.get_all("set-cookie").iter();
    for line in lines.map(|line| line.to_str().expect("text")) {
        assert!(line.starts_with("__Host-steward"), "{line}");
        for attribute in ["; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/"] {
            assert!(line.contains(attribute), "{line}");
        }
        assert!(!line.contains("Domain"), "{line}");
    }
    let token = cookie(&answer, "__Host-steward").expect("a session");
    https
        .with("Cookie", &format!("__Host-steward={token}"))
        .get("/api/roles")
        .await
        .ok();
    // A cookie that an unencrypted page could have set does not count.
    https
        .with("Cookie", &format!("steward={token}"))
        .get("/api/roles")
        .await
        .unauthorized();
    let plain = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let line = plain.header("set-cookie");
    assert!(
        line.starts_with("steward=") && !line.contains("Secure"),
        "{line}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_hashes_of_tokens_are_stored() {
    let app = TestApp::start().await;
    app.operator("anna", &[]).await;
    let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let token = cookie(&answer, "steward").expect("a session");
    let hash = kernel::auth::console::token_hash(&token);
    let mut read = app.app.db.read().await.expect("a reader");
    let sql = "SELECT token_hash FROM console_sessions";
    let stored: Vec<u8> = read
        .query_one(sql, &[], |row| row.get(0))
        .await
        .expect("a session");
    assert_eq!(stored, hash);
}
