use serde_json::{Value, json};

use crate::support::payments::{invoice, order, order_with, pay, promo, shop};
use crate::support::{Client, TestApp, assert_fields};

const NOON: &str = "2026-03-01T12:00:00Z";
const LATER: &str = "2026-03-01T12:01:00Z";

async fn set(admin: &Client, body: Value) -> Value {
    let answer = admin.put("/api/payment-invoices/1/status", body).await.ok();
    answer["payment_invoice"].clone()
}

fn state(invoice: &Value) -> Value {
    json!([
        invoice["is_paid"],
        invoice["paid_at"],
        invoice["transaction_id"]
    ])
}

#[service_test(shop())]
async fn paid_at_is_set_once(app: TestApp, admin: Client) {
    invoice(&admin, order(json!(10))).await;
    let paid = set(&admin, json!({ "is_paid": true, "transaction_id": "t1" })).await;
    assert_eq!(state(&paid), json!([true, NOON, "t1"]));

    app.advance(60);
    let again = set(&admin, json!({ "is_paid": true })).await;
    assert_eq!(again, paid);
    let renamed = set(&admin, json!({ "is_paid": true, "transaction_id": "t2" })).await;
    assert_eq!(state(&renamed), json!([true, NOON, "t2"]));

    let unpaid = set(&admin, json!({ "is_paid": false })).await;
    assert_eq!(state(&unpaid), json!([false, null, "t2"]));
    let paid = set(&admin, json!({ "is_paid": true })).await;
    assert_eq!(state(&paid), json!([true, LATER, "t2"]));
    let cleared = set(&admin, json!({ "is_paid": true, "transaction_id": null })).await;
    assert_eq!(state(&cleared), json!([true, LATER, null]));
}

#[service_test(shop())]
async fn a_transaction_id_can_be_set_before_the_payment(admin: Client) {
    invoice(&admin, order(json!(10))).await;
    let unpaid = set(&admin, json!({ "is_paid": false, "transaction_id": "t1" })).await;
    assert_eq!(state(&unpaid), json!([false, null, "t1"]));
    let single = admin.get("/api/payment-invoices/1").await.ok();
    assert_eq!(single["payment_invoice"]["transaction_id"], "t1");
}

#[service_test(shop())]
async fn a_malformed_status_gives_422(admin: Client) {
    invoice(&admin, order(json!(10))).await;
    let put = async |body: Value| admin.put("/api/payment-invoices/1/status", body).await;
    put(json!({ "transaction_id": "" })).await.invalid(&[
        ("is_paid", "is required"),
        ("transaction_id", "must be 1 to 255 characters long"),
    ]);
    put(json!({ "is_paid": 1, "transaction_id": 5 }))
        .await
        .invalid(&[
            ("is_paid", "must be true or false"),
            ("transaction_id", "must be a string"),
        ]);
    put(json!({ "is_paid": null, "transaction_id": "x".repeat(256) }))
        .await
        .invalid(&[
            ("is_paid", "must not be null"),
            ("transaction_id", "must be 1 to 255 characters long"),
        ]);
}

#[service_test(shop())]
async fn deleting_a_paid_invoice_gives_422(app: TestApp, admin: Client) {
    let body = json!({ "code": "ONCE", "type": "amount", "value": 1, "max_usages": 1 });
    promo(&app, body).await;
    let made = invoice(&admin, order_with("once", json!(10))).await;
    pay(&admin, &made["id"]).await.ok();
    let answer = admin.delete("/api/payment-invoices/1").await;
    answer.error(422, "invoice_paid");
    admin
        .post("/api/payment-invoices", order_with("once", json!(10)))
        .await
        .invalid(&[("promo_code", "has been used up")]);

    set(&admin, json!({ "is_paid": false })).await;
    admin.delete("/api/payment-invoices/1").await.ok();
    invoice(&admin, order_with("once", json!(10))).await;
}

#[service_test(shop())]
async fn an_unpaid_invoice_can_fail_and_a_paid_one_gives_422(app: TestApp, admin: Client) {
    invoice(&admin, order(json!(10))).await;
    let path = "/api/payment-invoices/1/fail";
    let before = admin.etag("/api/payment-invoices/1").await;
    let body = json!({ "reason": "Card declined" });
    let failed = admin.post(path, body).await.ok();
    assert_fields(&failed, &["message", "payment_invoice"]);
    let expected = json!([false, null, null]);
    assert_eq!(state(&failed["payment_invoice"]), expected);
    let after = admin.etag("/api/payment-invoices/1").await;
    assert_ne!(before, after);

    app.advance(60);
    assert_eq!(admin.post_empty(path).await.ok(), failed);
    admin.post(path, json!({ "reason": null })).await.ok();
    assert_eq!(
        admin.get("/api/payment-invoices/1").await.header("etag"),
        after
    );

    admin
        .post(path, json!({ "reason": "x".repeat(1001) }))
        .await
        .invalid(&[("reason", "must be at most 1000 characters long")]);
    pay(&admin, &json!(1)).await.ok();
    admin.post_empty(path).await.error(422, "invoice_paid");
    // A paid invoice is not failed.
    set(&admin, json!({ "is_paid": false })).await;
    let stats = admin.get("/api/payment-invoices/stats").await.ok();
    assert_eq!(stats["stats"]["pending_count"], 1);
    assert_eq!(stats["stats"]["failed_count"], 0);
}
