//! The order of checks: 401, then 403, then 404, then 412, and the body last.

use kernel::auth::permission;
use reqwest::Method;
use serde_json::{Value, json};

use super::document::{Operation, operations};
use super::fixtures::{Fixture, fixture};
use super::writes::{audit, state};
use crate::support::{Answer, Client, TestApp, unknown_key};

/// Enough for every fixture.
const BODY_LIMIT: usize = 1024;

/// Ids that do not exist, well-formed or not.
const MISSING: [&str; 3] = ["9223372036854775807", "0", "abc"];

struct WrongBody {
    content_type: &'static str,
    bytes: Vec<u8>,
    status: u16,
    code: &'static str,
}

/// Bodies that are wrong in every way, and the error of each once all other checks pass.
fn wrong_bodies(operation: &Operation, fixture: &Fixture) -> Vec<WrongBody> {
    let mut wrong = fixture.body.clone().unwrap_or_default();
    if let Value::Object(fields) = &mut wrong {
        fields
            .values_mut()
            .for_each(|value| *value = json!({ "of the": "wrong type" }));
    }
    let long = json!({ "name": "x".repeat(BODY_LIMIT) });
    let json = "application/json";
    let mut wrong = vec![
        (json, wrong.to_string(), 422, "validation_failed"),
        (json, "{".into(), 422, "invalid_json"),
        (json, "[]".into(), 422, "invalid_body"),
        ("text/plain", "{}".into(), 415, "unsupported_media_type"),
        (json, long.to_string(), 413, "body_too_large"),
    ];
    if operation.documented["requestBody"]["required"] == true {
        wrong.push((json, String::new(), 422, "missing_body"));
    }
    let bodies = wrong.into_iter();
    let bodies = bodies.map(|(content_type, text, status, code)| WrongBody {
        content_type,
        bytes: text.into_bytes(),
        status,
        code,
    });
    bodies.collect()
}

async fn send(client: &Client, method: &Method, path: &str, body: Option<&WrongBody>) -> Answer {
    let body = body.map(|body| (body.content_type, body.bytes.clone()));
    client.send_bytes(method.clone(), path, body).await
}

/// The one permission to use where several are enough, if any is needed.
fn needed(operation: &Operation) -> Option<&str> {
    let is_permission = |name: &&str| permission::by_name(name).is_some();
    operation.needs().into_iter().find(is_permission)
}

async fn start() -> TestApp {
    TestApp::start_with(|limits| {
        limits.body_bytes = BODY_LIMIT;
        limits.wrong_keys_per_minute = u32::MAX;
    })
    .await
}

#[service_test(start())]
async fn checks_come_in_the_order_401_403_404_412_422(app: TestApp, admin: Client) {
    let (anonymous, unknown) = (app.anonymous(), app.holder(&unknown_key()));
    let without_permissions = app.actor(&[]).await;
    let mut bodies_checked = 0;
    for operation in operations(&app).await {
        let Some(permission) = needed(&operation) else {
            continue;
        };
        let (id, method) = (&operation.id, &operation.method);
        let permissions = [&[permission], operation.also_needs()].concat();
        let allowed = app.actor(&permissions).await;
        let fixture = fixture(&operation, &app).await;
        let path = operation.path_to(&fixture.ids) + fixture.query;
        let missing = MISSING.map(|id| operation.path_with(id));
        let missing = if operation.has_target() {
            &missing[..]
        } else {
            &[]
        };
        let mut before = None;
        if operation.writes() {
            before = Some(state(&admin, &operation, &fixture).await);
        }
        let (entries, _) = audit(&admin).await;

        let wrong = wrong_bodies(&operation, &fixture);
        let bodies: Vec<Option<&WrongBody>> = if operation.takes_body() {
            wrong.iter().map(Some).collect()
        } else {
            vec![None]
        };
        for body in bodies {
            for path in missing.iter().chain([&path]) {
                send(&anonymous, method, path, body).await.unauthorized();
                send(&unknown, method, path, body).await.unauthorized();
                let answer = send(&without_permissions, method, path, body).await;
                answer.forbidden(permission);
            }
            for path in missing {
                send(&allowed, method, path, body).await.not_found();
            }
            let Some(wrong) = body else { continue };
            if operation.is_conditional() {
                let stale = allowed.with("If-Match", "\"AAAAAAAAAAAAAAAAAAAA\"");
                let answer = send(&stale, method, &path, body).await;
                answer.error(412, "precondition_failed");
            }
            let answer = send(&allowed, method, &path, body).await;
            answer.error(wrong.status, wrong.code);
            bodies_checked += 1;
        }
        if operation.takes_query("page") {
            let path = format!("{}?page=x", operation.path_to(&fixture.ids));
            anonymous.get(&path).await.unauthorized();
            without_permissions.get(&path).await.forbidden(permission);
            let answer = allowed.get(&path).await;
            answer.error(422, "validation_failed");
        }
        if let Some(before) = before {
            assert_eq!(state(&admin, &operation, &fixture).await, before, "{id}");
        }
        assert_eq!(audit(&admin).await.0, entries, "{id}");
    }
    assert!(bodies_checked > 100, "{bodies_checked} bodies were checked");
}

#[service_test(start())]
async fn a_write_gives_403_with_the_read_permission_and_succeeds_with_its_own(app: TestApp) {
    for operation in operations(&app).await {
        let Some(permission) = needed(&operation) else {
            continue;
        };
        let fixture = fixture(&operation, &app).await;
        let read = format!("{permission}.read");
        if operation.writes() && permission::by_name(&read).is_some() {
            let reader = app.actor(&[&read]).await;
            let answer = fixture.send(&reader, &operation).await;
            answer.forbidden(permission);
        }
        let permissions = [&[permission], operation.also_needs()].concat();
        let allowed = app.actor(&permissions).await;
        let answer = fixture.send(&allowed, &operation).await;
        assert_eq!(answer.status.to_string(), operation.success(), "{answer:?}");
    }
}
