use serde_json::json;

use super::{BULK, community, roles};
use crate::support::{Client, TestApp, at_once, count};

#[service_test(community())]
async fn concurrent_changes_of_the_same_users_are_serialised(app: TestApp, admin: Client) {
    let requests = (0..40).map(|number| {
        let admin = admin.clone();
        let ids = match number % 2 {
            0 => [1, 2, 3, 4],
            _ => [4, 3, 2, 1],
        };
        let body = match number / 2 % 4 {
            0 => json!({ "ids": ids, "block": { "reason": number.to_string() } }),
            1 => json!({ "ids": ids, "unblock": true }),
            2 => json!({ "ids": ids, "add_roles": [1, 2] }),
            _ => json!({ "ids": ids, "remove_roles": [2, 1] }),
        };
        async move { admin.post(BULK, body).await }
    });
    let answers = at_once(requests).await;
    assert_eq!(count(&answers, 200), 40);

    // The same changes were applied to all four, so they are equal.
    let status = "SELECT COUNT(DISTINCT status) FROM users";
    assert_eq!(app.number(status).await, 1);
    let open = "SELECT COUNT(*) FROM user_blocks WHERE lifted_at IS NULL";
    let blocked = "SELECT COUNT(*) FROM users WHERE status = 'blocked'";
    assert_eq!(app.number(open).await, app.number(blocked).await);
    for id in 2..=4 {
        assert_eq!(roles(&admin, id).await, roles(&admin, 1).await);
    }
}

#[service_test(community())]
async fn a_bulk_write_concurrent_with_a_delete_succeeds_or_gives_422(app: TestApp, admin: Client) {
    for round in 0..10 {
        let id = app.user(&format!("user{round}")).await;
        let requests = (0..8).map(|number| {
            let admin = admin.clone();
            async move {
                match number {
                    _ if number == round % 8 => admin.delete(&format!("/api/users/{id}")).await,
                    _ if number % 2 == 0 => {
                        let reason = format!("{round} {number}");
                        let body = json!({ "ids": [id, 1], "block": { "reason": reason } });
                        admin.post(BULK, body).await
                    }
                    _ => {
                        let body = json!({ "ids": [1, id], "add_roles": [1] });
                        admin.post(BULK, body).await
                    }
                }
            }
        });
        let answers = at_once(requests).await;
        for late in answers.iter().filter(|answer| answer.status != 200) {
            let body = late.error(422, "validation_failed");
            let faults = body["errors"].to_string();
            assert!(faults.contains("is not the id of a user"), "{faults}");
        }
        admin.get(&format!("/api/users/{id}")).await.not_found();
    }
}

#[service_test(community())]
async fn a_concurrently_deleted_role_is_on_no_user(app: TestApp, admin: Client) {
    for round in 0..10 {
        let made = admin.post("/api/roles", json!({ "name": "Guest" })).await;
        let role = made.created()["role"]["id"].as_i64().expect("an id");
        let requests = (0..8).map(|number| {
            let admin = admin.clone();
            let add = json!({ "ids": [1, 2, 3, 4], "add_roles": [role] });
            let remove = json!({ "ids": [4, 2], "remove_roles": [role] });
            async move {
                match number {
                    _ if number == round % 8 => admin.delete(&format!("/api/roles/{role}")).await,
                    _ if number % 4 == 3 => admin.post(BULK, remove).await,
                    _ => admin.post(BULK, add).await,
                }
            }
        });
        let answers = at_once(requests).await;
        for late in answers.iter().filter(|answer| answer.status != 200) {
            let body = late.error(422, "validation_failed");
            let faults = body["errors"].to_string();
            assert!(faults.contains("is not the id of a role"), "{faults}");
        }
        admin.get(&format!("/api/roles/{role}")).await.not_found();
        let held = "SELECT COUNT(*) FROM user_roles";
        assert_eq!(app.number(held).await, 0);
    }
}
