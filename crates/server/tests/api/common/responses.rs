//! Properties of every response.

use std::collections::HashSet;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::json;

use crate::support::{Client, RawConnection, TestApp, listen};

const SECURITY: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'",
    ),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

async fn panics() {
    panic!("this handler always does");
}

#[service_test]
async fn every_response_has_x_request_id_and_security_headers() {
    let app = TestApp::start_with(|limits| {
        limits.request_time = Duration::from_secs(8);
        limits.body_bytes = 100;
    })
    .await;
    let admin = app.admin();
    admin.create_role("Guard").await;
    let router = Router::new()
        .route("/sleep", get(std::future::pending::<()>))
        .route("/panic", get(panics));
    let broken = listen(&app.app, kernel::http::wrap(&app.app.kernel, router)).await;
    let broken = Client::new(&broken, None);
    let without_permissions = app.actor(&[]).await;

    let large = json!({ "name": "x".repeat(200) });
    for (status, answer) in [
        (200, admin.get("/api/roles").await),
        (200, admin.get("/api/roles/1").await),
        (200, admin.get("/healthz").await),
        (200, admin.get("/metrics").await),
        (200, admin.get("/openapi.json").await),
        (
            201,
            admin.post("/api/roles", json!({ "name": "Cook" })).await,
        ),
        (
            304,
            admin.with("If-None-Match", "*").get("/api/roles/1").await,
        ),
        (401, app.anonymous().get("/api/roles").await),
        (403, without_permissions.get("/api/roles").await),
        (404, admin.get("/api/roles/99").await),
        (404, admin.get("/nowhere").await),
        (405, admin.send(Method::PATCH, "/api/roles", None).await),
        (
            412,
            admin.with("If-Match", "\"x\"").delete("/api/roles/1").await,
        ),
        (413, admin.post("/api/roles", large).await),
        (422, admin.post("/api/roles", json!({})).await),
        (500, broken.get("/panic").await),
        (503, broken.get("/sleep").await),
    ] {
        assert_eq!(answer.status, status, "{answer:?}");
        for (name, value) in SECURITY {
            assert_eq!(answer.header(name), value, "{answer:?}");
        }
        assert!(!answer.header("x-request-id").is_empty());
        let cached = match status {
            304 => "private, no-cache",
            200 if answer.is_of("/openapi.json") => "no-cache",
            200 if answer.has_header("etag") => "private, no-cache",
            _ => "no-store",
        };
        assert_eq!(answer.header("cache-control"), cached, "{answer:?}");
        for telling in ["server", "x-powered-by"] {
            assert!(!answer.has_header(telling), "{telling}");
        }
    }
}

#[service_test(TestApp::start_with(|limits| limits.connections = 0))]
async fn a_503_over_the_connection_limit_has_the_same_headers(app: TestApp) {
    let mut connection = RawConnection::connect(&app.address).await;
    connection
        .send("GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n")
        .await;
    let answer = connection.answer().await;
    answer.error(503, "busy");
    for (name, value) in SECURITY {
        assert_eq!(answer.header(name), Some(value), "{answer:?}");
    }
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("connection"), Some("close"));
}

/// Headers and body before decompression.
async fn fetch(app: &TestApp, path: &str, accepted: Option<&str>) -> (HeaderMap, Vec<u8>) {
    let mut call = reqwest::Client::new()
        .get(format!("{}{path}", app.address))
        .header("X-API-Key", app.admin_key());
    if let Some(accepted) = accepted {
        call = call.header("Accept-Encoding", accepted);
    }
    let response = call.send().await.expect("a response");
    let headers = response.headers().clone();
    (headers, response.bytes().await.expect("a body").to_vec())
}

#[service_test]
async fn a_body_is_compressed_on_accept_encoding(app: TestApp) {
    for path in ["/openapi.json", "/docs", "/api/permissions/catalog"] {
        let (headers, plain) = fetch(&app, path, None).await;
        assert!(!headers.contains_key("content-encoding"), "{path}");
        for refused in [
            "identity",
            "gzip;q=0",
            "br",
            "unheard-of",
            "identity;q=0",
            "*;q=0",
        ] {
            let (headers, body) = fetch(&app, path, Some(refused)).await;
            assert!(!headers.contains_key("content-encoding"), "{refused}");
            assert!(body == plain, "{refused}");
        }

        for asked in ["gzip", "gzip, deflate, br", "zstd;q=0.5, gzip;q=1.0"] {
            let (headers, packed) = fetch(&app, path, Some(asked)).await;
            assert_eq!(headers["content-encoding"], "gzip", "{asked}");
            assert_eq!(headers["vary"], "accept-encoding", "{asked}");
            assert!(packed.len() < plain.len() / 2);
            // gzip ends with the checksum and the length of the uncompressed data.
            let (_, sum) = packed.split_at(packed.len() - 8);
            assert_eq!(sum[..4], crc32fast::hash(&plain).to_le_bytes());
            assert_eq!(sum[4..], (plain.len() as u32).to_le_bytes());
        }
        for asked in ["zstd", "gzip, deflate, br, zstd", "gzip;q=0.5, zstd"] {
            let (headers, packed) = fetch(&app, path, Some(asked)).await;
            assert_eq!(headers["content-encoding"], "zstd", "{asked}");
            assert_eq!(headers["vary"], "accept-encoding", "{asked}");
            assert!(packed.len() < plain.len() / 2);
            let unpacked = zstd::decode_all(&packed[..]).expect("zstd");
            assert!(unpacked == plain, "{path}");
        }
    }
}

#[service_test]
async fn a_small_body_and_the_metrics_are_not_compressed(app: TestApp) {
    for path in ["/metrics", "/healthz", "/nowhere", "/api/status"] {
        let (headers, body) = fetch(&app, path, Some("gzip, br, zstd")).await;
        assert!(!headers.contains_key("content-encoding"), "{path}");
        assert!(std::str::from_utf8(&body).is_ok(), "{path}");
    }
}

#[service_test]
async fn the_etag_of_a_compressed_body_differs_and_if_match_accepts_all(app: TestApp) {
    let admin = app.admin();
    let page = json!({ "title": "T", "slug": "t", "content": "word ".repeat(1000) });
    admin.post("/api/cms-pages", page).await.created();
    let path = "/api/cms-pages/1";
    let (plain, _) = fetch(&app, path, None).await;
    let (packed, _) = fetch(&app, path, Some("gzip")).await;
    let (zstd, _) = fetch(&app, path, Some("zstd")).await;
    assert_eq!(packed["content-encoding"], "gzip");
    assert_eq!(zstd["content-encoding"], "zstd");
    let tags = [&plain, &packed, &zstd].map(|headers| &headers["etag"]);
    assert_eq!(HashSet::from(tags).len(), 3, "{tags:?}");
    for tag in tags {
        let tag = tag.to_str().expect("text");
        for accepted in ["identity", "gzip", "zstd"] {
            let reader = admin.with("Accept-Encoding", accepted);
            let answer = reader.with("If-None-Match", tag).get(path).await;
            assert_eq!((answer.status, answer.header("etag")), (304, tag));
        }
        let writer = admin.with("If-Match", tag);
        writer.put(path, json!({ "title": "T" })).await.ok();
    }
    admin.put(path, json!({ "title": "Other" })).await.ok();
    let tag = packed["etag"].to_str().expect("text");
    let answer = admin.with("If-Match", tag).delete(path).await;
    answer.error(412, "precondition_failed");
    let answer = admin.with("If-None-Match", tag).get(path).await;
    assert_eq!(answer.status, 200);
}

#[service_test]
async fn head_is_get_without_the_body(admin: Client) {
    admin.create_role("Guard").await;
    for (path, status) in [
        ("/api/roles", 200),
        ("/api/roles/1", 200),
        ("/api/roles/99", 404),
        ("/api/roles?page=0", 422),
        ("/healthz", 200),
        ("/openapi.json", 200),
        ("/docs", 200),
        ("/nowhere", 404),
    ] {
        let whole = admin.get(path).await;
        let head = admin.send(Method::HEAD, path, None).await;
        assert_eq!((whole.status, head.status), (status, status), "{path}");
        assert_eq!(head.text, "", "{path}");
        for name in ["content-type", "content-length"] {
            assert_eq!(head.header(name), whole.header(name), "{path}");
        }
        for name in ["etag", "x-total-count"] {
            assert_eq!(head.headers.get(name), whole.headers.get(name), "{path}");
        }
    }
}
