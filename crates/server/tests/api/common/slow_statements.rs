//! Statements that take very long: their own client gets 503, and no other client waits for them.

use std::time::Duration;

use serde_json::json;

use crate::support::TestApp;

/// Makes every read of roles count to a number that it never reaches.
async fn make_roles_slow(app: &TestApp) {
    let db = &app.core().db;
    let rename = "ALTER TABLE roles RENAME TO stored_roles";
    db.run_sql(rename).await.expect("renamed");
    db.run_sql(
        "CREATE VIEW roles AS SELECT * FROM stored_roles r WHERE (
             WITH RECURSIVE numbers(n) AS (
                 SELECT CAST(r.id AS BIGINT) UNION ALL
                 SELECT n + 1 FROM numbers WHERE n < 1000000000000
             ) SELECT COUNT(*) FROM numbers) > 0",
    )
    .await
    .expect("a view");
}

/// With two worker threads, two statements that block theirs would stop every request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_slow_reads_of_one_key_get_503_busy_and_other_keys_are_served() {
    let app = TestApp::start().await;
    app.admin().create_role("Guard").await;
    let slow = app.actor(&["admin.roles.read"]).await;
    let other = app.actor(&["admin.currencies"]).await;
    make_roles_slow(&app).await;
    let requests: Vec<_> = (0..64)
        .map(|_| {
            let slow = slow.clone();
            tokio::spawn(async move { slow.get("/api/roles").await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    for letter in 'A'..='C' {
        let body = json!({ "code": format!("CU{letter}"), "minimum_value": 1, "exchange_rate": 1 });
        let made = other.post("/api/currencies", body).await.created();
        let id = &made["currency"]["id"];
        other.get(&format!("/api/currencies/{id}")).await.ok();
        other.get("/api/currencies").await.ok();
        assert_eq!(app.anonymous().get("/healthz").await.status, 200);
        assert_eq!(app.anonymous().get("/readyz").await.status, 200);
    }
    assert!(
        requests.iter().all(|request| !request.is_finished()),
        "the other key waited for the slow reads"
    );
    for request in requests {
        request.await.expect("an answer").error(503, "busy");
    }
    other.get("/api/currencies").await.ok();
}
