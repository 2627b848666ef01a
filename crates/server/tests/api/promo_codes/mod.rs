//! Promo codes and their rules.

mod crud;
mod input;
mod races;
mod validate;

use kernel::Error;
use serde_json::{Value, json};

use crate::support::payments::{invoice, number, order_with, promo, shop, try_promo, user};
use crate::support::{Client, TestApp};

const CODES: &str = "/api/promo-codes";

async fn create(admin: &Client, body: Value) -> Value {
    admin.post(CODES, body).await.created()["promo_code"].take()
}

async fn change(admin: &Client, id: i64, body: Value) -> Value {
    let path = format!("{CODES}/{id}");
    admin.put(&path, body).await.ok()["promo_code"].take()
}

async fn assert_refused(admin: &Client, code: &str, amount: i64, sentence: &str) {
    admin
        .post("/api/payment-invoices", order_with(code, json!(amount)))
        .await
        .invalid(&[("promo_code", sentence)]);
}

#[service_test(shop())]
async fn a_code_that_does_not_apply_gives_422_with_the_reason(app: TestApp, admin: Client) {
    let make = async |code: &str, rule: &str, value: Value| {
        let mut body = json!({ "code": code, "type": "amount", "value": 1 });
        body[rule] = value;
        promo(&app, body).await
    };
    make("INACTIVE", "active", json!(false)).await;
    assert_refused(&admin, "INACTIVE", 10, "is not active").await;

    make("EARLY", "starts_at", json!("2026-03-01T12:00:01Z")).await;
    assert_refused(&admin, "EARLY", 10, "is not valid yet").await;
    make("LATE", "expires_at", json!("2026-03-01T12:00:01Z")).await;
    invoice(&admin, order_with("LATE", json!(10))).await;
    app.advance(1);
    invoice(&admin, order_with("EARLY", json!(10))).await;
    assert_refused(&admin, "LATE", 10, "has expired").await;

    make("TWICE", "max_usages", json!(2)).await;
    make("ONCE", "max_uses_per_user", json!(1)).await;
    invoice(&admin, order_with("TWICE", json!(10))).await;
    invoice(&admin, order_with("TWICE", json!(10))).await;
    assert_refused(&admin, "TWICE", 10, "has been used up").await;
    invoice(&admin, order_with("ONCE", json!(10))).await;
    assert_refused(&admin, "ONCE", 10, "has been used up by this user").await;
    user(&app, "bert").await;
    let mut body = order_with("ONCE", json!(10));
    body["user_id"] = json!(2);
    invoice(&admin, body).await;

    make("LARGE", "minimum_amount", json!(10.5)).await;
    assert_refused(&admin, "LARGE", 10, "needs an amount of at least 10.5").await;
    invoice(&admin, order_with("LARGE", json!(10.5))).await;
}

#[service_test(shop())]
async fn a_code_for_roles_gives_422_for_other_users(app: TestApp, admin: Client) {
    for name in ["Donor", "Guest"] {
        admin.create_role(name).await;
    }
    let body = json!({ "code": "DONORS", "type": "amount", "value": 1, "role_ids": [1, 1] });
    assert_eq!(promo(&app, body).await.role_ids, [1]);
    let db = &app.core().db;
    assert_refused(&admin, "DONORS", 10, "is not for this user").await;
    let assign = "INSERT INTO user_roles (user_id, role_id) VALUES (1, 2)";
    db.run_sql(assign).await.expect("a role");
    assert_refused(&admin, "DONORS", 10, "is not for this user").await;
    let assign = "INSERT INTO user_roles (user_id, role_id) VALUES (1, 1)";
    db.run_sql(assign).await.expect("a role");
    invoice(&admin, order_with("DONORS", json!(10))).await;

    admin.delete("/api/roles/1").await.ok();
    assert_refused(&admin, "DONORS", 10, "is not for this user").await;
}

#[service_test(shop())]
async fn discounts_are_exact(app: TestApp, admin: Client) {
    for (i, (kind, value, amount, left)) in [
        ("amount", 2.5, json!(10), json!(7.5)),
        ("amount", 0.0001, json!(10), json!(9.9999)),
        ("amount", 50.0, json!(10), json!(0)),
        ("percentage", 100.0, json!(0.005), json!(0)),
        ("percentage", 10.0, json!(0.05), json!(0.04)),
        ("percentage", 10.0, json!(0.0499), json!(0.0499)),
        ("percentage", 33.3333, json!(99.99), json!(66.66)),
        ("percentage", 12.5, json!(0.3), json!(0.26)),
    ]
    .into_iter()
    .enumerate()
    {
        let code = format!("CODE{i}");
        promo(&app, json!({ "code": code, "type": kind, "value": value })).await;
        let made = invoice(&admin, order_with(&code, amount.clone())).await;
        assert_eq!(made["amount"], left, "{kind} {value} of {amount}");
        assert_eq!(made["original_amount"], amount);
    }
}

#[service_test(shop())]
async fn deleting_an_invoice_returns_the_usage(app: TestApp, admin: Client) {
    let body = json!({
        "code": "ONCE", "type": "amount", "value": 1, "max_usages": 1, "max_uses_per_user": 1,
    });
    promo(&app, body).await;
    let uses = "SELECT usages_count FROM promo_codes";
    for _ in 0..3 {
        let made = invoice(&admin, order_with("ONCE", json!(10))).await;
        assert_eq!(number(&app, uses).await, 1);
        let path = format!("/api/payment-invoices/{}", made["id"]);
        admin.delete(&path).await.ok();
        assert_eq!(number(&app, uses).await, 0);
    }
    // A refused invoice is not a usage.
    let mut body = order_with("ONCE", json!(10));
    body["currency_id"] = json!(9);
    let refused = admin.post("/api/payment-invoices", body).await;
    refused.error(404, "currency_not_found");
    assert_eq!(number(&app, uses).await, 0);
}

async fn faults(app: &TestApp, body: Value) -> Value {
    match try_promo(app, body).await {
        Err(Error::Invalid(faults)) => serde_json::to_value(&faults).expect("faults are plain"),
        other => panic!("not refused for its fields: {other:?}"),
    }
}

#[service_test]
async fn a_new_code_that_breaks_a_rule_gives_422(app: TestApp) {
    let body = json!({ "code": "ab", "type": "gift", "value": 0, "max_usages": 0 });
    let expected = json!({
        "code": ["must be 3 to 50 characters long"],
        "type": ["must be amount or percentage"],
        "value": ["must be greater than 0"],
        "max_usages": ["must be an integer from 1 to 2147483647"],
    });
    assert_eq!(faults(&app, body).await, expected);

    let body = json!({
        "code": "abc", "type": "percentage", "value": 100.0001,
        "starts_at": "2026-03-01T12:00:00Z", "expires_at": "2026-03-01T13:00:00+01:00",
    });
    let expected = json!({
        "value": ["must be at most 100 for a percentage"],
        "expires_at": ["must be after starts_at"],
    });
    assert_eq!(faults(&app, body).await, expected);

    let body = json!({ "code": "abc", "type": "amount", "value": 1, "role_ids": [7] });
    let expected = json!({ "role_ids.0": ["is not the id of a role"] });
    assert_eq!(faults(&app, body).await, expected);

    promo(
        &app,
        json!({ "code": "Ärger", "type": "amount", "value": 100.0001 }),
    )
    .await;
    let body = json!({ "code": "äRGER", "type": "percentage", "value": 100 });
    let expected = json!({ "code": ["has already been taken"] });
    assert_eq!(faults(&app, body).await, expected);
}
