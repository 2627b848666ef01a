use serde_json::json;

use crate::support::payments::{invoice, number, order, order_with, pay, promo, shop, user};
use crate::support::{Client, TestApp, at_once, count, post_at_once};

#[service_test(shop())]
async fn fifty_concurrent_first_invoices_register_one_gateway(app: TestApp, admin: Client) {
    let bodies = (0..50).map(|_| order(json!(1)));
    let answers = post_at_once(&admin, "/api/payment-invoices", bodies).await;
    assert_eq!(count(&answers, 201), 50);
    let gateways = "SELECT COUNT(*) FROM payment_gateways";
    assert_eq!(number(&app, gateways).await, 1);
    let counted = "SELECT CAST(SUM(count) AS BIGINT) FROM payment_buckets";
    assert_eq!(number(&app, counted).await, 50);
}

#[service_test(shop())]
async fn a_promo_code_is_never_used_more_often_than_max_usages(app: TestApp, admin: Client) {
    let body = json!({ "code": "SEVEN", "type": "amount", "value": 1, "max_usages": 7 });
    promo(&app, body).await;
    let bodies = (0..50).map(|_| order_with("seven", json!(10)));
    let answers = post_at_once(&admin, "/api/payment-invoices", bodies).await;
    assert_eq!(count(&answers, 201), 7);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.invalid(&[("promo_code", "has been used up")]);
    }
    let uses = "SELECT usages_count FROM promo_codes";
    assert_eq!(number(&app, uses).await, 7);
}

#[service_test(shop())]
async fn a_promo_code_is_never_used_more_often_than_max_uses_per_user(app: TestApp, admin: Client) {
    user(&app, "bert").await;
    let body = json!({
        "code": "THREE", "type": "percentage", "value": 10, "max_uses_per_user": 3,
    });
    promo(&app, body).await;
    let bodies = (0..50).map(|number| {
        let mut body = order_with("THREE", json!(10));
        body["user_id"] = json!(number % 2 + 1);
        body
    });
    let answers = post_at_once(&admin, "/api/payment-invoices", bodies).await;
    assert_eq!(count(&answers, 201), 6);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.invalid(&[("promo_code", "has been used up by this user")]);
    }
    let anna = "SELECT COUNT(*) FROM payment_invoices WHERE user_id = 1";
    assert_eq!(number(&app, anna).await, 3);
}

#[service_test(shop())]
async fn usages_returned_by_deleted_invoices_can_be_used_again(app: TestApp, admin: Client) {
    let body = json!({ "code": "FIVE", "type": "amount", "value": 1, "max_usages": 5 });
    promo(&app, body).await;
    for _ in 0..5 {
        invoice(&admin, order_with("FIVE", json!(10))).await;
    }
    let answers = at_once((0..50).map(|number| {
        let admin = admin.clone();
        async move {
            if number % 2 == 0 {
                let id = number / 2 % 5 + 1;
                admin.delete(&format!("/api/payment-invoices/{id}")).await
            } else {
                let body = order_with("FIVE", json!(10));
                admin.post("/api/payment-invoices", body).await
            }
        }
    }));
    let answers = answers.await;
    assert_eq!(count(&answers, 200), 5);
    let made = count(&answers, 201);
    assert!(made <= 5);
    assert_eq!(count(&answers, 404) + count(&answers, 422), 45 - made);
    let free = 5 - made;
    for _ in 0..free {
        invoice(&admin, order_with("FIVE", json!(10))).await;
    }
    let last = admin.post("/api/payment-invoices", order_with("FIVE", json!(10)));
    last.await.invalid(&[("promo_code", "has been used up")]);
    let uses = "SELECT usages_count FROM promo_codes";
    assert_eq!(number(&app, uses).await, 5);
}

#[service_test(shop())]
async fn an_invoice_is_paid_or_deleted_but_not_both(app: TestApp, admin: Client) {
    for _ in 0..25 {
        invoice(&admin, order(json!(2.5))).await;
    }
    let answers = at_once((0..50).map(|number| {
        let admin = admin.clone();
        async move {
            let id = json!(number / 2 + 1);
            // The position of the delete varies.
            if (number + number / 2) % 2 == 0 {
                pay(&admin, &id).await
            } else {
                admin.delete(&format!("/api/payment-invoices/{id}")).await
            }
        }
    }));
    let answers = answers.await;
    let refused = count(&answers, 404) + count(&answers, 422);
    assert_eq!((count(&answers, 200), refused), (25, 25));
    let deleted = count(&answers, 404) as i64;
    let left = "SELECT COUNT(*) FROM payment_invoices WHERE is_paid";
    assert_eq!(number(&app, left).await, 25 - deleted);
    let unpaid = "SELECT COUNT(*) FROM payment_invoices WHERE NOT is_paid";
    assert_eq!(number(&app, unpaid).await, 0);
    let stats = admin.get("/api/payment-invoices/stats").await.ok();
    assert_eq!(stats["stats"]["completed_count"], 25 - deleted);
    assert_eq!(stats["stats"]["total_count"], 25 - deleted);
}

#[service_test(shop())]
async fn concurrent_status_changes_keep_the_statistics_right(admin: Client) {
    for number in 1..=10 {
        invoice(&admin, order(json!(1))).await;
        if number % 2 == 0 {
            pay(&admin, &json!(number)).await.ok();
        }
    }
    let answers = at_once((0..50).map(|number| {
        let admin = admin.clone();
        async move {
            let path = format!("/api/payment-invoices/{}/status", number % 10 + 1);
            let body = json!({ "is_paid": number / 10 % 2 == 0 });
            admin.put(&path, body).await
        }
    }));
    assert_eq!(count(&answers.await, 200), 50);
    let stats = admin.get("/api/payment-invoices/stats").await.ok();
    assert_eq!(stats["stats"]["total_count"], 10);
    assert_eq!(stats["stats"]["total_amount"], 10);
}
