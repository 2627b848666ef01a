//! `ETag`, `If-None-Match` and `If-Match`.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Client, RawConnection, TestApp, at_once, count};

async fn tag(caller: &Client, path: &str) -> String {
    let answer = caller.get(path).await;
    answer.ok();
    answer.header("etag").to_owned()
}

/// A role and a key, each with its path.
async fn start() -> (TestApp, String, String) {
    let app = TestApp::start().await;
    let admin = app.admin();
    let body = json!({ "name": "Guard", "description": "At the gate" });
    let role = admin.post("/api/roles", body).await.created();
    let key = admin.post("/api/api-keys", json!({ "name": "Shop" })).await;
    let key = format!("/api/api-keys/{}", key.created()["api_key"]["id"]);
    (app, format!("/api/roles/{}", role["role"]["id"]), key)
}

#[service_test]
async fn the_etag_changes_with_every_field_an_update_can_set() {
    let (app, role, key) = start().await;
    let admin = app.admin();
    let changes = [
        (&role, "", json!({ "name": "Watch" })),
        (&role, "", json!({ "description": "On the wall" })),
        (&role, "", json!({ "color": "#1e90ff" })),
        (&role, "/permissions", json!({ "permission_ids": [4] })),
        (&role, "/permissions", json!({ "permission_ids": [5] })),
        (&key, "", json!({ "name": "Forum" })),
        (&key, "", json!({ "active": false })),
        (&key, "/permissions", json!({ "permission_ids": [9] })),
    ];
    let mut seen = BTreeSet::from([tag(&admin, &role).await, tag(&admin, &key).await]);
    for (path, part, body) in changes {
        admin.put(&format!("{path}{part}"), body.clone()).await.ok();
        assert!(seen.insert(tag(&admin, path).await), "{path}{part} {body}");
        // Setting the stored value again changes nothing.
        admin.put(&format!("{path}{part}"), body.clone()).await.ok();
        assert!(
            seen.contains(&tag(&admin, path).await),
            "{path}{part} {body}"
        );
    }
    admin.post_empty(&format!("{key}/regenerate")).await.ok();
    assert!(seen.insert(tag(&admin, &key).await), "regenerate");
    admin.post_empty(&format!("{key}/regenerate")).await.ok();
    assert!(seen.insert(tag(&admin, &key).await), "regenerate again");
}

#[service_test]
async fn the_etag_stays_while_nothing_changes() {
    let (app, role, key) = start().await;
    let admin = app.admin();
    let before = (tag(&admin, &role).await, tag(&admin, &key).await);
    app.advance(3600);
    for path in [&role, &key] {
        admin.put(path, json!({})).await.ok();
        admin.get(path).await.ok();
    }
    let description = json!({ "name": "Guard", "description": "At the gate" });
    admin.post("/api/roles", description).await.created();
    let body = json!({ "name": "Other" });
    admin.put("/api/roles/2", body).await.ok();
    assert_eq!((tag(&admin, &role).await, tag(&admin, &key).await), before);

    let second = app.second_instance().await;
    let elsewhere = second.holder(app.admin_key());
    assert_eq!(
        (tag(&elsewhere, &role).await, tag(&elsewhere, &key).await),
        before
    );
    assert_ne!(before.0, tag(&admin, "/api/roles/2").await);
}

#[service_test]
async fn a_matching_if_none_match_gives_304() {
    let (app, role, key) = start().await;
    let admin = app.admin();
    for path in [&role, &key] {
        let tag = tag(&admin, path).await;
        for known in [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"other\", {tag}"),
            format!("\"other\",W/{tag}"),
            "*".into(),
        ] {
            for method in [Method::GET, Method::HEAD] {
                let caller = admin.with("If-None-Match", &known);
                let answer = caller.send(method, path, None).await;
                assert_eq!((answer.status, answer.text.as_str()), (304, ""), "{known}");
                assert_eq!(answer.header("etag"), tag);
                assert!(!answer.has_header("content-type"));
            }
        }
        let lines = admin
            .with("If-None-Match", "\"other\"")
            .with("If-None-Match", &tag);
        assert_eq!(lines.get(path).await.status, 304);
        for unknown in ["\"other\"", tag.trim_matches('"'), "", "\"*\"", "\"a,*,b\""] {
            let answer = admin.with("If-None-Match", unknown).get(path).await;
            answer.ok();
            assert_eq!(answer.header("etag"), tag, "{unknown}");
        }
    }
    let anonymous = app.anonymous().with("If-None-Match", "*");
    anonymous.get(&role).await.unauthorized();
    let caller = admin.with("If-None-Match", "*");
    caller.get("/api/roles/99").await.not_found();
}

#[service_test]
async fn a_write_with_a_stale_if_match_gives_412() {
    let (app, role, _) = start().await;
    let admin = app.admin();
    let mut number = 0;
    let mut write = async |condition: &[String]| {
        number += 1;
        let mut caller = admin.clone();
        for line in condition {
            caller = caller.with("If-Match", line);
        }
        caller
            .put(&role, json!({ "name": format!("Guard {number}") }))
            .await
    };
    let current = async || tag(&admin, &role).await;

    write(&[current().await]).await.ok();
    write(&["*".into()]).await.ok();
    let answer = write(&[format!("\"other\", {}", current().await)]).await;
    answer.ok();
    write(&["\"other\"".into(), current().await]).await.ok();

    let stale = current().await;
    write(&[]).await.ok();
    let now = current().await;
    for condition in [
        stale,
        "\"other\"".into(),
        format!("W/{now}"),
        now.trim_matches('"').to_owned(),
        "\"*\"".into(),
        "\"a,*,b\"".into(),
        String::new(),
    ] {
        let answer = write(std::slice::from_ref(&condition)).await;
        answer.error(412, "precondition_failed");
    }
    assert_eq!(current().await, now);
}

#[service_test]
async fn a_malformed_if_match_gives_412() {
    let (app, role, _) = start().await;
    let mut connection = RawConnection::connect(&app.address).await;
    let head = format!(
        "DELETE {role} HTTP/1.1\r\nHost: x\r\nX-API-Key: {}\r\n",
        app.admin_key()
    );
    connection.send(head).await;
    connection.send(b"If-Match: \"caf\xe9\"\r\n\r\n").await;
    connection.answer().await.error(412, "precondition_failed");
    app.admin().get(&role).await.ok();
}

#[service_test]
async fn the_404_check_comes_before_if_match_and_that_before_422() {
    let (app, role, _) = start().await;
    let admin = app.admin();
    let wrong = admin.with("If-Match", "\"other\"");
    let blank = || json!({ "name": " " });
    for caller in [&wrong, &admin.with("If-Match", "*")] {
        caller.put("/api/roles/99", blank()).await.not_found();
        caller.delete("/api/api-keys/99").await.not_found();
        let answer = caller.post_empty("/api/api-keys/99/regenerate").await;
        answer.not_found();
    }
    let answer = wrong.put(&role, blank()).await;
    answer.error(412, "precondition_failed");
    for bytes in [&b"{"[..], b"[]", b""] {
        let body = Some(("application/json", bytes.to_vec()));
        let answer = wrong.send_bytes(Method::PUT, &role, body).await;
        answer.error(412, "precondition_failed");
    }
    let body = Some(("text/plain", b"{}".to_vec()));
    let answer = wrong.send_bytes(Method::PUT, &role, body).await;
    answer.error(412, "precondition_failed");

    let right = admin.with("If-Match", &tag(&admin, &role).await);
    let faults = [("name", "must not be blank")];
    right.put(&role, blank()).await.invalid(&faults);
}

/// Twenty writers that read the same state and write different things.
async fn twenty_writes_with_one_if_match(
    app: &TestApp,
    path: &str,
    write: impl Fn(i64) -> Write,
) -> Vec<Answer> {
    let careful = app.admin().with("If-Match", &tag(&app.admin(), path).await);
    let send = |caller: Client, (method, path, body): Write| async move {
        caller.send(method, &path, body).await
    };
    at_once((1..=20).map(|number| send(careful.clone(), write(number)))).await
}

type Write = (Method, String, Option<Value>);

/// Asserts that one write succeeded and the others got `status`, and returns the one.
fn assert_one_winner(answers: &[Answer], status: u16) -> Value {
    assert_eq!((count(answers, 200), count(answers, status)), (1, 19));
    let won = answers.iter().find(|answer| answer.status == 200);
    won.expect("a winner").ok()
}

#[service_test]
async fn of_twenty_updates_with_one_if_match_one_succeeds_and_the_others_get_412() {
    let (app, role, key) = start().await;
    for path in [&role, &key] {
        for _ in 0..3 {
            let body = |number| json!({ "name": format!("Name {number}") });
            let update = |number| (Method::PUT, path.clone(), Some(body(number)));
            // Every write changes something, whatever an earlier round stored.
            app.admin().put(path, json!({ "name": "Start" })).await.ok();
            let won = assert_one_winner(
                &twenty_writes_with_one_if_match(&app, path, update).await,
                412,
            );
            let now = app.admin().get(path).await.ok();
            for resource in ["role", "api_key"] {
                assert_eq!(won[resource]["name"], now[resource]["name"]);
            }
        }
    }
}

#[service_test]
async fn of_twenty_permission_writes_with_one_if_match_one_succeeds_and_the_others_get_412() {
    let (app, role, key) = start().await;
    for path in [&role, &key] {
        let set = |number| {
            let body = json!({ "permission_ids": [number] });
            (Method::PUT, format!("{path}/permissions"), Some(body))
        };
        let won = assert_one_winner(&twenty_writes_with_one_if_match(&app, path, set).await, 412);
        let now = app.admin().get(path).await.ok();
        for resource in ["role", "api_key"] {
            assert_eq!(won[resource]["permissions"], now[resource]["permissions"]);
        }
    }
}

#[service_test]
async fn of_twenty_regenerates_with_one_if_match_one_succeeds_and_the_others_get_412() {
    let (app, _, key) = start().await;
    let regenerate = |_| (Method::POST, format!("{key}/regenerate"), None);
    let won = assert_one_winner(
        &twenty_writes_with_one_if_match(&app, &key, regenerate).await,
        412,
    );
    let value = won["api_key"]["key"].as_str().expect("a value");
    app.holder(value).get("/api/permissions").await.ok();
}

#[service_test]
async fn of_twenty_deletes_with_one_if_match_one_succeeds_and_the_others_get_404() {
    let (app, role, key) = start().await;
    for path in [&role, &key] {
        let delete = |_| (Method::DELETE, path.clone(), None);
        assert_one_winner(
            &twenty_writes_with_one_if_match(&app, path, delete).await,
            404,
        );
        app.admin().get(path).await.not_found();
    }
}

#[service_test]
async fn an_update_and_a_delete_with_the_same_if_match_do_not_both_succeed() {
    let (app, role, _) = start().await;
    let write = |number| match number % 2 {
        0 => (Method::DELETE, role.clone(), None),
        _ => (
            Method::PUT,
            role.clone(),
            Some(json!({ "name": format!("Name {number}") })),
        ),
    };
    let answers = twenty_writes_with_one_if_match(&app, &role, write).await;
    assert_eq!(count(&answers, 200), 1);
    assert_eq!(count(&answers, 412) + count(&answers, 404), 19);
    let log = app.admin().get("/api/audit-log?resource=roles").await;
    assert_eq!(
        log.header("x-total-count"),
        "2",
        "the create and the winner"
    );
}

#[service_test]
async fn the_etag_of_a_body_that_shows_other_resources_changes_with_them(admin: Client) {
    let item = json!({ "title": "Shop" });
    admin.post("/api/navbar-items", item).await.created();
    let tag = admin.etag("/api/navbar-items/1").await;
    let reader = admin.with("If-None-Match", &tag);
    assert_eq!(reader.get("/api/navbar-items/1").await.status, 304);

    let child = json!({ "title": "Keys", "parent_id": 1 });
    admin.post("/api/navbar-items", child).await.created();
    let read = reader.get("/api/navbar-items/1").await.ok();
    assert_eq!(read["navbar_item"]["children"][0]["title"], "Keys");

    // The item itself has not changed, so its old ETag still satisfies If-Match.
    let writer = admin.with("If-Match", &tag);
    let body = json!({ "title": "Store" });
    writer.put("/api/navbar-items/1", body.clone()).await.ok();
    let answer = writer.put("/api/navbar-items/1", body).await;
    answer.error(412, "precondition_failed");
}
