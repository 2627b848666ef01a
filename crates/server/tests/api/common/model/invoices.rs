//! Invoices and promo codes in the model.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Run, id_of, moment};
use crate::support::{NOON, payments};

/// A promo code and its limits; amounts in ten-thousandths.
#[derive(Clone, Default)]
pub struct Promo {
    code: &'static str,
    percentage: Option<i64>,
    amount: i64,
    max_usages: Option<usize>,
    max_uses_per_user: Option<usize>,
    minimum: i64,
    from: Option<i64>,
    to: Option<i64>,
    /// The roles it is for; empty for all users.
    pub roles: Option<BTreeSet<i64>>,
}

impl Promo {
    /// Percentages round half up to two decimal places.
    fn discount(&self, amount: i64) -> i64 {
        let discount = match self.percentage {
            Some(value) => (amount * value + 50_000_000) / 100_000_000 * 100,
            None => self.amount,
        };
        discount.min(amount)
    }
}

pub struct Invoice {
    pub user_id: i64,
    pub currency_id: i64,
    promo: Option<&'static str>,
    amount: i64,
    original: i64,
    transaction_id: Option<String>,
    paid_at: Option<i64>,
    failed: bool,
    created_at: i64,
}

impl Invoice {
    fn state(&self) -> &'static str {
        match (self.paid_at, self.failed) {
            (Some(_), _) => "completed",
            (None, true) => "failed",
            (None, false) => "pending",
        }
    }
}

const INVOICES: &str = "/api/payment-invoices";

impl Run {
    pub async fn make_promo_codes(&mut self) {
        let limited = Promo {
            code: "THRICE",
            percentage: Some(33_3333),
            max_usages: Some(3),
            ..Promo::default()
        };
        let once = Promo {
            code: "ONCE",
            amount: 2_5000,
            max_uses_per_user: Some(1),
            ..Promo::default()
        };
        let large = Promo {
            code: "LARGE",
            amount: 15_0000,
            minimum: 10_5000,
            ..Promo::default()
        };
        let timed = Promo {
            code: "TIMED",
            percentage: Some(100_0000),
            from: Some(NOON + 100),
            to: Some(NOON + 400),
            ..Promo::default()
        };
        let staff = Promo {
            code: "STAFF",
            amount: 1_0000,
            roles: Some(self.model.roles.keys().copied().collect()),
            ..Promo::default()
        };
        for promo in [limited, once, large, timed, staff] {
            let whole = |parts: i64| parts as f64 / 10_000.0;
            let kind = promo.percentage.map_or("amount", |_| "percentage");
            let body = json!({
                "code": promo.code, "type": kind,
                "value": whole(promo.percentage.unwrap_or(promo.amount)),
                "max_usages": promo.max_usages, "max_uses_per_user": promo.max_uses_per_user,
                "minimum_amount": whole(promo.minimum), "role_ids": promo.roles,
                "starts_at": promo.from.map(moment), "expires_at": promo.to.map(moment),
            });
            payments::promo(&self.app, body).await;
            self.model.promos.push(promo);
        }
    }

    fn applies(&self, promo: &Promo, user_id: i64, amount: i64) -> bool {
        let now = self.model.now;
        let uses = self.model.invoices.values();
        let uses = uses.filter(|invoice| invoice.promo == Some(promo.code));
        let own = uses.clone().filter(|invoice| invoice.user_id == user_id);
        let held = &self.model.users[&user_id].roles;
        promo.from.is_none_or(|from| from <= now)
            && promo.to.is_none_or(|to| now < to)
            && promo.max_usages.is_none_or(|max| uses.count() < max)
            && promo.max_uses_per_user.is_none_or(|max| own.count() < max)
            && promo
                .roles
                .as_ref()
                .is_none_or(|roles| !roles.is_disjoint(held))
            && amount >= promo.minimum
    }

    pub async fn create_invoice(&mut self) {
        let user_id = self.pick_id(|model| &model.users);
        let currency_id = self.pick_id(|model| &model.currencies);
        let codes = [
            "THRICE", "thrice", "ONCE", "LARGE", "TIMED", "STAFF", "NONE",
        ];
        let code = (self.rng.below(3) > 0).then(|| self.rng.one_of(&codes));
        let original = 1 + self.rng.below(25_0000) as i64;
        let body = json!({ "user_id": user_id, "currency_id": currency_id, "gateway": "stripe",
            "amount": original as f64 / 10_000.0, "promo_code": code });
        let answer = self.admin.post(INVOICES, body).await;

        let mut promos = self.model.promos.iter();
        let is_meant =
            |promo: &&Promo| code.is_some_and(|code| promo.code.eq_ignore_ascii_case(code));
        let promo = promos.find(is_meant).cloned();
        let missing = if !self.model.users.contains_key(&user_id) {
            Some("user_not_found")
        } else if !self.model.currencies.contains_key(&currency_id) {
            Some("currency_not_found")
        } else {
            (code.is_some() && promo.is_none()).then_some("promo_code_not_found")
        };
        if let Some(missing) = missing {
            self.expect_status(&answer, 404);
            answer.error(404, missing);
            return;
        }
        let mut faults = BTreeSet::new();
        if original < self.model.currencies[&currency_id].minimum {
            faults.insert("amount".to_owned());
        }
        if let Some(promo) = &promo
            && !self.applies(promo, user_id, original)
        {
            faults.insert("promo_code".to_owned());
        }
        if !faults.is_empty() {
            return self.expect_faults(&answer, &faults);
        }
        let id = id_of(&self.expect_status(&answer, 201)["payment_invoice"]);
        let discount = promo.as_ref().map_or(0, |promo| promo.discount(original));
        let invoice = Invoice {
            user_id,
            currency_id,
            promo: promo.map(|promo| promo.code),
            amount: original - discount,
            original,
            transaction_id: None,
            paid_at: None,
            failed: false,
            created_at: self.model.now,
        };
        self.model.invoices.insert(id, invoice);
    }

    /// Sets or clears `is_paid`, with or without a transaction id.
    pub async fn set_invoice_status(&mut self) {
        let id = self.pick_id(|model| &model.invoices);
        let is_paid = self.rng.below(3) > 0;
        let mut body = json!({ "is_paid": is_paid });
        let transaction_id = match self.rng.below(3) {
            0 => None,
            1 => Some(None),
            _ => Some(Some(format!("tx-{}", self.rng.below(100)))),
        };
        if let Some(transaction_id) = &transaction_id {
            body["transaction_id"] = json!(transaction_id);
        }
        let answer = self
            .admin
            .put(&format!("{INVOICES}/{id}/status"), body)
            .await;
        let now = self.model.now;
        let Some(invoice) = self.model.invoices.get_mut(&id) else {
            self.expect_status(&answer, 404);
            return;
        };
        if let Some(transaction_id) = transaction_id {
            invoice.transaction_id = transaction_id;
        }
        if is_paid != invoice.paid_at.is_some() {
            invoice.paid_at = is_paid.then_some(now);
            invoice.failed = false;
        }
        self.expect_status(&answer, 200);
    }

    pub async fn fail_invoice(&mut self) {
        let id = self.pick_id(|model| &model.invoices);
        let answer = self
            .admin
            .post_empty(&format!("{INVOICES}/{id}/fail"))
            .await;
        match self.model.invoices.get_mut(&id) {
            None => drop(self.expect_status(&answer, 404)),
            Some(invoice) if invoice.paid_at.is_some() => drop(self.expect_status(&answer, 422)),
            Some(invoice) => {
                invoice.failed = true;
                self.expect_status(&answer, 200);
            }
        }
    }

    pub async fn delete_invoice(&mut self) {
        let id = self.pick_id(|model| &model.invoices);
        let answer = self.admin.delete(&format!("{INVOICES}/{id}")).await;
        match self.model.invoices.get(&id) {
            None => drop(self.expect_status(&answer, 404)),
            Some(invoice) if invoice.paid_at.is_some() => drop(self.expect_status(&answer, 422)),
            Some(_) => {
                self.model.invoices.remove(&id);
                self.expect_status(&answer, 200);
            }
        }
    }

    pub async fn compare_invoices(&self) {
        let path = format!("{INVOICES}?per_page=100");
        let listed = self.admin.get(&path).await.ok();
        let listed = listed["payment_invoices"].as_array().expect("a list");
        let mut expected: Vec<_> = self.model.invoices.iter().collect();
        expected.sort_by_key(|(id, invoice)| std::cmp::Reverse((invoice.created_at, **id)));
        assert_eq!(listed.len(), expected.len(), "all of them fit on one page");
        for (shown, (id, invoice)) in listed.iter().zip(expected) {
            let parts = |name: &str| {
                let amount = shown[name].as_f64().expect("a number");
                (amount * 10_000.0).round() as i64
            };
            assert_eq!(shown["id"], *id);
            assert_eq!(shown["user_id"], invoice.user_id);
            let currency = &self.model.currencies[&invoice.currency_id];
            assert_eq!(shown["currency"], currency.code);
            assert_eq!(
                shown.get("promo_code").and_then(Value::as_str),
                invoice.promo
            );
            assert_eq!(parts("amount"), invoice.amount, "invoice {id}");
            assert_eq!(parts("original_amount"), invoice.original);
            assert_eq!(shown["transaction_id"], json!(invoice.transaction_id));
            assert_eq!(shown["is_paid"], invoice.paid_at.is_some());
            assert_eq!(shown["paid_at"], json!(invoice.paid_at.map(moment)));
            assert_eq!(shown["created_at"], moment(invoice.created_at));
        }
        // Only this request shows which of them failed.
        let stats = self.admin.get(&format!("{INVOICES}/stats")).await.ok();
        for state in ["completed", "failed", "pending"] {
            let invoices = self.model.invoices.values();
            let count = invoices.filter(|invoice| invoice.state() == state).count();
            assert_eq!(stats["stats"][format!("{state}_count")], count, "{state}");
        }
    }
}
