//! The turns of each kind of client.

use reqwest::{Method, Result};
use serde_json::{Value, json};

use super::writer::Writer;
use crate::support::Client;

impl Writer {
    /// Users whose two roles are always set and removed together.
    pub async fn users(&mut self, client: &Client) -> Result<()> {
        let users = "/api/users";
        let roles = |which: usize| json!(self.shop.role_ids[which * 2..][..2]);
        match (self.turn % 6, self.pick(users)) {
            (1, _) | (_, None) => {
                let name = self.name();
                let email = format!("{name}@example.org");
                let body = json!({ "username": name, "email": email,
                    "password": "battery staple", "role_ids": roles(0) });
                let state = json!({ "username": name, "email": email, "status": "active",
                    "roles": roles(0) });
                self.create(client, users, body, state).await?;
            }
            (turn @ (2 | 4), Some(path)) => {
                let ids = roles(usize::from(turn == 2));
                let body = json!({ "role_ids": ids }).to_string();
                let roles = format!("{path}/roles");
                let sent = client.attempt(Method::PUT, &roles, Some(body));
                self.change(&path, sent, json!({ "roles": ids })).await?;
            }
            (turn, Some(path)) => {
                let (action, status) = match turn {
                    3 => ("block", "blocked"),
                    _ => ("unblock", "active"),
                };
                let action = format!("{path}/{action}");
                let sent = client.attempt(Method::POST, &action, None);
                let changes = json!({ "status": status });
                self.change(&path, sent, changes).await?;
            }
        }
        Ok(())
    }

    pub async fn content(&mut self, client: &Client) -> Result<()> {
        let (roles, pages, servers) = ("/api/roles", "/api/cms-pages", "/api/servers");
        let name = self.name();
        match self.turn % 7 {
            0 | 1 => {
                let role = json!({ "name": name, "description": "Made under load" });
                self.create(client, roles, role.clone(), role).await?;
            }
            2 => {
                let page = json!({ "title": name, "slug": name, "content": "<p>Hello</p>" });
                self.create(client, pages, page.clone(), page).await?;
            }
            3 => {
                let server = json!({ "name": name, "ip": "127.0.0.2", "port": 27015,
                    "game": "cs2", "rcon_password": "secret" });
                let state = json!({ "name": name, "ip": "127.0.0.2", "enabled": true });
                self.create(client, servers, server, state).await?;
            }
            4 => {
                let path = self.pick(pages).expect("a page was made before");
                let body = json!({ "title": name });
                let sent = client.attempt(Method::PUT, &path, Some(body.to_string()));
                self.change(&path, sent, body).await?;
            }
            5 => {
                let path = self.pick(servers).expect("a server was made before");
                let enabled = self.ledger.state(&path).expect("it is there")["enabled"] == true;
                let toggle = format!("{path}/toggle");
                let sent = client.attempt(Method::POST, &toggle, None);
                let changes = json!({ "enabled": !enabled });
                self.change(&path, sent, changes).await?;
            }
            _ => {
                let path = self.pick(roles).expect("a role was made before");
                self.delete(client, &path).await?;
            }
        }
        Ok(())
    }

    /// Items below those of other clients, which may delete or move them at the same time.
    pub async fn navigation(&mut self, client: &Client) -> Result<()> {
        let items = "/api/navbar-items";
        let parent = self.parent();
        match (self.turn % 5, self.pick(items)) {
            (0..3, _) | (_, None) => {
                let roles = &self.shop.role_ids[..2];
                let item = json!({ "title": self.name(), "parent_id": parent, "roles": roles });
                let made = self.create(client, items, item.clone(), item).await?;
                if let Some(id) = made.and_then(|item| item["id"].as_i64()) {
                    self.shop
                        .items
                        .lock()
                        .expect("no panic while locked")
                        .push(id);
                }
            }
            (3, Some(path)) => {
                let body = json!({ "parent_id": parent });
                let sent = client.attempt(Method::PUT, &path, Some(body.to_string()));
                self.change(&path, sent, body).await?;
            }
            (_, Some(path)) => {
                self.delete(client, &path).await?;
            }
        }
        Ok(())
    }

    /// Currencies and the default. Only one client changes the default, so it knows which it is.
    pub async fn currencies(&mut self, client: &Client) -> Result<()> {
        let currencies = "/api/currencies";
        match (self.turn % 4, self.pick(currencies)) {
            (0 | 1, _) | (_, None) => {
                let letter = |place: usize| char::from(b'A' + (self.turn / place % 26) as u8);
                let code: String = [676, 26, 1].map(letter).iter().collect();
                let currency = json!({ "code": code, "minimum_value": 0.5, "exchange_rate": 2 });
                let mut state = currency.clone();
                state["is_default"] = false.into();
                self.create(client, currencies, currency, state).await?;
            }
            (2, Some(path)) => self.make_default(client, path).await?,
            (_, Some(path)) if self.default() != path => {
                self.delete(client, &path).await?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The path of the default currency.
    fn default(&self) -> String {
        let euro = self.shop.euro();
        let is_default = |path: &&String| {
            let state = self.ledger.state(path);
            state.is_some_and(|currency| currency["is_default"] == true)
        };
        let mut all = self.own.iter().chain([&euro]);
        all.find(is_default).expect("there is a default").clone()
    }

    async fn make_default(&mut self, client: &Client, path: String) -> Result<()> {
        let before = self.default();
        if before == path {
            return Ok(());
        }
        let with = |path: &str, is_default: bool| {
            let mut state = self.ledger.state(path).cloned()?;
            state["is_default"] = is_default.into();
            Some(state)
        };
        let after = [(&before, with(&before, false)), (&path, with(&path, true))];
        let action = format!("{path}/default");
        let sent = client.attempt(Method::POST, &action, None).await;
        for (path, state) in after {
            match &sent {
                Ok(_) => self.ledger.set(path, state),
                Err(_) => self.ledger.may_be(path, state),
            }
        }
        sent?.ok();
        Ok(())
    }

    /// Invoices, most of them with a promo code that other clients use as well.
    pub async fn invoices(&mut self, client: &Client) -> Result<()> {
        let invoices = "/api/payment-invoices";
        let promo_code = match self.turn % 9 {
            1 | 2 => Some("FEW"),
            3 => Some("MANY"),
            _ => None,
        };
        match (self.turn % 9, self.pick(invoices)) {
            (0..4, _) | (_, None) => {
                let order = json!({
                    "user_id": self.shop.user_id, "currency_id": self.shop.currency_id,
                    "gateway": self.name().split_at(5).0, "amount": 10.0625 + self.turn as f64 / 8.0,
                    "promo_code": promo_code,
                });
                let mut state = order.clone();
                let fields = state.as_object_mut().expect("an object");
                fields.remove("promo_code");
                let amount = fields.remove("amount").expect("an amount");
                fields.insert("original_amount".into(), amount);
                fields.insert("state".into(), "pending".into());
                let made = self.create(client, invoices, order, state).await?;
                self.used_up += usize::from(made.is_none());
                assert!(made.is_some() || promo_code == Some("FEW"), "a refusal");
            }
            (turn @ 4..7, Some(path)) => {
                let paid = turn != 6;
                let transaction = self.name();
                let body = json!({ "is_paid": paid, "transaction_id": transaction });
                let was = self.ledger.state(&path).expect("it is there")["state"].clone();
                let state = match (paid, was.as_str()) {
                    (true, _) => "completed",
                    (false, Some("failed")) => "failed",
                    (false, _) => "pending",
                };
                let status = format!("{path}/status");
                let sent = client.attempt(Method::PUT, &status, Some(body.to_string()));
                let changes = json!({ "is_paid": paid, "transaction_id": transaction,
                    "state": state });
                assert!(self.change(&path, sent, changes).await?);
            }
            (turn, Some(path)) => {
                let is_paid =
                    self.ledger.state(&path).expect("it is there")["state"] == "completed";
                let done = if turn == 7 {
                    let fail = format!("{path}/fail");
                    let sent = client.attempt(Method::POST, &fail, None);
                    self.change(&path, sent, json!({ "state": "failed" }))
                        .await?
                } else {
                    self.delete(client, &path).await?
                };
                assert_eq!(done, !is_paid, "{path}");
            }
        }
        Ok(())
    }

    /// Keys, whose value is valid until the next one is issued.
    pub async fn keys(&mut self, client: &Client) -> Result<()> {
        let value = |row: &Value| row["key"].as_str().expect("a value").to_owned();
        if self.turn % 4 == 1 || self.keys.is_empty() {
            let body = json!({ "name": self.name() });
            let made = self.create(client, "/api/api-keys", body.clone(), body);
            let key = made.await?.expect("a key is never refused");
            self.ledger.set_key(&value(&key), &[200]);
            self.keys
                .push((format!("/api/api-keys/{}", key["id"]), value(&key)));
            return Ok(());
        }
        // Not picked again until its new value is known.
        let (path, old) = self.keys.swap_remove(self.turn % self.keys.len());
        self.ledger.set_key(&old, &[200, 401]);
        if self.turn % 4 == 2 {
            self.delete(client, &path).await?;
        } else {
            let regenerate = format!("{path}/regenerate");
            let answer = client.attempt(Method::POST, &regenerate, None).await?;
            let new = value(&answer.ok()["api_key"]);
            self.ledger.set_key(&new, &[200]);
            self.keys.push((path, new));
        }
        self.ledger.set_key(&old, &[401]);
        Ok(())
    }
}
