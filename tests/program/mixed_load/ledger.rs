use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::checks::Invoices;
use crate::support::{Client, Program};

/// The fields of a row that its client knows; nothing for a row that is gone.
type State = Option<Value>;

/// What one client was told. Only this client changes these rows, so it knows how they read,
/// except for the one write that was not answered: that may have happened or not.
#[derive(Default)]
pub struct Ledger {
    rows: BTreeMap<String, Vec<State>>,
    /// The statuses that a key's value may meet.
    keys: BTreeMap<String, Vec<u16>>,
    /// What was written since it was last checked.
    touched: BTreeSet<String>,
    pub created: usize,
    pub unanswered_creates: usize,
}

impl Ledger {
    /// The row at this path reads like this from now on.
    pub fn set(&mut self, path: &str, state: State) {
        self.rows.insert(path.to_owned(), vec![state]);
        self.touched.insert(path.to_owned());
    }

    /// The row at this path may read like this by now.
    pub fn may_be(&mut self, path: &str, state: State) {
        self.rows.entry(path.to_owned()).or_default().push(state);
        self.touched.insert(path.to_owned());
    }

    pub fn set_key(&mut self, value: &str, statuses: &[u16]) {
        self.keys.insert(value.to_owned(), statuses.to_vec());
        self.touched.insert(value.to_owned());
    }

    /// How the row at this path reads, unless it is gone.
    pub fn state(&self, path: &str) -> Option<&Value> {
        self.rows[path][0].as_ref()
    }

    pub fn recall_everything(&mut self) {
        let everything = self.rows.keys().chain(self.keys.keys());
        self.touched = everything.cloned().collect();
    }

    /// That every row reads as it may. What was in doubt is settled by it.
    pub async fn holds(&mut self, admin: &Client, invoices: &Invoices) {
        for path in &self.touched {
            let Some(states) = self.rows.get_mut(path) else {
                continue;
            };
            let shown = shown(admin, path, invoices).await;
            let fits = states.iter().position(|state| fits(&shown, state));
            let fits = fits.unwrap_or_else(|| panic!("{path} is {shown:?}, not one of {states:?}"));
            *states = vec![states.swap_remove(fits)];
        }
    }

    /// That every value of a key is worth what it may be.
    pub async fn keys_hold(&mut self, service: &Program) {
        for value in std::mem::take(&mut self.touched) {
            let Some(statuses) = self.keys.get_mut(&value) else {
                continue;
            };
            let status = service.holder(&value).get("/api/permissions").await.status;
            assert!(
                statuses.contains(&status),
                "{status} is not in {statuses:?}"
            );
            *statuses = vec![status];
        }
    }
}

/// The row at a path as anybody can read it, and what the statistics count an invoice as.
async fn shown(admin: &Client, path: &str, invoices: &Invoices) -> State {
    let answer = admin.get(path).await;
    if answer.status == 404 {
        return None;
    }
    let body = answer.ok();
    let (_, row) = body.as_object().expect("an object").iter().next()?;
    let mut row = row.clone();
    if let Some(roles) = row.get("roles").and_then(Value::as_array) {
        row["roles"] = roles.iter().map(|role| role["id"].clone()).collect();
    }
    if path.starts_with("/api/payment-invoices/") {
        let invoice = row["id"].as_i64().and_then(|id| invoices.get(&id));
        row["state"] = invoice.expect("the invoice is stored").state.into();
    }
    Some(row)
}

fn fits(shown: &State, expected: &State) -> bool {
    match (shown, expected) {
        (Some(shown), Some(expected)) => {
            let fields = expected.as_object().expect("an object");
            fields.iter().all(|(name, value)| shown[name] == *value)
        }
        (shown, expected) => shown.is_none() && expected.is_none(),
    }
}
