//! Gateways that change while invoices use them.

use serde_json::json;

use crate::support::payments::{invoice, number, order, shop};
use crate::support::{Answer, Client, TestApp, at_once, count, in_every_order};

const INVOICES: &str = "/api/payment-invoices";

async fn create(admin: &Client, key: &str) -> i64 {
    let body = json!({ "key": key });
    let made = admin.post("/api/payment-gateways", body).await.created();
    made["payment_gateway"]["id"].as_i64().expect("an id")
}

async fn pay_through(admin: Client, key: String) -> Answer {
    let mut body = order(json!(2));
    body["gateway"] = json!(key);
    admin.post(INVOICES, body).await
}

async fn assert_references_exist(app: &TestApp) {
    let lost = "SELECT COUNT(*) FROM payment_invoices i
                WHERE NOT EXISTS (SELECT 1 FROM payment_gateways g WHERE g.id = i.gateway_id)";
    assert_eq!(number(app, lost).await, 0);
    let lost = "SELECT COUNT(*) FROM (
                    SELECT gateway_id FROM payment_buckets GROUP BY gateway_id HAVING SUM(count) <> 0
                ) counted
                WHERE NOT EXISTS (SELECT 1 FROM payment_gateways g WHERE g.id = counted.gateway_id)";
    assert_eq!(number(app, lost).await, 0);
}

#[service_test(shop())]
async fn concurrent_creates_and_invoices_register_one_gateway(app: TestApp) {
    let answers = at_once((0..40).map(|i| {
        let admin = app.admin();
        async move {
            match i % 2 {
                0 => pay_through(admin, "stripe".into()).await,
                _ => {
                    let body = json!({ "key": "stripe" });
                    admin.post("/api/payment-gateways", body).await
                }
            }
        }
    }));
    let answers = answers.await;
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.invalid(&[("key", "has already been taken")]);
    }
    assert!((20..=21).contains(&count(&answers, 201)));
    let gateways = "SELECT COUNT(*) FROM payment_gateways";
    assert_eq!(number(&app, gateways).await, 1);
    let invoices = "SELECT COUNT(*) FROM payment_invoices";
    assert_eq!(number(&app, invoices).await, 20);
}

#[service_test(shop())]
async fn an_invoice_is_created_while_its_gateway_is_deleted(app: TestApp, admin: Client) {
    let (mut deleted, mut refused) = (0, 0);
    for round in 0..30 {
        let key = format!("gateway{round}");
        let path = format!("/api/payment-gateways/{}", create(&admin, &key).await);
        let requests = (0..6).map(|i| {
            let (admin, key, path) = (app.admin(), key.clone(), path.clone());
            let deletes = (i + round) % 3 == 0;
            let request = async move {
                match deletes {
                    true => admin.delete(&path).await,
                    false => pay_through(admin, key).await,
                }
            };
            (deletes, request)
        });
        let answers = in_every_order(round, requests);
        let answers = answers.await;
        // A deleted key is registered again, so no invoice is ever refused.
        assert_eq!(count(&answers, 201), 4);
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            match answer.status {
                200 => deleted += 1,
                404 => answer.not_found(),
                _ => {
                    answer.error(409, "payment_gateway_in_use");
                    refused += 1;
                }
            }
        }
        assert_references_exist(&app).await;
    }
    assert!(deleted > 0 && refused > 0, "{deleted} and {refused}");
}

#[service_test(shop())]
async fn an_invoice_is_created_while_its_gateway_is_renamed(app: TestApp, admin: Client) {
    let (mut of_renamed, mut of_registered) = (0, 0);
    for round in 0..30 {
        let [old, new] = ["old", "new"].map(|name| format!("{name}{round}"));
        let id = create(&admin, &old).await;
        let requests = (0..5).map(|i| {
            let (admin, old, new) = (app.admin(), old.clone(), new.clone());
            let request = async move {
                match i {
                    0 => {
                        let path = format!("/api/payment-gateways/{id}");
                        admin.put(&path, json!({ "key": new })).await
                    }
                    _ => pay_through(admin, old).await,
                }
            };
            (i == 0, request)
        });
        let answers = in_every_order(round, requests).await;
        // The old key is free after the change, so it is registered again.
        assert_eq!((count(&answers, 200), count(&answers, 201)), (1, 4));
        for (key, invoices) in [(&old, &mut of_registered), (&new, &mut of_renamed)] {
            let path = format!("{INVOICES}?gateway={key}");
            let listed = admin.get(&path).await.ok();
            *invoices += listed["pagination"]["total"].as_i64().expect("a total");
        }
        assert_references_exist(&app).await;
    }
    assert_eq!(of_renamed + of_registered, 120);
    let both = of_renamed > 0 && of_registered > 0;
    assert!(both, "{of_renamed} and {of_registered}");
}

#[service_test(shop())]
async fn after_a_gateway_is_disabled_invoices_get_422(app: TestApp, admin: Client) {
    let invoices = "SELECT COUNT(*) FROM payment_invoices";
    for round in 0..40 {
        let key = format!("gateway{round}");
        let path = format!("/api/payment-gateways/{}", create(&admin, &key).await);
        let paying: Vec<_> = (0..8)
            .map(|_| pay_through(app.admin(), key.clone()))
            .collect();
        let paying = tokio::spawn(at_once(paying));
        admin.put(&path, json!({ "enabled": false })).await.ok();
        // All requests that began before have ended.
        let then = number(&app, invoices).await;
        let late = pay_through(admin.clone(), key.clone()).await;
        late.invalid(&[("gateway", "is disabled")]);
        let answers = paying.await.expect("all are answered");
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            answer.invalid(&[("gateway", "is disabled")]);
        }
        assert_eq!(number(&app, invoices).await, then);
    }
}

#[service_test(shop())]
async fn deleting_a_gateway_does_not_fail_concurrent_writes_to_its_invoices(app: TestApp) {
    let admin = app.admin();
    for round in 0..15 {
        let key = format!("gateway{round}");
        let path = format!("/api/payment-gateways/{}", create(&admin, &key).await);
        let mut invoices = Vec::new();
        for _ in 0..4 {
            let mut body = order(json!(2));
            body["gateway"] = json!(key);
            invoices.push(invoice(&admin, body).await["id"].clone());
        }
        let answers = at_once((0..12).map(|i| {
            let (admin, path) = (app.admin(), path.clone());
            let invoice = format!("{INVOICES}/{}", invoices[i / 3]);
            async move {
                match i % 3 {
                    0 => admin.delete(&path).await,
                    1 => admin.post_empty(&format!("{invoice}/fail")).await,
                    _ => admin.delete(&invoice).await,
                }
            }
        }));
        for answer in answers.await {
            match answer.status {
                200 => {}
                404 => answer.not_found(),
                _ => drop(answer.error(409, "payment_gateway_in_use")),
            }
        }
        assert_references_exist(&app).await;
    }
    let left = "SELECT COUNT(*) FROM payment_invoices";
    assert_eq!(
        number(&app, left).await,
        0,
        "every invoice could be deleted"
    );
    let counted = "SELECT COUNT(*) FROM (
                       SELECT day FROM payment_buckets
                       GROUP BY day, gateway_id, currency_id, state
                       HAVING SUM(count) <> 0 OR SUM(whole) <> 0 OR SUM(fraction) <> 0
                   ) not_empty";
    assert_eq!(number(&app, counted).await, 0);
}
