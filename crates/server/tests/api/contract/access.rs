//! Authentication and permissions, for every operation.

use kernel::auth::permission::CATALOGUE;
use reqwest::Method;

use super::document::{all_operations, operations};
use super::fixtures::fixture;
use crate::support::{SESSION, TestApp, console_sign_in, cookie, unknown_key};

const ANY: &str = "any one permission";

/// Whether the permission `held` includes `needed`.
fn includes(held: &str, needed: &str) -> bool {
    held == needed || needed.starts_with(&format!("{held}."))
}

#[service_test(TestApp::start_with(|limits| limits.wrong_keys_per_minute = u32::MAX))]
async fn every_operation_gives_401_without_a_valid_key(app: TestApp) {
    for operation in operations(&app).await {
        let fixture = fixture(&operation, &app).await;
        let without = [
            app.anonymous(),
            app.holder(&unknown_key()),
            app.holder(""),
            app.holder(&app.admin_key()[..49]),
        ];
        for caller in without {
            fixture.send(&caller, &operation).await.unauthorized();
        }
        if operation.method == Method::GET {
            let path = operation.path_to(&fixture.ids);
            let answer = app.anonymous().send(Method::HEAD, &path, None).await;
            assert_eq!((answer.status, answer.text.as_str()), (401, ""), "{path}");
        }
    }
}

#[service_test]
async fn every_operation_gives_403_with_all_other_permissions(app: TestApp) {
    for operation in operations(&app).await {
        let needed = operation.needs();
        if needed.is_empty() {
            continue;
        }
        let names = CATALOGUE.iter().map(|permission| permission.name);
        let (others, named): (Vec<&str>, String) = match needed[..] {
            [ANY] => (Vec::new(), String::new()),
            _ => {
                let enough = |name: &&str| needed.iter().any(|needed| includes(name, needed));
                let others = names.filter(|name| !enough(name)).collect();
                (others, format!(" {}.", needed.join(" or ")))
            }
        };
        let caller = app.actor(&others).await;
        let fixture = fixture(&operation, &app).await;
        fixture.send(&caller, &operation).await.forbidden(&named);
        if operation.has_target() {
            // The caller learns neither what exists nor what is wrong with a body.
            let missing = operation.path_to(&vec![i64::MAX; fixture.ids.len()]);
            let answer = caller.send(operation.method.clone(), &missing, None).await;
            answer.forbidden(&named);
        }
    }
}

#[service_test]
async fn the_documented_permission_alone_is_enough(app: TestApp) {
    for operation in operations(&app).await {
        let names = CATALOGUE.iter().map(|permission| permission.name);
        let enough: Vec<Vec<&str>> = match operation.needs()[..] {
            [] => vec![vec![]],
            [ANY] => names.map(|name| vec![name]).collect(),
            ref needed => {
                for needed in needed {
                    let known = names.clone().any(|name| name == *needed);
                    assert!(known, "{}: {needed} is not in the catalogue", operation.id);
                }
                let enough = |name: &&str| needed.iter().any(|needed| includes(name, needed));
                names.filter(enough).map(|name| vec![name]).collect()
            }
        };
        for permissions in enough {
            let permissions = [&permissions, operation.also_needs()].concat();
            let caller = app.actor(&permissions).await;
            let fixture = fixture(&operation, &app).await;
            let answer = fixture.send(&caller, &operation).await;
            assert_eq!(answer.status.to_string(), operation.success(), "{answer:?}");
        }
    }
}

#[service_test]
async fn reads_need_a_read_permission_and_writes_one_without_read(app: TestApp) {
    for operation in operations(&app).await {
        match operation.needs()[..] {
            [] => assert_eq!(operation.path, "/api/permissions"),
            // What a plugin has to deliver, for a key that can do nothing else.
            ["admin.deliveries"] => assert!(operation.path.contains("/deliveries")),
            // A key that may run commands sees those that are run for bans.
            ["admin.servers.rcon"] => assert!(
                ["/rcon", "/commands"]
                    .iter()
                    .any(|end| operation.path.ends_with(end))
            ),
            [ANY] => assert!(["/api/status", "/api/events"].contains(&&*operation.path)),
            ref needed => {
                for needed in needed {
                    let reads = needed.ends_with(".read");
                    let id = &operation.id;
                    assert!(reads || operation.method != Method::GET, "{id}: {needed}");
                    assert!(!reads || !operation.writes(), "{id}: {needed}");
                }
            }
        }
    }
}

/// With a session, every operation needs the same permission as with a key, and a write also has to
/// come from a page of the service.
#[service_test]
async fn every_operation_refuses_a_cookie_without_the_permission_and_accepts_it_with(app: TestApp) {
    let id = app.operator("operator", &[]).await;
    let body = console_sign_in("operator");
    let answer = app.anonymous().post(SESSION, body).await;
    let token = cookie(&answer, "steward").expect("a session");
    let operator = app.console(&token);
    let elsewhere = app.anonymous().with("Cookie", &format!("steward={token}"));
    let mut seen = 0;
    for operation in operations(&app).await {
        let needed = operation.needs();
        let names = CATALOGUE.iter().map(|permission| permission.name);
        let (others, enough): (Vec<&str>, Vec<&str>) = match needed[..] {
            [] => (Vec::new(), Vec::new()),
            [ANY] => (Vec::new(), vec!["admin.roles.read"]),
            _ => {
                let enough = |name: &&str| needed.iter().any(|needed| includes(name, needed));
                (
                    names.filter(|name| !enough(name)).collect(),
                    vec![needed[0]],
                )
            }
        };
        let fixture = fixture(&operation, &app).await;
        if !needed.is_empty() {
            app.permit(id, &others).await;
            let answer = fixture.send(&operator, &operation).await;
            answer.error(403, "missing_permission");
        }
        app.permit(id, &[&enough, operation.also_needs()].concat())
            .await;
        if operation.method != Method::GET {
            let answer = fixture.send(&elsewhere, &operation).await;
            answer.error(403, "cross_site");
        }
        let answer = fixture.send(&operator, &operation).await;
        assert_eq!(answer.status.to_string(), operation.success(), "{answer:?}");
        seen += 1;
    }
    assert!(seen > 100, "{seen} operations were called");
}

/// Operations on one's own session need a cookie, but no permission; signing in needs neither.
#[service_test]
async fn every_operation_of_the_console_needs_a_cookie_unless_it_makes_one(app: TestApp) {
    let mut open = Vec::new();
    for operation in all_operations(&app).await {
        if !operation.path.starts_with("/api/console/") {
            continue;
        }
        let path = operation.path_with("1");
        let method = operation.method.clone();
        let security = operation.documented["security"].to_string();
        match security.as_str() {
            r#"[{"Session":[]}]"# => {
                for caller in [app.anonymous(), app.admin(), app.console("unknown")] {
                    let answer = caller.send(method.clone(), &path, None).await;
                    answer.unauthorized();
                }
            }
            _ => {
                assert_eq!(security, "[{}]");
                let answer = app.anonymous().send(method, &path, None).await;
                match operation.method {
                    Method::GET => drop(answer.ok()),
                    _ => drop(answer.error(422, "missing_body")),
                }
                open.push(operation.id);
            }
        }
    }
    open.sort();
    let expected = ["checkSetupToken", "getSetupState", "setUp", "signIn"];
    assert_eq!(open, expected);
}

/// Under a cookie, whoever got hold of it cannot get a key, an operator or all data with it.
#[service_test]
async fn operations_that_need_a_confirmation_give_403_confirmation_required_without_one() {
    let app = TestApp::start().await;
    let all: Vec<&str> = CATALOGUE.iter().map(|permission| permission.name).collect();
    app.operator("anna", &all).await;
    let anna = app.signed_in("anna").await;
    app.advance(15 * 60);
    let mut confirmed = Vec::new();
    for operation in all_operations(&app).await {
        let path = operation.path_with("1");
        let description = operation.documented["description"].to_string();
        if description.contains("confirmed within the last 15 minutes") {
            let answer = anna.send(operation.method.clone(), &path, None).await;
            answer.error(403, "confirmation_required");
            confirmed.push(operation.id);
        } else if operation.method == Method::GET {
            let answer = anna.get(&path).await;
            assert_ne!(answer.status, 403, "{answer:?}");
        }
    }
    confirmed.sort();
    let expected = [
        "beginTwoFactor",
        "confirmTwoFactor",
        "createApiKey",
        "createWebhook",
        "deleteApiKey",
        "deleteWebhook",
        "downloadBackup",
        "exportAuditLog",
        "exportBans",
        "exportPaymentInvoices",
        "exportUsers",
        "inviteOperator",
        "regenerateApiKey",
        "removeOperator",
        "renewRecoveryCodes",
        "resetOperatorTwoFactor",
        "rotateApiKey",
        "rotateWebhookSecret",
        "setApiKeyPermissions",
        "setApiKeyRestrictions",
        "setOperator",
        "updateApiKey",
        "updateWebhook",
        "withdrawOperatorInvitation",
    ];
    assert_eq!(confirmed, expected);
}
