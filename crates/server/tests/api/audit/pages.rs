//! Pages of the audit log are bounded, however long the log and its entries are.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::payments::numbers;
use crate::support::{Answer, Client, TestApp};

/// Adds entries of this action, each with `size` bytes of changed fields.
async fn add(app: &TestApp, action: &str, count: i64, size: usize) {
    // They begin with 2.
    let numbers = numbers(app, count + 1);
    let sql = format!(
        "INSERT INTO audit_log (at, key_name, request_id, action, resource, resource_id, before,
                                after)
         SELECT n, 'old', 'old', '{action}', 'roles', n, '{{\"x\":\"{}\"}}', '{{}}' FROM {numbers}",
        "y".repeat(size)
    );
    app.core().db.run_sql(&sql).await.expect("entries");
}

fn entries(answer: &Answer) -> Vec<Value> {
    let body = answer.ok();
    body["audit_log"].as_array().expect("a list").clone()
}

fn next(answer: &Answer) -> Option<String> {
    let link = answer.headers.get("link")?.to_str().expect("text");
    let (address, rest) = link.strip_prefix('<')?.split_once('>')?;
    assert_eq!(rest, "; rel=\"next\"");
    Some(address.to_owned())
}

/// How many entries each page has.
async fn page_sizes(admin: &Client, path: &str) -> Vec<usize> {
    let (mut sizes, mut ids) = (Vec::new(), Vec::new());
    let mut path = Some(path.to_owned());
    while let Some(address) = path {
        let answer = admin.get(&address).await;
        let page = entries(&answer);
        sizes.push(page.len());
        ids.extend(page.iter().map(|entry| entry["id"].as_i64()));
        path = next(&answer);
    }
    let distinct: BTreeSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "no repeats");
    sizes
}

#[service_test]
async fn a_page_has_at_most_1_mib_of_entries_and_next_leads_to_the_others(app: TestApp) {
    let admin = app.admin();
    add(&app, "roles.large", 5, 400_000).await;
    add(&app, "roles.huge", 2, 3 << 20).await;
    add(&app, "roles.small", 30, 10).await;
    let pages = async |query: &str| page_sizes(&admin, &format!("/api/audit-log?{query}")).await;
    assert_eq!(pages("action=roles.large&per_page=100").await, [2, 2, 1]);
    assert_eq!(pages("action=roles.large&per_page=1").await, [1; 5]);
    assert_eq!(pages("action=roles.huge&per_page=100").await, [1, 1]);
    assert_eq!(pages("action=roles.small&per_page=100").await, [30]);
    assert_eq!(pages("action=roles.small").await, [20, 10]);
    let all: usize = pages("per_page=100").await.iter().sum();
    assert_eq!(all, 38, "with the first key");
}

#[service_test]
async fn x_total_count_is_exact_up_to_10_000_and_then_at_least(app: TestApp, admin: Client) {
    add(&app, "roles.few", 10_000, 1).await;
    add(&app, "roles.many", 10_001, 1).await;
    for (query, relation) in [
        ("action=roles.few", None),
        ("action=roles.many", Some("at-least")),
        ("resource=roles", Some("at-least")),
        ("", Some("at-least")),
    ] {
        let answer = admin.get(&format!("/api/audit-log?{query}")).await;
        assert_eq!(entries(&answer).len(), 20, "{query}");
        assert_eq!(answer.header("x-total-count"), "10000", "{query}");
        let found = answer.headers.get("x-total-count-relation");
        let found = found.map(|value| value.to_str().expect("text"));
        assert_eq!(found, relation, "{query}");
    }
}

#[service_test]
async fn entries_of_one_second_and_entries_that_were_written_late_keep_their_order(app: TestApp) {
    let admin = app.admin();
    // The third was begun before the second, but written after it.
    let late = "INSERT INTO audit_log (at, key_name, request_id, action, resource, resource_id,
                                       before, after)
                VALUES (100, '', '', 'roles.late', 'roles', 1, '{}', '{}'),
                       (300, '', '', 'roles.late', 'roles', 2, '{}', '{}'),
                       (200, '', '', 'roles.late', 'roles', 3, '{}', '{}'),
                       (300, '', '', 'roles.late', 'roles', 4, '{}', '{}')";
    app.core().db.run_sql(late).await.expect("entries");
    for per_page in 1..=5 {
        let query = format!("/api/audit-log?action=roles.late&per_page={per_page}");
        let (mut path, mut found) = (Some(query), Vec::new());
        while let Some(address) = path {
            let answer = admin.get(&address).await;
            let page = entries(&answer);
            found.extend(page.iter().map(|entry| entry["resource_id"].as_i64()));
            path = next(&answer);
        }
        let found: Vec<i64> = found.into_iter().flatten().collect();
        assert_eq!(found, [4, 2, 3, 1], "{per_page} per page");
    }
    let within =
        "/api/audit-log?action=roles.late&from=1970-01-01T00:03:00Z&to=1970-01-01T00:04:00Z";
    assert_eq!(entries(&admin.get(within).await).len(), 1);
}

#[service_test]
async fn a_cursor_whose_entry_was_deleted_ends_the_list(app: TestApp) {
    let answer = app.admin().get("/api/audit-log?after=424242").await;
    assert_eq!(entries(&answer).len(), 0);
    assert_eq!(next(&answer), None);
}
