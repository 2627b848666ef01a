//! Helpers for tests of payments.

use std::collections::BTreeMap;

use kernel::Error;
use kernel::input::{Fields, Input, Raw};
use kernel::write::Edit;
use payments::promo_codes::{self, NewPromoCode, PromoCode};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Answer, Client, TestApp};

/// Inserts a user for invoices; returns the id.
pub async fn user(app: &TestApp, name: &str) -> i64 {
    let sql = format!(
        "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                            status, created_at, updated_at)
         VALUES ('{name}', '{name}@example.org', '{name}', '{name}@example.org', '', 'active',
                 0, 0)"
    );
    app.core().db.run_sql(&sql).await.expect("a user");
    number(app, "SELECT MAX(id) FROM users").await
}

/// Reads one number from the database.
pub async fn number(app: &TestApp, sql: &'static str) -> i64 {
    let mut read = app.core().db.read().await.expect("a connection");
    let number = read.query_one(sql, &[], |row| row.get(0)).await;
    number.expect("one number")
}

/// Updates the derived data of invoices after rows were inserted with SQL.
pub async fn rebuild_derived_data(app: &TestApp) {
    let sql = "DELETE FROM payment_slots;
         DELETE FROM payment_days;
         DELETE FROM payment_spans;
         DELETE FROM payment_paid_days;
         INSERT INTO payment_buckets (day, gateway_id, currency_id, state, whole, fraction, count)
         SELECT (created_at + 8640000) / 86400 - 100, gateway_id, currency_id,
                CASE WHEN is_paid THEN 'completed' WHEN failed_at IS NOT NULL THEN 'failed'
                ELSE 'pending' END,
                SUM(amount / 10000), SUM(amount % 10000), COUNT(*)
         FROM payment_invoices GROUP BY 1, 2, 3, 4;
         INSERT INTO payment_paid_buckets (day, currency_id, whole, fraction, count)
         SELECT paid_at / 86400, currency_id, SUM(amount / 10000), SUM(amount % 10000), COUNT(*)
         FROM payment_invoices WHERE paid_at IS NOT NULL GROUP BY 1, 2;
         UPDATE promo_codes SET usages_count =
             (SELECT COUNT(*) FROM payment_invoices i WHERE i.promo_code_id = promo_codes.id)";
    app.core().db.run_sql(sql).await.expect("sums");
}

/// For SQL that inserts many rows: a table with the column `n`, from 2 to `last`.
pub fn numbers(app: &TestApp, last: i64) -> String {
    if app.core().db.on_postgres() {
        format!("generate_series(2, {last}) AS numbers (n)")
    } else {
        format!(
            "(WITH RECURSIVE numbers (n) AS
                 (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < {last})
              SELECT n FROM numbers)"
        )
    }
}

pub async fn currency(admin: &Client, code: &str) -> i64 {
    let body = json!({ "code": code, "minimum_value": 0, "exchange_rate": 1 });
    let made = admin.post("/api/currencies", body).await.created();
    made["currency"]["id"].as_i64().expect("an id")
}

/// A service with one user and one currency, both with id 1.
pub async fn shop() -> TestApp {
    let app = TestApp::start().await;
    let admin = app.admin();
    assert_eq!(user(&app, "anna").await, 1);
    assert_eq!(currency(&admin, "EUR").await, 1);
    app
}

/// The body of an invoice for the first user in the first currency.
pub fn order(amount: Value) -> Value {
    json!({ "user_id": 1, "gateway": "stripe", "amount": amount, "currency_id": 1 })
}

/// The body of an invoice with a promo code.
pub fn order_with(promo_code: &str, amount: Value) -> Value {
    let mut body = order(amount);
    body["promo_code"] = promo_code.into();
    body
}

pub async fn invoice(admin: &Client, body: Value) -> Value {
    let made = admin.post("/api/payment-invoices", body).await.created();
    made["payment_invoice"].clone()
}

pub async fn pay(admin: &Client, id: &Value) -> Answer {
    let path = format!("/api/payment-invoices/{id}/status");
    admin.put(&path, json!({ "is_paid": true })).await
}

pub async fn try_promo(app: &TestApp, body: Value) -> Result<PromoCode, Error> {
    let text = body.to_string();
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(&text).expect("an object");
    let fields: Fields<'_> = fields
        .into_iter()
        .map(|(name, value)| (name, Raw::Json(value)))
        .collect();
    let new = NewPromoCode::read(&fields, true)?;
    let mut edit = Edit::command_line(app.core()).await?;
    let change = promo_codes::create(&mut edit, new).await?;
    edit.commit(change).await
}

pub async fn promo(app: &TestApp, body: Value) -> PromoCode {
    try_promo(app, body).await.expect("a promo code")
}

/// The exact number in a body, in ten-thousandths.
pub fn exact(text: &str, path: &[&str]) -> i128 {
    let [name, rest @ ..] = path else {
        return parts(text);
    };
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).expect("an object");
    exact(fields[*name].get(), rest)
}

fn parts(number: &str) -> i128 {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    assert!(fraction.len() <= 4, "{number}");
    let digits = format!("{whole}{fraction:0<4}");
    digits
        .parse()
        .unwrap_or_else(|_| panic!("{number} is not plain"))
}
