use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::payments::{currency, exact, order, promo, shop};
use crate::support::{Answer, Client, NOON, Rng, TestApp, at_once};

const LIST: &str = "/api/payment-invoices";
const DAY: i64 = 86_400;

struct Row {
    gateway: String,
    currency_id: i64,
    state: &'static str,
    promo: bool,
    amount: i64,
    created_at: i64,
}

async fn rows(app: &TestApp) -> Vec<Row> {
    let mut read = app.core().db.read().await.expect("a connection");
    read.query(
        "SELECT g.key, i.currency_id, i.is_paid, i.failed_at, i.promo_code_id, i.amount,
                i.created_at
         FROM payment_invoices i JOIN payment_gateways g ON g.id = i.gateway_id",
        &[],
        |row| {
            Ok(Row {
                gateway: row.get(0)?,
                currency_id: row.get(1)?,
                state: match (row.get::<bool>(2)?, row.get::<Option<i64>>(3)?) {
                    (true, _) => "paid",
                    (false, Some(_)) => "failed",
                    (false, None) => "pending",
                },
                promo: row.get::<Option<i64>>(4)?.is_some(),
                amount: row.get(5)?,
                created_at: row.get(6)?,
            })
        },
    )
    .await
    .expect("all invoices")
}

fn text(unix: i64) -> String {
    kernel::types::Timestamp::from_unix(unix).to_string()
}

type Condition = Box<dyn Fn(&Row) -> bool>;

/// A random condition on the time; each end is a day, a moment or open.
fn time(rng: &mut Rng) -> (String, Condition) {
    let mut end = |name: &str, of_day: i64| {
        let moment = NOON + rng.below(80) as i64 * DAY / 2 + rng.below(3) as i64 - 1;
        let day = moment.div_euclid(DAY) * DAY;
        match rng.below(3) {
            0 => (None, None),
            1 => (
                Some(format!("{name}={}", &text(day)[..10])),
                Some(day + of_day),
            ),
            _ => (Some(format!("{name}={}", text(moment))), Some(moment)),
        }
    };
    let (from, first) = end("created_from", 0);
    let (to, last) = end("created_to", DAY - 1);
    if first.zip(last).is_some_and(|(first, last)| first > last) {
        return (String::new(), Box::new(|_| true));
    }
    let query: Vec<String> = [from, to].into_iter().flatten().collect();
    let is_in = move |row: &Row| {
        first.is_none_or(|first| row.created_at >= first)
            && last.is_none_or(|last| row.created_at <= last)
    };
    (query.join("&"), Box::new(is_in))
}

fn kind(rng: &mut Rng) -> (String, Condition) {
    match rng.below(6) {
        0 => {
            let paid = rng.below(2) == 0;
            let is_it = move |row: &Row| (row.state == "paid") == paid;
            (format!("is_paid={paid}"), Box::new(is_it))
        }
        1 => {
            let key = format!("g{}", rng.below(4));
            let query = format!("gateway={key}");
            (query, Box::new(move |row| row.gateway == key))
        }
        2 => {
            let id = 1 + rng.below(3) as i64;
            let query = format!("currency_id={id}");
            (query, Box::new(move |row| row.currency_id == id))
        }
        3 => {
            let state = rng.one_of(&["paid", "failed", "pending"]);
            let query = format!("status={state}");
            (query, Box::new(move |row| row.state == state))
        }
        4 => ("promo_code=spring".into(), Box::new(|row| row.promo)),
        _ => (String::new(), Box::new(|_| true)),
    }
}

async fn assert_totals(app: &TestApp, rng: &mut Rng) {
    let rows = rows(app).await;
    let mut narrowed = 0;
    for _ in 0..60 {
        let mut conditions: BTreeMap<String, Condition> = BTreeMap::new();
        for (query, condition) in [time(rng), kind(rng), kind(rng)] {
            let name = query.split('=').next().unwrap_or_default();
            if !conditions.keys().any(|other| other.starts_with(name)) {
                conditions.insert(query, condition);
            }
        }
        let found = rows
            .iter()
            .filter(|row| conditions.values().all(|is| is(row)));
        let (query, count): (Vec<_>, _) = (conditions.keys().cloned().collect(), found.count());
        narrowed += usize::from(count > 0 && count < rows.len());
        let path = format!("{LIST}?per_page=1&{}", query.join("&"));
        let answer = app.admin().get(&path).await;
        assert_eq!(answer.ok()["pagination"]["total"], json!(count), "{path}");
        assert_eq!(answer.header("x-total-count"), count.to_string(), "{path}");
    }
    assert!(narrowed > 10, "the filters tell invoices apart");
}

/// Asserts the statistics of random periods, of all currencies or of one.
async fn assert_sums(app: &TestApp, rng: &mut Rng) {
    let rows = rows(app).await;
    for _ in 0..30 {
        let mut query = Vec::new();
        let mut day = || NOON.div_euclid(DAY) + rng.below(45) as i64 - 2;
        let (mut first, mut last) = (Some(day()), Some(day()));
        if first > last {
            std::mem::swap(&mut first, &mut last);
        }
        match rng.below(4) {
            0 => first = None,
            1 => last = None,
            _ => {}
        }
        let date = |day: i64| text(day * DAY)[..10].to_owned();
        query.extend(first.map(|day| format!("start_date={}", date(day))));
        query.extend(last.map(|day| format!("end_date={}", date(day))));
        let currency_id = rng.one_of(&[None, Some(1), Some(2)]);
        query.extend(currency_id.map(|id| format!("currency_id={id}")));
        let path = format!("{LIST}/stats?{}", query.join("&"));
        let day_of = |row: &Row| row.created_at.div_euclid(DAY);
        let counted: Vec<&Row> = rows
            .iter()
            .filter(|row| {
                first.is_none_or(|first| day_of(row) >= first)
                    && last.is_none_or(|last| day_of(row) <= last)
                    && currency_id.is_none_or(|id| row.currency_id == id)
            })
            .collect();
        let answer = app.admin().get(&path).await;
        let stats = answer.ok()["stats"].clone();
        let sum: i128 = counted.iter().map(|row| i128::from(row.amount)).sum();
        assert_eq!(
            exact(&answer.text, &["stats", "total_amount"]),
            sum,
            "{path}"
        );
        assert_eq!(stats["total_count"], json!(counted.len()), "{path}");
        for (name, state) in [
            ("completed", "paid"),
            ("pending", "pending"),
            ("failed", "failed"),
        ] {
            let count = counted.iter().filter(|row| row.state == state).count();
            assert_eq!(stats[format!("{name}_count")], json!(count), "{path}");
        }
        let mut by_day: BTreeMap<String, usize> = BTreeMap::new();
        let mut by_gateway: BTreeMap<String, usize> = BTreeMap::new();
        for row in &counted {
            *by_day.entry(date(day_of(row))).or_default() += 1;
            *by_gateway.entry(row.gateway.clone()).or_default() += 1;
        }
        assert_eq!(listed(&stats["by_day"], "date"), by_day, "{path}");
        assert_eq!(
            listed(&stats["by_gateway"], "gateway_name"),
            by_gateway,
            "{path}"
        );
    }
}

fn listed(list: &Value, key: &str) -> BTreeMap<String, usize> {
    let entries = list.as_array().expect("a list").iter();
    entries
        .map(|entry| {
            let name = entry[key].as_str().expect("a name").to_owned();
            (name, entry["count"].as_u64().expect("a count") as usize)
        })
        .collect()
}

async fn step(admin: Client, mut rng: Rng) -> Answer {
    let path = format!("{LIST}/{}", 1 + rng.below(120));
    match rng.below(8) {
        0..4 => {
            let mut body = order(json!(1 + rng.below(1000)));
            body["gateway"] = format!("g{}", rng.below(3)).into();
            body["currency_id"] = json!(1 + rng.below(2));
            if rng.below(3) == 0 {
                body["promo_code"] = "SPRING".into();
            }
            admin.post(LIST, body).await
        }
        4 | 5 => {
            let paid = json!({ "is_paid": rng.below(3) > 0 });
            admin.put(&format!("{path}/status"), paid).await
        }
        6 => admin.post_empty(&format!("{path}/fail")).await,
        _ => admin.delete(&path).await,
    }
}

/// Invoices of forty days, written concurrently.
async fn filled() -> TestApp {
    let app = shop().await;
    let admin = app.admin();
    currency(&admin, "USD").await;
    let body = json!({ "code": "SPRING", "type": "percentage", "value": 10 });
    promo(&app, body).await;
    for round in 0..20 {
        let steps = (0..14).map(|number| step(app.admin(), Rng::new(round * 100 + number)));
        for answer in at_once(steps).await {
            assert!([200, 201, 404, 422].contains(&answer.status), "{answer:?}");
        }
        app.advance(DAY * 2 + 7);
    }
    app
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn totals_and_sums_equal_a_recount_after_concurrent_writes() {
    let app = filled().await;
    let mut rng = Rng::new(7);
    assert_totals(&app, &mut rng).await;
    assert_sums(&app, &mut rng).await;
    // Deleted invoices neither prevent deleting what they referred to nor reappear.
    let admin = app.admin();
    for id in 1..=200 {
        let path = format!("{LIST}/{id}");
        let unpaid = json!({ "is_paid": false });
        admin.put(&format!("{path}/status"), unpaid).await;
        admin.delete(&path).await;
    }
    let stats = admin.get(&format!("{LIST}/stats")).await.ok();
    assert_eq!(stats["stats"]["by_day"], json!([]));
    assert_eq!(stats["stats"]["by_gateway"], json!([]));
    assert_eq!(admin.total(LIST).await, "0");
    admin.delete("/api/currencies/2").await.ok();
}

/// More than 64 bits hold, in every stored sum.
#[service_test(shop())]
async fn sums_of_the_largest_amounts_are_exact(app: TestApp, admin: Client) {
    let huge = 9_223_372_036_854_775_807_i64;
    for (day, gateway) in [(0, 1), (1, 1), (40, 1), (0, 2)] {
        let sql = format!(
            "INSERT INTO payment_gateways (key, name, enabled, created_at)
             VALUES ('g{day}{gateway}', '', TRUE, 0);
             INSERT INTO payment_buckets
                 (day, gateway_id, currency_id, state, whole, fraction, count)
             VALUES ({day}, {gateway}, 1, 'pending', {huge}, 9999, 1)"
        );
        app.app
            .kernel
            .core
            .db
            .run_sql(&sql)
            .await
            .expect("a bucket");
    }
    for (query, times) in [
        ("", 4),
        ("end_date=1970-01-31", 3),
        ("end_date=1970-01-02", 3),
    ] {
        let answer = admin.get(&format!("{LIST}/stats?{query}")).await;
        answer.ok();
        assert_eq!(
            exact(&answer.text, &["stats", "total_amount"]),
            times * (i128::from(huge) * 10_000 + 9999),
            "{query}"
        );
    }
}
