use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp, at_once, count, new_user};

const CROWD: usize = 50;

async fn create_all(admin: &Client, body: impl Fn(usize) -> Value) -> Vec<Answer> {
    let requests = (0..CROWD).map(|number| {
        let (admin, body) = (admin.clone(), body(number));
        async move { admin.post("/api/users", body).await }
    });
    at_once(requests).await
}

fn assert_one_succeeded(answers: &[Answer], field: &str) {
    assert_eq!(count(answers, 201), 1);
    for loser in answers.iter().filter(|answer| answer.status != 201) {
        loser.invalid(&[(field, "has already been taken")]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_concurrent_creates_one_gets_the_username() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let answers = create_all(&admin, |number| {
        let name = if number % 2 == 0 {
            "жанна"
        } else {
            "ЖАННА"
        };
        let mut body = new_user(name);
        body["email"] = json!(format!("u{number}@example.com"));
        body
    });
    assert_one_succeeded(&answers.await, "username");
    assert_eq!(admin.get("/api/users").await.header("x-total-count"), "1");
    let found = admin.get("/api/users/search?q=example.com").await;
    assert_eq!(found.header("x-total-count"), "1", "losers leave no trace");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_concurrent_creates_one_gets_the_email() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let answers = create_all(&admin, |number| {
        let mut body = new_user(&format!("user{number}"));
        body["email"] = json!("anna@example.com");
        body
    });
    assert_one_succeeded(&answers.await, "email");
    assert_eq!(admin.get("/api/users").await.header("x-total-count"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_concurrent_renames_one_gets_the_username() {
    let app = TestApp::start().await;
    let admin = app.admin();
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
    let found = admin.get("/api/users/search?q=anna").await;
    assert_eq!(found.header("x-total-count"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_blocks_and_unblocks_leave_a_consistent_history() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    let requests = (0..CROWD).map(|number| {
        let admin = admin.clone();
        async move {
            match number % 3 {
                0 => admin.post_empty("/api/users/1/unblock").await,
                1 => {
                    admin
                        .put("/api/users/1", json!({ "status": "blocked" }))
                        .await
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

#[tokio::test(flavor = "multi_thread")]
async fn of_many_concurrent_links_to_one_network_one_is_created() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    let requests = (0..CROWD).map(|number| {
        let admin = admin.clone();
        let body = json!({ "network_id": 1, "profile_url": format!("gordon{number}") });
        async move { admin.post("/api/users/1/social-networks", body).await }
    });
    let answers = at_once(requests).await;
    assert_one_succeeded(&answers, "network_id");
}
