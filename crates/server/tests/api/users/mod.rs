//! Users.

mod blocks;
mod bulk;
mod delete;
mod devices;
mod erasure;
mod filters;
mod held_roles;
mod include;
mod input;
mod lookup;
mod passwords;
mod races;
mod roles;
mod search;
mod social_networks;
mod totals;

use serde_json::{Value, json};

use crate::support::{Client, TestApp, assert_fields, new_user};

const ITEM: [&str; 5] = ["id", "username", "email", "created_at", "status"];

#[service_test]
async fn a_user_is_created_read_and_changed(app: TestApp, admin: Client) {
    let created = admin.post("/api/users", new_user("Anna")).await.created();
    assert_fields(&created, &["message", "user"]);
    assert_fields(&created["user"], &ITEM);
    assert_eq!(created["user"]["username"], "Anna");
    assert_eq!(created["user"]["email"], "Anna@example.com");
    assert_eq!(created["user"]["status"], "active");
    assert_eq!(created["user"]["created_at"], "2026-03-01T12:00:00Z");
    let path = format!("/api/users/{}", created["user"]["id"]);

    let listed = admin.get("/api/users").await.ok();
    assert_fields(&listed, &["users"]);
    assert_eq!(listed["users"], json!([created["user"]]));

    app.advance(60);
    let body = json!({ "username": "Ann", "email": "ann@example.org", "status": "pending" });
    let updated = admin.put(&path, body).await.ok();
    assert_fields(&updated, &["message", "user"]);
    assert_eq!(
        updated["user"],
        json!({
            "id": created["user"]["id"],
            "username": "Ann",
            "email": "ann@example.org",
            "status": "pending",
            "created_at": "2026-03-01T12:00:00Z",
            "updated_at": "2026-03-01T12:01:00Z",
        })
    );

    let single = admin.get(&path).await.ok();
    assert_fields(&single, &["user"]);
    let mut expected = updated["user"].clone();
    expected["roles"] = json!([]);
    assert_eq!(single["user"], expected);
}

#[service_test]
async fn an_empty_update_changes_nothing_not_even_the_etag(app: TestApp, admin: Client) {
    let path = format!("/api/users/{}", app.user("anna").await);
    let before = admin.get(&path).await;
    app.advance(60);
    let updated = admin.put(&path, json!({})).await.ok();
    assert_eq!(updated["user"]["updated_at"], "2026-03-01T12:00:00Z");
    let after = admin.get(&path).await;
    assert_eq!(after.ok(), before.ok());
    assert_eq!(after.header("etag"), before.header("etag"));
}

#[service_test]
async fn each_field_of_a_user_can_be_changed_alone(app: TestApp, admin: Client) {
    let path = format!("/api/users/{}", app.user("anna").await);
    let mut expected = admin.get(&path).await.ok();
    for (field, value) in [
        ("username", "Anna"),
        ("email", "anna@example.net"),
        ("status", "night-shift_2"),
    ] {
        let tag = admin.etag(&path).await;
        admin.put(&path, json!({ field: value })).await.ok();
        expected["user"][field] = Value::from(value);
        let single = admin.get(&path).await;
        assert_eq!(single.ok(), expected, "{field}");
        assert_ne!(single.header("etag"), tag, "{field}");
    }
}

#[service_test]
async fn the_list_is_always_paged_with_page_and_per_page(app: TestApp, admin: Client) {
    for number in 1..=23 {
        app.user(&format!("user{number}")).await;
    }
    let names = |body: &Value| -> Vec<String> {
        let users = body["users"].as_array().expect("a list");
        users
            .iter()
            .map(|user| user["username"].as_str().expect("a name").to_owned())
            .collect()
    };
    let user = |number: usize| format!("user{number}");

    let first = admin.get("/api/users").await;
    assert_eq!(
        names(&first.ok()),
        (1..=20).map(user).collect::<Vec<_>>(),
        "by id, 20 to a page"
    );
    assert_eq!(first.header("x-total-count"), "23");
    assert_eq!(
        first.header("link"),
        "</api/users?page=1&per_page=20>; rel=\"first\", \
         </api/users?per_page=20&after=20>; rel=\"next\", \
         </api/users?page=2&per_page=20>; rel=\"last\""
    );

    let second = admin.get("/api/users?page=2").await;
    assert_eq!(names(&second.ok()), ["user21", "user22", "user23"]);
    let last = admin.get("/api/users?per_page=20&after=20").await;
    assert_eq!(last.ok(), second.ok());
    assert!(!last.header("link").contains("next"));

    let beyond = admin.get("/api/users?page=9").await;
    assert_eq!(beyond.ok()["users"], json!([]));
    assert_eq!(beyond.header("x-total-count"), "23");
    let all = admin.get("/api/users?per_page=1000").await;
    assert_eq!(names(&all.ok()).len(), 23);
    let two = admin.get("/api/users?per_page=2&page=3").await;
    assert_eq!(names(&two.ok()), ["user5", "user6"]);

    let wrong = "must be an integer of at least 1";
    let answer = admin.get("/api/users?page=0&per_page=x&after=-1").await;
    answer.invalid(&[("page", wrong), ("per_page", wrong), ("after", wrong)]);
}

#[service_test]
async fn a_cursor_walk_misses_no_user_during_creates(app: TestApp, admin: Client) {
    for number in 0..6 {
        app.user(&format!("user{number}")).await;
    }
    let mut seen = Vec::new();
    let mut next = Some("/api/users?per_page=2".to_owned());
    while let Some(path) = next {
        let page = admin.get(&path).await;
        let users = page.ok()["users"].as_array().expect("a list").clone();
        seen.extend(users.iter().map(|user| user["id"].as_i64().expect("an id")));
        if seen.len() == 2 {
            app.user("latecomer").await;
        }
        let links = page.header("link").split(", ");
        next = links
            .filter_map(|link| link.strip_suffix(">; rel=\"next\""))
            .map(|link| link.trim_start_matches('<').to_owned())
            .next();
    }
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7]);
}

#[service_test]
async fn usernames_and_emails_are_unique_case_insensitively_422(app: TestApp, admin: Client) {
    let taken = "has already been taken";
    app.user("Жёлудь").await;
    let other = app.user("anna").await;

    let body = json!({
        "username": "ЖЁЛУДЬ",
        "email": "ANNA@Example.COM",
        "password": "battery staple",
        "role_ids": [5],
    });
    admin.post("/api/users", body).await.invalid(&[
        ("username", taken),
        ("email", taken),
        ("role_ids.0", "is not the id of a role"),
    ]);

    let path = format!("/api/users/{other}");
    let body = json!({ "username": "жёлудь", "email": "жёлудь@EXAMPLE.com" });
    let answer = admin.put(&path, body).await;
    answer.invalid(&[("username", taken), ("email", taken)]);
    let own = json!({ "username": "ANNA", "email": "anna@EXAMPLE.com" });
    assert_eq!(admin.put(&path, own).await.ok()["user"]["username"], "ANNA");
    assert_eq!(admin.total("/api/users").await, "2");
}
