//! Creating, listing, changing and deleting promo codes.

use serde_json::json;

use super::{CODES, change, create};
use crate::support::payments::{invoice, order_with, shop};
use crate::support::{Client, TestApp, assert_fields};

const FIELDS: [&str; 13] = [
    "id",
    "code",
    "type",
    "value",
    "max_usages",
    "max_uses_per_user",
    "minimum_amount",
    "starts_at",
    "expires_at",
    "role_ids",
    "active",
    "created_at",
    "usages_count",
];

#[service_test]
async fn a_code_lives_from_create_to_delete(app: TestApp, admin: Client) {
    admin.create_role("Donor").await;
    let body = json!({
        "code": "Spring", "type": "percentage", "value": 12.5, "max_usages": 100,
        "max_uses_per_user": 1, "minimum_amount": 9.99, "starts_at": "2026-03-01T13:00:00+01:00",
        "expires_at": "2026-06-01T00:00:00Z", "role_ids": [1, 1], "active": false,
    });
    let created = admin.post(CODES, body).await.created();
    assert_fields(&created, &["message", "promo_code"]);
    assert_fields(&created["promo_code"], &FIELDS);
    let expected = json!({
        "id": 1, "code": "Spring", "type": "percentage", "value": 12.5, "max_usages": 100,
        "max_uses_per_user": 1, "minimum_amount": 9.99, "starts_at": "2026-03-01T12:00:00Z",
        "expires_at": "2026-06-01T00:00:00Z", "role_ids": [1], "active": false,
        "created_at": "2026-03-01T12:00:00Z", "usages_count": 0,
    });
    assert_eq!(created["promo_code"], expected);

    let body = json!({ "code": "PLAIN", "type": "amount", "value": 5 });
    let plain = create(&admin, body).await;
    let defaults = json!({
        "id": 2, "code": "PLAIN", "type": "amount", "value": 5, "max_usages": null,
        "max_uses_per_user": null, "minimum_amount": null, "starts_at": null,
        "expires_at": null, "role_ids": [], "active": true,
        "created_at": "2026-03-01T12:00:00Z", "usages_count": 0,
    });
    assert_eq!(plain, defaults);

    let listed = admin.get(CODES).await;
    assert_eq!(listed.ok(), json!({ "promo_codes": [expected, defaults] }));
    assert_eq!(listed.header("x-total-count"), "2");
    let single = admin.get("/api/promo-codes/1").await.ok();
    assert_eq!(single, json!({ "promo_code": expected }));

    app.advance(60);
    let body = json!({ "code": "SUMMER" });
    let changed = admin.put("/api/promo-codes/1", body).await.ok();
    assert_fields(&changed, &["message", "promo_code"]);
    let mut renamed = expected;
    renamed["code"] = json!("SUMMER");
    assert_eq!(changed["promo_code"], renamed);
    assert_eq!(change(&admin, 1, json!({})).await, renamed);

    let deleted = admin.delete("/api/promo-codes/1").await.ok();
    assert_fields(&deleted, &["message"]);
    for answer in [
        admin.get("/api/promo-codes/1").await,
        admin.put("/api/promo-codes/1", json!({ "value": 0 })).await,
        admin.delete("/api/promo-codes/1").await,
    ] {
        answer.not_found();
    }
}

#[service_test(shop())]
async fn roles_are_replaced_and_none_means_all_users(admin: Client) {
    for name in ["Donor", "Guest", "Guard"] {
        admin.create_role(name).await;
    }
    let body = json!({ "code": "ROLES", "type": "amount", "value": 1, "role_ids": [1, 2] });
    create(&admin, body).await;
    let changed = change(&admin, 1, json!({ "role_ids": [3, 2, 3] })).await;
    assert_eq!(changed["role_ids"], json!([2, 3]));
    let expected = json!([2, 3]);
    assert_eq!(change(&admin, 1, json!({})).await["role_ids"], expected);

    for id in [2, 3] {
        admin.delete(&format!("/api/roles/{id}")).await.ok();
    }
    let gone = admin.get("/api/promo-codes/1").await;
    assert_eq!(gone.ok()["promo_code"]["role_ids"], json!([]));
    let use_it = async || {
        let body = order_with("ROLES", json!(10));
        admin.post("/api/payment-invoices", body).await
    };
    let refused = [("promo_code", "is not for this user")];
    use_it().await.invalid(&refused);
    change(&admin, 1, json!({ "value": 2 })).await;
    use_it().await.invalid(&refused);

    // If-Match covers the roles although the list looks the same before and after.
    let careful = admin.with("If-Match", gone.header("etag"));
    let late = careful.put("/api/promo-codes/1", json!({ "role_ids": [] }));
    late.await.error(412, "precondition_failed");
    let before = admin.get("/api/promo-codes/1").await;
    change(&admin, 1, json!({ "role_ids": [] })).await;
    let after = admin.get("/api/promo-codes/1").await;
    assert_ne!(before.header("etag"), after.header("etag"));
    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["before"], json!({ "for_roles_only": true }));
    assert_eq!(entry["after"], json!({ "for_roles_only": false }));
    use_it().await.created();
}

#[service_test(shop())]
async fn a_used_code_can_be_changed_but_delete_gives_409(admin: Client) {
    let body = json!({ "code": "TEN", "type": "percentage", "value": 10 });
    create(&admin, body).await;
    let before = admin.get("/api/promo-codes/1").await;
    for _ in 0..2 {
        invoice(&admin, order_with("ten", json!(10))).await;
    }
    let used = admin.get("/api/promo-codes/1").await;
    assert_eq!(used.ok()["promo_code"]["usages_count"], 2);
    let cached = admin.with("If-None-Match", before.header("etag"));
    cached.get("/api/promo-codes/1").await.ok();
    let cached = admin.with("If-None-Match", used.header("etag"));
    assert_eq!(cached.get("/api/promo-codes/1").await.status, 304);
    // A usage does not change the ETag.
    let careful = admin.with("If-Match", before.header("etag"));
    let body = json!({ "type": "amount", "value": 3, "code": "THREE", "max_usages": 1 });
    let changed = careful.put("/api/promo-codes/1", body).await.ok();
    assert_eq!(changed["promo_code"]["usages_count"], 2);

    for id in 1..=2 {
        let path = format!("/api/payment-invoices/{id}");
        let kept = admin.get(&path).await.ok()["payment_invoice"].take();
        assert_eq!(kept["amount"], 9);
        assert_eq!(kept["promo_code"]["code"], "THREE");
        assert_eq!(kept["promo_code"]["value"], 3);
    }
    let answer = admin
        .post("/api/payment-invoices", order_with("THREE", json!(10)))
        .await;
    answer.invalid(&[("promo_code", "has been used up")]);
    let renamed = admin.post("/api/payment-invoices", order_with("TEN", json!(10)));
    renamed.await.error(404, "promo_code_not_found");

    let path = "/api/promo-codes/1";
    admin.delete(path).await.error(409, "promo_code_in_use");
    admin.delete("/api/payment-invoices/1").await.ok();
    admin.delete(path).await.error(409, "promo_code_in_use");
    admin.delete("/api/payment-invoices/2").await.ok();
    admin.delete(path).await.ok();
}

#[service_test]
async fn the_list_is_filtered_and_paged_with_page_and_per_page(admin: Client) {
    admin.create_role("Donor").await;
    for i in 1..=25 {
        let roles = if i % 5 == 0 { vec![1] } else { vec![] };
        let body = json!({ "code": format!("Köln{i}"), "type": "amount", "value": i,
                           "active": i % 2 == 1, "role_ids": roles });
        create(&admin, body).await;
    }
    let ids = async |query: &str| -> (Vec<i64>, String) {
        let answer = admin.get(&format!("{CODES}{query}")).await;
        let body = answer.ok();
        let codes = body["promo_codes"].as_array().expect("a list").clone();
        for code in &codes {
            let id = code["id"].as_i64().expect("an id");
            assert_eq!(code["value"], id);
            let roles = if id % 5 == 0 { json!([1]) } else { json!([]) };
            assert_eq!(code["role_ids"], roles, "{id}");
        }
        let ids = codes.iter().filter_map(|code| code["id"].as_i64());
        (ids.collect(), answer.header("x-total-count").to_owned())
    };
    assert_eq!(ids("").await, ((1..=25).collect(), "25".into()));
    let odd: Vec<i64> = (1..=25).step_by(2).collect();
    assert_eq!(ids("?active=true").await, (odd.clone(), "13".into()));
    assert_eq!(ids("?active=0").await.1, "12");
    assert_eq!(ids("?code=k%C3%96ln7").await, (vec![7], "1".into()));
    assert_eq!(ids("?code=K%C3%B6ln").await, (vec![], "0".into()));
    assert_eq!(ids("?code=K%C3%B6ln7&active=false").await.1, "0");
    let second = ids("?active=true&page=2&per_page=5").await;
    assert_eq!(second, (odd[5..10].to_vec(), "13".into()));

    // Following the links reads every code once.
    let mut path = format!("{CODES}?active=true&per_page=4");
    let mut met = Vec::new();
    loop {
        let query = path.strip_prefix(CODES).expect("the same list").to_owned();
        met.extend(ids(&query).await.0);
        let answer = admin.get(&path).await;
        let link = answer.header("link").to_owned();
        let next = link.split(", ").find(|link| link.ends_with("rel=\"next\""));
        let Some(next) = next else { break };
        let address = next.split(['<', '>']).nth(1).expect("an address");
        path = address.to_owned();
    }
    assert_eq!(met, odd);

    let number = "must be an integer of at least 1";
    let answer = admin
        .get(&format!("{CODES}?active=yes&code=&page=0&per_page=x"))
        .await;
    answer.invalid(&[
        ("active", "must be true or false"),
        ("code", "must be 1 to 50 characters long"),
        ("page", number),
        ("per_page", number),
    ]);
}
