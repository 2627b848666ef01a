use serde_json::{Value, json};

use crate::support::payments::{invoice, order, pay, shop, user};
use crate::support::walk::{ids, next};
use crate::support::{Client, TestApp};

/// Invoices 1 to 6, two in each second; the even ones belong to another user, 1 and 2 are paid.
async fn six() -> TestApp {
    let app = shop().await;
    let admin = app.admin();
    user(&app, "bert").await;
    for number in 1..=6 {
        let mut body = order(json!(number));
        body["user_id"] = json!(2 - number % 2);
        invoice(&admin, body).await;
        app.advance(i64::from(number % 2 == 0));
    }
    pay(&admin, &json!(1)).await.ok();
    pay(&admin, &json!(2)).await.ok();
    app
}

#[service_test(six())]
async fn the_list_is_newest_first_and_filters_combine(admin: Client) {
    for (query, expected) in [
        ("", vec![6, 5, 4, 3, 2, 1]),
        ("?is_paid=true", vec![2, 1]),
        ("?is_paid=0", vec![6, 5, 4, 3]),
        ("?user_id=1", vec![5, 3, 1]),
        ("?user_id=2&is_paid=1", vec![2]),
        ("?user_id=2&is_paid=false", vec![6, 4]),
        ("?user_id=99", vec![]),
    ] {
        let answer = admin.get(&format!("/api/payment-invoices{query}")).await;
        assert_eq!(ids(&answer, "payment_invoices"), expected, "{query}");
        assert_eq!(answer.header("x-total-count"), expected.len().to_string());
        assert_eq!(answer.ok()["pagination"]["total"], expected.len());
    }
    admin
        .get("/api/payment-invoices?is_paid=yes&user_id=x&page=0&per_page=0&after=1")
        .await
        .invalid(&[
            ("is_paid", "must be true or false"),
            ("user_id", "must be an integer of at least 1"),
            ("page", "must be an integer of at least 1"),
            ("per_page", "must be an integer of at least 1"),
            ("after", "must come from a Link header"),
        ]);
}

#[service_test(six())]
async fn invoices_are_paged_with_page_and_per_page(admin: Client) {
    let pagination = |total: i64, size: i64, page: i64, last: i64| -> Value {
        json!({ "total": total, "per_page": size, "current_page": page, "last_page": last })
    };
    let first = admin.get("/api/payment-invoices").await;
    assert_eq!(first.ok()["pagination"], pagination(6, 20, 1, 1));
    let second = admin.get("/api/payment-invoices?page=2&per_page=4").await;
    assert_eq!(ids(&second, "payment_invoices"), [2, 1]);
    assert_eq!(second.ok()["pagination"], pagination(6, 4, 2, 2));
    let beyond = admin.get("/api/payment-invoices?page=3&per_page=4").await;
    assert_eq!(ids(&beyond, "payment_invoices"), [0; 0]);
    let none = admin
        .get("/api/payment-invoices?user_id=9&per_page=500")
        .await;
    assert_eq!(none.ok()["pagination"], pagination(0, 100, 1, 1));
}

#[service_test(six())]
async fn a_cursor_walk_neither_repeats_nor_skips(admin: Client) {
    let mut answer = admin
        .get("/api/payment-invoices?is_paid=0&per_page=1")
        .await;
    let mut seen = ids(&answer, "payment_invoices");
    let mut page = 1;
    while let Some(path) = next(&answer) {
        assert!(path.contains("is_paid=0"), "{path}");
        // Invoices created and deleted in between do not shift the pages.
        invoice(&admin, order(json!(1))).await;
        if page == 2 {
            admin.delete("/api/payment-invoices/5").await.ok();
        }
        answer = admin.get(&path).await;
        seen.extend(ids(&answer, "payment_invoices"));
        page += 1;
        assert_eq!(answer.ok()["pagination"]["current_page"], page);
    }
    assert_eq!(seen, [6, 5, 4, 3]);
}
