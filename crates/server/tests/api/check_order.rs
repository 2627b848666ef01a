//! First who calls, then what they may do, then what there is, and only then what they sent.

use kernel::Limits;
use reqwest::Method;

use crate::support::{Client, TestApp, unknown_key};

struct Operation {
    method: Method,
    path: &'static str,
    permission: &'static str,
    takes_body: bool,
}

const fn operation(
    method: Method,
    path: &'static str,
    permission: &'static str,
    takes_body: bool,
) -> Operation {
    Operation {
        method,
        path,
        permission,
        takes_body,
    }
}

const KEYS: &str = "admin.api-keys";
const ROLES: &str = "admin.roles";

const OPERATIONS: [Operation; 16] = [
    operation(Method::GET, "/api/api-keys", "admin.api-keys.read", false),
    operation(Method::POST, "/api/api-keys", KEYS, true),
    operation(
        Method::GET,
        "/api/api-keys/{id}",
        "admin.api-keys.read",
        false,
    ),
    operation(Method::PUT, "/api/api-keys/{id}", KEYS, true),
    operation(Method::DELETE, "/api/api-keys/{id}", KEYS, false),
    operation(Method::POST, "/api/api-keys/{id}/regenerate", KEYS, false),
    operation(Method::PUT, "/api/api-keys/{id}/permissions", KEYS, true),
    operation(Method::POST, "/api/api-keys/{id}/rotate", KEYS, true),
    operation(
        Method::GET,
        "/api/api-keys/{id}/restrictions",
        "admin.api-keys.read",
        false,
    ),
    operation(Method::PUT, "/api/api-keys/{id}/restrictions", KEYS, true),
    operation(Method::GET, "/api/roles", "admin.roles.read", false),
    operation(Method::POST, "/api/roles", ROLES, true),
    operation(Method::GET, "/api/roles/{id}", "admin.roles.read", false),
    operation(Method::PUT, "/api/roles/{id}", ROLES, true),
    operation(Method::DELETE, "/api/roles/{id}", ROLES, false),
    operation(Method::PUT, "/api/roles/{id}/permissions", ROLES, true),
];

const SMALL: usize = 64;

/// Bodies that are wrong in every way there is, and what each is answered with in the end.
fn wrong_bodies() -> [(&'static str, Vec<u8>, u16, &'static str); 5] {
    let long = format!(r#"{{ "name": "{}" }}"#, "x".repeat(SMALL));
    let wrong = br#"{ "name": 7, "permission_ids": 7, "allowed_ips": [] }"#.to_vec();
    [
        ("application/json", wrong, 422, "validation_failed"),
        ("application/json", b"{".to_vec(), 422, "invalid_json"),
        ("application/json", b"[]".to_vec(), 422, "invalid_body"),
        ("text/plain", b"{}".to_vec(), 415, "unsupported_media_type"),
        ("application/json", long.into_bytes(), 413, "body_too_large"),
    ]
}

/// A service that holds a role and a key that nobody minds, both of id 2.
async fn furnished() -> TestApp {
    let app = TestApp::start_with(Limits {
        body_bytes: SMALL,
        ..Limits::default()
    })
    .await;
    app.key(&[]).await;
    for _ in 0..2 {
        let body = serde_json::json!({ "name": "Guard" });
        app.admin().post("/api/roles", body).await.created();
    }
    app
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_check_that_fails_is_the_one_that_answers() {
    let app = furnished().await;
    let without_rights = app.actor(&["admin.users", "admin.audit.read"]).await;
    for operation in OPERATIONS {
        let Operation {
            method,
            path,
            permission,
            takes_body,
        } = operation;
        let allowed = app.actor(&[permission]).await;
        for (kind, bytes, status, code) in wrong_bodies() {
            let send = async |client: &Client, path: &str| {
                let body = Some((kind, bytes.clone())).filter(|_| takes_body);
                client.send_bytes(method.clone(), path, body).await
            };
            for id in ["2", "77", "abc"] {
                let path = path.replace("{id}", id);
                send(&app.stranger(), &path).await.unauthorized();
                send(&app.holder(&unknown_key()), &path)
                    .await
                    .unauthorized();
                send(&without_rights, &path).await.forbidden(permission);
            }
            if path.contains("{id}") {
                for id in ["77", "abc"] {
                    send(&allowed, &path.replace("{id}", id)).await.not_found();
                }
            }
            if takes_body {
                let answer = send(&allowed, &path.replace("{id}", "2")).await;
                answer.error(status, code);
            }
        }
        if method == Method::GET && !path.contains("{id}") {
            let path = format!("{path}?page=x");
            app.stranger().get(&path).await.unauthorized();
            without_rights.get(&path).await.forbidden(permission);
            allowed.get(&path).await.error(422, "validation_failed");
        }
    }
    // All of it was refused, so all of it is still there.
    for path in ["/api/api-keys/2", "/api/roles/2"] {
        app.admin().get(path).await.ok();
    }
}

/// Reading is not writing: the twin of a permission is not the permission.
#[tokio::test(flavor = "multi_thread")]
async fn every_operation_works_with_its_own_permission_alone() {
    let app = furnished().await;
    for operation in OPERATIONS {
        let Operation {
            method,
            path,
            permission,
            takes_body,
        } = operation;
        let path = path.replace("{id}", "2");
        let body = serde_json::json!({
            "name": "Guard", "permission_ids": [], "overlap_seconds": 0,
        });
        let body = Some(body).filter(|_| takes_body);
        if method != Method::GET {
            let twin = app.actor(&[&format!("{permission}.read")]).await;
            let answer = twin.send(method.clone(), &path, body.clone()).await;
            answer.forbidden(permission);
        }
        if method == Method::DELETE {
            continue;
        }
        let allowed = app.actor(&[permission]).await;
        let answer = allowed.send(method, &path, body).await;
        assert!(matches!(answer.status, 200 | 201), "{answer:?}");
    }
    for (path, permission) in [("/api/api-keys/2", KEYS), ("/api/roles/2", ROLES)] {
        app.actor(&[permission]).await.delete(path).await.ok();
        app.admin().get(path).await.not_found();
    }
}
