use serde_json::json;

use crate::support::{Client, TestApp, assert_one_created, at_once, count, new_user, post_at_once};

/// As many as password checks may wait for clients with a key.
const CROWD: usize = 40;

#[service_test]
async fn of_many_concurrent_creates_one_gets_the_username(admin: Client) {
    let bodies = (0..CROWD).map(|number| {
        let mut body = new_user(["жанна", "ЖАННА"][number % 2]);
        body["email"] = json!(format!("u{number}@example.com"));
        body
    });
    assert_one_created(
        &post_at_once(&admin, "/api/users", bodies).await,
        "username",
    );
    assert_eq!(admin.total("/api/users").await, "1");
    let found = admin.get("/api/users/search?q=example.com").await;
    assert_eq!(found.header("x-total-count"), "1", "losers leave no trace");
}

#[service_test]
async fn of_many_concurrent_creates_one_gets_the_email(admin: Client) {
    let bodies = (0..CROWD).map(|number| {
        let mut body = new_user(&format!("user{number}"));
        body["email"] = json!("anna@example.com");
        body
    });
    assert_one_created(&post_at_once(&admin, "/api/users", bodies).await, "email");
    assert_eq!(admin.total("/api/users").await, "1");
}

#[service_test]
async fn of_many_concurrent_renames_one_gets_the_username(app: TestApp, admin: Client) {
    for number in 0..10 {
        app.user(&format!("user{number}")).await;
    }
    let requests = (0..CROWD).map(|number| {
        let admin = admin.clone();
        let path = format!("/api/users/{}", number % 10 + 1);
        async move { admin.put(&path, json!({ "username": "anna" })).await }
    });
    let answers = at_once(requests).await;
    // The winner may set its own name again.
    assert_eq!(count(&answers, 200), CROWD / 10);
    assert_eq!(count(&answers, 422), CROWD - CROWD / 10);
    assert_eq!(admin.total("/api/users/search?q=anna").await, "1");
}

#[service_test]
async fn concurrent_blocks_and_unblocks_leave_a_consistent_history(app: TestApp, admin: Client) {
    app.user("anna").await;
    let requests = (0..CROWD).map(|number| {
        let admin = admin.clone();
        async move {
            match number % 3 {
                0 => admin.post_empty("/api/users/1/unblock").await,
                1 => {
                    let body = json!({ "status": "blocked" });
                    admin.put("/api/users/1", body).await
                }
                _ => admin.post_empty("/api/users/1/block").await,
            }
        }
    });
    let answers = at_once(requests).await;
    assert_eq!(count(&answers, 200), CROWD);

    let status = admin.get("/api/users/1").await.ok()["user"]["status"].clone();
    let open = "SELECT COUNT(*) FROM user_blocks WHERE lifted_at IS NULL";
    let blocked = i64::from(status == "blocked");
    assert_eq!(app.number(open).await, blocked, "{status}");
    let blocks = (0..CROWD).filter(|number| number % 3 != 0).count() as i64;
    assert_eq!(app.number("SELECT COUNT(*) FROM user_blocks").await, blocks);
    let newest = "SELECT COUNT(*) FROM user_blocks
                  WHERE lifted_at IS NULL AND id < (SELECT MAX(id) FROM user_blocks)";
    assert_eq!(app.number(newest).await, 0, "only the last one can be open");
}

#[service_test]
async fn of_many_concurrent_links_to_one_network_one_is_created(app: TestApp, admin: Client) {
    app.user("anna").await;
    let body = |number| json!({ "network_id": 1, "profile_url": format!("gordon{number}") });
    let path = "/api/users/1/social-networks";
    let answers = post_at_once(&admin, path, (0..CROWD).map(body)).await;
    assert_one_created(&answers, "network_id");
}
