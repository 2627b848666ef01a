//! Authentication and permissions, for every operation.

use kernel::Limits;
use kernel::auth::permission::CATALOGUE;
use reqwest::Method;

use super::document::operations;
use super::fixtures::fixture;
use crate::support::{TestApp, unknown_key};

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
