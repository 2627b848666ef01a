//! Grants: products that are given to users, by invoices and by hand.

mod commands;
mod deliveries;
mod invoices;
mod plans;
mod races;
mod taking_back;

use payments::grants::sender;
use serde_json::{Value, json};

use crate::support::payments::{invoice, pay, shop};
use crate::support::{Client, TestApp};

const DAY: i64 = 86_400;
const MONTH: i64 = 30 * DAY;

/// A shop whose first user has linked a Steam profile, and that has the role 1.
async fn stocked() -> TestApp {
    let app = shop().await;
    let admin = app.admin();
    link(&admin, 1, 1, "76561197960265729").await;
    admin.create_role("VIP").await;
    app
}

async fn link(admin: &Client, user: i64, network: i64, value: &str) {
    let body = json!({ "network_id": network, "profile_url": value });
    let path = format!("/api/users/{user}/social-networks");
    admin.post(&path, body).await.created();
}

/// Creates a product that costs 5 in the first currency; returns its id.
async fn product(admin: &Client, steps: Value) -> i64 {
    product_with(admin, json!({ "steps": steps })).await
}

async fn product_with(admin: &Client, more: Value) -> i64 {
    let mut body = json!({ "name": "VIP", "prices": [{ "currency_id": 1, "amount": 5 }] });
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    let made = admin.post("/api/products", body).await.created();
    made["product"]["id"].as_i64().expect("an id")
}

fn month_of_vip() -> Value {
    json!({ "kind": "role", "role_id": 1, "seconds": MONTH })
}

fn order_of(product: i64) -> Value {
    json!({ "user_id": 1, "gateway": "stripe", "currency_id": 1, "product_id": product })
}

/// Orders and pays a product; returns the id of the invoice.
async fn buy(admin: &Client, product: i64) -> Value {
    let id = invoice(admin, order_of(product)).await["id"].clone();
    pay(admin, &id).await.ok();
    id
}

async fn give(admin: &Client, product: i64) -> Value {
    let body = json!({ "user_id": 1, "product_id": product });
    admin.post("/api/grants", body).await.created()["grant"].take()
}

async fn grant(admin: &Client, id: i64) -> Value {
    admin.get(&format!("/api/grants/{id}")).await.ok()["grant"].take()
}

async fn grants(admin: &Client) -> Vec<Value> {
    let list = admin.get("/api/grants").await.ok();
    list["grants"].as_array().expect("a list").clone()
}

fn states(grant: &Value) -> (&str, Vec<&str>) {
    let steps = grant["steps"].as_array().expect("a list").iter();
    let states = steps.map(|step| step["state"].as_str().expect("text"));
    (grant["state"].as_str().expect("text"), states.collect())
}

async fn send(app: &TestApp) {
    sender::once(&app.app.grants).await.expect("sent");
}

/// The end of the first user's first role.
async fn role_end(admin: &Client) -> Value {
    let held = admin.get("/api/users/1/roles").await.ok();
    held["roles"][0]["expires_at"].clone()
}

/// The actions of the audit log about grants, oldest first.
async fn actions(admin: &Client) -> Vec<String> {
    let log = admin
        .get("/api/audit-log?resource=grants&sort=id")
        .await
        .ok();
    let entries = log["audit_log"].as_array().expect("a list").iter();
    let actions = entries.map(|entry| entry["action"].as_str().expect("text").to_owned());
    actions.collect()
}
