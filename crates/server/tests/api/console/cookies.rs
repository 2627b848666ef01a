//! Cookies, and where a request with one may come from.

use kernel::types::IpNetworks;
use serde_json::json;

use crate::support::{SESSION, TestApp, console_sign_in, cookie, unknown_key};

#[service_test]
async fn a_write_with_a_cookie_from_elsewhere_gives_403_cross_site(app: TestApp) {
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
        // Another site does not see the answer to a read, but could measure it.
        let read = client.get("/api/roles").await;
        match value {
            "cross-site" | "same-site" => drop(read.error(403, "cross_site")),
            _ => drop(read.ok()),
        }
        let out = client.delete("/api/console/sessions/999").await;
        assert_eq!(out.status, if allowed { 404 } else { 403 }, "{value}");
    }
    let elsewhere = app.anonymous().with("Sec-Fetch-Site", "cross-site");
    let answer = elsewhere.post(SESSION, console_sign_in("anna")).await;
    answer.error(403, "cross_site");
    assert_eq!(cookie(&answer, "steward"), None);
}

#[service_test]
async fn a_link_from_elsewhere_leads_to_downloads_and_nothing_else(app: TestApp) {
    app.operator("anna", &["admin.users", "admin.backups"])
        .await;
    let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let token = cookie(&answer, "steward").expect("a session");
    let bare = app.anonymous().with("Cookie", &format!("steward={token}"));
    for site in ["same-site", "cross-site"] {
        let elsewhere = bare.with("Sec-Fetch-Site", site);
        let script = elsewhere.with("Sec-Fetch-Mode", "no-cors");
        let link = elsewhere.with("Sec-Fetch-Mode", "navigate");
        let frame = link.with("Sec-Fetch-Dest", "iframe");
        let link = link.with("Sec-Fetch-Dest", "document");
        for path in ["/api/users/export", "/api/backups/none.db"] {
            let followed = if path.ends_with("export") { 200 } else { 404 };
            assert_eq!(link.get(path).await.status, followed, "{path}");
            script.get(path).await.error(403, "cross_site");
            frame.get(path).await.error(403, "cross_site");
        }
        link.get("/api/users").await.error(403, "cross_site");
    }
    // An API key is not sent by a browser on its own.
    let key = app.admin().with("Sec-Fetch-Site", "cross-site");
    key.get("/api/users").await.ok();
}

#[service_test]
async fn a_browser_stores_nothing_that_is_read_with_a_cookie(app: TestApp) {
    app.operator("anna", &["admin.users"]).await;
    let anna = app.signed_in("anna").await;
    let tag = anna.etag("/api/users/1").await;
    for client in [anna.clone(), anna.with("If-None-Match", &tag)] {
        for path in ["/api/users/1", "/api/users", SESSION] {
            let answer = client.get(path).await;
            assert!([200, 304].contains(&answer.status), "{answer:?}");
            assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        }
    }
    let program = app.admin().get("/api/users/1").await;
    assert_eq!(program.header("cache-control"), "private, no-cache");
}

#[service_test]
async fn with_both_a_key_and_a_cookie_the_key_counts(app: TestApp) {
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

#[service_test]
async fn behind_a_proxy_with_https_the_cookie_is_secure_and_has_the_host_prefix() {
    let proxy = IpNetworks::from_stored("127.0.0.1");
    let app = TestApp::start_with(|limits| limits.trusted_proxies = proxy).await;
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

#[service_test]
async fn only_hashes_of_tokens_are_stored(app: TestApp) {
    app.operator("anna", &[]).await;
    let answer = app.anonymous().post(SESSION, console_sign_in("anna")).await;
    let token = cookie(&answer, "steward").expect("a session");
    let hash = kernel::auth::console::token_hash(&token);
    let mut read = app.core().db.read().await.expect("a reader");
    let sql = "SELECT token_hash FROM console_sessions";
    let stored: Vec<u8> = read
        .query_one(sql, &[], |row| row.get(0))
        .await
        .expect("a session");
    assert_eq!(stored, hash);
}
