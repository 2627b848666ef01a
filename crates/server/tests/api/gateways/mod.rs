//! Payment gateways, and invoices that use them.

mod races;

use serde_json::{Value, json};

use crate::support::payments::{invoice, order, order_with, promo, shop};
use crate::support::{Client, TestApp, assert_fields};

const GATEWAYS: &str = "/api/payment-gateways";
const FIELDS: [&str; 5] = ["id", "key", "name", "enabled", "created_at"];

async fn create(admin: &Client, body: Value) -> Value {
    admin.post(GATEWAYS, body).await.created()["payment_gateway"].take()
}

#[service_test]
async fn a_gateway_lives_from_create_to_delete(admin: Client) {
    let body = json!({ "key": "Stripe.v2", "name": "Cards", "enabled": false });
    let created = admin.post(GATEWAYS, body).await.created();
    assert_fields(&created, &["message", "payment_gateway"]);
    assert_fields(&created["payment_gateway"], &FIELDS);
    let expected = json!({
        "id": 1, "key": "Stripe.v2", "name": "Cards", "enabled": false,
        "created_at": "2026-03-01T12:00:00Z",
    });
    assert_eq!(created["payment_gateway"], expected);
    let plain = create(&admin, json!({ "key": "paypal", "name": null })).await;
    assert_eq!(
        (&plain["name"], &plain["enabled"]),
        (&json!("paypal"), &json!(true))
    );

    let listed = admin.get(GATEWAYS).await;
    assert_eq!(
        listed.ok(),
        json!({ "payment_gateways": [expected, plain] })
    );
    assert_eq!(listed.header("x-total-count"), "2");
    let second = admin.get(&format!("{GATEWAYS}?page=2&per_page=1")).await;
    assert_eq!(second.ok(), json!({ "payment_gateways": [plain] }));
    assert_eq!(second.header("x-total-count"), "2");
    let path = "/api/payment-gateways/1";
    assert_eq!(
        admin.get(path).await.ok(),
        json!({ "payment_gateway": expected })
    );

    let mut expected = expected;
    for (field, value) in [
        ("key", json!("stripe")),
        ("name", json!("Karten")),
        ("enabled", json!(true)),
    ] {
        let tag = admin.etag(path).await;
        expected[field] = value.clone();
        let changed = admin.put(path, json!({ field: value })).await.ok();
        assert_fields(&changed, &["message", "payment_gateway"]);
        assert_eq!(changed["payment_gateway"], expected);
        assert_ne!(admin.get(path).await.header("etag"), tag, "{field}");
    }
    let same = admin.put(path, json!({})).await.ok();
    assert_eq!(same["payment_gateway"], expected);
    assert_fields(&admin.delete(path).await.ok(), &["message"]);
    admin.get(path).await.not_found();
    admin.put(path, json!({ "key": "" })).await.not_found();
    admin.delete(path).await.not_found();
}

#[service_test]
async fn all_faults_of_a_gateway_are_in_one_422(admin: Client) {
    create(&admin, json!({ "key": "stripe" })).await;
    create(&admin, json!({ "key": "paypal" })).await;
    let wrong = json!({ "key": "a b", "name": " ", "enabled": "yes" });
    let faults = [
        ("key", "must be 1 to 64 letters, digits, _, - or ."),
        ("name", "must not be blank"),
        ("enabled", "must be true or false"),
    ];
    admin.post(GATEWAYS, wrong.clone()).await.invalid(&faults);
    let path = "/api/payment-gateways/1";
    admin.put(path, wrong).await.invalid(&faults);
    let long = json!({ "key": "x".repeat(65), "name": "x".repeat(101) });
    let too_long = [faults[0], ("name", "must be 1 to 100 characters long")];
    admin.post(GATEWAYS, long).await.invalid(&too_long);
    let missing = admin.post(GATEWAYS, json!({ "name": "Cards" })).await;
    missing.invalid(&[("key", "is required")]);
    let nulls = json!({ "key": null, "name": null, "enabled": null });
    let faults = ["key", "name", "enabled"].map(|field| (field, "must not be null"));
    admin.put(path, nulls).await.invalid(&faults);

    let taken = [("key", "has already been taken")];
    let again = json!({ "key": "stripe" });
    admin.post(GATEWAYS, again.clone()).await.invalid(&taken);
    let body = json!({ "key": "paypal" });
    admin.put(path, body).await.invalid(&taken);
    admin.put(path, again).await.ok();
    create(&admin, json!({ "key": "STRIPE" })).await;
}

#[service_test(shop())]
async fn an_invoice_with_a_disabled_gateway_gives_422(app: TestApp, admin: Client) {
    invoice(&admin, order(json!(1))).await;
    let path = "/api/payment-gateways/1";
    let registered = admin.get(path).await.ok()["payment_gateway"].take();
    assert_eq!(registered["key"], "stripe");
    assert_eq!(registered["name"], "stripe");
    assert_eq!(registered["enabled"], true);

    admin.put(path, json!({ "enabled": false })).await.ok();
    let refused = admin.post("/api/payment-invoices", order(json!(1))).await;
    refused.invalid(&[("gateway", "is disabled")]);
    // Existing invoices are not affected.
    let paid = json!({ "is_paid": true });
    admin.put("/api/payment-invoices/1/status", paid).await.ok();
    let body = json!({ "code": "OFF", "type": "amount", "value": 1, "active": false });
    promo(&app, body).await;
    let currency = json!({ "minimum_value": 5 });
    admin.put("/api/currencies/1", currency).await.ok();
    let body = order_with("OFF", json!(1));
    admin.post("/api/payment-invoices", body).await.invalid(&[
        ("amount", "must be at least 5 in this currency"),
        ("promo_code", "is not active"),
        ("gateway", "is disabled"),
    ]);
    let mut other = order(json!(1));
    other["gateway"] = json!("new");
    let refused = admin.post("/api/payment-invoices", other).await;
    refused.invalid(&[("amount", "must be at least 5 in this currency")]);
    let known = admin.get(GATEWAYS).await;
    assert_eq!(
        known.header("x-total-count"),
        "1",
        "what is refused leaves no gateway"
    );

    admin.put(path, json!({ "enabled": true })).await.ok();
    invoice(&admin, order(json!(5))).await;
}

#[service_test(shop())]
async fn a_gateway_with_invoices_can_be_renamed_but_delete_gives_409(admin: Client) {
    invoice(&admin, order(json!(1))).await;
    let path = "/api/payment-gateways/1";
    let answer = admin.delete(path).await;
    answer.error(409, "payment_gateway_in_use");
    let body = json!({ "key": "cards", "name": "Cards" });
    admin.put(path, body).await.ok();
    let shown = admin.get("/api/payment-invoices/1").await.ok();
    assert_eq!(shown["payment_invoice"]["gateway"], "cards");
    let stats = admin.get("/api/payment-invoices/stats").await.ok();
    assert_eq!(stats["stats"]["by_gateway"][0]["gateway_name"], "Cards");
    // The old key is free, so an invoice registers a new gateway under it.
    invoice(&admin, order(json!(1))).await;
    let second = admin.get("/api/payment-gateways/2").await.ok();
    assert_eq!(second["payment_gateway"]["key"], "stripe");

    admin.delete("/api/payment-invoices/1").await.ok();
    admin.delete(path).await.ok();
    let log = admin.get("/api/audit-log?per_page=1").await.ok();
    let gone = json!({ "id": 1, "key": "cards", "name": "Cards", "enabled": true });
    assert_eq!(log["audit_log"][0]["before"], gone);
}
