//! Hashes of bcrypt, which an import writes, until their users first sign in.

use accounts::passwords::Waiter;
use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, Version};
use db::params;
use serde_json::{Value, json};

use crate::support::{Client, SESSION, TestApp, console_sign_in, eventually, sign_in};

const SESSIONS: &str = "/api/sessions";
/// Hashes that PHP has made, with their passwords.
const COST_4: (&str, &str) = (
    "cheap-cost-4",
    "$2y$04$ycS6/.6m0Rjv3BgQkmbxUO/3hsfm1cg3Mo/.A4/0g5lvQmAqpajqK",
);
const OF_80_BYTES: (&str, &str) = (
    "01234567890123456789012345678901234567890123456789012345678901234567890123456789",
    "$2y$10$/MNBtzGgBTNvwmNYzmThe.fmO0z5Mc9sd0Jp14CS6q32F5D5/Tc6S",
);

async fn set_hash(app: &TestApp, id: i64, hash: &str) {
    let sql = format!("UPDATE users SET password_hash = '{hash}' WHERE id = {id}");
    let db = &app.app.kernel.core.db;
    db.run_sql(&sql).await.expect("a hash");
}

async fn hash(app: &TestApp, id: i64) -> String {
    let mut read = app.app.kernel.core.db.read().await.expect("a reader");
    let sql = "SELECT password_hash FROM users WHERE id = $1";
    let hash = read.query_one(sql, params![id], |row| row.get(0)).await;
    hash.expect("a hash")
}

fn with_password(login: &str, password: &str) -> Value {
    let mut body = sign_in(login);
    body["password"] = json!(password);
    body
}

async fn with_imported() -> TestApp {
    let app = TestApp::start().await;
    app.user("anna").await;
    set_hash(&app, 1, COST_4.1).await;
    app
}

#[service_test(with_imported())]
async fn the_first_correct_sign_in_replaces_the_hash_and_nothing_else(app: TestApp, admin: Client) {
    let entries = app.number("SELECT COUNT(*) FROM audit_log").await;
    let user = admin.get("/api/users/1").await.ok();
    app.advance(30);

    let wrong = with_password("anna", "cheap-cost-5");
    let refused = admin.post(SESSIONS, wrong).await;
    refused.error(422, "invalid_credentials");
    assert_eq!(hash(&app, 1).await, COST_4.1, "kept after a wrong password");

    let right = with_password("anna", COST_4.0);
    let first = admin.post(SESSIONS, right.clone()).await.created();
    let replaced = hash(&app, 1).await;
    assert!(replaced.starts_with("$argon2id$"), "{replaced}");
    let second = admin.post(SESSIONS, right).await.created();
    assert_eq!(hash(&app, 1).await, replaced, "replaced once");
    for made in [first, second] {
        let token = made["session_token"].as_str().expect("a token");
        app.verify(token).await.ok();
    }
    assert_eq!(admin.get("/api/users/1").await.ok(), user);
    // A failed and two successful sign-ins.
    assert_eq!(
        app.number("SELECT COUNT(*) FROM audit_log").await,
        entries + 3
    );

    let refused = admin.post(SESSIONS, with_password("anna", "cheap-cost-5"));
    refused.await.error(422, "invalid_credentials");
}

#[service_test(with_imported())]
async fn of_a_long_password_the_first_72_bytes_count_until_it_is_replaced(
    app: TestApp,
    admin: Client,
) {
    set_hash(&app, 1, OF_80_BYTES.1).await;
    let almost = &OF_80_BYTES.0[..71];
    let refused = admin.post(SESSIONS, with_password("anna", almost)).await;
    refused.error(422, "invalid_credentials");
    let whole = with_password("anna", OF_80_BYTES.0);
    admin.post(SESSIONS, whole.clone()).await.created();
    admin.post(SESSIONS, whole).await.created();
    // Argon2id has no such limit.
    let cut = with_password("anna", &OF_80_BYTES.0[..72]);
    let refused = admin.post(SESSIONS, cut).await;
    refused.error(422, "invalid_credentials");
}

#[service_test]
async fn a_hash_of_argon2id_is_kept_if_this_program_would_make_it(app: TestApp, admin: Client) {
    app.user("anna").await;
    let before = hash(&app, 1).await;
    admin.post(SESSIONS, sign_in("anna")).await.created();
    assert_eq!(hash(&app, 1).await, before);
    // One of another program, which costs more or less than those of this one, is replaced.
    let params = Params::new(64, 2, 1, None).expect("parameters");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let other = argon2.hash_password_with_salt(b"imported", &[7; 16]);
    let other = other.expect("a hash").to_string();
    set_hash(&app, 1, &other).await;
    let wrong = admin
        .post(SESSIONS, with_password("anna", "exported"))
        .await;
    wrong.error(422, "invalid_credentials");
    assert_eq!(hash(&app, 1).await, other);
    let right = with_password("anna", "imported");
    admin.post(SESSIONS, right.clone()).await.created();
    let replaced = hash(&app, 1).await;
    assert!(!replaced.contains("m=64,"), "{replaced}");
    admin.post(SESSIONS, right).await.created();
    assert_eq!(hash(&app, 1).await, replaced);
}

#[service_test(with_imported())]
async fn of_two_sign_ins_in_a_race_both_succeed_and_one_replaces_the_hash(app: TestApp) {
    let passwords = &app.app.users.passwords;
    let mut turns = Vec::new();
    for _ in 0..passwords.concurrency() {
        let place = passwords.queue(Waiter::Key).expect("a place");
        turns.push(place.permit().await.expect("a permit"));
    }
    let signing_in = [(), ()].map(|()| {
        let admin = app.admin();
        let body = with_password("anna", COST_4.0);
        tokio::spawn(async move { admin.post(SESSIONS, body).await })
    });
    // Both have read the hash of bcrypt by now.
    eventually("both wait for a turn", async || passwords.waiting() == 2).await;
    drop(turns);
    for signing_in in signing_in {
        let made = signing_in.await.expect("an answer").created();
        let token = made["session_token"].as_str().expect("a token");
        app.verify(token).await.ok();
    }
    assert!(hash(&app, 1).await.starts_with("$argon2id$"));
    assert_eq!(app.number("SELECT COUNT(*) FROM sign_in_attempts").await, 0);
}

#[service_test(with_imported())]
async fn a_password_that_is_changed_during_a_sign_in_wins(app: TestApp) {
    let passwords = &app.app.users.passwords;
    let mut turns = Vec::new();
    for _ in 0..passwords.concurrency() {
        let place = passwords.queue(Waiter::Key).expect("a place");
        turns.push(place.permit().await.expect("a permit"));
    }
    let admin = app.admin();
    let body = with_password("anna", COST_4.0);
    let signing_in = tokio::spawn(async move { admin.post(SESSIONS, body).await });
    eventually("it waits for a turn", async || passwords.waiting() == 1).await;
    set_hash(&app, 1, OF_80_BYTES.1).await;
    drop(turns);
    let refused = signing_in.await.expect("an answer");
    refused.error(422, "invalid_credentials");
    assert_eq!(hash(&app, 1).await, OF_80_BYTES.1);
}

#[service_test]
async fn the_console_replaces_the_hash_at_a_sign_in_and_at_a_confirmation(app: TestApp) {
    let id = app.operator("anna", &["admin.roles"]).await;
    set_hash(&app, id, COST_4.1).await;
    let mut body = console_sign_in("anna");
    body["password"] = json!("cheap-cost-5");
    app.anonymous()
        .post(SESSION, body.clone())
        .await
        .error(422, "invalid_credentials");
    assert_eq!(hash(&app, id).await, COST_4.1);
    body["password"] = json!(COST_4.0);
    let answer = app.anonymous().post(SESSION, body).await;
    answer.created();
    let replaced = hash(&app, id).await;
    assert!(replaced.starts_with("$argon2id$"), "{replaced}");

    set_hash(&app, id, COST_4.1).await;
    let anna = app.with_session(&answer);
    let confirmation = json!({ "password": COST_4.0 });
    let path = "/api/console/confirm";
    anna.post(path, confirmation).await.ok();
    assert!(hash(&app, id).await.starts_with("$argon2id$"));
    anna.get(SESSION).await.ok();
}

#[service_test(with_imported())]
async fn the_slowest_cost_is_read_from_an_index(app: TestApp) {
    let sql =
        "SELECT substr(password_hash, 5, 2) FROM users WHERE substr(password_hash, 2, 1) = '2'
         ORDER BY substr(password_hash, 5, 2) DESC LIMIT $1";
    let db = &app.app.kernel.core.db;
    let plan = db.plan(sql, &["1"]).await.expect("a plan");
    // PostgreSQL reads a table of one row as a whole.
    let is_postgres = plan.contains("cost=");
    assert!(is_postgres || plan.contains("users_bcrypt"), "{plan}");
}
