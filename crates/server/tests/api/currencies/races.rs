use serde_json::{Value, json};

use crate::support::payments::{currency, invoice, number, order, shop};
use crate::support::{
    Client, TestApp, assert_one_created, at_once, count, in_every_order, post_at_once,
};

fn new(code: &str) -> Value {
    json!({ "code": code, "minimum_value": 0, "exchange_rate": 1 })
}

#[service_test]
async fn of_fifty_concurrent_creates_one_gets_the_code_and_the_others_422(app: TestApp) {
    let bodies = (0..50).map(|number| new(["EUR", "eur"][number % 2]));
    let answers = post_at_once(&app.admin(), "/api/currencies", bodies).await;
    assert_one_created(&answers, "code");
    assert_eq!(number(&app, "SELECT COUNT(*) FROM currencies").await, 1);
}

#[service_test]
async fn of_fifty_concurrent_first_currencies_one_is_the_default(app: TestApp, admin: Client) {
    let bodies = (0..50).map(|number| new(&format!("C{number:02}")));
    let answers = post_at_once(&admin, "/api/currencies", bodies).await;
    assert_eq!(count(&answers, 201), 50);
    let defaults = "SELECT COUNT(*) FROM currencies WHERE is_default";
    assert_eq!(number(&app, defaults).await, 1);
}

#[service_test]
async fn concurrent_default_changes_leave_one_default(app: TestApp, admin: Client) {
    for number in 0..10 {
        currency(&admin, &format!("C0{number}")).await;
    }
    let answers = at_once((0..50).map(|number| {
        let admin = admin.clone();
        async move {
            let path = format!("/api/currencies/{}/default", number % 10 + 1);
            admin.post_empty(&path).await
        }
    }));
    assert_eq!(count(&answers.await, 200), 50);
    let defaults = "SELECT COUNT(*) FROM currencies WHERE is_default";
    assert_eq!(number(&app, defaults).await, 1);
}

#[service_test]
async fn a_currency_becomes_the_default_or_is_deleted_but_not_both(app: TestApp, admin: Client) {
    for number in 10..36 {
        currency(&admin, &format!("C{number}")).await;
    }
    let answers = at_once((0..50).map(|number| {
        let admin = admin.clone();
        async move {
            let id = number / 2 + 2;
            if number % 2 == 0 {
                admin
                    .post_empty(&format!("/api/currencies/{id}/default"))
                    .await
            } else {
                admin.delete(&format!("/api/currencies/{id}")).await
            }
        }
    }));
    for answer in answers.await {
        assert!([200, 404, 409].contains(&answer.status), "{answer:?}");
    }
    let defaults = "SELECT COUNT(*) FROM currencies WHERE is_default";
    assert_eq!(number(&app, defaults).await, 1);
}

/// Deleting used to lock the currency and then wait for its invoice, while a change of the invoice
/// locked the invoice and then waited for the currency.
#[service_test(shop())]
async fn deleting_a_currency_while_its_invoices_change_gives_409_and_no_503(app: TestApp) {
    let admin = app.admin();
    // The first currency is the default, which cannot be deleted.
    let currency = currency(&admin, "USD").await;
    for round in 0..15 {
        let mut body = order(json!(2));
        body["currency_id"] = json!(currency);
        let made = invoice(&admin, body).await;
        let id = made["id"].clone();
        let requests = (0..9).map(|i| {
            let (admin, id) = (app.admin(), id.clone());
            async move {
                match i % 3 {
                    0 => admin.delete(&format!("/api/currencies/{currency}")).await,
                    1 => {
                        let path = format!("/api/payment-invoices/{id}/status");
                        let paid = json!({ "is_paid": (i + round) % 2 == 0 });
                        admin.put(&path, paid).await
                    }
                    _ => {
                        let path = format!("/api/payment-invoices/{id}/fail");
                        admin.post_empty(&path).await
                    }
                }
            }
        });
        for answer in at_once(requests).await {
            assert!(answer.status < 500, "{}", answer.text);
        }
    }
}

#[service_test(shop())]
async fn a_currency_gets_an_invoice_or_is_deleted_but_not_both(app: TestApp, admin: Client) {
    let (mut deleted, mut refused) = (0, 0);
    for round in 0..30 {
        let id = currency(&admin, &format!("C{round:02}")).await;
        let requests = (0..6).map(|i| {
            let admin = app.admin();
            let deletes = (i + round) % 3 == 0;
            let request = async move {
                if deletes {
                    return admin.delete(&format!("/api/currencies/{id}")).await;
                }
                let mut body = order(json!(2));
                body["currency_id"] = json!(id);
                let answer = admin.post("/api/payment-invoices", body).await;
                if answer.status != 201 {
                    answer.error(404, "currency_not_found");
                }
                answer
            };
            (deletes, request)
        });
        let answers = in_every_order(round, requests).await;
        let (is_deleted, created) = (count(&answers, 200), count(&answers, 201));
        assert!(is_deleted + created > 0, "one of them is first");
        assert!(is_deleted == 0 || created == 0, "{is_deleted}, {created}");
        for answer in answers.iter().filter(|answer| answer.status == 409) {
            answer.error(409, "currency_in_use");
        }
        assert!(
            answers
                .iter()
                .all(|answer| [200, 201, 404, 409].contains(&answer.status))
        );
        deleted += is_deleted;
        refused += count(&answers, 409);
    }
    assert!(deleted > 0 && refused > 0, "{deleted} and {refused}");
    let lost = "SELECT COUNT(*) FROM payment_invoices i
                WHERE NOT EXISTS (SELECT 1 FROM currencies c WHERE c.id = i.currency_id)";
    assert_eq!(number(&app, lost).await, 0);
}
