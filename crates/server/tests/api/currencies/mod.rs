//! Currencies.

mod races;

use serde_json::{Value, json};

use crate::support::payments::{currency, invoice, order, shop};
use crate::support::{Client, assert_fields};

const ITEM: [&str; 4] = ["id", "code", "minimum_value", "exchange_rate"];
const DETAIL: [&str; 5] = ["id", "code", "minimum_value", "exchange_rate", "is_default"];

fn euro() -> Value {
    json!({ "code": "EUR", "minimum_value": 0.5, "exchange_rate": 1.25 })
}

#[service_test]
async fn a_currency_lives_from_create_to_delete(admin: Client) {
    let created = admin.post("/api/currencies", euro()).await.created();
    assert_fields(&created, &["message", "currency"]);
    assert_fields(&created["currency"], &ITEM);
    let mut expected = euro();
    expected["id"] = json!(1);
    assert_eq!(created["currency"], expected);

    let single = admin.get("/api/currencies/1").await.ok();
    assert_fields(&single, &["currency"]);
    assert_fields(&single["currency"], &DETAIL);
    assert_eq!(single["currency"]["is_default"], true);

    let body = json!({ "code": "usd", "minimum_value": 2 });
    let updated = admin.put("/api/currencies/1", body).await.ok();
    assert_fields(&updated, &["message", "currency"]);
    assert_fields(&updated["currency"], &ITEM);
    let expected = json!({ "id": 1, "code": "usd", "minimum_value": 2, "exchange_rate": 1.25 });
    assert_eq!(updated["currency"], expected);

    let listed = admin.get("/api/currencies").await.ok();
    assert_fields(&listed, &["currencies", "pagination"]);
    assert_eq!(listed["currencies"], json!([expected]));

    let deleted = admin.delete("/api/currencies/1").await.ok();
    assert_fields(&deleted, &["message"]);
    admin.get("/api/currencies/1").await.not_found();
}

#[service_test]
async fn numbers_are_returned_plain_and_exact(admin: Client) {
    for (code, minimum, rate, written) in [
        (
            "AAA",
            "1E3",
            "1e-7",
            r#""minimum_value":1000,"exchange_rate":0.0000001}"#,
        ),
        (
            "BBB",
            "100.50",
            "1.0",
            r#""minimum_value":100.5,"exchange_rate":1}"#,
        ),
        (
            "CCC",
            "999999999999.9999",
            "999999999999.9999999999",
            r#""minimum_value":999999999999.9999,"exchange_rate":999999999999.9999999999}"#,
        ),
        (
            "DDD",
            "1e12",
            "1e-10",
            r#""minimum_value":1000000000000,"exchange_rate":0.0000000001}"#,
        ),
    ] {
        let body =
            format!(r#"{{"code": "{code}", "minimum_value": {minimum}, "exchange_rate": {rate}}}"#);
        let body = Some(("application/json", body.into_bytes()));
        let created = admin
            .send_bytes(reqwest::Method::POST, "/api/currencies", body)
            .await;
        created.created();
        assert!(created.text.contains(written), "{}", created.text);
        let listed = admin.get("/api/currencies").await;
        assert!(listed.text.contains(written), "{}", listed.text);
    }
}

#[service_test]
async fn all_faults_of_a_currency_are_in_one_422(admin: Client) {
    let body = json!({ "code": "EURO", "minimum_value": -1, "exchange_rate": 0 });
    admin.post("/api/currencies", body).await.invalid(&[
        ("code", "must be 3 letters or digits"),
        ("minimum_value", "must not be negative"),
        ("exchange_rate", "must be greater than 0"),
    ]);
    admin.post("/api/currencies", json!({})).await.invalid(&[
        ("code", "is required"),
        ("minimum_value", "is required"),
        ("exchange_rate", "is required"),
    ]);
    let body = json!({ "code": null, "minimum_value": null, "exchange_rate": null });
    admin.post("/api/currencies", body).await.invalid(&[
        ("code", "must not be null"),
        ("minimum_value", "must not be null"),
        ("exchange_rate", "must not be null"),
    ]);
    let body = json!({ "code": 123, "minimum_value": "1", "exchange_rate": true });
    admin.post("/api/currencies", body).await.invalid(&[
        ("code", "must be a string"),
        ("minimum_value", "must be a number"),
        ("exchange_rate", "must be a number"),
    ]);
    let body = json!({ "code": "€UR", "minimum_value": 0.00001, "exchange_rate": 1e13 });
    admin.post("/api/currencies", body).await.invalid(&[
        ("code", "must be 3 letters or digits"),
        ("minimum_value", "must have at most 4 decimal places"),
        ("exchange_rate", "must be at most 1000000000000"),
    ]);
    let body = json!({ "code": "EU ", "minimum_value": 1e12, "exchange_rate": 1e-11 });
    admin.post("/api/currencies", body).await.invalid(&[
        ("code", "must be 3 letters or digits"),
        ("exchange_rate", "must have at most 10 decimal places"),
    ]);
    assert_eq!(
        admin.get("/api/currencies").await.ok()["currencies"],
        json!([])
    );
}

#[service_test]
async fn an_update_keeps_absent_fields_and_null_gives_422(admin: Client) {
    admin.post("/api/currencies", euro()).await.created();
    let before = admin.etag("/api/currencies/1").await;
    let unchanged = admin.put("/api/currencies/1", json!({})).await.ok();
    assert_eq!(unchanged["currency"]["exchange_rate"], 1.25);
    assert_eq!(admin.get("/api/currencies/1").await.header("etag"), before);
    let body = json!({ "code": null, "minimum_value": null, "exchange_rate": null });
    admin.put("/api/currencies/1", body).await.invalid(&[
        ("code", "must not be null"),
        ("minimum_value", "must not be null"),
        ("exchange_rate", "must not be null"),
    ]);
    let body = json!({ "exchange_rate": 2 });
    let changed = admin.put("/api/currencies/1", body).await.ok();
    assert_eq!(changed["currency"]["minimum_value"], 0.5);
    assert_ne!(admin.get("/api/currencies/1").await.header("etag"), before);
}

#[service_test]
async fn codes_are_unique_case_insensitively_422(admin: Client) {
    currency(&admin, "EUR").await;
    currency(&admin, "USD").await;
    let taken = [("code", "has already been taken")];
    let body = json!({ "code": "eUr", "minimum_value": 0, "exchange_rate": 1 });
    admin.post("/api/currencies", body).await.invalid(&taken);
    let body = json!({ "code": "eur" });
    let answer = admin.put("/api/currencies/2", body.clone()).await;
    answer.invalid(&taken);
    let renamed = admin.put("/api/currencies/1", body).await.ok();
    assert_eq!(renamed["currency"]["code"], "eur");
}

async fn defaults(admin: &Client, ids: &[i64]) -> Vec<i64> {
    let mut defaults = Vec::new();
    for id in ids {
        let single = admin.get(&format!("/api/currencies/{id}")).await.ok();
        if single["currency"]["is_default"] == true {
            defaults.push(*id);
        }
    }
    defaults
}

#[service_test]
async fn exactly_one_currency_is_the_default(admin: Client) {
    for code in ["EUR", "USD", "GBP"] {
        currency(&admin, code).await;
    }
    assert_eq!(defaults(&admin, &[1, 2, 3]).await, [1]);
    for id in [3, 3, 2] {
        let path = format!("/api/currencies/{id}/default");
        let set = admin.post_empty(&path).await.ok();
        assert_fields(&set, &["message", "currency"]);
        assert_fields(&set["currency"], &DETAIL);
        assert_eq!(set["currency"]["is_default"], true);
        assert_eq!(set["currency"]["id"], id);
        assert_eq!(defaults(&admin, &[1, 2, 3]).await, [id]);
    }
}

#[service_test]
async fn deleting_the_default_gives_409_while_others_exist(admin: Client) {
    currency(&admin, "EUR").await;
    currency(&admin, "USD").await;
    let answer = admin.delete("/api/currencies/1").await;
    answer.error(409, "currency_in_use");
    admin.delete("/api/currencies/2").await.ok();
    admin.delete("/api/currencies/1").await.ok();
    assert_eq!(currency(&admin, "GBP").await, 3);
    assert_eq!(defaults(&admin, &[3]).await, [3]);
}

#[service_test(shop())]
async fn deleting_a_currency_with_invoices_gives_409(admin: Client) {
    currency(&admin, "USD").await;
    let mut body = order(json!(10));
    body["currency_id"] = json!(2);
    let made = invoice(&admin, body).await;
    let answer = admin.delete("/api/currencies/2").await;
    answer.error(409, "currency_in_use");
    let path = format!("/api/payment-invoices/{}", made["id"]);
    admin.delete(&path).await.ok();
    admin.delete("/api/currencies/2").await.ok();
}

#[service_test]
async fn currencies_are_paged_with_page_and_per_page(admin: Client) {
    let empty = admin.get("/api/currencies").await;
    let pagination = json!({ "total": 0, "per_page": 20, "current_page": 1, "last_page": 1 });
    let expected = json!({ "currencies": [], "pagination": pagination });
    assert_eq!(empty.ok(), expected);
    for number in 10..35 {
        currency(&admin, &format!("C{number}")).await;
    }

    let ids = |body: &Value| -> Vec<i64> {
        let list = body["currencies"].as_array().expect("a list");
        list.iter().filter_map(|item| item["id"].as_i64()).collect()
    };
    let first = admin.get("/api/currencies").await;
    assert_eq!(ids(&first.ok()), (1..=20).collect::<Vec<_>>());
    assert_eq!(first.header("x-total-count"), "25");
    let second = admin.get("/api/currencies?page=3&limit=10").await;
    assert_eq!(ids(&second.ok()), (21..=25).collect::<Vec<_>>());
    let pagination = json!({ "total": 25, "per_page": 10, "current_page": 3, "last_page": 3 });
    assert_eq!(second.ok()["pagination"], pagination);
    assert_eq!(
        second.header("link"),
        "</api/currencies?page=1&limit=10>; rel=\"first\", \
         </api/currencies?page=2&limit=10>; rel=\"prev\", \
         </api/currencies?page=3&limit=10>; rel=\"last\""
    );
    let many = admin.get("/api/currencies?limit=1000").await.ok();
    assert_eq!(many["pagination"]["per_page"], 100);
    assert_eq!(ids(&many).len(), 25);
    let beyond = admin.get("/api/currencies?page=9&limit=10").await.ok();
    assert_eq!(ids(&beyond), [0; 0]);
    assert_eq!(beyond["pagination"]["current_page"], 9);

    let next = admin.get("/api/currencies?page=1&limit=10").await;
    let link = next
        .header("link")
        .split(", ")
        .find(|link| link.contains("next"));
    let path = link
        .and_then(|link| link.split(['<', '>']).nth(1))
        .expect("a next page");
    admin.delete("/api/currencies/5").await.ok();
    let walked = admin.get(path).await.ok();
    assert_eq!(ids(&walked), (11..=20).collect::<Vec<_>>());
    assert_eq!(walked["pagination"]["current_page"], 2);

    let sentence = "must be an integer of at least 1";
    let answer = admin.get("/api/currencies?page=0&limit=x&after=-1").await;
    answer.invalid(&[("page", sentence), ("limit", sentence), ("after", sentence)]);
}
