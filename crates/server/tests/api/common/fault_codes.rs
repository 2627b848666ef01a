//! Faults for programs: a stable code and parameters beside each sentence.

use serde_json::{Value, json};

use crate::support::{Client, new_user};

fn fault(field: &str, code: &str, params: Value) -> Value {
    json!({ "field": field, "code": code, "params": params })
}

#[service_test]
async fn faults_have_codes_and_params_in_the_order_of_errors(admin: Client) {
    let body = json!({
        "ip": "localhost", "port": 65536, "game": "counter strike", "enabled": 1,
        "rcon_password": "",
    });
    let answer = admin.post("/api/servers", body).await;
    answer.invalid(&[
        ("name", "is required"),
        ("ip", "must be an IPv4 or IPv6 address"),
        ("port", "must be an integer from 1 to 65535"),
        ("enabled", "must be true or false"),
        ("game", "must be 1 to 50 letters, digits, _, - or ."),
        ("rcon_password", "must be 1 to 255 bytes long"),
    ]);
    let allowed = json!({ "allowed": "identifier", "min": 1, "max": 50 });
    let length = json!({ "min": 1, "max": 255, "unit": "bytes" });
    let expected = json!([
        fault("name", "required", json!({})),
        fault("ip", "wrong_format", json!({ "format": "ip_address" })),
        fault("port", "out_of_range", json!({ "min": 1, "max": 65535 })),
        fault("enabled", "wrong_type", json!({ "expected": "boolean" })),
        fault("game", "wrong_characters", allowed),
        fault("rcon_password", "too_short", length),
    ]);
    assert_eq!(answer.json()["faults"], expected);
}

#[service_test]
async fn faults_that_need_the_database_have_codes_too(admin: Client) {
    admin.post("/api/users", new_user("anna")).await.created();
    let mut body = new_user("anna");
    body["email"] = json!("anna");
    body["role_ids"] = json!([77, "x"]);
    let answer = admin.post("/api/users", body).await;
    let role = json!({ "resource": "role" });
    let expected = json!([
        fault("username", "taken", json!({})),
        fault("email", "wrong_format", json!({ "format": "email" })),
        fault("role_ids.0", "unknown_id", role),
        fault("role_ids.1", "not_an_integer", json!({ "min": 1 })),
    ]);
    let body = answer.error(422, "validation_failed");
    assert_eq!(body["faults"], expected);
}

#[service_test]
async fn faults_of_queries_and_headers_have_codes(admin: Client) {
    let answer = admin.get("/api/users?sort=size&after=x:1&per_page=0").await;
    let body = answer.error(422, "validation_failed");
    let faults = body["faults"].as_array().expect("a list");
    let sorts = |fault: &&Value| fault["field"] == "sort";
    let sort = faults.iter().find(sorts).expect("a fault of sort");
    assert_eq!(sort["code"], "unknown_sort");
    assert!(sort["params"]["values"].to_string().contains("\"id\""));

    let keyed = admin.with("Idempotency-Key", "a b");
    let answer = keyed.post("/api/roles", json!({ "name": "Guard" })).await;
    let params = json!({ "allowed": "visible_ascii", "min": 1, "max": 255 });
    let expected = json!([fault("Idempotency-Key", "wrong_characters", params)]);
    assert_eq!(answer.error(422, "validation_failed")["faults"], expected);
}

#[service_test]
async fn a_422_without_errors_has_no_faults(admin: Client) {
    let answer = admin.post("/api/roles", json!([])).await;
    answer.error(422, "invalid_body");
    let answer = admin.post_empty("/api/roles").await;
    answer.error(422, "missing_body");
}
