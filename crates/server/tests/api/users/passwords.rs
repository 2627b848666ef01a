use accounts::passwords::Waiter;
use argon2::{Argon2, PasswordHash, PasswordVerifier};
use kernel::Limits;
use serde_json::json;

use crate::support::{Answer, Client, TestApp, at_once, count, eventually, new_user};

const PASSWORD: &str = "battery staple";

async fn hash_of(app: &TestApp, id: i64) -> String {
    let mut read = app.core().db.read().await.expect("a reader");
    let sql = "SELECT password_hash FROM users WHERE id = $1";
    let hash = read.query_one(sql, db::params![id], |row| row.get(0)).await;
    hash.expect("a hash")
}

fn matches_hash(hash: &str, password: &str) -> bool {
    let hash = PasswordHash::new(hash).expect("a hash in the usual form");
    Argon2::default()
        .verify_password(password.as_bytes(), &hash)
        .is_ok()
}

#[service_test]
async fn a_password_is_stored_as_an_argon2_hash() {
    let app = TestApp::start_with_costly_passwords(Limits::default()).await;
    let admin = app.admin();
    app.user("anna").await;
    app.user("berta").await;
    let first = hash_of(&app, 1).await;
    assert!(
        first.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
        "{first}"
    );
    assert!(matches_hash(&first, PASSWORD));
    assert_ne!(first, hash_of(&app, 2).await, "each has its own salt");

    let tag = admin.etag("/api/users/1").await;
    app.advance(60);
    let body = json!({ "password": "correct horse" });
    let updated = admin.put("/api/users/1", body).await.ok();
    assert_eq!(updated["user"]["updated_at"], "2026-03-01T12:01:00Z");
    assert_ne!(admin.get("/api/users/1").await.header("etag"), tag);
    let second = hash_of(&app, 1).await;
    assert!(matches_hash(&second, "correct horse") && !matches_hash(&second, PASSWORD));

    let body = json!({ "username": "ann" });
    admin.put("/api/users/1", body).await.ok();
    assert_eq!(hash_of(&app, 1).await, second);
}

#[service_test]
async fn a_user_password_is_never_stored_in_clear_text(app: TestApp) {
    let admin = app.admin().with("Idempotency-Key", "once");
    let mut answers = vec![admin.post("/api/users", new_user("anna")).await];
    answers.push(admin.post("/api/users", new_user("anna")).await);
    let admin = app.admin();
    answers.push(admin.post("/api/users", new_user("anna")).await);
    let body = json!({ "password": PASSWORD });
    answers.push(admin.put("/api/users/1", body).await);
    let body = json!({ "password": PASSWORD, "status": "!" });
    answers.push(admin.put("/api/users/1", body).await);
    for path in ["/api/users", "/api/users/1", "/api/users/search?q=anna"] {
        answers.push(admin.get(path).await);
    }
    let log = admin.get("/api/audit-log?resource=users").await;
    let entries = log.ok()["audit_log"].clone();
    assert_eq!(entries[0]["action"], "users.update");
    assert_eq!(entries[0]["before"]["password"], "***");
    assert_eq!(entries[0]["after"]["password"], "***");
    assert_eq!(entries[1]["action"], "users.create");
    assert_eq!(entries[1]["after"]["password"], "***");
    answers.push(log);
    for Answer { text, .. } in &answers {
        assert!(
            !text.contains(PASSWORD) && !text.contains("argon2"),
            "{text}"
        );
    }
    assert!(!stored(&app).await.contains(PASSWORD));
}

/// All columns of the database that can hold text.
async fn stored(app: &TestApp) -> String {
    let mut read = app.core().db.read().await.expect("a reader");
    let mut all = String::new();
    for sql in [
        "SELECT username || email || username_folded || email_folded || password_hash || status
         FROM users",
        "SELECT before || after FROM audit_log",
        "SELECT value FROM idempotent_replies",
    ] {
        let rows: Vec<String> = read
            .query(sql, &[], |row| row.get(0))
            .await
            .expect("all rows");
        assert!(!rows.is_empty(), "{sql}");
        all += &rows.concat();
    }
    drop(read);
    if !app.core().db.on_postgres() {
        for file in app.scratch.files() {
            let bytes = std::fs::read(file).expect("its bytes");
            all += &String::from_utf8_lossy(&bytes);
        }
    }
    all
}

#[service_test]
async fn queued_password_hashes_do_not_delay_other_requests(app: TestApp, admin: Client) {
    let id = app.user("anna").await;
    let passwords = &app.app.users.passwords;
    let mut turns = Vec::new();
    for _ in 0..passwords.concurrency() {
        turns.push(
            passwords
                .queue(Waiter::Key)
                .expect("a place")
                .permit()
                .await
                .expect("a permit"),
        );
    }
    let creates = (0..30).map(|number| {
        let admin = admin.clone();
        async move {
            admin
                .post("/api/users", new_user(&format!("user{number}")))
                .await
        }
    });
    let creates = tokio::spawn(at_once(creates.collect::<Vec<_>>()));
    eventually("all thirty wait for a hash", async || {
        passwords.waiting() == 30
    })
    .await;

    assert_eq!(admin.total("/api/users").await, "1");
    let path = format!("/api/users/{id}");
    admin.put(&path, json!({ "username": "ann" })).await.ok();
    admin.post_empty(&format!("{path}/block")).await.ok();
    // Requests that fail before hashing do not wait either.
    let password = json!({ "password": PASSWORD });
    admin.put("/api/users/99", password).await.not_found();
    let mut short = new_user("berta");
    short["password"] = json!("short");
    let answer = admin.post("/api/users", short).await;
    answer.invalid(&[("password", "must be 8 to 1024 bytes long")]);
    assert!(!creates.is_finished());

    drop(turns);
    let answers = creates.await.expect("all answers");
    assert_eq!(count(&answers, 201), 30);
    assert_eq!(admin.total("/api/users").await, "31");
}
