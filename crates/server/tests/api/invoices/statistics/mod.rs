//! Payment statistics.

mod model;

use serde_json::{Value, json};

use crate::support::payments::{currency, exact, invoice, order, order_with, pay, promo, shop};
use crate::support::{Client, TestApp, assert_fields};

const FIELDS: [&str; 10] = [
    "total_amount",
    "total_count",
    "completed_amount",
    "completed_count",
    "pending_amount",
    "pending_count",
    "failed_amount",
    "failed_count",
    "by_gateway",
    "by_day",
];

async fn stats(admin: &Client, query: &str) -> Value {
    let path = format!("/api/payment-invoices/stats{query}");
    let body = admin.get(&path).await.ok();
    assert_fields(&body, &["stats"]);
    body["stats"].clone()
}

#[service_test(shop())]
async fn statistics_without_invoices_are_zero(admin: Client) {
    let empty = stats(&admin, "").await;
    assert_fields(&empty, &FIELDS);
    for field in &FIELDS[..8] {
        assert_eq!(empty[*field], 0, "{field}");
    }
    assert_eq!(empty["by_gateway"], json!([]));
    assert_eq!(empty["by_day"], json!([]));
    assert_eq!(stats(&admin, "?currency_id=99").await, empty);
}

/// Invoices of three days, two gateways and two currencies, in every state.
async fn shop_with_invoices() -> TestApp {
    let app = shop().await;
    let admin = app.admin();
    currency(&admin, "USD").await;
    promo(
        &app,
        json!({ "code": "HALF", "type": "percentage", "value": 50 }),
    )
    .await;
    invoice(&admin, order_with("HALF", json!(10))).await;
    app.advance(12 * 3600 - 1);
    let mut body = order(json!(0.0001));
    body["gateway"] = "paypal".into();
    invoice(&admin, body).await;
    app.advance(1);
    let mut body = order(json!(20));
    body["currency_id"] = json!(2);
    invoice(&admin, body).await;
    app.advance(86_400);
    invoice(&admin, order(json!(40.5))).await;
    pay(&admin, &json!(1)).await.ok();
    pay(&admin, &json!(3)).await.ok();
    admin.post_empty("/api/payment-invoices/4/fail").await.ok();
    app
}

#[service_test(shop_with_invoices())]
async fn sums_are_by_state_gateway_and_day(admin: Client) {
    let all = stats(&admin, "").await;
    assert_fields(&all, &FIELDS);
    let expected = json!({
        "total_amount": 65.5001, "total_count": 4,
        "completed_amount": 25, "completed_count": 2,
        "pending_amount": 0.0001, "pending_count": 1,
        "failed_amount": 40.5, "failed_count": 1,
        "by_gateway": [
            { "gateway_id": 1, "gateway_name": "stripe", "amount": 65.5, "count": 3 },
            { "gateway_id": 2, "gateway_name": "paypal", "amount": 0.0001, "count": 1 },
        ],
        "by_day": [
            { "date": "2026-03-01", "amount": 5.0001, "count": 2 },
            { "date": "2026-03-02", "amount": 20, "count": 1 },
            { "date": "2026-03-03", "amount": 40.5, "count": 1 },
        ],
    });
    assert_eq!(all, expected);
}

#[service_test(shop_with_invoices())]
async fn both_ends_of_the_period_are_included_and_filters_combine(admin: Client) {
    for (query, total, count) in [
        (
            "?start_date=2026-03-01&end_date=2026-03-01",
            json!(5.0001),
            2,
        ),
        ("?start_date=2026-03-02", json!(60.5), 2),
        ("?end_date=2026-03-02", json!(25.0001), 3),
        ("?start_date=2026-03-04", json!(0), 0),
        ("?currency_id=2", json!(20), 1),
        ("?currency_id=1&start_date=2026-03-02", json!(40.5), 1),
        (
            "?start_date=0001-01-01&end_date=9999-12-31",
            json!(65.5001),
            4,
        ),
    ] {
        let found = stats(&admin, query).await;
        assert_eq!(found["total_amount"], total, "{query}");
        assert_eq!(found["total_count"], count, "{query}");
    }
}

#[service_test(shop_with_invoices())]
async fn statistics_can_be_grouped_by_currency(admin: Client) {
    let grouped = stats(&admin, "?group_by=currency").await;
    let expected = json!([
        { "currency_id": 1, "currency": "EUR", "amount": 45.5001, "count": 3 },
        { "currency_id": 2, "currency": "USD", "amount": 20, "count": 1 },
    ]);
    assert_eq!(grouped["by_currency"], expected);
    let fields: Vec<&str> = FIELDS.into_iter().chain(["by_currency"]).collect();
    assert_fields(&grouped, &fields);
}

#[service_test(shop_with_invoices())]
async fn statistics_can_be_grouped_by_the_day_of_payment(app: TestApp, admin: Client) {
    // Invoices 1 and 3 were paid on the third day.
    let day = |date: &str, amount: Value, count: i64| json!({ "date": date, "amount": amount, "count": count });
    let grouped = stats(&admin, "?group_by=paid_day").await;
    let third = day("2026-03-03", json!(25), 2);
    assert_eq!(grouped["by_paid_day"], json!([third]));
    let fields: Vec<&str> = FIELDS.into_iter().chain(["by_paid_day"]).collect();
    assert_fields(&grouped, &fields);
    app.advance(86_400);
    pay(&admin, &json!(2)).await.ok();
    let fourth = day("2026-03-04", json!(0.0001), 1);
    for (query, expected) in [
        ("", json!([third, fourth])),
        // The period is one of payments, whenever the invoices were created.
        ("&start_date=2026-03-04", json!([fourth])),
        ("&end_date=2026-03-03", json!([third])),
        ("&start_date=2026-03-01&end_date=2026-03-02", json!([])),
        ("&currency_id=2", json!([day("2026-03-03", json!(20), 1)])),
        ("&user_id=1", json!([third, fourth])),
        ("&user_id=1&end_date=2026-03-03", json!([third])),
        ("&user_id=2", json!([])),
    ] {
        let query = format!("?group_by=paid_day,currency{query}");
        let found = stats(&admin, &query).await;
        assert_eq!(found["by_paid_day"], expected, "{query}");
        assert!(found["by_currency"].is_array(), "{query}");
    }
    // An invoice that is no longer paid, and one that is deleted, are not among them.
    let unpaid = json!({ "is_paid": false });
    for path in ["/api/payment-invoices/2", "/api/payment-invoices/1"] {
        admin
            .put(&format!("{path}/status"), unpaid.clone())
            .await
            .ok();
        admin.delete(path).await.ok();
    }
    let found = stats(&admin, "?group_by=paid_day").await;
    assert_eq!(
        found["by_paid_day"],
        json!([day("2026-03-03", json!(20), 1)])
    );
}

#[service_test(shop_with_invoices())]
async fn statistics_of_a_user_equal_those_of_all_if_there_is_no_other_user(app: TestApp) {
    let admin = app.admin();
    app.user("other").await;
    for query in [
        "",
        "&start_date=2026-03-02",
        "&end_date=2026-03-02",
        "&start_date=2026-03-02&end_date=2026-03-02",
        "&currency_id=1",
        "&currency_id=2&start_date=2026-03-03",
    ] {
        let query = format!("?group_by=currency,paid_day{query}");
        let all = stats(&admin, &query).await;
        assert_eq!(
            stats(&admin, &format!("{query}&user_id=1")).await,
            all,
            "{query}"
        );
        let none = stats(&admin, &format!("{query}&user_id=2")).await;
        assert_eq!(
            (&none["total_count"], &none["by_currency"]),
            (&json!(0), &json!([]))
        );
    }
    let db = &app.core().db;
    let statements = db.statements().into_iter();
    let of_user = statements.filter(|sql| sql.contains("kinds") && sql.contains("user_id"));
    let of_user: Vec<_> = of_user.collect();
    assert!(!of_user.is_empty());
    for sql in of_user {
        if !db.on_postgres() {
            // One value for each parameter that a filter may add.
            let plan = db.plan(sql, &["1"; 6]).await.expect("a plan");
            assert!(plan.contains("payment_invoices_user (user_id=?"), "{plan}");
        }
    }
}

#[service_test(shop())]
async fn an_invalid_query_of_statistics_gives_422(admin: Client) {
    let get = async |query: &str| {
        admin
            .get(&format!("/api/payment-invoices/stats{query}"))
            .await
    };
    let date = "must be a date such as 2026-03-01";
    get("?start_date=2026-3-1&end_date=2026-02-30&currency_id=x&group_by=day")
        .await
        .invalid(&[
            ("start_date", date),
            ("end_date", date),
            ("currency_id", "must be an integer of at least 1"),
            (
                "group_by",
                "must be one or more of currency and paid_day, separated by commas",
            ),
        ]);
    let answer = get("?start_date=2026-03-02&end_date=2026-03-01").await;
    answer.invalid(&[("start_date", "must not be after end_date")]);
}

#[service_test(shop())]
async fn the_largest_sums_are_exact(admin: Client) {
    // More ten-thousandths than 64 bits hold, and more digits than a double has.
    let mut sum = 0;
    for number in 0..1000_i128 {
        let parts = 9_999_999_999_999_999 - number;
        let body = format!(
            r#"{{"user_id":1,"gateway":"g{}","amount":{}.{:04},"currency_id":1}}"#,
            number % 3,
            parts / 10_000,
            parts % 10_000
        );
        let body = Some(("application/json", body.into_bytes()));
        let path = "/api/payment-invoices";
        let answer = admin.send_bytes(reqwest::Method::POST, path, body).await;
        answer.created();
        sum += parts;
    }
    assert!(sum > i64::MAX.into());
    let stats = admin.get("/api/payment-invoices/stats").await;
    assert_eq!(stats.ok()["stats"]["total_count"], 1000);
    assert_eq!(exact(&stats.text, &["stats", "total_amount"]), sum);
    assert_eq!(exact(&stats.text, &["stats", "pending_amount"]), sum);
}
