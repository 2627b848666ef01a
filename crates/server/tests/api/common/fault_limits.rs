//! Lists have a limit, and so has what a reply says of faults.

use serde_json::{Map, Value, json};

use crate::support::{Answer, Client, TestApp, new_user};

const TOO_MANY_IDS: &str = "must hold at most 1000 ids";
const NOT_AN_ID: &str = "must be an integer of at least 1";

/// Asserts that 100 faults are listed and `left_out` are not.
#[track_caller]
fn lists_100_and_leaves_out(answer: &Answer, left_out: usize) {
    let body = answer.error(422, "validation_failed");
    let errors = body["errors"].as_object().expect("an object");
    let sentences = |(field, sentences): (&String, &Value)| match field.as_str() {
        "..." => 0,
        _ => sentences.as_array().map_or(0, Vec::len),
    };
    assert_eq!(errors.iter().map(sentences).sum::<usize>(), 100);
    assert_eq!(body["faults"].as_array().map(Vec::len), Some(100));
    let more = format!("{left_out} more faults are not shown");
    assert_eq!(errors["..."], json!([more]));
    assert_eq!(body["message"], format!("The request is invalid; {more}."));
}

#[service_test]
async fn at_most_100_faults_are_listed_and_the_others_counted(admin: Client) {
    let mut body = new_user("anna");
    body["role_ids"] = json!(vec![0; 100]);
    let answer = admin.post("/api/users", body.clone()).await;
    let reply = answer.error(422, "validation_failed");
    assert_eq!(reply["errors"].as_object().map(Map::len), Some(100));
    assert_eq!(reply["faults"].as_array().map(Vec::len), Some(100));
    assert_eq!(reply["message"], "The request is invalid.");

    body["role_ids"] = json!(vec![0; 101]);
    let answer = admin.post("/api/users", body.clone()).await;
    let reply = answer.error(422, "validation_failed");
    assert_eq!(reply["errors"]["..."], json!(["1 more fault is not shown"]));

    body["role_ids"] = json!(vec![0; 1000]);
    let answer = admin.post("/api/users", body.clone()).await;
    lists_100_and_leaves_out(&answer, 900);
    assert!(answer.text.len() < 20_000, "{} bytes", answer.text.len());

    // Unknown ids are found by the write and by the look-up after it, and count once.
    body["role_ids"] = (1..=1000).collect();
    let answer = admin.post("/api/users", body.clone()).await;
    lists_100_and_leaves_out(&answer, 900);
    body["email"] = json!("anna");
    let answer = admin.post("/api/users", body).await;
    lists_100_and_leaves_out(&answer, 901);
    assert!(answer.json()["errors"]["email"].is_array());
}

#[service_test]
async fn a_body_of_1_mib_gets_a_small_reply(app: TestApp) {
    let admin = app.admin().with("Prefer", "handling=strict");
    let mut body = new_user("anna");
    body["role_ids"] = json!(vec![0; 500_000]);
    let answer = admin.post("/api/users", body).await;
    answer.invalid(&[("role_ids", TOO_MANY_IDS)]);
    assert!(answer.text.len() < 20_000, "{} bytes", answer.text.len());

    let mut body = new_user("anna");
    for number in 0..80_000 {
        body[format!("f{number}")] = json!(0);
    }
    let answer = admin.post("/api/users", body).await;
    lists_100_and_leaves_out(&answer, 79_900);
    assert!(answer.text.len() < 20_000, "{} bytes", answer.text.len());
}

#[service_test]
async fn a_list_of_1000_ids_is_taken_and_one_of_1001_is_not(app: TestApp, admin: Client) {
    admin.create_role("Guard").await;
    app.user("anna").await;
    let item = json!({ "title": "A" });
    admin.post("/api/navbar-items", item).await.created();
    let promo = json!({ "code": "OFF", "type": "amount", "value": 1 });
    admin.post("/api/promo-codes", promo).await.created();

    for (path, field) in [
        ("/api/users/1/roles", "role_ids"),
        ("/api/navbar-items/1", "roles"),
        ("/api/promo-codes/1", "role_ids"),
        ("/api/roles/1/permissions", "permission_ids"),
    ] {
        let repeated = |count| json!({ field: vec![1; count] });
        admin.put(path, repeated(1000)).await.ok();
        let answer = admin.put(path, repeated(1001)).await;
        answer.invalid(&[(field, TOO_MANY_IDS)]);
        // The items of a list that is too long are not looked at.
        let answer = admin.put(path, json!({ field: vec![0; 1001] })).await;
        answer.invalid(&[(field, TOO_MANY_IDS)]);
    }
    // Repeated ids count once.
    let user = admin.get("/api/users/1").await.ok();
    assert_eq!(user["user"]["roles"].as_array().map(Vec::len), Some(1));
    let promo = admin.get("/api/promo-codes/1").await.ok();
    assert_eq!(promo["promo_code"]["role_ids"], json!([1]));
    let item = admin.get("/api/navbar-items/1").await.ok();
    assert_eq!(
        item["navbar_item"]["roles"].as_array().map(Vec::len),
        Some(1)
    );

    for field in ["add_roles", "remove_roles"] {
        let body = json!({ "ids": vec![1; 1000], field: vec![1; 1001] });
        let answer = admin.post("/api/users/bulk", body).await;
        answer.invalid(&[(field, TOO_MANY_IDS)]);
        let body = json!({ "ids": vec![1; 1000], field: vec![1; 1000] });
        admin.post("/api/users/bulk", body).await.ok();
    }
}

#[service_test]
async fn an_order_names_at_most_1000_items(admin: Client) {
    let page = json!({ "title": "T", "slug": "t", "content": "" });
    admin.post("/api/cms-pages", page).await.created();
    for path in [
        "/api/navbar-items/reorder",
        "/api/cms-pages/1/blocks/reorder",
    ] {
        let body = json!({ "items": vec![1; 1001] });
        let answer = admin.post(path, body).await;
        answer.invalid(&[("items", "must hold at most 1000 items")]);
        let body = json!({ "items": vec![1; 1000] });
        lists_100_and_leaves_out(&admin.post(path, body).await, 900);
    }
}

#[service_test]
async fn every_position_of_a_repeated_unknown_id_is_named(app: TestApp) {
    app.user("anna").await;
    let body = json!({ "role_ids": [9, 0, 9] });
    let answer = app.admin().put("/api/users/1/roles", body).await;
    answer.invalid(&[
        ("role_ids.0", "is not the id of a role"),
        ("role_ids.1", NOT_AN_ID),
        ("role_ids.2", "is not the id of a role"),
    ]);
}
