//! Grants are found through indexes, however many there are.

use serde_json::json;

use super::{MONTH, buy, month_of_vip, product, stocked};
use crate::support::TestApp;
use crate::support::payments::numbers;

/// One product that everyone has got, with a role that everyone holds.
async fn filled() -> TestApp {
    let app = stocked().await;
    let admin = app.admin();
    let vip = product(&admin, json!([month_of_vip()])).await;
    buy(&admin, vip).await;
    let many = numbers(&app, 5_000);
    for sql in [
        format!(
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                status, created_at, updated_at)
             SELECT 'u' || n, 'e' || n, 'u' || n, 'e' || n, '', 'active', 0, 0 FROM {many}"
        ),
        "INSERT INTO grants (product_id, product_name, user_id, state, reason, username, created_at,
                             server_id)
         SELECT 1, 'VIP', id, 'done', '', '', 0, 7 FROM users WHERE username LIKE 'u%'"
            .to_owned(),
        "INSERT INTO grant_steps (grant_id, kind, role_id, repeatable, state, undoing, cancelling,
                                  attempts, queued_at, role_ended)
         SELECT id, 'role', 1, FALSE, 'done', FALSE, FALSE, 0, 0, FALSE FROM grants
         WHERE server_id = 7"
            .to_owned(),
    ] {
        app.core().db.run_sql(&sql).await.expect("rows are made");
    }
    if app.core().db.on_postgres() {
        // Autovacuum does this sooner or later.
        app.core().db.run_sql("ANALYZE").await.expect("statistics");
    }
    app
}

/// Asserts that the statement with this text uses an index.
async fn assert_uses(app: &TestApp, text: &str, params: &[&str], index: &str) {
    let statements = app.core().db.statements();
    let found: Vec<_> = statements.iter().filter(|sql| sql.contains(text)).collect();
    assert!(!found.is_empty(), "{text}: {statements:#?}");
    for sql in found {
        let highest = (1..10).filter(|n| sql.contains(&format!("${n}"))).count();
        let mut params = params.to_vec();
        params.resize(highest, "21");
        let plan = app.core().db.plan(sql, &params).await;
        let plan = plan.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(plan.contains(index), "{sql}\n{plan}");
        assert!(!plan.contains("Seq Scan on grant_steps"), "{sql}\n{plan}");
    }
}

#[service_test(filled())]
async fn the_grants_of_an_ended_role_are_found_by_user(app: TestApp) {
    app.advance(MONTH);
    let ended = accounts::users::end_expired_roles(app.core()).await;
    ended.expect("roles are ended");
    let users = match app.core().db.on_postgres() {
        true => "ARRAY[1]::bigint[]",
        false => "'[1]'",
    };
    assert_uses(&app, "g.user_id = ANY(", &["1", users], "grants_user").await;
}

#[service_test(filled())]
async fn the_steps_of_other_grants_are_found_by_user(app: TestApp) {
    let revoked = app.admin().post("/api/grants/1/revoke", json!({})).await;
    revoked.ok();
    let text = "SELECT id FROM grants WHERE user_id = $1) AND s.role_id";
    assert_uses(&app, text, &["1", "1"], "grants_user").await;
}

#[service_test(filled())]
async fn grants_that_are_not_done_are_listed_through_indexes(app: TestApp) {
    for (query, text, params, index) in [
        (
            "product_id=1&state=attention",
            "product_id = $1 AND state <> 'done'",
            ["1", "'attention'"],
            "grants_product_not_done",
        ),
        (
            "server_id=7&state=attention",
            "server_id = $1 AND state <> 'done'",
            ["7", "'attention'"],
            "grants_server_not_done",
        ),
        (
            "user_id=1&product_id=1",
            "user_id = $1 AND /*no index*/product_id",
            ["1", "1"],
            "grants_user",
        ),
    ] {
        app.admin().get(&format!("/api/grants?{query}")).await.ok();
        assert_uses(&app, text, &params, index).await;
    }
}
