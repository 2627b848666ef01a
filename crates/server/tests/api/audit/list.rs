//! Listing and filtering audit entries.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{log, newest};
use crate::support::TestApp;

fn ids(entries: &[Value]) -> Vec<i64> {
    entries
        .iter()
        .map(|entry| entry["id"].as_i64().expect("an id"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_work_alone_and_combined() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let (one, first) = app.key(&["admin.roles"]).await;
    let (two, second) = app.key(&["admin.roles", "admin.api-keys"]).await;
    app.advance(60);
    first
        .post("/api/roles", json!({ "name": "Guard" }))
        .await
        .created();
    app.advance(60);
    second
        .post("/api/roles", json!({ "name": "Cook" }))
        .await
        .created();
    second
        .put("/api/roles/1", json!({ "name": "Watch" }))
        .await
        .ok();
    app.advance(60);
    second
        .post("/api/api-keys", json!({ "name": "Shop" }))
        .await
        .created();
    first.delete("/api/roles/1").await.ok();

    let everything = log(&admin, "?per_page=100").await;
    let at = |minute: u32| format!("2026-03-01T12:0{minute}:00Z");
    type Test = Box<dyn Fn(&Value) -> bool>;
    let is = |field: &'static str, value: Value| -> Test { Box::new(move |e| e[field] == value) };
    let from = |minute| -> Test { Box::new(move |e| e["at"].as_str() >= Some(&at(minute))) };
    let to = |minute| -> Test { Box::new(move |e| e["at"].as_str() <= Some(&at(minute))) };
    let cases: Vec<(String, usize, Vec<Test>)> = vec![
        (format!("key_id={one}"), 2, vec![is("key_id", json!(one))]),
        (format!("key_id={two}"), 3, vec![is("key_id", json!(two))]),
        (
            "resource=roles".into(),
            4,
            vec![is("resource", json!("roles"))],
        ),
        (
            "action=roles.create".into(),
            2,
            vec![is("action", json!("roles.create"))],
        ),
        ("from=2026-03-01T12:02:00Z".into(), 4, vec![from(2)]),
        ("to=2026-03-01T12:01:00Z".into(), 6, vec![to(1)]),
        (
            "from=2026-03-01T12:02:00Z&to=2026-03-01T12:02:00Z".into(),
            2,
            vec![from(2), to(2)],
        ),
        (
            "from=2026-03-01T14:02:00%2B02:00&to=2026-03-01T12:02:59Z".into(),
            2,
            vec![from(2), to(2)],
        ),
        (
            "resource=roles&resource_id=1".into(),
            3,
            vec![is("resource", json!("roles")), is("resource_id", json!(1))],
        ),
        (
            format!(
                "key_id={two}&resource=roles&resource_id=1&action=roles.update&from=2026-03-01T12:01:00Z&to=2026-03-01T12:09:00Z"
            ),
            1,
            vec![
                is("key_id", json!(two)),
                is("action", json!("roles.update")),
            ],
        ),
        (
            format!("key_id={one}&action=roles.update"),
            0,
            vec![Box::new(|_| false)],
        ),
        ("resource=role".into(), 0, vec![Box::new(|_| false)]),
        ("key_id=999".into(), 0, vec![Box::new(|_| false)]),
    ];
    for (query, count, tests) in cases {
        let answer = admin
            .get(&format!("/api/audit-log?per_page=100&{query}"))
            .await;
        let found = answer.ok()["audit_log"].as_array().expect("a list").clone();
        let matching = everything
            .iter()
            .filter(|entry| tests.iter().all(|test| test(entry)));
        assert_eq!(
            ids(&found),
            ids(&matching.cloned().collect::<Vec<_>>()),
            "{query}"
        );
        assert_eq!(found.len(), count, "{query}");
        assert_eq!(answer.header("x-total-count"), count.to_string(), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_come_newest_first_and_next_links_reach_all() {
    let app = TestApp::start().await;
    let admin = app.admin();
    for number in 0..25 {
        let body = json!({ "name": format!("Role {number}") });
        admin.post("/api/roles", body).await.created();
    }
    let everything = ids(&log(&admin, "?per_page=100").await);
    assert_eq!(everything.len(), 26);
    assert!(everything.is_sorted_by(|a, b| a > b), "{everything:?}");
    assert_eq!(ids(&log(&admin, "").await), everything[..20]);

    let mut walked = Vec::new();
    let mut next = Some("/api/audit-log?resource=roles&per_page=7".to_owned());
    while let Some(path) = next {
        let answer = admin.get(&path).await;
        assert_eq!(answer.header("x-total-count"), "25");
        let page = answer.ok()["audit_log"].as_array().expect("a list").clone();
        assert!(page.len() <= 7);
        walked.extend(ids(&page));
        next = answer.has_header("link").then(|| {
            let link = answer.header("link");
            let (address, rest) = link
                .trim_start_matches('<')
                .split_once('>')
                .expect("a link");
            assert_eq!(rest, "; rel=\"next\"");
            assert!(address.contains("resource=roles"), "{address}");
            address.to_owned()
        });
        // Entries written in the meantime are newer and do not shift the pages.
        let body = json!({ "name": "Later" });
        admin.post("/api/api-keys", body).await.created();
    }
    assert_eq!(walked, everything[..25], "no repeats and no gaps");
    let unique: BTreeSet<i64> = walked.iter().copied().collect();
    assert_eq!(unique.len(), 25);
}

#[tokio::test(flavor = "multi_thread")]
async fn per_page_is_20_by_default_and_at_most_100_422() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let many = "INSERT INTO audit_log
            (at, key_name, request_id, action, resource, resource_id, before, after)
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 120)
        SELECT 1772366400 + n, 'old', 'old', 'roles.create', 'roles', n, '{}', '{}' FROM numbers";
    app.app.db.run_sql(many).await.expect("old entries");
    for (query, count) in [
        ("", 20),
        ("?per_page=1", 1),
        ("?per_page=100", 100),
        ("?per_page=101", 100),
        ("?per_page=9223372036854775807", 100),
        ("?after=6", 5),
        ("?after=1", 0),
    ] {
        assert_eq!(log(&admin, query).await.len(), count, "{query}");
    }
    for (query, field) in [
        ("per_page=0", "per_page"),
        ("per_page=-1", "per_page"),
        ("per_page=ten", "per_page"),
        ("per_page=", "per_page"),
        ("after=x", "after"),
        ("key_id=0", "key_id"),
        ("key_id=me", "key_id"),
        ("resource_id=1.5", "resource_id"),
        ("resource=", "resource"),
        ("from=yesterday", "from"),
        ("to=2026-02-30T00:00:00Z", "to"),
    ] {
        let answer = admin.get(&format!("/api/audit-log?{query}")).await;
        let error = answer.error(422, "validation_failed");
        crate::support::assert_fields(&error["errors"], &[field]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_the_log_needs_its_permission_403_and_leaves_no_entry() {
    let app = TestApp::start().await;
    let before = newest(&app.admin()).await;
    let auditor = app.actor(&["admin.audit.read"]).await;
    let after = newest(&auditor).await;
    assert_ne!(before["id"], after["id"], "a key was made");
    assert_eq!(newest(&auditor).await, after);
    let other = app
        .actor(&["admin.api-keys", "admin.roles", "admin.users"])
        .await;
    let answer = other.get("/api/audit-log?per_page=x").await;
    answer.forbidden("admin.audit.read");
    app.anonymous().get("/api/audit-log").await.unauthorized();
}
