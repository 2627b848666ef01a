//! Request bodies: what is accepted, and the errors for the rest.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp};

async fn send(client: &Client, method: Method, path: &str, body: impl Into<Vec<u8>>) -> Answer {
    let body = ("application/json", body.into());
    client.send_bytes(method, path, Some(body)).await
}

async fn post_role(client: &Client, body: impl Into<Vec<u8>>) -> Answer {
    send(client, Method::POST, "/api/roles", body).await
}

#[service_test]
async fn a_body_that_is_not_json_gives_422(admin: Client) {
    for body in [
        &b"{"[..],
        b"}",
        b"nope",
        b"name=Guard",
        b"{'name': 'Guard'}",
        b"{name: \"Guard\"}",
        b"{\"name\": }",
        b"{\"name\": \"Guard\",}",
        b"{\"name\": \"Guard\"} {}",
        b"{\"name\": \"Guard\"} // done",
        b"{\"name\": NaN}",
        b"{\"name\": 01}",
        b"{\"name\": +1}",
        b"{\"name\": \"line\nbreak\"}",
        b"{\"name\": \"\\x41\"}",
        b"{\"name\": \"\\u00g0\"}",
        b"{\"name\": \"\xff\"}",
        b"{\"\xc3\x28\": 1}",
        b"{\"name\": \"\xed\xa0\x80\"}",
        b"\xef\xbb\xbf{\"name\": \"Guard\"}",
        b"\xff\xfe{\x00}\x00",
        b"{\"name\": \"Guard\", \"\\ud800\": 1}",
        b"\0",
    ] {
        for (method, path) in [
            (Method::POST, "/api/roles"),
            (Method::PUT, "/api/api-keys/1"),
            (Method::PUT, "/api/api-keys/1/permissions"),
        ] {
            let answer = send(&admin, method, path, body).await;
            answer.error(422, "invalid_json");
        }
    }
    assert_eq!(admin.get("/api/roles").await.ok()["roles"], json!([]));
}

#[service_test]
async fn a_body_that_is_not_an_object_gives_422(admin: Client) {
    for body in [
        "[]",
        "[{\"name\":\"Guard\"}]",
        "\"{}\"",
        "7",
        "null",
        "true",
        " [ ] ",
    ] {
        post_role(&admin, body).await.error(422, "invalid_body");
        let answer = send(&admin, Method::PUT, "/api/api-keys/1", body).await;
        answer.error(422, "invalid_body");
    }
    let answer = post_role(&admin, " \r\n\t{ \"name\": \"Guard\" }\n ").await;
    answer.created();
}

#[service_test]
async fn an_empty_body_gives_422_where_one_is_required(admin: Client) {
    admin.create_role("Guard").await;
    for (method, path) in [
        (Method::POST, "/api/api-keys"),
        (Method::PUT, "/api/api-keys/1"),
        (Method::PUT, "/api/api-keys/1/permissions"),
        (Method::POST, "/api/roles"),
        (Method::PUT, "/api/roles/1"),
        (Method::PUT, "/api/roles/1/permissions"),
    ] {
        let answer = admin.send(method.clone(), path, None).await;
        answer.error(422, "missing_body");
        for blank in ["", " ", "\r\n\t"] {
            let answer = send(&admin, method.clone(), path, blank).await;
            answer.error(422, "missing_body");
        }
    }
}

#[service_test]
async fn a_body_is_ignored_where_none_is_required(app: TestApp, admin: Client) {
    app.key(&[]).await;
    for (kind, body) in [("text/plain", "nonsense"), ("application/json", "{")] {
        let body = Some((kind, body.as_bytes().to_vec()));
        let path = "/api/api-keys/2/regenerate";
        admin.send_bytes(Method::POST, path, body).await.ok();
    }
    let body = Some(("application/json", b"[".to_vec()));
    let answer = admin
        .send_bytes(Method::DELETE, "/api/api-keys/2", body)
        .await;
    answer.ok();
}

#[service_test]
async fn a_wrong_type_gives_422_without_coercion(admin: Client) {
    let string = "must be a string";
    for wrong in [json!(7), json!(1.5), json!(true), json!([]), json!({})] {
        let body = json!({ "name": wrong, "description": wrong, "color": wrong });
        let faults = [("name", string), ("description", string), ("color", string)];
        admin.post("/api/roles", body).await.invalid(&faults);
    }
}

#[service_test]
async fn a_number_with_an_integral_value_is_an_integer_in_any_notation(app: TestApp) {
    let admin = app.admin();
    admin.create_role("Guard").await;
    let body = r#"{ "permission_ids": [2.0, 1e1, 30e-1, 0.4E+1, 1.20e1, 5] }"#;
    app.key(&[]).await;
    for path in ["/api/roles/1/permissions", "/api/api-keys/2/permissions"] {
        let answer = send(&admin, Method::PUT, path, body).await.ok();
        let holder = answer
            .get("role")
            .or(answer.get("api_key"))
            .expect("a holder");
        let permissions = holder["permissions"].as_array().expect("a list");
        let ids: Vec<_> = permissions.iter().map(|it| it["id"].clone()).collect();
        assert_eq!(json!(ids), json!([2, 3, 4, 5, 10, 12]));
    }
}

#[service_test]
async fn numbers_out_of_range_give_422(admin: Client) {
    admin.create_role("Guard").await;
    let digits = "9".repeat(10_000);
    for odd in [
        "1.5",
        "-0.0",
        "1e400",
        "-1e400",
        "1e-400",
        "1e99999999999999999999",
        &digits,
    ] {
        let body = format!(r#"{{ "permission_ids": [{odd}] }}"#);
        let answer = send(&admin, Method::PUT, "/api/roles/1/permissions", body).await;
        answer.invalid(&[("permission_ids.0", "is not the id of a permission")]);
    }
}

#[service_test]
async fn unknown_fields_are_ignored_unless_prefer_handling_strict_422(admin: Client) {
    let body = json!({ "name": "Guard", "Name": 7, "rank": { "of": ["many"] }, "id": 99 });
    let created = admin.post("/api/roles", body.clone()).await.created();
    assert_eq!(created["role"]["id"], 1);
    admin.put("/api/roles/1", body.clone()).await.ok();
    admin.get("/api/roles?pages=1&q=x").await.ok();

    let unknown = "is not a field of this request";
    let faults = [("Name", unknown), ("id", unknown), ("rank", unknown)];
    for preference in [
        "handling=strict",
        "handling=\"strict\"",
        "Handling=Strict",
        "respond-async, handling=strict",
        "wait=10; x=y, handling=strict",
    ] {
        let strict = admin.with("Prefer", preference);
        let answer = strict.post("/api/roles", body.clone()).await;
        answer.invalid(&faults);
        let answer = strict.put("/api/roles/1", body.clone()).await;
        answer.invalid(&faults);
        let answer = strict.get("/api/roles?pages=1&per_page=2").await;
        answer.invalid(&[("pages", unknown)]);
        let answer = strict.put("/api/roles/1", json!({ "name": "Guard" })).await;
        answer.ok();
    }
    for preference in [
        "handling=lenient",
        "strict",
        "handling=strictly",
        "return=minimal",
    ] {
        let lenient = admin.with("Prefer", preference);
        lenient.put("/api/roles/1", body.clone()).await.ok();
    }
    let strict = admin.with("Prefer", "handling=strict");
    let answer = strict
        .post("/api/roles", json!({ "rank": 1, "color": 7 }))
        .await;
    answer.invalid(&[
        ("rank", unknown),
        ("name", "is required"),
        ("color", "must be a string"),
    ]);
}

#[service_test]
async fn preference_applied_says_where_handling_strict_was_honoured(app: TestApp, admin: Client) {
    let strict = admin.with("Prefer", "respond-async, HANDLING=\"strict\"");
    let body = || json!({ "name": "Guard" });
    for answer in [
        strict.post("/api/roles", body()).await,
        strict.put("/api/roles/1", json!({ "rank": 1 })).await,
        strict.put("/api/roles/1", body()).await,
        strict.get("/api/roles?page=1").await,
        strict.get("/api/roles?pages=1").await,
    ] {
        assert_eq!(answer.header("preference-applied"), "handling=strict");
    }
    let lenient = admin.with("Prefer", "handling=lenient");
    for answer in [
        // There is nothing that could have unknown fields.
        strict.get("/api/roles/1").await,
        strict.delete("/api/roles/1").await,
        app.anonymous()
            .with("Prefer", "handling=strict")
            .get("/api/roles")
            .await,
        lenient.post("/api/roles", body()).await,
        admin.post("/api/roles", body()).await,
    ] {
        assert!(!answer.has_header("preference-applied"), "{answer:?}");
    }
}

#[service_test]
async fn the_last_of_repeated_fields_counts(admin: Client) {
    let body = r#"{ "name": 7, "name": "First", "n\u0061me": "Last" }"#;
    let created = post_role(&admin, body).await.created();
    assert_eq!(created["role"]["name"], "Last");
    let body = r#"{ "name": "First", "name": 7 }"#;
    let answer = post_role(&admin, body).await;
    answer.invalid(&[("name", "must be a string")]);
    let listed = admin.get("/api/roles?per_page=x&per_page=1").await.ok();
    assert_eq!(listed["roles"].as_array().map(Vec::len), Some(1));
}

#[service_test]
async fn deeply_nested_bodies_do_no_harm(admin: Client) {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(50_000), close.repeat(50_000));
    let lists = deep("[", "]");
    let objects = format!("{}1{}", r#"{"a":"#.repeat(50_000), "}".repeat(50_000));
    for deep in [&lists, &objects] {
        let answer = post_role(&admin, format!(r#"{{ "name": {deep} }}"#)).await;
        answer.invalid(&[("name", "must be a string")]);
        let body = format!(r#"{{ "name": "Guard", "ignored": {deep} }}"#);
        post_role(&admin, body).await.created();
        let body = format!(r#"{{ "permission_ids": [{deep}] }}"#);
        let answer = send(&admin, Method::PUT, "/api/roles/1/permissions", body).await;
        answer.invalid(&[("permission_ids.0", "is not the id of a permission")]);
    }
    post_role(&admin, lists).await.error(422, "invalid_body");
    let answer = post_role(&admin, "[".repeat(100_000)).await;
    answer.error(422, "invalid_json");
    let answer = post_role(&admin, r#"{"a":"#.repeat(100_000)).await;
    answer.error(422, "invalid_json");
    admin.get("/api/roles").await.ok();
}

#[service_test]
async fn many_fields_do_no_harm(app: TestApp) {
    let mut body = json!({ "name": "Guard" });
    for i in 0..20_000 {
        body[format!("field {i}")] = Value::from(i);
    }
    app.admin().post("/api/roles", body).await.created();
}
