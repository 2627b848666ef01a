//! Invariants, checked in the database itself.

use std::collections::{BTreeMap, BTreeSet};

use db::Read;
use kernel::types::Timestamp;
use serde_json::value::RawValue;

use crate::support::{Client, Home};

pub struct Invoice {
    /// In ten-thousandths.
    amount: i128,
    gateway: String,
    /// In UTC, such as 2026-03-01.
    day: String,
    pub state: &'static str,
}

/// All invoices by their ids.
pub type Invoices = BTreeMap<i64, Invoice>;

/// A kind of resource, and an id.
type Row = (String, i64);

pub struct Database {
    pub invoices: Invoices,
    rows: BTreeSet<Row>,
    created: Vec<Row>,
    deleted: Vec<Row>,
    parents: BTreeMap<i64, Option<i64>>,
    defaults: Vec<i64>,
    /// Code, usages counted, invoices that use it, and the limit.
    promo_codes: Vec<(String, i64, i64, Option<i64>)>,
    user_roles: BTreeMap<i64, Vec<i64>>,
    item_roles: BTreeMap<i64, Vec<i64>>,
}

impl Database {
    pub async fn read(home: &Home) -> Self {
        let database = home.database().await;
        let mut read = database.read().await.expect("a reader");
        let rows = "SELECT 'api_keys', id FROM api_keys
            UNION ALL SELECT 'servers', id FROM servers
            UNION ALL SELECT 'roles', id FROM roles
            UNION ALL SELECT 'pages', id FROM pages
            UNION ALL SELECT 'users', id FROM users
            UNION ALL SELECT 'navbar_items', id FROM navigation_items
            UNION ALL SELECT 'currencies', id FROM currencies
            UNION ALL SELECT 'payment_invoices', id FROM payment_invoices";
        let created = "SELECT resource, resource_id FROM audit_log WHERE action LIKE '%.create'";
        let deleted = "SELECT resource, resource_id FROM audit_log WHERE action LIKE '%.delete'";
        Self {
            invoices: invoices(&mut read).await,
            rows: all(&mut read, rows, |row| Ok((row.get(0)?, row.get(1)?)))
                .await
                .into_iter()
                .collect(),
            created: all(&mut read, created, |row| Ok((row.get(0)?, row.get(1)?))).await,
            deleted: all(&mut read, deleted, |row| Ok((row.get(0)?, row.get(1)?))).await,
            parents: all(
                &mut read,
                "SELECT id, parent_id FROM navigation_items",
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .await
            .into_iter()
            .collect(),
            defaults: all(
                &mut read,
                "SELECT id FROM currencies WHERE is_default",
                |row| row.get(0),
            )
            .await,
            promo_codes: all(
                &mut read,
                "SELECT code, usages_count,
                        (SELECT COUNT(*) FROM payment_invoices
                         WHERE promo_code_id = promo_codes.id),
                        max_usages
                 FROM promo_codes",
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
            )
            .await,
            user_roles: roles(
                &mut read,
                "SELECT users.id, role_id FROM users
                 LEFT JOIN user_roles ON user_id = users.id ORDER BY role_id",
            )
            .await,
            item_roles: roles(
                &mut read,
                "SELECT navigation_items.id, role_id FROM navigation_items
                 LEFT JOIN navigation_item_roles ON item_id = navigation_items.id
                 ORDER BY role_id",
            )
            .await,
        }
    }

    /// How many rows were ever created.
    pub fn creations(&self) -> usize {
        self.created.len()
    }

    pub fn assert_invariants(&self) {
        self.assert_audit_log_matches_rows();
        assert_eq!(self.defaults.len(), 1, "defaults: {:?}", self.defaults);
        for (code, counted, used, limit) in &self.promo_codes {
            assert_eq!(counted, used, "usages of {code}");
            assert!(limit.is_none_or(|limit| *used <= limit), "{used} of {code}");
        }
        // Roles are set in pairs, so a user has the first pair or the last pair.
        for (id, roles) in &self.user_roles {
            let whole = *roles == [1, 2] || *roles == [3, 4];
            assert!(whole, "user {id} has the roles {roles:?}");
        }
        for (id, roles) in &self.item_roles {
            assert_eq!(*roles, [1, 2], "roles of navigation item {id}");
        }
        for id in self.parents.keys() {
            self.assert_no_cycle_above(*id);
        }
    }

    /// Asserts that every row has one audit entry of its creation, and every such entry its row or
    /// an entry of its deletion.
    fn assert_audit_log_matches_rows(&self) {
        let mut expected = BTreeSet::new();
        for row in &self.created {
            assert!(expected.insert(row.clone()), "{row:?} was created twice");
        }
        for row in &self.deleted {
            assert!(
                expected.remove(row),
                "{row:?} was deleted twice or never created"
            );
        }
        let different: Vec<_> = expected.symmetric_difference(&self.rows).collect();
        assert!(different.is_empty(), "log and rows differ in {different:?}");
    }

    fn assert_no_cycle_above(&self, from: i64) {
        let mut at = from;
        for _ in &self.parents {
            match self.parents[&at] {
                Some(parent) => at = parent,
                None => return,
            }
        }
        panic!("navigation item {from} is below itself");
    }
}

/// Waits until the database has finished what a killed service had already sent. Only PostgreSQL
/// continues after its client is gone, until it notices.
pub async fn wait_until_idle(home: &Home) {
    if !home.on_postgres() {
        return;
    }
    let database = home.database().await;
    let mut read = database.read().await.expect("a reader");
    let busy = "SELECT COUNT(*) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                  AND state <> 'idle'";
    while all(&mut read, busy, |row| row.get::<i64>(0)).await != [0] {
        tokio::task::yield_now().await;
    }
}

async fn all<T: Send + 'static>(
    read: &mut Read,
    sql: &'static str,
    row: fn(&db::Row<'_>) -> db::Result<T>,
) -> Vec<T> {
    read.query(sql, &[], row).await.expect("rows")
}

async fn roles(read: &mut Read, sql: &'static str) -> BTreeMap<i64, Vec<i64>> {
    let mut held = BTreeMap::<i64, Vec<i64>>::new();
    let pairs = all(read, sql, |row| Ok((row.get(0)?, row.get(1)?))).await;
    for (id, role) in pairs {
        held.entry(id).or_default().extend::<Option<i64>>(role);
    }
    held
}

async fn invoices(read: &mut Read) -> Invoices {
    let sql = "SELECT i.id, i.amount, g.key, i.created_at, i.is_paid, i.paid_at, i.failed_at
               FROM payment_invoices i JOIN payment_gateways g ON g.id = i.gateway_id";
    let found = all(read, sql, |row| {
        let is_paid: bool = row.get(4)?;
        let paid_at: Option<i64> = row.get(5)?;
        assert_eq!(is_paid, paid_at.is_some(), "half paid");
        let invoice = Invoice {
            amount: row.get::<i64>(1)?.into(),
            gateway: row.get(2)?,
            day: Timestamp::from_unix(row.get(3)?).to_string()[..10].to_owned(),
            state: match (is_paid, row.get::<Option<i64>>(6)?) {
                (true, _) => "completed",
                (false, Some(_)) => "failed",
                (false, None) => "pending",
            },
        };
        Ok((row.get(0)?, invoice))
    });
    found.await.into_iter().collect()
}

/// Sum and count by name.
type Sums = BTreeMap<String, (i128, i64)>;

/// Asserts that the statistics exactly equal a recount over all invoices.
pub async fn assert_statistics(admin: &Client, invoices: &Invoices) {
    let mut recount = Sums::new();
    for name in ["total", "completed", "pending", "failed"] {
        recount.insert(name.into(), (0, 0));
    }
    for invoice in invoices.values() {
        for name in ["total", invoice.state, &invoice.gateway, &invoice.day] {
            let (sum, count) = recount.entry(name.to_owned()).or_default();
            *sum += invoice.amount;
            *count += 1;
        }
    }
    let answer = admin.get("/api/payment-invoices/stats").await;
    let stats = &answer.ok()["stats"];
    let whole: BTreeMap<String, BTreeMap<String, &RawValue>> =
        serde_json::from_str(&answer.text).expect("statistics");
    let raw = &whole["stats"];
    let mut reported = Sums::new();
    for name in ["total", "completed", "pending", "failed"] {
        let count = stats[format!("{name}_count")].as_i64().expect("a count");
        let amount = exact(raw[&format!("{name}_amount")].get());
        reported.insert(name.into(), (amount, count));
    }
    for (list, name) in [("by_gateway", "gateway_name"), ("by_day", "date")] {
        let entries: Vec<BTreeMap<String, &RawValue>> =
            serde_json::from_str(raw[list].get()).expect("a list");
        for entry in entries {
            let name: String = serde_json::from_str(entry[name].get()).expect("a name");
            let count = entry["count"].get().parse().expect("a count");
            reported.insert(name, (exact(entry["amount"].get()), count));
        }
    }
    assert_eq!(reported, recount);
}

/// The exact number in ten-thousandths.
fn exact(number: &str) -> i128 {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    assert!(fraction.len() <= 4, "{number}");
    let digits = format!("{whole}{fraction:0<4}");
    digits.parse().expect("a plain number")
}
