//! Deliveries are found through indexes, however many another webhook has.

use super::{create, create_role, send};
use crate::support::TestApp;
use crate::support::payments::numbers;
use crate::support::receiver::Receiver;

#[service_test]
async fn deliveries_of_one_webhook_are_found_without_scanning_those_of_another(app: TestApp) {
    let db = &app.core().db;
    let receiver = Receiver::start().await;
    let (crowded, _) = create(&app, &receiver, &["users.*"]).await;
    let (quiet, _) = create(&app, &receiver, &["roles.*"]).await;
    let deliveries = numbers(&app, 20_000);
    let sql = format!(
        "INSERT INTO queue (kind, line, item, next_attempt_at, leased_until)
         SELECT 'webhooks', {crowded}, 1000000 + n, 1, 0 FROM {deliveries}"
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
        ("WITH RECURSIVE lines", vec!["'webhooks'", "2"]),
        (
            "SELECT item, next_attempt_at FROM queue",
            vec!["'webhooks'", &quiet, "1"],
        ),
    ];
    for (beginning, params) in statements {
        let mut built = db.statements().into_iter();
        let sql = built.find(|sql| sql.starts_with(beginning));
        let plan = db.plan(sql.expect(beginning), &params).await;
        let plan = plan.expect(beginning);
        assert!(plan.contains("queue_due"), "{beginning}: {plan}");
        for bad in ["Seq Scan on queue", "TEMP B-TREE"] {
            assert!(!plan.contains(bad), "{beginning}: {plan}");
        }
    }
}
