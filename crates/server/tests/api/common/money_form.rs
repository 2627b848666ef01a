//! `?money=string` and `Prefer: money=string`. That every amount of every reply then is a string is
//! tested in `contract/replies.rs`.

use serde_json::{Value, json};

use crate::support::payments::{invoice, numbers, order, shop};
use crate::support::walk::walk;

const INVOICES: &str = "/api/payment-invoices";

#[tokio::test(flavor = "multi_thread")]
async fn money_string_makes_strings_of_the_same_digits() {
    let (_app, admin) = shop().await;
    for amount in [
        json!(12.5),
        json!(100),
        json!(0.0001),
        json!(1_000_000_000_000_u64),
    ] {
        invoice(&admin, order(amount)).await;
    }
    let amounts = async |path: &str| -> Vec<Value> {
        let list = walk(&admin, path, "payment_invoices").await;
        list.iter()
            .map(|invoice| invoice["amount"].clone())
            .collect()
    };
    let expected = ["1000000000000", "0.0001", "100", "12.5"];
    // The links to the next pages keep the parameter.
    assert_eq!(
        amounts("/api/payment-invoices?money=string&per_page=1").await,
        expected
    );
    let expected = json!([1_000_000_000_000_u64, 0.0001, 100, 12.5]);
    for path in [INVOICES, "/api/payment-invoices?money=number"] {
        assert_eq!(json!(amounts(path).await), expected, "{path}");
    }
    let statistics = admin
        .get("/api/payment-invoices/stats?money=string")
        .await
        .ok();
    assert_eq!(statistics["stats"]["total_amount"], "1000000000112.5001");
}

#[tokio::test(flavor = "multi_thread")]
async fn prefer_asks_for_the_same_and_the_query_takes_precedence() {
    let (_app, admin) = shop().await;
    invoice(&admin, order(json!(12.5))).await;
    let path = "/api/payment-invoices/1";
    for prefer in [
        "money=string",
        "handling=strict, MONEY=\"string\"",
        "a; money=string",
    ] {
        let answer = admin.with("Prefer", prefer).get(path).await;
        assert_eq!(answer.ok()["payment_invoice"]["amount"], "12.5", "{prefer}");
        assert_eq!(answer.header("preference-applied"), "money=string");
        assert_eq!(answer.header("vary"), "accept-encoding, prefer");
    }
    let preferring = admin.with("Prefer", "money=string");
    let answer = preferring.get("/api/payment-invoices/1?money=number").await;
    assert_eq!(answer.ok()["payment_invoice"]["amount"], 12.5);
    assert!(!answer.has_header("preference-applied"));
    let answer = admin.get("/api/payment-invoices/1?money=string").await;
    assert_eq!(answer.ok()["payment_invoice"]["amount"], "12.5");
    assert!(!answer.has_header("preference-applied"));
    let created = preferring.post(INVOICES, order(json!(7))).await.created();
    assert_eq!(created["payment_invoice"]["original_amount"], "7");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_form_has_an_etag_that_if_match_accepts() {
    let (_app, admin) = shop().await;
    let path = "/api/currencies/1";
    let text = admin.with("Prefer", "money=string");
    let tag = admin.get(path).await.header("etag").to_owned();
    let text_tag = text.get(path).await.header("etag").to_owned();
    assert_ne!(tag, text_tag);
    assert_eq!(text.with("If-None-Match", &tag).get(path).await.status, 200);
    assert_eq!(
        text.with("If-None-Match", &text_tag).get(path).await.status,
        304
    );
    let body = json!({ "minimum_value": 2 });
    admin
        .with("If-Match", &text_tag)
        .put(path, body.clone())
        .await
        .ok();
    admin
        .with("If-Match", &text_tag)
        .put(path, body)
        .await
        .error(412, "changed_meanwhile");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_is_repeated_under_its_idempotency_key_as_it_was() {
    let (_app, admin) = shop().await;
    let once = admin.with("Idempotency-Key", "1");
    let path = "/api/payment-invoices?money=string";
    let first = once.post(path, order(json!(1.5))).await;
    assert_eq!(first.created()["payment_invoice"]["amount"], "1.5");
    assert_eq!(once.post(path, order(json!(1.5))).await.text, first.text);
    let other = once.post(INVOICES, order(json!(1.5))).await;
    other.error(422, "idempotency_key_reused");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_batch_of_an_export_has_the_form() {
    let (app, admin) = shop().await;
    invoice(&admin, order(json!(12.5))).await;
    let rows = numbers(&app, 1200);
    let sql = format!(
        "INSERT INTO payment_invoices
             (user_id, gateway_id, amount, original_amount, currency_id, is_paid, failed_reason,
              created_at)
         SELECT 1, 1, 125000, 125000, 1, FALSE, '', n FROM {rows}"
    );
    app.app.db.run_sql(&sql).await.expect("invoices");
    let path = "/api/payment-invoices/export?format=ndjson&money=string";
    let export = admin.get(path).await;
    assert_eq!(export.text.lines().count(), 1200);
    for line in export.text.lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(
            (&row["amount"], &row["original_amount"]),
            (&json!("12.5"), &json!("12.5"))
        );
    }
    let csv = async |path: &str| admin.get(path).await.text;
    let plain = csv("/api/payment-invoices/export?format=csv").await;
    assert_eq!(
        csv("/api/payment-invoices/export?format=csv&money=string").await,
        plain
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_value_of_money_is_a_fault_and_strict_knows_the_parameter() {
    let (_app, admin) = shop().await;
    let path = "/api/payment-invoices?money=text&page=0";
    admin.get(path).await.invalid(&[
        ("page", "must be an integer of at least 1"),
        ("money", "must be string or number"),
    ]);
    let strict = admin.with("Prefer", "handling=strict");
    strict.get("/api/payment-invoices?money=string").await.ok();
    strict
        .get("/api/payment-invoices?money=text&money=string")
        .await
        .ok();
}
