//! Expired roles are found and ended through indexes, however many roles there are.

use serde_json::json;

use super::expiry::end_roles;
use super::{VIP, until};
use crate::support::TestApp;
use crate::support::payments::numbers;

async fn filled() -> TestApp {
    let app = super::with_anna().await;
    let users = numbers(&app, 5000);
    for sql in [
        format!(
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                status, created_at, updated_at)
             SELECT 'u' || n, 'e' || n, 'u' || n, 'e' || n, '', 'active', 0, 0 FROM {users}"
        ),
        "INSERT INTO user_roles (user_id, role_id, expires_at)
         SELECT u.id, r.id, CASE WHEN u.id % 5 = 0 THEN 1772366400 + 86400 * u.id
                            ELSE 9223372036854775807 END
         FROM users u CROSS JOIN roles r WHERE u.id > 1"
            .to_owned(),
        "INSERT INTO user_role_history (user_id, role_id, role_name, granted_at, expires_at,
                                        source_kind)
         SELECT h.user_id, h.role_id, 'VIP', 0, h.expires_at, 'api' FROM user_roles h"
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

#[service_test(filled())]
async fn roles_that_expire_are_read_and_counted_through_indexes(app: TestApp) {
    let admin = app.admin();
    admin.put(VIP, until(60)).await.created();
    for path in [
        "/api/users/1/roles",
        "/api/users/1/role-history",
        "/api/users?role_id=1",
        "/api/users?role_id=1&status=pending",
        "/api/users?role_id=1&status=active",
        "/api/users?include=roles",
    ] {
        admin.get(path).await.ok();
    }
    app.advance(60);
    end_roles(&app.app).await;
    admin.put(VIP, until(120)).await.created();
    app.advance(60);
    admin
        .put("/api/users/1/roles", json!({ "role_ids": [1] }))
        .await
        .ok();
    let mut checked = 0;
    for sql in app.core().db.statements() {
        if !sql.contains("user_roles") && !sql.contains("user_role_history") {
            continue;
        }
        let is_list = sql.contains("ANY(");
        let highest = (1..10).filter(|n| sql.contains(&format!("${n}"))).count();
        let mut params = vec!["1"; highest];
        if is_list {
            params[0] = if app.core().db.on_postgres() {
                "ARRAY[1]"
            } else {
                "'[1]'"
            };
        }
        if sql.contains("u.status = $3") {
            params[2] = "'active'";
        }
        let plan = app.core().db.plan(sql, &params).await;
        let plan = plan.unwrap_or_else(|error| panic!("{sql}: {error}"));
        for scan in [
            "Seq Scan on user_roles",
            "Seq Scan on user_role_history",
            "SCAN h",
            "SCAN p",
        ] {
            assert!(!plan.contains(scan), "{sql}\n{plan}");
        }
        // SQLite reads the index up to the first bound, which its plan does not show.
        assert!(
            !sql.contains("h.expires_at < 9223372036854775807 AND h.expires_at"),
            "{sql}"
        );
        checked += 1;
    }
    assert!(checked >= 8, "{checked} statements");
}
