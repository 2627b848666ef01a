//! Authentication and permissions, for every operation.

use kernel::Limits;
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

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_gives_401_without_a_valid_key() {
    let limits = Limits {
        wrong_keys_per_minute: u32::MAX,
        ..Limits::default()
    };
    let app = TestApp::start_with(limits).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_gives_403_with_all_other_permissions() {
    let app = TestApp::start().await;
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

#[tokio::test(flavor = "multi_thread")]
async fn the_documented_permission_alone_is_enough() {
    let app = TestApp::start().await;
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
            let caller = app.actor(&permissions).await;
            let fixture = fixture(&operation, &app).await;
            let answer = fixture.send(&caller, &operation).await;
            assert_eq!(answer.status.to_string(), operation.success(), "{answer:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_need_a_read_permission_and_writes_one_without_read() {
    let app = TestApp::start().await;
    for operation in operations(&app).await {
        match operation.needs()[..] {
            [] => assert_eq!(operation.path, "/api/permissions"),
            [ANY] => assert!(["/api/status", "/api/events"].contains(&&*operation.path)),
            ref needed => {
                for needed in needed {
                    // A backup has all data, so a permission to read them would be no smaller one.
                    if *needed == "admin.backups" {
                        continue;
                    }
                    let reads = needed.ends_with(".read");
                    let id = &operation.id;
                    assert!(reads || operation.method != Method::GET, "{id}: {needed}");
                    assert!(!reads || !operation.writes(), "{id}: {needed}");
                }
            }
        }
    }
}

/// The same for people: with a session, every operation needs the same permission as with a key, and
/// a write also has to come from a page of the service.
#[tokio::test(flavor = "multi_thread")]
async fn every_operation_refuses_a_cookie_without_the_permission_and_accepts_it_with() {
    let app = TestApp::start().await;
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
        app.permit(id, &enough).await;
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

/// What a person does with their own session needs a cookie, whatever its permissions; signing in
/// needs nothing.
#[tokio::test(flavor = "multi_thread")]
async fn every_operation_of_the_console_needs_a_cookie_unless_it_makes_one() {
    let app = TestApp::start().await;
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
                answer.error(422, "missing_body");
                open.push(operation.id);
            }
        }
    }
    open.sort();
    assert_eq!(open, ["setUp", "signIn"]);
}
