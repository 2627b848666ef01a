use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp, at_once};

#[service_test]
async fn roles_created_at_once_all_have_distinct_ids(app: TestApp) {
    let creating = (0..50).map(|i| {
        let admin = app.admin();
        async move {
            let body = json!({ "name": format!("Guard {i}") });
            admin.post("/api/roles", body).await.created()["role"].take()
        }
    });
    let created = at_once(creating).await;
    let ids: HashSet<i64> = created
        .iter()
        .filter_map(|role| role["id"].as_i64())
        .collect();
    assert_eq!(ids.len(), 50);

    let listed = app.admin().get("/api/roles").await.ok();
    let listed = listed["roles"].as_array().expect("a list");
    assert_eq!(listed.len(), 50);
    for role in created {
        assert!(listed.contains(&role), "{role}");
    }
    let log = app.admin().get("/api/audit-log?action=roles.create").await;
    assert_eq!(log.header("x-total-count"), "50");
}

#[service_test]
async fn concurrent_updates_are_serialised(app: TestApp, admin: Client) {
    admin.create_role("Guard").await;
    let updating = (0..30).map(|i| {
        let admin = app.admin();
        async move {
            let words = format!("number {i}");
            let body = json!({ "name": words, "description": words });
            let updated = admin.put("/api/roles/1", body).await.ok()["role"].take();
            let expected = json!({ "id": 1, "name": words, "description": words });
            assert_eq!(updated, expected);
            updated
        }
    });
    let written = at_once(updating).await;
    let mut end = admin.get("/api/roles/1").await.ok()["role"].take();
    let fields = end.as_object_mut().expect("an object");
    fields.shift_remove("permissions");
    assert!(written.contains(&end), "{end}");

    // Each update saw the one before it: the log is an unbroken chain.
    let log = admin
        .get("/api/audit-log?action=roles.update&per_page=100")
        .await
        .ok();
    let entries = log["audit_log"].as_array().expect("a list");
    assert_eq!(entries.len(), 30);
    assert_eq!(entries[0]["after"]["name"], end["name"]);
    for pair in entries.windows(2) {
        assert_eq!(pair[0]["before"]["name"], pair[1]["after"]["name"]);
    }
}

#[service_test]
async fn concurrent_updates_of_different_fields_are_both_kept(admin: Client) {
    for round in 1..=10 {
        admin.create_role("Guard").await;
        let path = format!("/api/roles/{round}");
        let fields = ["name", "description"].map(|field| {
            let (admin, path) = (admin.clone(), path.clone());
            async move { admin.put(&path, json!({ field: "new" })).await.ok() }
        });
        at_once(fields).await;
        let role = admin.get(&path).await.ok()["role"].take();
        assert_eq!([&role["name"], &role["description"]], ["new", "new"]);
    }
}

#[service_test]
async fn of_permission_lists_set_at_once_exactly_one_is_stored(app: TestApp, admin: Client) {
    admin.create_role("Guard").await;
    let (id, _) = app.key(&["admin.users"]).await;
    for (path, name) in [
        ("/api/roles/1".to_owned(), "role"),
        (format!("/api/api-keys/{id}"), "api_key"),
    ] {
        let setting = (0..30).map(|i| {
            let (admin, path) = (app.admin(), format!("{path}/permissions"));
            async move {
                let ids = [1 + i % 7, 8 + i % 7, 15 + i % 7];
                let body = json!({ "permission_ids": ids });
                let set = admin.put(&path, body).await.ok();
                assert_eq!(permission_ids(&set[name]), ids);
                ids
            }
        });
        let sets = at_once(setting).await;
        let end = permission_ids(&admin.get(&path).await.ok()[name]);
        assert!(sets.iter().any(|set| *set == end[..]), "{end:?}");
    }
}

fn permission_ids(holder: &Value) -> Vec<i64> {
    let permissions = holder["permissions"].as_array().expect("a list");
    permissions
        .iter()
        .filter_map(|it| it["id"].as_i64())
        .collect()
}

#[service_test]
async fn a_write_concurrent_with_a_delete_succeeds_or_gets_404(app: TestApp, admin: Client) {
    for _ in 0..10 {
        let body = json!({ "name": "Guard" });
        let role = admin.post("/api/roles", body).await.created();
        let body = json!({ "name": "Till" });
        let key = admin.post("/api/api-keys", body).await.created();
        for path in [
            format!("/api/roles/{}", role["role"]["id"]),
            format!("/api/api-keys/{}", key["api_key"]["id"]),
        ] {
            let requests = (0..8).map(|i| {
                let (admin, path) = (app.admin(), path.clone());
                async move {
                    let ids = json!({ "permission_ids": [1, 2, 3] });
                    let answer = match i % 4 {
                        0 => admin.delete(&path).await,
                        1 => admin.put(&path, json!({ "name": "Other" })).await,
                        2 => admin.put(&format!("{path}/permissions"), ids).await,
                        _ => admin.get(&path).await,
                    };
                    (i % 4 == 0, answer)
                }
            });
            let answers: Vec<(bool, Answer)> = at_once(requests).await;
            for (_, answer) in &answers {
                assert!(matches!(answer.status, 200 | 404), "{answer:?}");
            }
            let deleted = answers
                .iter()
                .filter(|(delete, it)| *delete && it.status == 200);
            assert_eq!(deleted.count(), 1);
            admin.get(&path).await.not_found();
        }
    }
}
