use std::time::Duration;

use serde_json::json;
use server::maintenance::{self, FailedJobs, Rules};

use crate::support::TestApp;
use crate::support::payments::{invoice, order, shop};

const HOUR: i64 = 60 * 60;

async fn run_maintenance(app: &TestApp, fail_unpaid_hours: Option<u32>) {
    let rules = Rules {
        fail_unpaid_hours,
        ..Rules::default()
    };
    maintenance::once(&app.app, rules).await.expect("upkeep");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unpaid_invoice_fails_when_it_is_overdue() {
    let (app, admin) = shop().await;
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
    assert_eq!(log["audit_log"][0]["key_name"], "upkeep");
    assert_eq!(log["audit_log"][0]["key_id"], json!(null));

    admin.put("/api/payment-invoices/1/status", paid).await.ok();
    assert_eq!(counts().await, json!([2, 0, 0]));
}

#[tokio::test(flavor = "multi_thread")]
async fn any_number_of_overdue_invoices_fail() {
    let (app, admin) = shop().await;
    for _ in 0..120 {
        invoice(&admin, order(json!(1))).await;
    }
    app.advance(2 * HOUR);
    run_maintenance(&app, Some(1)).await;
    let stats = admin.get("/api/payment-invoices/stats").await.ok();
    assert_eq!(stats["stats"]["failed_count"], 120);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overdue_invoice_that_cannot_be_read_ends_the_job_with_an_error() {
    let (app, admin) = shop().await;
    invoice(&admin, order(json!(10))).await;
    app.advance(2 * HOUR);
    // Overdue invoices are still found, but none can be read.
    let mut tx = app.app.db.begin().await.expect("a transaction");
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
