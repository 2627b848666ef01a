//! The audit log from its oldest entry.

use crate::support::walk::{ids, next};
use crate::support::{Client, TestApp};

async fn walk(admin: &Client, path: &str) -> (Vec<i64>, usize) {
    let (mut found, mut pages) = (Vec::new(), 0);
    let mut path = Some(path.to_owned());
    while let Some(address) = path {
        let answer = admin.get(&address).await;
        found.extend(ids(&answer, "audit_log"));
        pages += 1;
        path = next(&answer);
    }
    (found, pages)
}

#[service_test]
async fn sort_id_lists_the_oldest_entries_first_and_after_continues(admin: Client) {
    for i in 0..5 {
        admin.create_role(&format!("Guard {i}")).await;
    }
    let (newest_first, _) = walk(&admin, "/api/audit-log").await;
    let (oldest_first, pages) = walk(&admin, "/api/audit-log?sort=id&per_page=4").await;
    assert!(pages > 1);
    assert!(oldest_first.is_sorted());
    assert_eq!(oldest_first.len(), newest_first.len());
    let last = oldest_first.last().expect("entries");
    let path = format!("/api/audit-log?sort=id&after={last}");
    assert_eq!(ids(&admin.get(&path).await, "audit_log"), [0; 0]);
    admin.create_role("Late").await;
    assert_eq!(ids(&admin.get(&path).await, "audit_log").len(), 1);
    let filtered = admin
        .get("/api/audit-log?sort=id&action=roles.create")
        .await;
    assert_eq!(ids(&filtered, "audit_log").len(), 6);
    let refused = admin.get("/api/audit-log?sort=-id").await;
    refused.invalid(&[("sort", "must be id")]);
}

#[service_test]
async fn a_rare_entry_is_found_by_following_the_links(app: TestApp, admin: Client) {
    let numbers = crate::support::payments::numbers(&app, 25_000);
    let sql = format!(
        "INSERT INTO audit_log (at, key_name, request_id, action, resource, resource_id, before,
                                after)
         SELECT 1, 'old', 'old', CASE n WHEN 24000 THEN 'roles.rare' ELSE 'roles.old' END, 'roles',
                n, '{{}}', '{{}}' FROM {numbers}"
    );
    app.core().db.run_sql(&sql).await.expect("entries");
    let (found, pages) = walk(&admin, "/api/audit-log?sort=id&action=roles.rare").await;
    assert_eq!(found.len(), 1);
    assert_eq!(pages, 3, "each page looks at 10,000 entries");
}
