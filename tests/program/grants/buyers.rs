//! Clients that give products, some by paid invoices and some by hand.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::support::Client;

/// How long a role step gives the role.
pub const ROLE_SECONDS: i64 = 86_400;
/// How long a buyer waits before the next order.
const PAUSE: Duration = Duration::from_millis(120);

/// What is ordered, and for which servers.
#[derive(Clone)]
pub struct Order {
    product: Value,
    currency: Value,
    servers: Vec<i64>,
}

impl Order {
    /// Creates the product: a role, a command that must not run twice, and one that may.
    pub async fn prepare(admin: &Client, servers: &[i64]) -> Self {
        let role = admin.post("/api/roles", json!({ "name": "VIP" })).await;
        let role = role.created()["role"]["id"].clone();
        let currency = json!({ "code": "EUR", "minimum_value": 0, "exchange_rate": 1 });
        let currency = admin.post("/api/currencies", currency).await.created();
        let currency = currency["currency"]["id"].clone();
        let command = |text: &str, repeatable: bool| {
            json!({
                "kind": "rcon", "server_ids": servers, "command": text, "repeatable": repeatable,
            })
        };
        let product = json!({
            "name": "VIP",
            "prices": [{ "currency_id": currency, "amount": 5 }],
            "choose_server": true,
            "steps": [
                { "kind": "role", "role_id": role, "seconds": ROLE_SECONDS },
                command("give {grant_id} {server_id}", false),
                command("set {grant_id} {server_id}", true),
            ],
        });
        let product = admin.post("/api/products", product).await.created();
        Self {
            product: product["product"]["id"].clone(),
            currency,
            servers: servers.to_vec(),
        }
    }
}

/// A client that buys until the service is killed, and continues with the next instance.
pub struct Buyer {
    number: usize,
    user: Value,
    order: Order,
    /// The orders that were answered.
    pub orders: usize,
    /// The grants and the paid invoices that the service acknowledged.
    pub given: BTreeSet<i64>,
    pub paid: BTreeSet<i64>,
}

impl Buyer {
    pub async fn new(admin: &Client, number: usize, order: Order) -> Self {
        let name = format!("buyer{number}");
        let email = format!("{name}@example.org");
        let body = json!({ "username": name, "email": email, "password": "battery staple" });
        let user = admin.post("/api/users", body).await.created();
        Self {
            number,
            user: user["user"]["id"].clone(),
            order,
            orders: 0,
            given: BTreeSet::new(),
            paid: BTreeSet::new(),
        }
    }

    pub async fn buy_until_killed(mut self, admin: Client, count: watch::Sender<usize>) -> Self {
        while self.buy(&admin).await.is_ok() {
            count.send_modify(|count| *count += 1);
            tokio::time::sleep(PAUSE).await;
        }
        self
    }

    /// Places one order. One that was not answered is repeated by the next call.
    pub async fn buy(&mut self, admin: &Client) -> reqwest::Result<()> {
        let servers = &self.order.servers;
        let server = servers[(self.number * 3 + self.orders) % servers.len()];
        let key = format!("{}/{}", self.number, self.orders);
        let once = admin.with("Idempotency-Key", &key);
        let mut body = json!({
            "user_id": self.user, "product_id": self.order.product, "server_id": server,
        });
        // A round over the servers later, the same server gets the other kind.
        let is_gift = (self.orders + self.orders / servers.len()).is_multiple_of(2);
        if is_gift {
            body["reason"] = json!("A gift");
            let answer = once.attempt(Method::POST, "/api/grants", Some(body.to_string()));
            let id = answer.await?.created()["grant"]["id"].as_i64();
            self.given.insert(id.expect("an id"));
        } else {
            body["gateway"] = json!("stripe");
            body["currency_id"] = self.order.currency.clone();
            let path = "/api/payment-invoices";
            let answer = once.attempt(Method::POST, path, Some(body.to_string()));
            let id = answer.await?.created()["payment_invoice"]["id"].as_i64();
            let id = id.expect("an id");
            // The payment may be reported again: that grants nothing twice.
            let (path, paid) = (format!("{path}/{id}/status"), json!({ "is_paid": true }));
            let answer = admin.attempt(Method::PUT, &path, Some(paid.to_string()));
            answer.await?.ok();
            self.paid.insert(id);
        }
        self.orders += 1;
        Ok(())
    }
}
