//! Payment invoices.

mod filters;
mod list;
mod overdue;
mod races;
mod statistics;
mod status;
mod totals;

use serde_json::{Value, json};

use crate::support::payments::{invoice, number, order, order_with, promo, shop};
use crate::support::{Client, TestApp, assert_fields};

const ITEM: [&str; 11] = [
    "id",
    "user_id",
    "gateway",
    "transaction_id",
    "amount",
    "original_amount",
    "currency_id",
    "currency",
    "is_paid",
    "paid_at",
    "created_at",
];

fn with(more: &[&'static str]) -> Vec<&'static str> {
    ITEM.iter().chain(more).copied().collect()
}

#[service_test(shop())]
async fn an_invoice_without_a_promo_code_lives_from_create_to_delete(admin: Client) {
    let created = admin
        .post("/api/payment-invoices", order(json!(100.5)))
        .await
        .created();
    assert_fields(&created, &["message", "payment_invoice"]);
    let expected = json!({
        "id": 1,
        "user_id": 1,
        "gateway": "stripe",
        "transaction_id": null,
        "amount": 100.5,
        "original_amount": 100.5,
        "currency_id": 1,
        "currency": "EUR",
        "is_paid": false,
        "paid_at": null,
        "created_at": "2026-03-01T12:00:00Z",
    });
    assert_eq!(created["payment_invoice"], expected);

    let listed = admin.get("/api/payment-invoices").await.ok();
    assert_fields(&listed, &["payment_invoices", "pagination"]);
    assert_eq!(listed["payment_invoices"], json!([expected]));

    let single = admin.get("/api/payment-invoices/1").await;
    assert_fields(&single.ok(), &["payment_invoice"]);
    assert!(single.has_header("etag"));
    let single = single.ok()["payment_invoice"].clone();
    assert_fields(&single, &with(&["user"]));
    let user = json!({ "id": 1, "name": "anna", "email": "anna@example.org" });
    assert_eq!(single["user"], user);
    let currency = json!({ "id": 1, "code": "EUR", "minimum_value": 0, "exchange_rate": 1 });
    assert_eq!(single["currency"], currency);

    let deleted = admin.delete("/api/payment-invoices/1").await.ok();
    assert_fields(&deleted, &["message"]);
    admin.get("/api/payment-invoices/1").await.not_found();
    admin.delete("/api/payment-invoices/1").await.not_found();
}

#[service_test(shop())]
async fn an_invoice_with_a_promo_code_is_created_discounted(app: TestApp, admin: Client) {
    let body = json!({ "code": "Spring", "type": "percentage", "value": 12.5 });
    let code = promo(&app, body).await;
    let created = invoice(&admin, order_with("sPRING", json!(10))).await;
    let fields = with(&["promo_code", "promo_code_id"]);
    assert_fields(&created, &fields);
    assert_eq!(created["promo_code"], "Spring");
    assert_eq!(created["promo_code_id"], code.id);
    assert_eq!(created["amount"], 8.75);
    assert_eq!(created["original_amount"], 10);

    let listed = admin.get("/api/payment-invoices").await.ok();
    assert_eq!(listed["payment_invoices"], json!([created]));

    let single = admin.get("/api/payment-invoices/1").await.ok()["payment_invoice"].clone();
    assert_fields(&single, &with(&["promo_code", "promo_code_id", "user"]));
    assert_eq!(single["promo_code_id"], code.id);
    let object = json!({ "id": code.id, "code": "Spring", "type": "percentage", "value": 12.5 });
    assert_eq!(single["promo_code"], object);

    let body = json!({ "is_paid": true });
    let paid = admin.put("/api/payment-invoices/1/status", body).await.ok();
    assert_fields(&paid, &["message", "payment_invoice"]);
    assert_fields(&paid["payment_invoice"], &fields);
}

#[service_test(shop())]
async fn all_faults_of_an_invoice_are_in_one_422(admin: Client) {
    let create = async |body: Value| admin.post("/api/payment-invoices", body).await;
    create(json!({})).await.invalid(&[
        ("user_id", "is required"),
        ("gateway", "is required"),
        ("amount", "is required"),
        ("currency_id", "is required"),
    ]);
    let body = json!({
        "user_id": "1", "gateway": "a b", "amount": "1", "currency_id": 0, "promo_code": 5,
    });
    create(body).await.invalid(&[
        ("user_id", "must be an integer of at least 1"),
        ("gateway", "must be 1 to 64 letters, digits, _, - or ."),
        ("amount", "must be a number"),
        ("currency_id", "must be an integer of at least 1"),
        ("promo_code", "must be a string"),
    ]);
    for (amount, sentence) in [
        (json!(0), "must be greater than 0"),
        (json!(-5), "must be greater than 0"),
        (json!(0.00001), "must have at most 4 decimal places"),
        (
            json!(1_000_000_000_001_i64),
            "must be at most 1000000000000",
        ),
        (json!(null), "must not be null"),
    ] {
        create(order(amount)).await.invalid(&[("amount", sentence)]);
    }
    let sentence = "must be 1 to 64 letters, digits, _, - or .";
    for gateway in [String::new(), "x".repeat(65), "ä".into()] {
        let mut body = order(json!(1));
        body["gateway"] = gateway.into();
        create(body).await.invalid(&[("gateway", sentence)]);
    }
    let mut body = order(json!(1.0));
    body["promo_code"] = json!(null);
    body["gateway"] = "A-z_0.9".into();
    body["user_id"] = json!(1.0);
    let made = invoice(&admin, body).await;
    assert_eq!(made["gateway"], "A-z_0.9");
}

#[service_test(shop())]
async fn a_missing_user_currency_or_promo_code_gives_404_in_this_order(app: TestApp) {
    let admin = app.admin();
    let dear = json!({ "code": "GLD", "minimum_value": 50, "exchange_rate": 1 });
    admin.post("/api/currencies", dear).await.created();
    let body = json!({ "code": "NEVER", "type": "amount", "value": 1, "active": false });
    promo(&app, body).await;
    let create = async |user: Value, currency: i64, promo: &str, amount: Value| {
        let body = json!({
            "user_id": user, "gateway": "stripe", "amount": amount, "currency_id": currency,
            "promo_code": promo,
        });
        admin.post("/api/payment-invoices", body).await
    };
    let one = || json!(1);
    let answer = create(json!("x"), 9, "NOPE", one()).await;
    answer.invalid(&[("user_id", "must be an integer of at least 1")]);
    let answer = create(json!(9), 9, "NOPE", one()).await;
    answer.error(404, "user_not_found");
    let answer = create(one(), 9, "NOPE", one()).await;
    answer.error(404, "currency_not_found");
    let answer = create(one(), 2, "NOPE", one()).await;
    answer.error(404, "promo_code_not_found");
    create(one(), 2, "NEVER", one()).await.invalid(&[
        ("amount", "must be at least 50 in this currency"),
        ("promo_code", "is not active"),
    ]);
    let answer = create(one(), 2, "NEVER", json!(50)).await;
    answer.invalid(&[("promo_code", "is not active")]);
    let count = "SELECT COUNT(*) FROM payment_invoices";
    assert_eq!(number(&app, count).await, 0);
    let gateways = "SELECT COUNT(*) FROM payment_gateways";
    assert_eq!(number(&app, gateways).await, 0);
}

#[service_test(shop())]
async fn an_amount_below_the_minimum_of_the_currency_gives_422(admin: Client) {
    let body = json!({ "minimum_value": 5.0001 });
    admin.put("/api/currencies/1", body).await.ok();
    let sentence = "must be at least 5.0001 in this currency";
    let answer = admin.post("/api/payment-invoices", order(json!(5))).await;
    answer.invalid(&[("amount", sentence)]);
    assert_eq!(
        invoice(&admin, order(json!(5.0001))).await["amount"],
        5.0001
    );
}

#[service_test(shop())]
async fn an_unknown_gateway_is_registered_once(app: TestApp, admin: Client) {
    for _ in 0..3 {
        invoice(&admin, order(json!(1))).await;
    }
    let mut body = order(json!(1));
    body["gateway"] = "paypal".into();
    invoice(&admin, body).await;
    let named = "SELECT COUNT(*) FROM payment_gateways WHERE name = key AND enabled";
    assert_eq!(number(&app, named).await, 2);
}
