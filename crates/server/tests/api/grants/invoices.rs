//! Invoices of products: what paying, refunding and paying again does.

use serde_json::{Value, json};

use super::{
    actions, buy, give, grant, grants, link, month_of_vip, order_of, product, product_with,
};
use super::{role_end, states, stocked};
use crate::support::payments::{invoice, pay, user};
use crate::support::{Client, TestApp, assert_fields, at_once};

#[service_test(stocked())]
async fn paying_gives_the_role_once_and_repeating_it_gives_nothing(admin: Client) {
    let vip = product(&admin, json!([month_of_vip()])).await;
    let id = buy(&admin, vip).await;
    assert_eq!(role_end(&admin).await, "2026-03-31T12:00:00Z");
    pay(&admin, &id).await.ok();
    assert_eq!(grants(&admin).await.len(), 1);
    let given = grant(&admin, 1).await;
    let fields = [
        "id",
        "product_id",
        "product_name",
        "user_id",
        "invoice_id",
        "server_id",
        "state",
        "created_at",
        "finished_at",
        "steps",
    ];
    assert_fields(&given, &fields);
    let fields = [
        "id",
        "kind",
        "server_id",
        "state",
        "attempts",
        "next_attempt_at",
        "error",
        "reply",
        "done_at",
    ];
    assert_fields(&given["steps"][0], &fields);
    assert_eq!(states(&given), ("done", vec!["done"]));
    assert_eq!(given["invoice_id"], id);
    assert_eq!(actions(&admin).await, ["grants.create", "grants.done"]);
    let history = admin.get("/api/users/1/role-history").await.ok();
    let source = &history["role_history"][0]["source"];
    assert_eq!(*source, json!({ "kind": "grant", "id": 1 }));
}

#[service_test(stocked())]
async fn payments_reported_at_once_give_the_product_once(admin: Client) {
    let vip = product(&admin, json!([month_of_vip()])).await;
    let id = invoice(&admin, order_of(vip)).await["id"].clone();
    let answers = at_once((0..8).map(|_| {
        let (admin, id) = (admin.clone(), id.clone());
        async move { pay(&admin, &id).await }
    }))
    .await;
    assert!(answers.iter().all(|answer| answer.status == 200));
    assert_eq!(grants(&admin).await.len(), 1);
    assert_eq!(role_end(&admin).await, "2026-03-31T12:00:00Z");
}

#[service_test(stocked())]
async fn what_cannot_be_carried_out_needs_attention_and_the_payment_succeeds(admin: Client) {
    let both = json!([month_of_vip(), { "kind": "role", "role_id": 1 }]);
    let vip = product(&admin, both).await;
    let id = invoice(&admin, order_of(vip)).await["id"].clone();
    admin.delete("/api/roles/1").await.ok();
    pay(&admin, &id).await.ok();
    let given = grant(&admin, 1).await;
    assert_eq!(states(&given), ("attention", vec!["failed", "failed"]));
    assert_eq!(given["steps"][0]["error"], "The role was deleted.");
    assert_eq!(actions(&admin).await, ["grants.create", "grants.attention"]);
}

#[service_test(stocked())]
async fn paid_to_unpaid_revokes_and_paid_again_gives_again(admin: Client) {
    let vip = product(&admin, json!([month_of_vip()])).await;
    let id = buy(&admin, vip).await;
    let path = format!("/api/payment-invoices/{id}/status");
    admin.put(&path, json!({ "is_paid": false })).await.ok();
    assert_eq!(states(&grant(&admin, 1).await), ("revoked", vec!["undone"]));
    assert_eq!(role_end(&admin).await, Value::Null);
    pay(&admin, &id).await.ok();
    assert_eq!(grants(&admin).await.len(), 2);
    assert_eq!(states(&grant(&admin, 2).await), ("done", vec!["done"]));
    assert_eq!(role_end(&admin).await, "2026-03-31T12:00:00Z");
}

#[service_test(stocked())]
async fn a_refund_fails_the_invoice_and_takes_the_product_back(admin: Client) {
    let vip = product(&admin, json!([month_of_vip()])).await;
    let id = invoice(&admin, order_of(vip)).await["id"].clone();
    let path = format!("/api/payment-invoices/{id}/refund");
    let body = json!({ "kind": "chargeback", "reason": "Stolen card" });
    admin
        .post(&path, body.clone())
        .await
        .error(409, "invoice_not_paid");
    pay(&admin, &id).await.ok();
    let refunded = admin.post(&path, body.clone()).await.ok();
    assert_fields(&refunded, &["message", "payment_invoice"]);
    assert_eq!(refunded["payment_invoice"]["is_paid"], false);
    assert_eq!(refunded["payment_invoice"]["paid_at"], Value::Null);
    assert_eq!(states(&grant(&admin, 1).await).0, "revoked");
    let single = format!("/api/payment-invoices/{id}?include=product");
    let shown = admin.get(&single).await.ok()["payment_invoice"].take();
    let expected = json!({ "kind": "chargeback", "at": "2026-03-01T12:00:00Z" });
    assert_eq!(shown["refund"], expected);
    let failed = admin.get("/api/payment-invoices?status=failed").await;
    assert_eq!(failed.header("x-total-count"), "1");
    admin.post(&path, json!({ "kind": "refund" })).await.ok();
    let again = admin.get(&single).await.ok()["payment_invoice"].take();
    assert_eq!(again["refund"], expected);
    pay(&admin, &id).await.ok();
    let paid = admin.get(&single).await.ok()["payment_invoice"].take();
    assert_eq!(paid["refund"], Value::Null);
    assert_eq!(paid["grant"], json!({ "id": 2, "state": "done" }));
}

#[service_test(stocked())]
async fn include_product_shows_what_is_bought(app: TestApp, admin: Client) {
    let vip = product(&admin, json!([month_of_vip()])).await;
    let friend = user(&app, "bert").await;
    let mut body = order_of(vip);
    body["recipient_id"] = json!(friend);
    let made = invoice(&admin, body).await;
    assert_eq!(made["amount"], 5);
    assert!(made.get("product").is_none());
    let plain = json!({ "user_id": 1, "gateway": "stripe", "amount": 1, "currency_id": 1 });
    invoice(&admin, plain).await;
    pay(&admin, &made["id"]).await.ok();
    let list = admin
        .get("/api/payment-invoices?include=product&sort=id")
        .await
        .ok();
    let (bought, plain) = (&list["payment_invoices"][0], &list["payment_invoices"][1]);
    assert_eq!(bought["product"], json!({ "id": vip, "name": "VIP" }));
    assert_eq!(bought["recipient_id"], friend);
    assert_eq!(bought["server_id"], Value::Null);
    assert_eq!(bought["grant"], json!({ "id": 1, "state": "done" }));
    assert_eq!(bought["refund"], Value::Null);
    for field in ["product", "recipient_id", "server_id", "grant", "refund"] {
        assert_eq!(plain[field], Value::Null, "{field}");
    }
    assert_eq!(grant(&admin, 1).await["user_id"], friend);
    admin
        .get("/api/payment-invoices?include=user")
        .await
        .invalid(&[("include", "must be product")]);
}

#[service_test(stocked())]
async fn an_order_that_cannot_be_delivered_is_refused(app: TestApp, admin: Client) {
    let other = user(&app, "bert").await;
    let server = json!({
        "name": "Game", "ip": "127.0.0.1", "port": 1, "game": "cs2", "rcon_password": "hunter2",
    });
    admin.post("/api/servers", server.clone()).await.created();
    admin.post("/api/servers", server).await.created();
    let step = json!({ "kind": "rcon", "server_ids": [1], "command": "vip {steam_id64}" });
    let chosen = product_with(&admin, json!({ "steps": [step], "choose_server": true })).await;
    let path = "/api/payment-invoices";

    let mut body = order_of(chosen);
    body["amount"] = json!(4);
    body["recipient_id"] = json!(other);
    admin.post(path, body.clone()).await.invalid(&[
        ("amount", "must be the price of the product, which is 5"),
        (
            "product_id",
            "needs a steam profile, which the user who gets it has not linked",
        ),
        ("server_id", "is required"),
    ]);
    body["server_id"] = json!(2);
    body["amount"] = json!(5);
    link(&admin, other, 1, "STEAM_0:1:1").await;
    admin
        .post(path, body.clone())
        .await
        .invalid(&[("server_id", "is not a server of the product")]);
    body["server_id"] = json!(1);
    invoice(&admin, body.clone()).await;

    admin
        .put(
            &format!("/api/products/{chosen}"),
            json!({ "active": false }),
        )
        .await
        .ok();
    admin
        .post(path, body.clone())
        .await
        .invalid(&[("product_id", "is not active")]);
    let give = json!({ "user_id": 1, "product_id": chosen, "server_id": 1 });
    admin
        .post("/api/grants", give)
        .await
        .invalid(&[("product_id", "is not active")]);
    for (field, code) in [
        ("user_id", "user_not_found"),
        ("recipient_id", "user_not_found"),
        ("product_id", "product_not_found"),
        ("currency_id", "currency_not_found"),
    ] {
        let mut unknown = body.clone();
        unknown[field] = json!(99);
        admin.post(path, unknown).await.error(404, code);
    }
    let plain = json!({
        "user_id": 1, "gateway": "stripe", "currency_id": 1, "recipient_id": 1, "server_id": 1,
    });
    admin.post(path, plain).await.invalid(&[
        ("amount", "is required"),
        ("recipient_id", "must be left out without product_id"),
        ("server_id", "must be left out without product_id"),
    ]);
    let other = crate::support::payments::currency(&admin, "USD").await;
    let mut body = order_of(product(&admin, json!([])).await);
    body["currency_id"] = json!(other);
    admin
        .post(path, body)
        .await
        .invalid(&[("product_id", "has no price in this currency")]);
}

#[service_test(stocked())]
async fn a_promo_code_applies_to_the_price(admin: Client) {
    let promo = json!({ "code": "HALF", "type": "percentage", "value": 50 });
    admin.post("/api/promo-codes", promo).await.created();
    let mut body = order_of(product(&admin, json!([])).await);
    body["promo_code"] = json!("half");
    let made = invoice(&admin, body).await;
    assert_eq!(
        (&made["amount"], &made["original_amount"]),
        (&json!(2.5), &json!(5))
    );
}

#[service_test(stocked())]
async fn a_product_without_steps_is_done_at_once(admin: Client) {
    let empty = product(&admin, json!([])).await;
    let given = give(&admin, empty).await;
    assert_eq!(states(&given), ("done", vec![]));
    assert_eq!(actions(&admin).await, ["grants.create", "grants.done"]);
}

#[service_test(stocked())]
async fn a_user_with_grants_cannot_be_deleted_and_erasing_forgets_the_copies(
    app: TestApp,
    admin: Client,
) {
    let friend = user(&app, "bert").await;
    link(&admin, friend, 1, "STEAM_0:1:1").await;
    let server = json!({
        "name": "Game", "ip": "127.0.0.1", "port": 1, "game": "cs2", "rcon_password": "hunter2",
    });
    admin.post("/api/servers", server).await.created();
    let step = json!({ "kind": "rcon", "server_ids": [1], "command": "vip {steam_id64}" });
    let vip = product(&admin, json!([step])).await;
    let body = json!({ "user_id": friend, "product_id": vip, "reason": "Bert asked" });
    admin.post("/api/grants", body).await.created();
    let path = format!("/api/users/{friend}");
    admin.delete(&path).await.error(409, "user_has_grants");
    super::send(&app).await;
    let commands = admin.get("/api/audit-log?action=servers.rcon").await.ok();
    assert_eq!(
        commands["audit_log"][0]["after"]["command"],
        "vip 76561197960265731"
    );
    admin.post(&format!("{path}/erase"), json!({})).await.ok();
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("cancelled", vec!["cancelled"])
    );
    for sql in [
        "SELECT COUNT(*) FROM grants WHERE username <> '' OR reason <> ''",
        "SELECT COUNT(*) FROM grants WHERE steam_account IS NOT NULL",
        "SELECT COUNT(*) FROM queue WHERE kind = 'commands'",
        "SELECT COUNT(*) FROM audit_log WHERE after LIKE '%Bert asked%'",
        "SELECT COUNT(*) FROM audit_log WHERE after LIKE '%76561197960265731%'",
    ] {
        assert_eq!(app.number(sql).await, 0, "{sql}");
    }
}
