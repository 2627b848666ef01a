//! The job that ends expired roles.

use std::time::Duration;

use serde_json::json;
use server::app::App;
use server::maintenance;

use super::{EXTEND, VIP, at, extend, held, until, with_anna};
use crate::support::{Client, TestApp, at_once, eventually};

const EVENTS: &str = "/api/audit-log?action=users.role_expired";

/// Runs the job once.
pub async fn end_roles(app: &App) {
    let ended = accounts::users::end_expired_roles(&app.kernel.core).await;
    ended.expect("the job runs");
}

#[service_test(with_anna())]
async fn each_end_is_one_event_with_the_role_and_its_end(app: TestApp, admin: Client) {
    admin.put(VIP, until(60)).await.created();
    admin.put("/api/users/1/roles/2", until(61)).await.created();
    end_roles(&app.app).await;
    assert_eq!(admin.total(EVENTS).await, "0");
    app.advance(60);
    let mut events = admin.events("/api/events?action=users.role_expired").await;
    end_roles(&app.app).await;
    end_roles(&app.app).await;
    let event = events.next().await.expect("an event");
    let before = json!({ "role_id": 1, "role_name": "VIP", "expires_at": at(60) });
    assert_eq!(event["before"], before);
    assert_eq!(event["resource_id"], 1);
    let actor = json!({ "kind": "system", "id": null, "name": "system" });
    assert_eq!(event["actor"], actor);
    assert_eq!(admin.total(EVENTS).await, "1");
    app.advance(1);
    end_roles(&app.app).await;
    let event = events.next().await.expect("an event");
    assert_eq!(event["before"]["role_id"], 2);
    assert_eq!(app.number("SELECT COUNT(*) FROM user_roles").await, 0);
}

#[service_test(with_anna())]
async fn the_job_runs_by_itself_within_5_seconds(app: TestApp, admin: Client) {
    admin.put(VIP, until(60)).await.created();
    let job = tokio::spawn(maintenance::keep_ending_roles(app.app.clone()));
    app.advance(60);
    eventually("the role is ended", async || {
        admin.total(EVENTS).await == "1"
    })
    .await;
    assert!(maintenance::ROLES_ROUND < Duration::from_secs(5));
    job.abort();
}

/// More users than the job takes at once, each with a role for a minute.
async fn crowd() -> TestApp {
    let app = with_anna().await;
    let numbers = crate::support::payments::numbers(&app, 450);
    for sql in [
        format!(
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                status, created_at, updated_at)
             SELECT 'u' || n, 'e' || n, 'u' || n, 'e' || n, '', 'active', 0, 0 FROM {numbers}"
        ),
        "INSERT INTO user_roles (user_id, role_id, expires_at)
         SELECT u.id, r.id, 1772366460 FROM users u CROSS JOIN roles r WHERE u.id > 1"
            .to_owned(),
        "INSERT INTO user_role_history (user_id, role_id, role_name, granted_at, expires_at,
                                        source_kind)
         SELECT h.user_id, h.role_id, 'VIP', 0, h.expires_at, 'api' FROM user_roles h"
            .to_owned(),
    ] {
        app.core().db.run_sql(&sql).await.expect("rows are made");
    }
    app
}

#[service_test(crowd())]
async fn many_ends_are_one_event_each_on_two_instances(app: TestApp, admin: Client) {
    let second = app.second_instance().await;
    let ends = app.number("SELECT COUNT(*) FROM user_roles").await;
    assert!(ends > 800);
    app.advance(60);
    second.app.kernel.core.clock.advance(60);
    assert_eq!(admin.total("/api/users?role_id=1").await, "0");
    let jobs = [&app.app, &second.app, &app.app, &second.app].map(|app| {
        let app = app.clone();
        async move { end_roles(&app).await }
    });
    at_once(jobs).await;
    assert_eq!(admin.total(EVENTS).await, ends.to_string());
    let twice = "SELECT COUNT(*) FROM (SELECT resource_id, before FROM audit_log
                 WHERE action = 'users.role_expired' GROUP BY resource_id, before
                 HAVING COUNT(*) > 1) twice";
    assert_eq!(app.number(twice).await, 0);
    let open = "SELECT COUNT(*) FROM user_role_history
                WHERE ended_at IS NULL OR ended_at <> expires_at OR ended_by <> 'expired'";
    assert_eq!(app.number(open).await, 0);
    assert_eq!(app.number("SELECT COUNT(*) FROM user_roles").await, 0);
    // Transactions that overlap count in different slots, so only sums are 0.
    let totals = "SELECT COUNT(*) FROM (SELECT role_id FROM user_totals WHERE role_id > 0
                  GROUP BY role_id, status HAVING SUM(count) <> 0) totals";
    assert_eq!(app.number(totals).await, 0);
}

#[service_test(crowd())]
async fn other_writes_go_on_while_many_roles_end(app: TestApp, admin: Client) {
    app.advance(60);
    let ending = app.app.clone();
    let job = tokio::spawn(async move { end_roles(&ending).await });
    let mut created = 0;
    while !job.is_finished() {
        let body = json!({ "name": format!("Role {created}") });
        admin.post("/api/roles", body).await.created();
        created += 1;
    }
    job.await.expect("the job ends");
    // The job has at least five transactions, and lets others write between them.
    assert!(created >= 1, "{created}");
}

#[service_test(with_anna())]
async fn a_role_that_expires_stays_expired_when_the_clock_is_set_back(app: TestApp, admin: Client) {
    admin.put(VIP, until(60)).await.created();
    app.advance(60);
    assert_eq!(held(&admin).await, json!([]));
    app.core().clock.jump(-24 * 60 * 60);
    assert_eq!(held(&admin).await, json!([]));
    // It ends with its end, and is given from the latest time seen.
    let again = admin.post(EXTEND, json!({ "seconds": 60 })).await;
    assert_eq!(again.created()["user_role"]["expires_at"], at(120));
    assert_eq!(admin.total(EVENTS).await, "1");
}

#[service_test(with_anna())]
async fn a_clock_that_jumps_ahead_ends_nothing(app: TestApp, admin: Client) {
    admin.put(VIP, until(60)).await.created();
    app.maintain(maintenance::Rules::default()).await;
    app.core().clock.jump(400 * 24 * 60 * 60);
    end_roles(&app.app).await;
    app.core().clock.jump(-400 * 24 * 60 * 60);
    assert_eq!(held(&admin).await, json!([1]));
    assert_eq!(admin.total(EVENTS).await, "0");
    extend(&admin, 60).await.ok();
}
