//! Listing and filtering audit entries.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::log;
use crate::support::payments::{currency, order};
use crate::support::{Client, TestApp, sign_in};

fn ids(entries: &[Value]) -> Vec<i64> {
    entries
        .iter()
        .map(|entry| entry["id"].as_i64().expect("an id"))
        .collect()
}

#[service_test]
async fn filters_work_alone_and_combined(app: TestApp, admin: Client) {
    let (one, first) = app.key(&["admin.roles"]).await;
    let (two, second) = app.key(&["admin.roles", "admin.api-keys"]).await;
    app.advance(60);
    first.create_role("Guard").await;
    app.advance(60);
    second.create_role("Cook").await;
    let body = json!({ "name": "Watch" });
    second.put("/api/roles/1", body).await.ok();
    app.advance(60);
    let body = json!({ "name": "Shop" });
    second.post("/api/api-keys", body).await.created();
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

#[service_test]
async fn entries_come_newest_first_and_next_links_reach_all(admin: Client) {
    for number in 0..25 {
        admin.create_role(&format!("Role {number}")).await;
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

#[service_test]
async fn per_page_is_20_by_default_and_at_most_100_422(app: TestApp, admin: Client) {
    let many = "INSERT INTO audit_log
            (at, key_name, request_id, action, resource, resource_id, before, after)
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 120)
        SELECT 1772366400 + n, 'old', 'old', 'roles.create', 'roles', n, '{}', '{}' FROM numbers";
    app.app
        .kernel
        .core
        .db
        .run_sql(many)
        .await
        .expect("old entries");
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
        ("user_id=0", "user_id"),
        ("about_user_id=me", "about_user_id"),
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

/// The actions of the entries that match, oldest first.
async fn actions(admin: &Client, query: &str) -> Vec<String> {
    let path = format!("/api/audit-log?per_page=100&sort=id&{query}");
    let answer = admin.get(&path).await;
    let found = answer.ok()["audit_log"].as_array().expect("a list").clone();
    let newest = log(admin, &format!("?per_page=100&{query}")).await;
    let mut reversed = ids(&newest);
    reversed.reverse();
    assert_eq!(reversed, ids(&found), "{query}");
    assert_eq!(answer.header("x-total-count"), found.len().to_string());
    let path = format!("/api/audit-log/export?format=ndjson&{query}");
    let export = admin.get(&path).await;
    assert_eq!(export.text.lines().count(), found.len(), "{query}");
    let action = |entry: &Value| entry["action"].as_str().map(str::to_owned);
    found.iter().filter_map(action).collect()
}

#[service_test]
async fn user_id_filters_by_the_operator_who_acted(app: TestApp, admin: Client) {
    let olga = app.operator("olga", &["admin.roles"]).await;
    app.operator("paul", &["admin.roles"]).await;
    let (as_olga, as_paul) = (app.signed_in("olga").await, app.signed_in("paul").await);
    as_olga.create_role("Guard").await;
    as_paul.create_role("Cook").await;
    admin.create_role("Watch").await;
    let expected = ["console_sessions.create", "roles.create"];
    assert_eq!(actions(&admin, &format!("user_id={olga}")).await, expected);
    let query = format!("user_id={olga}&action=roles.create&resource_id=1");
    assert_eq!(actions(&admin, &query).await, ["roles.create"]);
    assert!(actions(&admin, "user_id=99").await.is_empty());
}

#[service_test]
async fn about_user_id_finds_all_that_belongs_to_a_user(app: TestApp, admin: Client) {
    // The ids of other resources are those of Anna and Berta, too.
    admin.create_role("Guard").await;
    currency(&admin, "EUR").await;
    let (anna, berta) = (app.user("anna").await, app.user("berta").await);
    for id in [anna, berta] {
        let path = format!("/api/users/{id}");
        admin.post_empty(&format!("{path}/block")).await.ok();
        admin.post_empty(&format!("{path}/unblock")).await.ok();
        let roles = json!({ "role_ids": [1] });
        admin.put(&format!("{path}/roles"), roles).await.ok();
        app.link(id, 1, "anna").await;
        app.device(id, "Phone").await;
    }
    app.sign_in("anna").await;
    let mut wrong = sign_in("anna");
    wrong["password"] = json!("a wrong one");
    let refused = admin.post("/api/sessions", wrong).await;
    refused.error(422, "invalid_credentials");
    let invoice = order(json!(5));
    admin.post("/api/payment-invoices", invoice).await.created();
    let path = "/api/payment-invoices/1";
    admin.post_empty(&format!("{path}/fail")).await.ok();
    app.permit(anna, &["admin.roles"]).await;
    let as_anna = app.signed_in("anna").await;
    as_anna.create_role("Cook").await;

    let expected = [
        "users.create",
        "users.block",
        "users.unblock",
        "users.roles",
        "users.add_social_network",
        "users.add_device",
        "sessions.create",
        "sessions.fail",
        "payment_invoices.create",
        "payment_invoices.fail",
        "operators.create",
        "console_sessions.create",
    ];
    let query = format!("about_user_id={anna}");
    assert_eq!(actions(&admin, &query).await, expected);
    let query = format!("about_user_id={berta}");
    assert_eq!(actions(&admin, &query).await, expected[..6]);
    let query = format!("about_user_id={anna}&user_id={anna}");
    assert_eq!(actions(&admin, &query).await, ["console_sessions.create"]);
    let query = format!("about_user_id={anna}&resource=payment_invoices&resource_id=1");
    assert_eq!(actions(&admin, &query).await, expected[8..10]);

    // Erasing the person keeps the entries.
    admin.delete(&format!("/api/operators/{anna}")).await.ok();
    admin
        .post_empty(&format!("/api/users/{anna}/erase"))
        .await
        .ok();
    let query = format!("about_user_id={anna}&action=users.create");
    let found = log(&admin, &format!("?{query}")).await;
    assert_eq!(found[0]["after"]["username"], "***");
}
