//! Currencies in the model: one is the default as long as there are any.

use serde_json::json;

use super::{Run, id_of};

pub struct Currency {
    pub code: &'static str,
    /// In ten-thousandths.
    pub minimum: i64,
}

const CODES: [&str; 7] = ["EUR", "eur", "USD", "uSd", "GBP", "CHF", "chf"];
const MINIMA: [i64; 3] = [0, 5_0000, 10_5000];

impl Run {
    fn is_code_taken(&self, but: i64, code: &str) -> bool {
        let mut others = self.model.currencies.iter().filter(|(id, _)| **id != but);
        others.any(|(_, currency)| currency.code.eq_ignore_ascii_case(code))
    }

    pub async fn create_currency(&mut self) {
        let (code, minimum) = (self.rng.one_of(&CODES), self.rng.one_of(&MINIMA));
        let minimum_value = minimum as f64 / 10_000.0;
        let body = json!({ "code": code, "minimum_value": minimum_value, "exchange_rate": 1 });
        let answer = self.admin.post("/api/currencies", body).await;
        if self.is_code_taken(0, code) {
            return self.expect_faults(&answer, &["code".into()].into());
        }
        let id = id_of(&self.expect_status(&answer, 201)["currency"]);
        if self.model.currencies.is_empty() {
            self.model.default = Some(id);
        }
        self.model.currencies.insert(id, Currency { code, minimum });
    }

    pub async fn change_currency(&mut self) {
        let id = self.pick_id(|model| &model.currencies);
        let (code, minimum) = (self.rng.one_of(&CODES), self.rng.one_of(&MINIMA));
        let body = json!({ "code": code, "minimum_value": minimum as f64 / 10_000.0 });
        let answer = self.admin.put(&format!("/api/currencies/{id}"), body).await;
        let is_taken = self.is_code_taken(id, code);
        match self.model.currencies.get_mut(&id) {
            None => drop(self.expect_status(&answer, 404)),
            Some(_) if is_taken => self.expect_faults(&answer, &["code".into()].into()),
            Some(currency) => {
                *currency = Currency { code, minimum };
                self.expect_status(&answer, 200);
            }
        }
    }

    pub async fn make_default(&mut self) {
        let id = self.pick_id(|model| &model.currencies);
        let answer = self
            .admin
            .post_empty(&format!("/api/currencies/{id}/default"))
            .await;
        if self.model.currencies.contains_key(&id) {
            self.model.default = Some(id);
            self.expect_status(&answer, 200);
        } else {
            self.expect_status(&answer, 404);
        }
    }

    pub async fn delete_currency(&mut self) {
        let id = self.pick_id(|model| &model.currencies);
        let answer = self.admin.delete(&format!("/api/currencies/{id}")).await;
        if !self.model.currencies.contains_key(&id) {
            self.expect_status(&answer, 404);
            return;
        }
        let is_default = self.model.default == Some(id);
        let mut invoices = self.model.invoices.values();
        let is_in_use = invoices.any(|invoice| invoice.currency_id == id);
        if is_in_use || is_default && self.model.currencies.len() > 1 {
            self.expect_status(&answer, 409);
            answer.error(409, "currency_in_use");
            return;
        }
        self.expect_status(&answer, 200);
        self.model.currencies.remove(&id);
        if is_default {
            self.model.default = None;
        }
    }

    pub async fn compare_currencies(&self) {
        let listed = self.admin.get("/api/currencies").await.ok();
        let listed = listed["currencies"].as_array().expect("a list");
        let ids: Vec<i64> = listed.iter().map(id_of).collect();
        assert!(ids.iter().eq(self.model.currencies.keys()), "{ids:?}");
        for (id, currency) in &self.model.currencies {
            let shown = self.admin.get(&format!("/api/currencies/{id}")).await.ok();
            let shown = &shown["currency"];
            assert_eq!(shown["code"], currency.code);
            let minimum = shown["minimum_value"].as_f64().expect("a number");
            assert_eq!(minimum, currency.minimum as f64 / 10_000.0);
            assert_eq!(shown["is_default"], self.model.default == Some(*id));
        }
    }
}
