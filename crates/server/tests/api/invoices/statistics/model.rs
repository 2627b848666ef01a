//! The statistics compared with a full recount after random writes to invoices.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::Mutex;

use crate::support::payments::{currency, exact, promo, shop};
use crate::support::{Client, TestApp};

#[derive(Clone, Debug)]
enum Step {
    Create {
        parts: i64,
        gateway: u8,
        currency: i64,
        promo: Option<&'static str>,
    },
    SetPaid(usize, bool),
    Fail(usize),
    Delete(usize),
    Wait(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let parts = prop_oneof![1..1_000_000_i64, 1..=10_000_000_000_000_000_i64];
    let promo = prop_oneof![
        Just(None),
        Just(Some("THIRD")),
        Just(Some("FIXED")),
        Just(Some("FREE"))
    ];
    let create = (parts, 0..3_u8, 1..=2_i64, promo);
    prop_oneof![
        4 => create.prop_map(|(parts, gateway, currency, promo)| Step::Create {
            parts, gateway, currency, promo
        }),
        3 => (0..20_usize, any::<bool>()).prop_map(|(which, paid)| Step::SetPaid(which, paid)),
        2 => (0..20_usize).prop_map(Step::Fail),
        1 => (0..20_usize).prop_map(Step::Delete),
        1 => (0..100_000_i64).prop_map(Step::Wait),
    ]
}

/// Performs the step. A refusal must also leave the statistics right.
async fn perform(app: &TestApp, admin: &Client, made: &mut Vec<i64>, step: &Step) {
    let nth = |which: &usize| made.get(which % made.len().max(1)).copied().unwrap_or(1);
    let answer = match step {
        Step::Create {
            parts,
            gateway,
            currency,
            promo,
        } => {
            let promo = promo.map_or_else(|| "null".into(), |code| format!("\"{code}\""));
            let body = format!(
                r#"{{"user_id":1,"gateway":"g{gateway}","amount":{parts}e-4,
                    "currency_id":{currency},"promo_code":{promo}}}"#
            );
            let body = Some(("application/json", body.into_bytes()));
            let path = "/api/payment-invoices";
            let answer = admin.send_bytes(reqwest::Method::POST, path, body).await;
            made.push(
                answer.created()["payment_invoice"]["id"]
                    .as_i64()
                    .expect("an id"),
            );
            let of = |name| exact(&answer.text, &["payment_invoice", name]);
            assert_eq!(of("original_amount"), i128::from(*parts));
            assert!((0..=of("original_amount")).contains(&of("amount")));
            answer
        }
        Step::SetPaid(which, paid) => {
            let path = format!("/api/payment-invoices/{}/status", nth(which));
            admin.put(&path, json!({ "is_paid": paid })).await
        }
        Step::Fail(which) => {
            let path = format!("/api/payment-invoices/{}/fail", nth(which));
            admin.post_empty(&path).await
        }
        Step::Delete(which) => {
            let path = format!("/api/payment-invoices/{}", nth(which));
            admin.delete(&path).await
        }
        Step::Wait(seconds) => return app.advance(*seconds),
    };
    assert!([200, 201, 404, 422].contains(&answer.status), "{answer:?}");
}

/// Sum and count by name.
type Sums = BTreeMap<String, (i128, i64)>;

async fn recount(app: &TestApp) -> Sums {
    let mut read = app.core().db.read().await.expect("a connection");
    let invoices = read
        .query(
            "SELECT g.name, i.currency_id, i.is_paid, i.failed_at, i.created_at, i.amount, i.paid_at
             FROM payment_invoices i JOIN payment_gateways g ON g.id = i.gateway_id",
            &[],
            |row| {
                let state = match (row.get::<bool>(2)?, row.get::<Option<i64>>(3)?) {
                    (true, _) => "completed",
                    (false, Some(_)) => "failed",
                    (false, None) => "pending",
                };
                let day_of = |moment: i64| {
                    let day = moment.div_euclid(86_400) * 86_400;
                    kernel::types::Timestamp::from_unix(day).to_string()[..10].to_owned()
                };
                let paid_at: Option<i64> = row.get(6)?;
                let mut names = vec![
                    "total".to_owned(),
                    state.to_owned(),
                    row.get::<String>(0)?,
                    row.get::<i64>(1)?.to_string(),
                    day_of(row.get(4)?),
                ];
                names.extend(paid_at.map(|paid_at| format!("paid {}", day_of(paid_at))));
                Ok((names, row.get::<i64>(5)?))
            },
        )
        .await
        .expect("all invoices");
    let mut sums = Sums::new();
    for name in ["total", "completed", "failed", "pending"] {
        sums.insert(name.into(), (0, 0));
    }
    for (names, amount) in invoices {
        for name in names {
            let sum = sums.entry(name).or_default();
            sum.0 += i128::from(amount);
            sum.1 += 1;
        }
    }
    sums
}

async fn reported(admin: &Client) -> Sums {
    let path = "/api/payment-invoices/stats?group_by=currency,paid_day";
    let answer = admin.get(path).await;
    // All invoices are of one user, whose sums are counted without buckets.
    let of_user = admin.get(&format!("{path}&user_id=1")).await;
    assert_eq!(of_user.text, answer.text);
    let stats = &answer.ok()["stats"];
    let mut sums = Sums::new();
    for name in ["total", "completed", "failed", "pending"] {
        let amount = exact(&answer.text, &["stats", &format!("{name}_amount")]);
        let count = stats[format!("{name}_count")].as_i64().expect("a count");
        sums.insert(name.into(), (amount, count));
    }
    let lists = [
        ("by_gateway", "gateway_name"),
        ("by_day", "date"),
        ("by_currency", "currency_id"),
    ];
    for (list, key) in lists {
        for (name, amount, count) in entries(&answer.text, list, key) {
            sums.insert(name, (amount, count));
        }
    }
    for (day, amount, count) in entries(&answer.text, "by_paid_day", "date") {
        sums.insert(format!("paid {day}"), (amount, count));
    }
    sums
}

/// The entries of a list in the statistics, with exact amounts.
fn entries(text: &str, list: &str, key: &str) -> Vec<(String, i128, i64)> {
    use serde_json::value::RawValue;
    let body: BTreeMap<String, BTreeMap<String, Box<RawValue>>> =
        serde_json::from_str(text).expect("the statistics");
    let items: Vec<&RawValue> = serde_json::from_str(body["stats"][list].get()).expect("a list");
    let entry = |item: &&RawValue| {
        let fields: Value = serde_json::from_str(item.get()).expect("an entry");
        let name = fields[key]
            .as_str()
            .map_or(fields[key].to_string(), str::to_owned);
        let count = fields["count"].as_i64().expect("a count");
        (name, exact(item.get(), &["amount"]), count)
    };
    items.iter().map(entry).collect()
}

#[test]
fn statistics_equal_a_full_recount() {
    let runtime = Runtime::new().expect("a runtime");
    let (app, admin) = runtime.block_on(async {
        let app = shop().await;
        let admin = app.admin();
        currency(&admin, "USD").await;
        for (code, kind, value) in [
            ("THIRD", "percentage", 33.3333),
            ("FIXED", "amount", 12.3456),
            ("FREE", "percentage", 100.0),
        ] {
            promo(&app, json!({ "code": code, "type": kind, "value": value })).await;
        }
        (app, admin)
    });
    let config = Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    };
    let made = Mutex::new(Vec::new());
    let steps = prop::collection::vec(step(), 1..20);
    TestRunner::new(config)
        .run(&steps, |steps| {
            runtime.block_on(async {
                let mut made = made.lock().await;
                for step in &steps {
                    perform(&app, &admin, &mut made, step).await;
                }
                let sums = reported(&admin).await;
                prop_assert_eq!(&sums, &recount(&app).await);
                let of = |name: &str| sums[name];
                let parts = [of("completed"), of("pending"), of("failed")];
                let added = parts
                    .iter()
                    .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
                prop_assert_eq!(of("total"), added);
                Ok(())
            })
        })
        .expect("the statistics are right");
}
