//! A clock that is set back revives nothing, and one that jumps ahead deletes nothing.

use kernel::secret::SecretKey;
use kernel::types::{Clock, Timestamp};
use serde_json::{Value, json};
use server::app::{App, Settings};
use server::maintenance::{self, Rules};
use server::routes::{PublicPaths, router};

use crate::support::game_server::{Behaviour, GameServer};
use crate::support::{Client, NOON, TestApp, listen, new_user};

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

async fn run_maintenance(app: &TestApp) {
    let rules = Rules {
        audit_days: Some(30),
        fail_unpaid_hours: Some(24),
        ..Rules::default()
    };
    app.maintain(rules).await;
}

/// A new instance on the same database, whose clock starts at this time.
async fn restart_at(app: &TestApp, time: i64) -> (App, String) {
    let started = App::start(
        app.scratch.open().await,
        Clock::manual(Timestamp::from_unix(time)),
        SecretKey::new(&[7; 32]),
        Settings {
            live: app.app.servers.live.settings().clone(),
            ..Settings::default()
        },
    );
    let started = started.await.expect("the service starts");
    let address = listen(&started, router(&started, PublicPaths::ALL)).await;
    (started, address)
}

#[service_test]
async fn an_expired_key_and_a_previous_value_stay_invalid_when_the_clock_is_set_back(app: TestApp) {
    let admin = app.admin();
    let (id, expiring) = app.key(&["admin.roles.read"]).await;
    let limits = json!({ "expires_at": "2026-03-01T12:10:00Z" });
    let path = format!("/api/api-keys/{id}/restrictions");
    admin.put(&path, limits).await.ok();
    let (id, old) = app.key(&["admin.roles.read"]).await;
    let overlap = json!({ "overlap_seconds": 600 });
    let path = format!("/api/api-keys/{id}/rotate");
    admin.post(&path, overlap).await.ok();

    for caller in [&expiring, &old] {
        caller.get("/api/roles").await.ok();
    }
    app.advance(600);
    for caller in [&expiring, &old] {
        caller.get("/api/roles").await.error(401, "unauthorized");
    }
    for set_back in [60, HOUR, 40 * DAY] {
        app.core().clock.jump(-set_back);
        for caller in [&expiring, &old] {
            let answer = caller.get("/api/roles").await;
            answer.error(401, "unauthorized");
        }
        admin.get("/api/roles").await.ok();
    }

    // Another instance, or this one after a restart, knows the latest time from the database.
    app.core().clock.jump(60 + HOUR + 40 * DAY);
    run_maintenance(&app).await;
    let (_app, address) = restart_at(&app, NOON).await;
    for caller in [&expiring, &old] {
        let caller = Client::new(&address, Some(caller.key_value()));
        caller.get("/api/roles").await.error(401, "unauthorized");
    }
}

#[service_test]
async fn an_expired_session_stays_invalid_when_the_clock_is_set_back(app: TestApp) {
    let answer = app.admin().post("/api/users", new_user("anna")).await;
    answer.created();
    let expired = app.sign_in("anna").await;
    app.advance(30 * DAY);
    app.verify(&expired).await.error(422, "session_invalid");
    app.core().clock.jump(-30 * DAY);
    app.verify(&expired).await.error(422, "session_invalid");

    // A session that begins now is valid, also after a background job.
    let fresh = app.sign_in("anna").await;
    app.core().clock.jump(-300 * DAY);
    let later = app.sign_in("anna").await;
    run_maintenance(&app).await;
    for session in [&fresh, &later] {
        app.verify(session).await.ok();
    }
    app.verify(&expired).await.error(422, "session_invalid");
}

#[service_test]
async fn an_expired_block_stays_expired_when_the_clock_is_set_back(app: TestApp, admin: Client) {
    admin.post("/api/users", new_user("anna")).await.created();
    let until = json!({ "until": "2026-03-01T12:10:00Z" });
    admin.post("/api/users/1/block", until).await.ok();
    let status = async || admin.get("/api/users/1").await.ok()["user"]["status"].take();
    assert_eq!(status().await, "blocked");
    app.advance(600);
    assert_eq!(status().await, "active");
    app.core().clock.jump(-DAY);
    assert_eq!(status().await, "active");
    // Signing in and conditional writes see the same state as reads.
    app.sign_in("anna").await;
    let tag = admin.etag("/api/users/1").await;
    let caller = admin.with("If-Match", &tag);
    let body = json!({ "email": "new@example.org" });
    caller.put("/api/users/1", body).await.ok();
}

#[service_test]
async fn a_rotated_key_keeps_its_previous_value_for_the_overlap_after_the_clock_was_set_back() {
    let app = TestApp::start().await;
    let (id, old) = app.key(&["admin.roles.read"]).await;
    app.core().clock.jump(-DAY);
    let overlap = json!({ "overlap_seconds": 600 });
    let path = format!("/api/api-keys/{id}/rotate");
    app.admin().post(&path, overlap).await.ok();
    old.get("/api/roles").await.ok();
}

#[service_test]
async fn an_idempotency_key_is_replayed_when_the_clock_is_set_back_or_jumps_ahead(app: TestApp) {
    let admin = app.admin();
    let role = json!({ "name": "Guard" });
    let post = async |value: &str| {
        let caller = admin.with("Idempotency-Key", value);
        caller.post("/api/roles", role.clone()).await
    };
    post("one").await.created();
    for jump in [-40 * DAY, 80 * DAY] {
        app.core().clock.jump(jump);
        let value = jump.to_string();
        post(&value).await.created();
        run_maintenance(&app).await;
        for value in ["one", &value] {
            let answer = post(value).await;
            assert_eq!(answer.header("idempotent-replayed"), "true", "{jump}");
        }
    }
}

/// How many rows there are that maintenance deletes or changes by their age.
async fn state(app: &TestApp) -> Vec<Value> {
    let admin = app.admin();
    let total = async |path: &str| json!(admin.total(path).await);
    vec![
        total("/api/audit-log?action=users.create").await,
        json!(app.number("SELECT COUNT(*) FROM user_sessions").await),
        json!(app.number("SELECT COUNT(*) FROM idempotent_replies").await),
        json!(
            app.number("SELECT COUNT(*) FROM users WHERE blocked_until IS NOT NULL")
                .await
        ),
    ]
}

async fn app_with_old_things() -> TestApp {
    let app = TestApp::start().await;
    let admin = app.admin();
    let careful = admin.with("Idempotency-Key", "one");
    careful.post("/api/users", new_user("anna")).await.created();
    admin.post("/api/users", new_user("bert")).await.created();
    app.sign_in("anna").await;
    let until = json!({ "until": "2026-03-02T12:00:00Z" });
    admin.post("/api/users/2/block", until).await.ok();
    app
}

#[service_test(app_with_old_things())]
async fn a_jump_ahead_deletes_nothing_until_it_has_lasted_an_hour(app: TestApp) {
    let before = state(&app).await;
    app.core().clock.jump(400 * DAY);
    run_maintenance(&app).await;
    assert_eq!(state(&app).await, before);
    app.advance(HOUR - 1);
    run_maintenance(&app).await;
    assert_eq!(state(&app).await, before);

    // It was wrong, and is corrected. Nothing was lost, and the latest time is not far ahead.
    app.core().clock.jump(-400 * DAY);
    run_maintenance(&app).await;
    assert_eq!(state(&app).await, before);
    let (id, key) = app.key(&["admin.roles.read"]).await;
    let limits = json!({ "expires_at": "2026-03-02T12:00:00Z" });
    let path = format!("/api/api-keys/{id}/restrictions");
    app.admin().put(&path, limits).await.ok();
    key.get("/api/roles").await.ok();

    // It is right, and stays.
    app.core().clock.jump(400 * DAY);
    run_maintenance(&app).await;
    assert_eq!(state(&app).await, before);
    app.advance(HOUR);
    run_maintenance(&app).await;
    assert_eq!(
        state(&app).await,
        [json!("0"), json!(0), json!(0), json!(0)]
    );
}

#[service_test(app_with_old_things())]
async fn a_restart_with_a_clock_far_ahead_deletes_nothing_at_first(app: TestApp) {
    let before = state(&app).await;
    let (restarted, _) = restart_at(&app, NOON + 400 * DAY).await;
    let rules = Rules {
        audit_days: Some(30),
        ..Rules::default()
    };
    maintenance::once(&restarted, rules).await.expect("it runs");
    assert_eq!(state(&app).await, before);
    restarted.kernel.core.clock.advance(HOUR);
    maintenance::once(&restarted, rules).await.expect("it runs");
    assert_eq!(state(&app).await[0], json!("0"));
}

#[service_test]
async fn audit_entries_written_after_the_clock_was_set_back_are_kept(app: TestApp) {
    app.core().clock.jump(-400 * DAY);
    let answer = app.admin().post("/api/users", new_user("anna")).await;
    answer.created();
    run_maintenance(&app).await;
    assert_eq!(state(&app).await[0], json!("1"));
}

#[service_test]
async fn game_servers_are_queried_when_the_clock_is_set_back(app: TestApp, admin: Client) {
    let game = GameServer::start(Behaviour::Plain).await;
    let made = admin.post("/api/servers", game.body()).await.created();
    let poll = async || {
        let before = game.received();
        game_servers::servers::live::poller::once(&app.app.servers)
            .await
            .expect("it runs");
        game.received() > before
    };
    assert!(poll().await);
    assert!(!poll().await, "not due");
    app.core().clock.jump(-DAY);
    assert!(poll().await);
    app.advance(60);
    assert!(poll().await);
    let path = format!("/api/servers/{}/live", made["server"]["id"]);
    assert_eq!(admin.get(&path).await.ok()["live"]["reachable"], true);
}
