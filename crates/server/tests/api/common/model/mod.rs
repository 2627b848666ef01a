//! Random sequences of writes to resources that depend on each other give the same answers and the
//! same state as a small model in memory. Navigation has its own model.

mod currencies;
mod invoices;
mod pages;
mod users;

use std::collections::{BTreeMap, BTreeSet};

use kernel::types::Timestamp;
use serde_json::{Value, json};

use self::currencies::Currency;
use self::invoices::{Invoice, Promo};
use self::pages::Page;
use self::users::User;
use crate::support::{Answer, Client, NOON, Rng, TestApp};

/// The expected state.
#[derive(Default)]
struct Model {
    now: i64,
    roles: BTreeMap<i64, String>,
    users: BTreeMap<i64, User>,
    pages: BTreeMap<i64, Page>,
    currencies: BTreeMap<i64, Currency>,
    default: Option<i64>,
    promos: Vec<Promo>,
    invoices: BTreeMap<i64, Invoice>,
}

struct Run {
    app: TestApp,
    admin: Client,
    rng: Rng,
    model: Model,
    /// How often each status was seen, to check that the sequence exercised it.
    seen: BTreeMap<u16, usize>,
}

impl Run {
    async fn start(seed: u64) -> Self {
        let app = TestApp::start().await;
        let mut run = Self {
            admin: app.admin(),
            app,
            rng: Rng::new(seed),
            model: Model {
                now: NOON,
                ..Model::default()
            },
            seen: BTreeMap::new(),
        };
        run.create_role().await;
        run.make_promo_codes().await;
        run
    }

    async fn step(&mut self) {
        match self.rng.below(37) {
            0 => self.create_role().await,
            1 => self.rename_role().await,
            2 => self.delete_role().await,
            3 | 4 => self.create_user().await,
            5 => self.rename_user().await,
            6 | 7 => self.set_user_status().await,
            8 | 9 => self.block().await,
            10 => self.unblock().await,
            11 => self.set_roles().await,
            12 | 13 => self.create_page().await,
            14 => self.change_page().await,
            15 => self.delete_page().await,
            16 | 17 => self.create_currency().await,
            18 => self.change_currency().await,
            19 => self.make_default().await,
            20..23 => self.delete_currency().await,
            23..27 => self.create_invoice().await,
            27..30 => self.set_invoice_status().await,
            30 => self.fail_invoice().await,
            31 => self.delete_invoice().await,
            32 => self.delete_user().await,
            33 => self.change_users().await,
            34 => self.change_roles_of_users().await,
            _ => self.wait().await,
        }
    }

    /// Long enough that some blocks and promo codes expire, and some do not. Everything
    /// expires at a multiple of ten seconds, so that the clock is often exactly at an expiry.
    async fn wait(&mut self) {
        let seconds = 10 * (1 + self.rng.below(6) as i64);
        self.app.advance(seconds);
        self.model.now += seconds;
        self.compare_users().await;
    }

    async fn compare(&mut self) {
        self.compare_users().await;
        self.compare_pages().await;
        self.compare_currencies().await;
        self.compare_invoices().await;
    }

    /// Mostly the id of an existing resource, sometimes a past or future one.
    fn pick_id<T>(&mut self, rows: impl Fn(&Model) -> &BTreeMap<i64, T>) -> i64 {
        let ids: Vec<i64> = rows(&self.model).keys().copied().collect();
        match ids.last() {
            Some(newest) if self.rng.below(8) == 0 => 1 + self.rng.below(*newest as u64 + 2) as i64,
            Some(_) => self.rng.one_of(&ids),
            None => 1,
        }
    }

    /// Asserts that the answer has this status.
    #[track_caller]
    fn expect_status(&mut self, answer: &Answer, status: u16) -> Value {
        *self.seen.entry(status).or_default() += 1;
        answer.expect(status)
    }

    /// Asserts that the answer is a 422 for exactly these fields.
    #[track_caller]
    fn expect_faults(&mut self, answer: &Answer, fields: &BTreeSet<String>) {
        *self.seen.entry(422).or_default() += 1;
        let body = answer.error(422, "validation_failed");
        let faults = body["errors"].as_object().expect("faults");
        assert_eq!(faults.keys().cloned().collect::<BTreeSet<_>>(), *fields);
    }
}

fn id_of(row: &Value) -> i64 {
    row["id"].as_i64().expect("an id")
}

fn moment(at: i64) -> Value {
    json!(Timestamp::from_unix(at).to_string())
}

#[service_test]
async fn random_writes_agree_with_the_model() {
    for seed in 1..=4 {
        println!("seed {seed}");
        let mut run = Run::start(seed).await;
        for step in 1..=400 {
            run.step().await;
            if step % 25 == 0 {
                run.compare().await;
            }
        }
        // Agreeing only on refusals, or only on successes, would prove little.
        for status in [200, 201, 404, 409, 422] {
            let times = run.seen.get(&status).copied().unwrap_or_default();
            assert!(times > 5, "{status} was seen {times} times: {:?}", run.seen);
        }
    }
}
