//! Promo codes that change while invoices use them.

use serde_json::json;

use crate::support::payments::{invoice, number, order_with, shop};
use crate::support::{
    Answer, Client, TestApp, assert_one_created, at_once, count, in_every_order, post_at_once,
};

async fn create(admin: &Client, code: &str) -> i64 {
    let body = json!({ "code": code, "type": "amount", "value": 1 });
    let made = admin.post("/api/promo-codes", body).await.created();
    made["promo_code"]["id"].as_i64().expect("an id")
}

async fn use_code(admin: Client, code: String) -> Answer {
    let body = order_with(&code, json!(10));
    admin.post("/api/payment-invoices", body).await
}

/// Asserts that the counted usages equal the invoices and that every reference exists.
async fn assert_usages_match(app: &TestApp) {
    let lost = "SELECT COUNT(*) FROM payment_invoices i WHERE i.promo_code_id IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM promo_codes p WHERE p.id = i.promo_code_id)";
    assert_eq!(number(app, lost).await, 0);
    let wrong = "SELECT COUNT(*) FROM promo_codes p WHERE p.usages_count <>
                 (SELECT COUNT(*) FROM payment_invoices i WHERE i.promo_code_id = p.id)";
    assert_eq!(number(app, wrong).await, 0);
}

#[service_test]
async fn of_many_concurrent_creates_one_gets_the_code_and_the_others_422(admin: Client) {
    let codes = (0..40).map(|number| ["жара", "ЖАРА"][number % 2]);
    let bodies = codes.map(|code| json!({ "code": code, "type": "amount", "value": 1 }));
    let answers = post_at_once(&admin, "/api/promo-codes", bodies).await;
    assert_one_created(&answers, "code");
}

#[service_test(shop())]
async fn a_code_is_used_or_deleted_but_not_both(app: TestApp, admin: Client) {
    let (mut used, mut deleted) = (0, 0);
    for round in 0..30 {
        let code = format!("CODE{round}");
        let path = format!("/api/promo-codes/{}", create(&admin, &code).await);
        let requests = (0..6).map(|i| {
            let (admin, code, path) = (app.admin(), code.clone(), path.clone());
            let deletes = (i + round) % 3 == 0;
            let request = async move {
                match deletes {
                    true => admin.delete(&path).await,
                    false => use_code(admin, code).await,
                }
            };
            (deletes, request)
        });
        let answers = in_every_order(round, requests);
        let answers = answers.await;
        let gone = count(&answers, 200);
        let made = count(&answers, 201);
        for answer in &answers {
            match answer.status {
                200 | 201 => {}
                404 => assert_eq!(gone, 1, "{answer:?}"),
                _ => drop(answer.error(409, "promo_code_in_use")),
            }
        }
        assert!((gone == 0) != (made == 0), "{gone} deleted, {made} made");
        used += usize::from(made > 0);
        deleted += gone;
        assert_usages_match(&app).await;
    }
    assert!(used > 0 && deleted > 0, "{used} used, {deleted} deleted");
}

#[service_test(shop())]
async fn deleting_a_code_does_not_fail_concurrent_deletes_of_its_invoices(app: TestApp) {
    let admin = app.admin();
    for round in 0..15 {
        let code = format!("CODE{round}");
        let path = format!("/api/promo-codes/{}", create(&admin, &code).await);
        let mut invoices = Vec::new();
        for _ in 0..4 {
            invoices.push(invoice(&admin, order_with(&code, json!(10))).await["id"].clone());
        }
        let answers = at_once((0..8).map(|i| {
            let (admin, path) = (app.admin(), path.clone());
            let paid = format!("/api/payment-invoices/{}", invoices[i / 2]);
            async move {
                match i % 2 {
                    0 => admin.delete(&path).await,
                    _ => admin.delete(&paid).await,
                }
            }
        }));
        for answer in answers.await {
            match answer.status {
                200 => {}
                404 => answer.not_found(),
                _ => drop(answer.error(409, "promo_code_in_use")),
            }
        }
        assert_usages_match(&app).await;
    }
    let left = "SELECT COUNT(*) FROM payment_invoices";
    assert_eq!(
        number(&app, left).await,
        0,
        "every invoice could be deleted"
    );
}

#[service_test(shop())]
async fn a_limit_that_changes_concurrently_is_never_exceeded(app: TestApp, admin: Client) {
    create(&admin, "LIMITED").await;
    let path = "/api/promo-codes/1";
    admin.put(path, json!({ "max_usages": 12 })).await.ok();
    let answers = at_once((0..60).map(|i| {
        let admin = app.admin();
        async move {
            match i % 4 {
                // Changing the limit or another field does not change the count.
                0 => admin.put(path, json!({ "max_usages": 12 - i / 6 })).await,
                1 => {
                    let body = json!({ "value": 1 + i, "active": true });
                    admin.put(path, body).await
                }
                _ => use_code(admin, "LIMITED".into()).await,
            }
        }
    }));
    let answers = answers.await;
    assert_eq!(count(&answers, 200), 30);
    assert!((1..=12).contains(&count(&answers, 201)));
    for answer in answers.iter().filter(|answer| answer.status > 201) {
        answer.invalid(&[("promo_code", "has been used up")]);
    }
    assert_usages_match(&app).await;
    admin.put(path, json!({ "max_usages": 1 })).await.ok();
    let last = use_code(admin, "LIMITED".into()).await;
    last.invalid(&[("promo_code", "has been used up")]);
}

#[service_test(shop())]
async fn a_code_renamed_concurrently_is_used_within_its_limit(app: TestApp, admin: Client) {
    let body = json!({ "code": "MOVED", "type": "amount", "value": 1, "max_usages": 5 });
    admin.post("/api/promo-codes", body).await.created();
    let answers = at_once((0..80).map(|i| {
        let admin = app.admin();
        async move {
            let code = if i % 8 < 4 { "MOVED" } else { "THERE" };
            match i % 4 {
                0 => {
                    let body = json!({ "code": code });
                    admin.put("/api/promo-codes/1", body).await
                }
                _ => use_code(admin, code.into()).await,
            }
        }
    }));
    let answers = answers.await;
    assert_eq!(count(&answers, 200), 20);
    for answer in answers.iter().filter(|answer| answer.status > 201) {
        match answer.status {
            404 => drop(answer.error(404, "promo_code_not_found")),
            _ => answer.invalid(&[("promo_code", "has been used up")]),
        }
    }
    assert!(count(&answers, 201) <= 5);
    assert_usages_match(&app).await;
}

#[service_test(shop())]
async fn roles_are_deleted_while_codes_are_restricted_to_them(app: TestApp, admin: Client) {
    create(&admin, "ROLES").await;
    for _ in 0..10 {
        let mut roles = Vec::new();
        for name in ["Donor", "Guest", "Guard"] {
            let made = admin.post("/api/roles", json!({ "name": name })).await;
            roles.push(made.created()["role"]["id"].as_i64().expect("an id"));
        }
        let answers = at_once((0..9).map(|i| {
            let (admin, roles) = (app.admin(), roles.clone());
            async move {
                match i % 3 {
                    0 => admin.delete(&format!("/api/roles/{}", roles[i / 3])).await,
                    _ => {
                        let some = [roles[i % 3], roles[(i + 1) % 3]];
                        let body = json!({ "role_ids": some });
                        admin.put("/api/promo-codes/1", body).await
                    }
                }
            }
        }));
        for answer in answers.await {
            if answer.status != 200 {
                answer.error(422, "validation_failed");
            }
        }
        let code = admin.get("/api/promo-codes/1").await.ok();
        assert_eq!(code["promo_code"]["role_ids"], json!([]));
    }
}
