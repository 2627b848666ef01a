use std::time::Duration;

use serde_json::json;
use server::maintenance::{self, FailedJobs, Rules};

use crate::support::payments::{invoice, numbers, order, shop};
use crate::support::{Client, TestApp};

const HOUR: i64 = 60 * 60;

async fn run_maintenance(app: &TestApp, fail_unpaid_hours: Option<u32>) {
    let rules = Rules {
        fail_unpaid_hours,
        ..Rules::default()
    };
    app.maintain(rules).await;
}

#[service_test(shop())]
async fn an_unpaid_invoice_fails_when_it_is_overdue(app: TestApp, admin: Client) {
    invoice(&admin, order(json!(10))).await;
    invoice(&admin, order(json!(20))).await;
    let paid = json!({ "is_paid": true });
    admin
        .put("/api/payment-invoices/2/status", paid.clone())
        .await
        .ok();
    let counts = async || {
        let stats = admin.get("/api/payment-invoices/stats").await.ok();
        let stats = &stats["stats"];
        json!([
            stats["completed_count"],
            stats["pending_count"],
            stats["failed_count"]
        ])
    };

    app.advance(24 * HOUR);
    run_maintenance(&app, None).await;
    run_maintenance(&app, Some(24)).await;
    assert_eq!(counts().await, json!([1, 1, 0]));
    app.advance(1);
    run_maintenance(&app, Some(24)).await;
    run_maintenance(&app, Some(24)).await;
    assert_eq!(counts().await, json!([1, 0, 1]));

    let log = admin
        .get("/api/audit-log?action=payment_invoices.fail")
        .await
        .ok();
    assert_eq!(log["audit_log"].as_array().map(Vec::len), Some(1));
    assert_eq!(log["audit_log"][0]["key_name"], "system");
    assert_eq!(log["audit_log"][0]["key_id"], json!(null));

    admin.put("/api/payment-invoices/1/status", paid).await.ok();
    assert_eq!(counts().await, json!([2, 0, 0]));
}

#[service_test(shop())]
async fn any_number_of_overdue_invoices_fail(app: TestApp, admin: Client) {
    for _ in 0..120 {
        invoice(&admin, order(json!(1))).await;
    }
    app.advance(2 * HOUR);
    run_maintenance(&app, Some(1)).await;
    let stats = admin.get("/api/payment-invoices/stats").await.ok();
    assert_eq!(stats["stats"]["failed_count"], 120);
}

#[service_test(shop())]
async fn an_overdue_invoice_that_cannot_be_read_ends_the_job_with_an_error(app: TestApp) {
    let admin = app.admin();
    invoice(&admin, order(json!(10))).await;
    app.advance(2 * HOUR);
    // Overdue invoices are still found, but none can be read.
    let mut tx = app.core().db.begin().await.expect("a transaction");
    tx.execute("ALTER TABLE currencies RENAME COLUMN code TO gone", &[])
        .await
        .expect("the column is renamed");
    tx.commit().await.expect("a commit");
    let rules = Rules {
        fail_unpaid_hours: Some(1),
        ..Rules::default()
    };
    let round = tokio::time::timeout(Duration::from_secs(30), maintenance::once(&app.app, rules));
    let outcome = round.await.expect("the job does not loop for ever");
    let FailedJobs(failed) = outcome.expect_err("the job fails");
    let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["unpaid_invoices"]);
}

#[service_test(shop())]
async fn overdue_invoices_are_found_without_reading_those_that_have_failed(app: TestApp) {
    let db = &app.core().db;
    let invoices = numbers(&app, 10_000);
    let gateway = "INSERT INTO payment_gateways (key, name, enabled, created_at)
                   VALUES ('stripe', '', TRUE, 0)";
    let failed = format!(
        "INSERT INTO payment_invoices (user_id, gateway_id, amount, original_amount, currency_id,
                                       is_paid, failed_at, failed_reason, created_at)
         SELECT 1, 1, n, n, 1, FALSE, n, '', n FROM {invoices}"
    );
    for sql in [gateway, &failed] {
        db.run_sql(sql).await.expect("rows are made");
    }
    if db.on_postgres() {
        // Autovacuum does this sooner or later.
        db.run_sql("ANALYZE").await.expect("statistics");
    }
    run_maintenance(&app, Some(24)).await;
    let built = db.statements();
    let is_it = |sql: &&&str| {
        sql.starts_with("SELECT id FROM payment_invoices") && sql.contains("created_at < $1")
    };
    let found: Vec<_> = built.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{built:#?}");
    let plan = db.plan(found[0], &["10000", "100"]).await.expect("a plan");
    assert!(plan.contains("payment_invoices_pending"), "{plan}");
}
