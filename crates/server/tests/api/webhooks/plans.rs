//! Deliveries are found through indexes, however many another webhook has.

use db::testing::built_statements;

use super::{create, create_role, send};
use crate::support::TestApp;
use crate::support::payments::numbers;
use crate::support::receiver::Receiver;

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_of_one_webhook_are_found_without_scanning_those_of_another() {
    let app = TestApp::start().await;
    let db = &app.app.db;
    let receiver = Receiver::start().await;
    let (crowded, _) = create(&app, &receiver, &["users.*"]).await;
    let (quiet, _) = create(&app, &receiver, &["roles.*"]).await;
    let deliveries = numbers(&app, 20_000);
    let sql = format!(
        "INSERT INTO webhook_deliveries (webhook_id, event_id, state, attempts_made,
                                         next_attempt_at, leased_until, created_at, attempts)
         SELECT {crowded}, 1000000 + n, 'pending', 0, 1, 0, 1, '[]' FROM {deliveries}"
    );
    db.run_sql(&sql).await.expect("deliveries");
    let off = format!("UPDATE webhooks SET active = FALSE WHERE id = {crowded}");
    db.run_sql(&off).await.expect("it is off");
    if db.on_postgres() {
        // Autovacuum does this sooner or later.
        db.run_sql("ANALYZE").await.expect("statistics");
    }
    create_role(&app, "Guard").await;
    send(&app).await;
    assert_eq!(receiver.actions(), ["roles.create"]);

    let quiet = quiet.to_string();
    let statements = [
        ("SELECT id FROM webhooks WHERE active", vec!["2"]),
        (
            "SELECT event_id FROM webhook_deliveries",
            vec![&quiet, "2", "1"],
        ),
    ];
    for (beginning, params) in statements {
        let mut built = built_statements().into_iter();
        let sql = built.find(|sql| sql.starts_with(beginning));
        let plan = db.plan(sql.expect(beginning), &params).await;
        let plan = plan.expect(beginning);
        assert!(
            plan.contains("webhook_deliveries_due"),
            "{beginning}: {plan}"
        );
        for bad in ["Seq Scan on webhook_deliveries", "TEMP B-TREE"] {
            assert!(!plan.contains(bad), "{beginning}: {plan}");
        }
    }
}
