use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::checks::Invoices;
use crate::support::{Client, Program};

/// The fields of a row that its client knows; `None` for a deleted row.
type State = Option<Value>;

/// The state that one client knows from its answers. Only this client changes these rows, so it
/// knows their state, except for the one unanswered write, which may have happened or not.
#[derive(Default)]
pub struct Ledger {
    rows: BTreeMap<String, Vec<State>>,
    /// The statuses that a key's value may get.
    keys: BTreeMap<String, Vec<u16>>,
    /// The rows written since the last check.
    touched: BTreeSet<String>,
    pub created: usize,
    pub unanswered_creates: usize,
}

impl Ledger {
    /// The row at this path has this state from now on.
    pub fn set(&mut self, path: &str, state: State) {
        self.rows.insert(path.to_owned(), vec![state]);
        self.touched.insert(path.to_owned());
    }

    /// The row at this path may have this state by now.
    pub fn may_be(&mut self, path: &str, state: State) {
        self.rows.entry(path.to_owned()).or_default().push(state);
        self.touched.insert(path.to_owned());
    }

    pub fn set_key(&mut self, value: &str, statuses: &[u16]) {
        self.keys.insert(value.to_owned(), statuses.to_vec());
        self.touched.insert(value.to_owned());
    }

    /// The state of the row at this path, unless it is deleted.
    pub fn state(&self, path: &str) -> Option<&Value> {
        self.rows[path][0].as_ref()
    }

    pub fn recheck_everything(&mut self) {
        let everything = self.rows.keys().chain(self.keys.keys());
        self.touched = everything.cloned().collect();
    }

    /// Asserts that every row has a state that it may have. Afterwards that state is certain.
    pub async fn assert_states(&mut self, admin: &Client, invoices: &Invoices) {
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

    /// Asserts that every value of a key gets a status that it may get.
    pub async fn assert_keys(&mut self, service: &Program) {
        for value in std::mem::take(&mut self.touched) {
            let Some(statuses) = self.keys.get_mut(&value) else {
                continue;
            };
            let status = match service.holder(&value).get("/api/permissions").await.status {
                // An address that sends many wrong keys gets it instead of 401.
                429 => 401,
                status => status,
            };
            assert!(
                statuses.contains(&status),
                "{status} is not in {statuses:?}"
            );
            *statuses = vec![status];
        }
    }
}

/// The row at a path as the API shows it, and the state of an invoice in the statistics.
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
