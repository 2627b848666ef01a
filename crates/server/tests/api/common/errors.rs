use std::collections::{BTreeSet, HashSet};

use reqwest::Method;
use serde_json::json;

use crate::support::{Client, TestApp, unknown_key};

#[service_test]
async fn an_unknown_path_gives_404_with_or_without_a_key(app: TestApp) {
    for client in [app.anonymous(), app.holder(&unknown_key()), app.admin()] {
        for path in [
            "/api/",
            "/api/nothing",
            "/api/roles/",
            "/api/roles/1/nothing",
            "/api/roles/1/permissions/1",
            "/API/roles",
            "//api/roles",
            "/api//roles",
            "/api/roles%2F1",
            "/api/%00",
            "/api/%FF",
        ] {
            for method in [Method::GET, Method::POST, Method::DELETE, Method::PATCH] {
                let body = ("text/plain", b"{".to_vec());
                let answer = client.send_bytes(method, path, Some(body)).await;
                answer.not_found();
            }
        }
    }
}

#[service_test]
async fn a_wrong_method_gives_405_and_allow_with_or_without_a_key(app: TestApp) {
    let all = ["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"];
    for (path, allowed) in [
        ("/api/status", "GET HEAD"),
        ("/api/permissions", "GET HEAD"),
        ("/api/api-keys", "GET HEAD POST"),
        ("/api/api-keys/1", "GET HEAD PUT DELETE"),
        ("/api/api-keys/77", "GET HEAD PUT DELETE"),
        ("/api/api-keys/1/regenerate", "POST"),
        ("/api/api-keys/1/permissions", "PUT"),
        ("/api/roles", "GET HEAD POST"),
        ("/api/roles/abc", "GET HEAD PUT DELETE"),
        ("/api/roles/1/permissions", "PUT"),
        ("/api/audit-log", "GET HEAD"),
    ] {
        let allowed: BTreeSet<&str> = allowed.split(' ').collect();
        for method in all.iter().filter(|method| !allowed.contains(**method)) {
            for client in [app.anonymous(), app.holder(&unknown_key()), app.admin()] {
                let method: Method = method.parse().expect("a method");
                let body = ("text/plain", b"{".to_vec());
                let answer = client.send_bytes(method, path, Some(body)).await;
                answer.error(405, "method_not_allowed");
                let named: BTreeSet<_> = answer.header("allow").split(',').map(str::trim).collect();
                assert_eq!(named, allowed, "{path}");
            }
        }
    }
}

#[service_test]
async fn options_gives_204_and_allow_with_or_without_a_key(app: TestApp) {
    for client in [app.anonymous(), app.holder(&unknown_key()), app.admin()] {
        for (path, allowed) in [
            ("/api/roles", "GET HEAD POST"),
            ("/api/roles/99", "GET HEAD PUT DELETE"),
            ("/api/roles/abc/permissions", "PUT"),
            ("/openapi.json", "GET HEAD"),
            ("/healthz", "GET HEAD"),
        ] {
            let answer = client.send(Method::OPTIONS, path, None).await;
            assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{path}");
            let named: BTreeSet<_> = answer.header("allow").split(',').collect();
            assert_eq!(named, allowed.split(' ').collect(), "{path}");
            assert!(!answer.has_header("content-length"), "{path}");
            assert!(answer.has_header("x-request-id"), "{path}");
        }
        let answer = client.send(Method::OPTIONS, "/nothing", None).await;
        answer.not_found();
    }
}

#[service_test]
async fn an_id_that_is_not_a_positive_integer_gives_404(admin: Client) {
    let body = json!({ "name": "Guard" });
    admin.post("/api/roles", body.clone()).await.created();
    for id in [
        "0",
        "00",
        "-1",
        "+1",
        "1.0",
        "1e0",
        "0x1",
        "abc",
        "1a",
        "1,2",
        "%201",
        "1%20",
        "1%00",
        "%00",
        "%FF",
        "%F0%9F%A6%80",
        "%D9%A1",
        "null",
        "1%27%20OR%201=1",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551617",
        "99999999999999999999999999999999999999",
    ] {
        for list in ["/api/roles", "/api/api-keys"] {
            let path = format!("{list}/{id}");
            admin.get(&path).await.not_found();
            admin.put(&path, body.clone()).await.not_found();
            let ids = json!({ "permission_ids": [] });
            let answer = admin.put(&format!("{path}/permissions"), ids).await;
            answer.not_found();
            admin.delete(&path).await.not_found();
        }
        let path = format!("/api/api-keys/{id}/regenerate");
        admin.post_empty(&path).await.not_found();
    }
    admin.get("/api/roles/1").await.ok();
    admin.get("/api/api-keys/1").await.ok();
}

#[service_test]
async fn a_valid_x_request_id_is_kept(app: TestApp) {
    let longest = "x".repeat(64);
    for id in ["a", "7", "A.b_c-9", "...", longest.as_str()] {
        let admin = app.admin().with("X-Request-Id", id);
        assert_eq!(admin.get("/api/roles").await.header("x-request-id"), id);
        let anonymous = app.anonymous().with("X-Request-Id", id);
        let body = anonymous.get("/api/roles").await.error(401, "unauthorized");
        assert_eq!(body["request_id"], id);
        let body = anonymous.get("/nothing").await.error(404, "not_found");
        assert_eq!(body["request_id"], id);
    }
}

#[service_test]
async fn an_invalid_x_request_id_is_replaced(app: TestApp) {
    let too_long = "x".repeat(65);
    let mut seen = HashSet::new();
    for id in [
        "",
        "a b",
        "a/b",
        "a,b",
        "<b>",
        "é",
        "a\tb",
        too_long.as_str(),
    ] {
        let admin = app.admin().with("X-Request-Id", id);
        for answer in [admin.get("/api/roles").await, admin.get("/nothing").await] {
            let given = answer.header("x-request-id").to_owned();
            assert_eq!(given.len(), 26, "{given}");
            assert!(given.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            assert!(seen.insert(given), "an id is used once");
        }
    }
    let answer = app.admin().get("/api/roles").await;
    assert!(seen.insert(answer.header("x-request-id").to_owned()));
}

#[service_test]
async fn a_content_type_other_than_json_gives_415(app: TestApp, admin: Client) {
    let send = async |kind: &str| {
        let body = br#"{ "name": "Guard" }"#.to_vec();
        admin
            .send_bytes(Method::POST, "/api/roles", Some((kind, body)))
            .await
    };
    for kind in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "Application/JSON",
    ] {
        send(kind).await.created();
    }
    for kind in [
        "",
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
        "json",
    ] {
        send(kind).await.error(415, "unsupported_media_type");
    }
    let unnamed = reqwest::Client::new()
        .post(format!("{}/api/roles", app.address))
        .header("X-API-Key", app.admin_key())
        .body(r#"{ "name": "Guard" }"#);
    assert_eq!(unnamed.send().await.expect("an answer").status(), 415);
    assert_eq!(admin.total("/api/roles").await, "4");
}

fn of_length(length: usize) -> Option<(&'static str, Vec<u8>)> {
    let mut body = br#"{ "name": "Guard" }"#.to_vec();
    body.resize(length, b' ');
    Some(("application/json", body))
}

#[service_test(TestApp::start_with(|limits| limits.body_bytes = 100))]
async fn a_body_over_the_limit_gives_413(admin: Client) {
    let send = async |length| {
        admin
            .send_bytes(Method::POST, "/api/roles", of_length(length))
            .await
    };
    send(100).await.created();
    send(101).await.error(413, "body_too_large");
    send(100).await.created();
}

#[service_test]
async fn the_default_body_limit_is_one_mebibyte(admin: Client) {
    for (length, status) in [(1 << 20, 201), ((1 << 20) + 1, 413)] {
        let body = of_length(length);
        let answer = admin.send_bytes(Method::POST, "/api/roles", body).await;
        answer.expect(status);
    }
}

#[service_test]
async fn an_error_is_application_problem_json_if_accept_asks_for_it(app: TestApp) {
    let without_permissions = app.actor(&[]).await;
    let roles = "/api/roles";
    for (client, method, path, status, title) in [
        (app.admin(), Method::GET, "/nothing", 404, "Not Found"),
        (app.admin(), Method::PATCH, roles, 405, "Method Not Allowed"),
        (app.anonymous(), Method::GET, roles, 401, "Unauthorized"),
        (without_permissions, Method::GET, roles, 403, "Forbidden"),
        (
            app.admin(),
            Method::POST,
            roles,
            422,
            "Unprocessable Entity",
        ),
        (
            app.admin(),
            Method::GET,
            "/api/users/export",
            406,
            "Not Acceptable",
        ),
    ] {
        let asking = client
            .with("Accept", "application/problem+json")
            .with("X-Request-Id", "one");
        let body = json!({ "color": 7 });
        let answer = asking.send(method.clone(), path, Some(body.clone())).await;
        let mut problem = answer.expect(status);
        assert_eq!(answer.header("content-type"), "application/problem+json");
        let plain = client
            .with("Accept", "application/json")
            .with("X-Request-Id", "one");
        let plain = plain.send(method, path, Some(body)).await.expect(status);
        assert_eq!(problem["type"], "about:blank");
        assert_eq!(problem["title"], title);
        assert_eq!(problem["status"], status);
        assert_eq!(problem["detail"], plain["message"]);
        // All other fields are the same.
        let fields = problem.as_object_mut().expect("an object");
        for added in ["type", "title", "status", "detail"] {
            fields.remove(added);
        }
        assert_eq!(problem, plain);
    }
    let any = app.admin().with("Accept", "application/*, */*;q=0.8");
    any.get("/nothing").await.not_found();
    let asking = app.admin().with("Accept", "application/problem+json");
    let answer = asking.get(roles).await;
    answer.ok();
    assert_eq!(answer.header("content-type"), "application/json");
}
