//! A client that writes and records the answers.

use std::sync::{Arc, Mutex};

use reqwest::{Method, Result};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::ledger::Ledger;
use crate::support::{Answer, Client};

/// The resources that a client writes.
#[derive(Clone, Copy)]
pub enum Kind {
    Users,
    /// Roles, pages and servers.
    Content,
    Navigation,
    Currencies,
    Invoices,
    Keys,
}

/// Resources that all clients refer to.
#[derive(Clone)]
pub struct Shop {
    pub user_id: i64,
    pub currency_id: i64,
    pub role_ids: Vec<i64>,
    /// Navigation items that any client may use as a parent, deleted or not.
    pub items: Arc<Mutex<Vec<i64>>>,
}

impl Shop {
    pub fn new(user_id: i64, currency_id: i64, role_ids: Vec<i64>) -> Self {
        let items = Arc::default();
        Self {
            user_id,
            currency_id,
            role_ids,
            items,
        }
    }

    /// The path of the currency of the invoices.
    pub fn euro(&self) -> String {
        format!("/api/currencies/{}", self.currency_id)
    }
}

/// A client that writes until the service is killed, and continues with the next one.
pub struct Writer {
    number: usize,
    kind: Kind,
    pub shop: Shop,
    pub turn: usize,
    /// The paths of rows that exist, as far as it knows.
    pub own: Vec<String>,
    /// Keys whose value it knows.
    pub keys: Vec<(String, String)>,
    pub ledger: Ledger,
    pub used_up: usize,
}

impl Writer {
    pub fn new(number: usize, kind: Kind, shop: Shop) -> Self {
        let mut ledger = Ledger::default();
        if let Kind::Currencies = kind {
            let euro = json!({ "code": "EUR", "is_default": true });
            ledger.set(&shop.euro(), Some(euro));
        }
        Self {
            number,
            kind,
            shop,
            turn: 0,
            own: Vec::new(),
            keys: Vec::new(),
            ledger,
            used_up: 0,
        }
    }

    pub async fn write(mut self, client: Client, count: watch::Sender<usize>) -> Self {
        // Its last delete may have happened without an answer.
        self.own.retain(|path| self.ledger.state(path).is_some());
        loop {
            self.turn += 1;
            let turn = match self.kind {
                Kind::Users => self.users(&client).await,
                Kind::Content => self.content(&client).await,
                Kind::Navigation => self.navigation(&client).await,
                Kind::Currencies => self.currencies(&client).await,
                Kind::Invoices => self.invoices(&client).await,
                Kind::Keys => self.keys(&client).await,
            };
            if turn.is_err() {
                return self;
            }
            count.send_modify(|count| *count += 1);
        }
    }

    /// A unique name.
    pub fn name(&self) -> String {
        format!("row-{}-{}", self.number, self.turn)
    }

    /// One of the rows below this path, or none.
    pub fn pick(&self, group: &str) -> Option<String> {
        let rows = self.own.iter().filter(|path| path.starts_with(group));
        let rows: Vec<_> = rows.collect();
        let place = (self.turn * 7) % rows.len().max(1);
        rows.get(place).map(|path| (*path).clone())
    }

    /// The id of some item, or `None` for the top.
    pub fn parent(&self) -> Option<i64> {
        let items = self.shop.items.lock().expect("no panic while locked");
        let place = (self.turn * 13) % (items.len() + 2);
        items.get(place).copied()
    }

    /// Creates a row with the state `state`. `None` if it was refused.
    pub async fn create(
        &mut self,
        client: &Client,
        group: &str,
        body: Value,
        state: Value,
    ) -> Result<Option<Value>> {
        let made = client.attempt(Method::POST, group, Some(body.to_string()));
        let answer = made
            .await
            .inspect_err(|_| self.ledger.unanswered_creates += 1)?;
        if answer.status == 422 {
            return Ok(None);
        }
        let body = answer.created();
        let mut fields = body.as_object().expect("an object").values();
        let row = fields.find(|field| field.is_object()).expect("a row");
        let path = format!("{group}/{}", row["id"]);
        self.ledger.created += 1;
        self.ledger.set(&path, Some(state));
        self.own.push(path);
        Ok(Some(row.clone()))
    }

    /// Changes these fields of a row. Returns whether the service accepted it.
    pub async fn change(
        &mut self,
        path: &str,
        sent: impl Future<Output = Result<Answer>>,
        changes: Value,
    ) -> Result<bool> {
        let mut state = self.ledger.state(path).expect("it is there").clone();
        for (name, value) in changes.as_object().expect("an object") {
            state[name] = value.clone();
        }
        let unanswered = state.clone();
        let answer = sent
            .await
            .inspect_err(|_| self.ledger.may_be(path, Some(unanswered)))?;
        if answer.status == 422 {
            return Ok(false);
        }
        answer.ok();
        self.ledger.set(path, Some(state));
        Ok(true)
    }

    /// Deletes a row. Returns whether the service accepted it.
    pub async fn delete(&mut self, client: &Client, path: &str) -> Result<bool> {
        let sent = client.attempt(Method::DELETE, path, None);
        let answer = sent.await.inspect_err(|_| self.ledger.may_be(path, None))?;
        if answer.status == 422 {
            return Ok(false);
        }
        answer.ok();
        self.ledger.set(path, None);
        self.own.retain(|row| row != path);
        Ok(true)
    }
}
