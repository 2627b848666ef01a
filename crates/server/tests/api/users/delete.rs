use serde_json::json;

use crate::support::payments::{currency, order};
use crate::support::{Client, TestApp, assert_fields, at_once, count, new_user};

const ANNA: &str = "/api/users/1";

#[service_test]
async fn a_user_is_deleted_with_everything_that_belongs_to_them(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.user("berta").await;
    admin.create_role("Guard").await;
    let mut tokens = Vec::new();
    for (id, name) in [(1, "anna"), (2, "berta")] {
        let path = format!("/api/users/{id}");
        let body = json!({ "role_ids": [1] });
        admin.put(&format!("{path}/roles"), body).await.ok();
        let body = json!({ "network_id": 1, "profile_url": "gordon" });
        let links = format!("{path}/social-networks");
        admin.post(&links, body).await.created();
        tokens.push(app.sign_in(name).await);
        admin.post_empty(&format!("{path}/block")).await.ok();
        admin.post_empty(&format!("{path}/unblock")).await.ok();
    }

    assert_fields(&admin.delete(ANNA).await.ok(), &["message"]);
    for path in ["", "/blocks", "/devices", "/social-networks"] {
        admin.get(&format!("{ANNA}{path}")).await.not_found();
    }
    admin.delete(ANNA).await.not_found();
    app.verify(&tokens[0]).await.error(422, "session_invalid");
    app.verify(&tokens[1]).await.ok();
    for table in [
        "SELECT COUNT(*) FROM user_roles",
        "SELECT COUNT(*) FROM user_blocks",
        "SELECT COUNT(*) FROM user_social_links",
        "SELECT COUNT(*) FROM user_devices",
        "SELECT COUNT(*) FROM user_sessions",
    ] {
        assert_eq!(app.number(table).await, 1, "{table}: berta's is left");
    }
    assert_eq!(admin.total("/api/users").await, "1");
    assert_eq!(admin.total("/api/users/search?q=anna").await, "0");

    // The name is free again; the id is not reused.
    let again = admin.post("/api/users", new_user("anna")).await.created();
    assert_eq!(again["user"]["id"], 3);
}

#[service_test]
async fn the_audit_entry_keeps_the_deleted_user(app: TestApp, admin: Client) {
    app.user("anna").await;
    app.device(1, "Phone").await;
    admin.delete(ANNA).await.ok();
    let log = admin.get("/api/audit-log?action=users.delete").await.ok();
    let entry = &log["audit_log"][0];
    assert_eq!(entry["resource_id"], 1);
    assert_eq!(
        entry["before"],
        json!({
            "id": 1,
            "username": "anna",
            "email": "anna@example.com",
            "status": "active",
            "block": null,
            "roles": [],
            "social_networks": [],
            "devices": [{ "id": 1, "name": "Phone", "user_agent": "Mozilla/5.0" }],
            "password": "***",
        })
    );
    assert_eq!(entry["after"], json!({}));
}

#[service_test]
async fn deleting_a_user_with_invoices_gives_409(app: TestApp, admin: Client) {
    app.user("anna").await;
    let token = app.sign_in("anna").await;
    currency(&admin, "EUR").await;
    let invoices = "/api/payment-invoices";
    admin.post(invoices, order(json!(1))).await.created();
    let refused = admin.delete(ANNA).await;
    refused.error(409, "user_has_invoices");
    admin.get(ANNA).await.ok();
    app.verify(&token).await.ok();
    assert_eq!(admin.total("/api/audit-log?action=users.delete").await, "0");

    admin.delete("/api/payment-invoices/1").await.ok();
    admin.delete(ANNA).await.ok();
}

#[service_test]
async fn a_user_gets_an_invoice_or_is_deleted_but_not_both(app: TestApp, admin: Client) {
    currency(&admin, "EUR").await;
    let mut gone = 0;
    for round in 0..12 {
        let id = app.user(&format!("user{round}")).await;
        let requests = (0..8).map(|number| {
            let admin = admin.clone();
            let mut body = order(json!(1));
            body["user_id"] = json!(id);
            async move {
                // The position of the delete varies.
                if number == round % 8 {
                    admin.delete(&format!("/api/users/{id}")).await
                } else {
                    admin.post("/api/payment-invoices", body).await
                }
            }
        });
        let answers = at_once(requests).await;
        if count(&answers, 200) == 1 {
            gone += 1;
            let late = answers.iter().filter(|answer| answer.status != 200);
            late.for_each(|answer| drop(answer.error(404, "user_not_found")));
        } else {
            assert_eq!((count(&answers, 409), count(&answers, 201)), (1, 7));
        }
    }
    let left = app.number("SELECT COUNT(*) FROM users").await;
    assert_eq!(left, 12 - gone);
}
