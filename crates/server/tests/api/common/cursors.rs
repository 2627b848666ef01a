//! Cursor walks through lists and exports during writes.

use std::collections::BTreeSet;

use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::support::payments::{invoice, order, shop};
use crate::support::walk::{id, walk_ids};
use crate::support::{Client, Rng, TestApp};

/// Asserts that every row that exists throughout the walk is read once, and no row twice.
fn assert_none_skipped_or_repeated(met: &[i64], staying: &[i64], path: &str) {
    let distinct: BTreeSet<&i64> = met.iter().collect();
    assert_eq!(distinct.len(), met.len(), "{path}: {met:?}");
    let missed: Vec<&i64> = staying.iter().filter(|id| !distinct.contains(id)).collect();
    assert!(missed.is_empty(), "{path}: {missed:?} were skipped");
}

/// Tasks that call `write` repeatedly until `stop`.
struct Writers {
    stop: watch::Sender<bool>,
    count: watch::Receiver<u64>,
    tasks: Vec<JoinHandle<()>>,
}

impl Writers {
    fn start<F>(number: u64, write: impl Fn(u64) -> F + Clone + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send,
    {
        let (stop, stopped) = watch::channel(false);
        let (counted, count) = watch::channel(0);
        let work = |writer| {
            let (write, stopped, counted) = (write.clone(), stopped.clone(), counted.clone());
            tokio::spawn(async move {
                let mut turn = writer;
                while !*stopped.borrow() {
                    write(turn).await;
                    turn += number;
                    counted.send_modify(|count| *count += 1);
                }
            })
        };
        let tasks = (0..number).map(work).collect();
        Self { stop, count, tasks }
    }

    /// Waits for this many more writes.
    async fn more(&mut self, by: u64) {
        let enough = *self.count.borrow() + by;
        let waiting = self.count.wait_for(|count| *count >= enough);
        waiting.await.expect("they go on");
    }

    async fn stop(self) {
        self.stop.send_replace(true);
        for task in self.tasks {
            task.await.expect("no write failed");
        }
    }
}

#[service_test(shop())]
async fn a_cursor_walk_of_invoices_neither_skips_nor_repeats_during_writes(app: TestApp) {
    let admin = app.admin();
    let mut rng = Rng::new(3);
    let mut staying = Vec::new();
    for _ in 0..40 {
        let made = invoice(&admin, order(json!(1 + rng.below(5)))).await;
        staying.push(id(&made));
        app.advance(rng.below(2) as i64);
    }
    let writer = app.admin();
    let mut writers = Writers::start(2, move |turn| {
        let admin = writer.clone();
        async move {
            // Equal in amount and time to other invoices.
            let made = invoice(&admin, order(json!(1 + turn % 5))).await;
            if turn % 3 > 0 {
                let path = format!("/api/payment-invoices/{}", made["id"]);
                admin.delete(&path).await.ok();
            }
        }
    });
    for sort in [
        "id",
        "-id",
        "created_at",
        "-created_at",
        "amount",
        "-amount",
    ] {
        writers.more(2).await;
        let path = format!("/api/payment-invoices?sort={sort}&per_page=3");
        let met = walk_ids(&admin, &path, "payment_invoices").await;
        assert_none_skipped_or_repeated(&met, &staying, &path);
    }
    writers.stop().await;
}

#[service_test]
async fn a_cursor_walk_of_users_neither_skips_nor_repeats_during_writes(app: TestApp) {
    let admin = app.admin();
    let db = &app.core().db;
    let insert = |name: &str, created_at: u64| {
        format!(
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                status, created_at, updated_at)
             VALUES ('{name}', '{name}', '{name}', '{name}', '', 'active', {created_at}, 0)"
        )
    };
    for number in 0..40 {
        let name = format!("stays{}", number * 37 % 40);
        db.run_sql(&insert(&name, number % 7))
            .await
            .expect("a user");
    }
    let staying: Vec<i64> = (1..=40).collect();
    let writing = db.clone();
    let mut writers = Writers::start(2, move |turn| {
        let db = writing.clone();
        async move {
            let name = format!("stays{}x{turn}", turn % 40);
            db.run_sql(&insert(&name, turn % 9)).await.expect("a user");
            if turn % 3 > 0 {
                let gone = format!("DELETE FROM users WHERE username_folded = '{name}'");
                db.run_sql(&gone).await.expect("the user goes");
            }
        }
    });
    for sort in [
        "id",
        "-id",
        "username",
        "-username",
        "created_at",
        "-created_at",
    ] {
        writers.more(2).await;
        let path = format!("/api/users?sort={sort}&per_page=3&status=active");
        let met = walk_ids(&admin, &path, "users").await;
        assert_none_skipped_or_repeated(&met, &staying, &path);
    }
    writers.stop().await;
}

/// An export reads in batches, so it needs the same guarantee.
#[service_test(shop())]
async fn an_export_neither_skips_nor_repeats_rows_during_writes(app: TestApp, admin: Client) {
    let numbers = if app.core().db.on_postgres() {
        "generate_series(1, 2600) AS numbers (n)"
    } else {
        "(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2600)
          SELECT n FROM numbers)"
    };
    let sql = format!(
        "INSERT INTO payment_gateways (key, name, enabled, created_at)
         VALUES ('stripe', 'stripe', TRUE, 0);
         INSERT INTO payment_invoices (user_id, gateway_id, amount, original_amount, currency_id,
                                       is_paid, failed_reason, created_at)
         SELECT 1, 1, n % 3 * 10000, 1, 1, FALSE, '', n % 2 FROM {numbers}"
    );
    app.core().db.run_sql(&sql).await.expect("invoices");
    let staying: Vec<i64> = (1..=2600).collect();
    let writer = app.admin();
    let mut writers = Writers::start(2, move |turn| {
        let admin = writer.clone();
        async move {
            let made = invoice(&admin, order(json!(1 + turn % 2))).await;
            let path = format!("/api/payment-invoices/{}", made["id"]);
            admin.delete(&path).await.ok();
        }
    });
    for sort in [
        "id",
        "-id",
        "created_at",
        "-created_at",
        "amount",
        "-amount",
    ] {
        writers.more(2).await;
        let path = format!("/api/payment-invoices/export?sort={sort}&format=ndjson");
        let answer = admin.get(&path).await;
        let line = |line: &str| id(&serde_json::from_str(line).expect("an invoice"));
        let met: Vec<i64> = answer.text.lines().map(line).collect();
        assert_none_skipped_or_repeated(&met, &staying, &path);
    }
    writers.stop().await;
}
