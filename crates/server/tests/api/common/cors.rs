//! Pages of other origins.

use kernel::http::cors::Cors;
use reqwest::Method;
use serde_json::json;

use crate::support::{Answer, Client, SESSION, TestApp, console_sign_in};

const PANEL: &str = "https://panel.example.org";

async fn start(origins: &[&str]) -> TestApp {
    let origins = origins.iter().map(|origin| origin.parse().expect(origin));
    TestApp::start_with(|limits| limits.cors = Cors::new(origins.collect())).await
}

async fn preflight(client: &Client, origin: &str, path: &str) -> Answer {
    let asking = client
        .with("Origin", origin)
        .with("Access-Control-Request-Method", "PUT")
        .with("Access-Control-Request-Headers", "x-api-key,if-match");
    asking.send(Method::OPTIONS, path, None).await
}

fn cors_headers(answer: &Answer) -> Vec<String> {
    let names = answer.headers.keys().map(|name| name.to_string());
    let is_cors = |name: &String| name.starts_with("access-control-");
    let mut found: Vec<String> = names.filter(is_cors).collect();
    found.sort();
    found
}

fn varies_by_origin(answer: &Answer) -> bool {
    let mut lines = answer.headers.get_all("vary").iter();
    lines.any(|line| line == "origin")
}

#[service_test]
async fn a_preflight_from_a_listed_origin_says_what_a_page_may_send() {
    let app = start(&["http://localhost:3000", PANEL]).await;
    for path in ["/api/roles/1", "/api/nothing", "/openapi.json"] {
        let answer = preflight(&app.anonymous(), PANEL, path).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), PANEL);
        assert!(varies_by_origin(&answer));
        let methods = answer.header("access-control-allow-methods");
        assert_eq!(methods, "GET, HEAD, POST, PUT, DELETE");
        let headers = answer.header("access-control-allow-headers");
        for name in ["Authorization", "X-API-Key", "Content-Type", "If-Match"] {
            assert!(headers.split(", ").any(|header| header == name), "{name}");
        }
        assert_eq!(answer.header("access-control-max-age"), "600");
        assert!(answer.has_header("x-request-id"));
    }
}

#[service_test(start(&[PANEL]))]
async fn a_page_of_a_listed_origin_can_read_replies_errors_and_their_headers(app: TestApp) {
    let page = app.admin().with("Origin", PANEL);
    let created = page.post("/api/roles", json!({ "name": "Guard" })).await;
    for (status, answer) in [
        (201, created),
        (200, page.get("/api/roles").await),
        (200, page.get("/openapi.json").await),
        (404, page.get("/api/nothing").await),
        (422, page.post("/api/roles", json!({})).await),
        (
            401,
            app.anonymous()
                .with("Origin", PANEL)
                .get("/api/roles")
                .await,
        ),
    ] {
        assert_eq!(answer.status, status, "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), PANEL);
        assert!(varies_by_origin(&answer));
        let exposed = answer.header("access-control-expose-headers");
        for name in ["ETag", "Link", "Location", "X-Request-Id", "X-Total-Count"] {
            assert!(exposed.split(", ").any(|header| header == name), "{name}");
        }
        assert!(!answer.has_header("access-control-allow-credentials"));
    }
}

#[service_test(start(&[PANEL]))]
async fn other_origins_and_other_paths_get_no_cors_headers(admin: Client) {
    for origin in [
        "https://panel.example.org.evil.example",
        "https://panel.example.org:8443",
        "http://panel.example.org",
        "https://PANEL.example.org",
        "null",
        "*",
        "",
    ] {
        let answer = admin.with("Origin", origin).get("/api/roles").await;
        answer.ok();
        assert_eq!(cors_headers(&answer), [""; 0], "{origin}");
        assert!(varies_by_origin(&answer), "{origin}");
        let answer = preflight(&admin, origin, "/api/roles").await;
        assert_eq!(answer.status, 204);
        assert_eq!(cors_headers(&answer), [""; 0], "{origin}");
        assert!(answer.has_header("allow"));
    }
    for path in ["/metrics", "/healthz", "/docs", "/nothing"] {
        let answer = admin.with("Origin", PANEL).get(path).await;
        assert_eq!(cors_headers(&answer), [""; 0], "{path}");
    }
    let answer = admin.get("/api/roles").await;
    assert!(varies_by_origin(&answer), "a cache must not reuse it");
}

#[service_test(start(&["*"]))]
async fn any_origin_is_allowed_without_credentials(app: TestApp) {
    app.operator("anna", &["admin.roles"]).await;
    for origin in [PANEL, "null", "http://localhost:3000"] {
        let answer = app.admin().with("Origin", origin).get("/api/roles").await;
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert!(!answer.has_header("access-control-allow-credentials"));
        assert!(!varies_by_origin(&answer));
        let answer = preflight(&app.anonymous(), origin, "/api/roles").await;
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert!(!answer.has_header("access-control-allow-credentials"));
    }
    // Signing in, and writes with a cookie, are for pages of the service alone.
    let page = app.anonymous().with("Origin", PANEL);
    let answer = page.post(SESSION, console_sign_in("anna")).await;
    answer.error(403, "cross_site");
}

#[service_test]
async fn without_the_option_there_are_no_cors_headers(admin: Client) {
    let read = admin.with("Origin", PANEL).get("/api/roles").await;
    let asked = preflight(&admin, PANEL, "/api/roles").await;
    for answer in [read, asked] {
        assert_eq!(cors_headers(&answer), [""; 0]);
        assert!(!varies_by_origin(&answer));
    }
}
