//! Rotation of the secret key.

use kernel::ErrorCode;
use kernel::secret::SecretKey;
use serde_json::{Value, json};
use server::app::{App, Settings};
use server::routes::{PublicPaths, router};
use server::secret_rotation::Rotation;

use crate::support::{Answer, Client, TestApp, at_once, count, eventually, listen};

const HEADER: &str = "Idempotency-Key";

fn old() -> SecretKey {
    SecretKey::new(&[7; 32])
}

fn new() -> SecretKey {
    SecretKey::new(&[8; 32])
}

async fn rotate(app: &TestApp) -> kernel::Result<()> {
    let rotation = Rotation::begin(app.core()).await?;
    rotation.finish(&new()).await
}

fn server(password: &str) -> Value {
    json!({
        "name": "Dust", "ip": "127.0.0.7", "port": 27015, "game": "cs2",
        "rcon_password": password,
    })
}

async fn set_password(caller: &Client, password: &str) -> Answer {
    let body = json!({ "rcon_password": password });
    caller.put("/api/servers/1", body).await
}

/// Restarts the service on the same database.
async fn restart(app: &TestApp, key: SecretKey) -> kernel::Result<App> {
    let db = app.scratch.open().await;
    App::start(db, app.core().clock.clone(), key, Settings::default()).await
}

/// The decrypted password of every server; `None` where it cannot be decrypted.
async fn passwords(app: &TestApp, key: &SecretKey) -> Vec<Option<String>> {
    let mut read = app.core().db.read().await.expect("a connection");
    let select = "SELECT id, rcon_password FROM servers ORDER BY id";
    let stored: Vec<(i64, Vec<u8>)> = read
        .query(select, &[], |row| Ok((row.get(0)?, row.get(1)?)))
        .await
        .expect("rows");
    let text = |plain| String::from_utf8(plain).expect("text");
    let open = |(id, sealed): &(i64, Vec<u8>)| {
        let context = format!("servers.rcon_password {id}");
        key.open(&context, sealed).map(text)
    };
    stored.iter().map(open).collect()
}

#[service_test]
async fn rotation_encrypts_everything_under_the_new_key(app: TestApp, admin: Client) {
    for password in ["hunter2", "пароль 🔑"] {
        let made = admin.post("/api/servers", server(password)).await;
        made.created();
    }
    // More replies than one batch, of more than one API key.
    let (_, other) = app.key(&["admin.roles"]).await;
    let post = |caller: Client, number: usize| async move {
        let caller = caller.with(HEADER, &format!("reply {number}").replace(' ', "-"));
        let body = json!({ "name": format!("Role {number}") });
        caller.post("/api/roles", body).await
    };
    let mut first = Vec::new();
    for caller in [&admin, &other] {
        for number in 0..60 {
            first.push(post(caller.clone(), number).await.created());
        }
    }

    rotate(&app).await.expect("the key is changed");

    let kept = ["hunter2", "пароль 🔑"].map(|text| Some(text.to_owned()));
    assert_eq!(passwords(&app, &new()).await, kept);
    assert_eq!(passwords(&app, &old()).await, [None, None]);
    let refused = restart(&app, old()).await.err().expect("the old key");
    assert_eq!(refused.code(), ErrorCode::WrongSecretKey);

    let restarted = restart(&app, new()).await.expect("the new key");
    let address = listen(&restarted, router(&restarted, PublicPaths::ALL)).await;
    let mut again = Vec::new();
    for caller in [&admin, &other] {
        let caller = Client::new(&address, Some(caller.key_value()));
        for number in 0..60 {
            let answer = post(caller.clone(), number).await;
            assert_eq!(answer.header("idempotent-replayed"), "true");
            again.push(answer.created());
        }
    }
    assert_eq!(again, first);
    let caller = Client::new(&address, Some(app.admin_key()));
    set_password(&caller, "changed").await.ok();
}

#[service_test]
async fn rotation_leaves_an_audit_entry(app: TestApp) {
    rotate(&app).await.expect("the key is changed");
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(entry["action"], "secret_key.rotate");
    assert_eq!(entry["resource"], "secret_key");
    assert_eq!(entry["key_id"], Value::Null);
    assert_eq!(entry["key_name"], "command line");
    assert_eq!(entry["before"], json!({ "value": "***" }));
    assert_eq!(entry["after"], json!({ "value": "***" }));
}

#[service_test]
async fn an_instance_with_the_old_key_serves_but_gives_503_for_secrets(app: TestApp) {
    let admin = app.admin();
    let made = admin.post("/api/servers", server("hunter2")).await;
    made.created();
    let careful = admin.with(HEADER, "before");
    let role = json!({ "name": "Guard" });
    careful.post("/api/roles", role.clone()).await.created();

    rotate(&app).await.expect("the key is changed");

    let refused = admin.post("/api/servers", server("hunter3")).await;
    refused.error(503, "unavailable");
    refused.header("retry-after");
    let refused = set_password(&admin, "hunter3").await;
    refused.error(503, "unavailable");
    // No reply can be stored, nor the earlier one read.
    let after = admin.with(HEADER, "after");
    let refused = after.post("/api/roles", role.clone()).await;
    refused.error(503, "unavailable");
    let refused = careful.post("/api/roles", role.clone()).await;
    refused.error(503, "unavailable");

    assert_eq!(admin.total("/api/roles").await, "1");
    admin.post("/api/roles", role).await.created();
    admin.post_empty("/api/servers/1/toggle").await.ok();
    let body = json!({ "name": "Inferno" });
    admin.put("/api/servers/1", body).await.ok();
    let kept = Some("hunter2".to_owned());
    assert_eq!(passwords(&app, &new()).await, [kept]);
}

#[service_test]
async fn a_failed_or_aborted_rotation_changes_nothing(app: TestApp, admin: Client) {
    for password in ["hunter2", "hunter3"] {
        let made = admin.post("/api/servers", server(password)).await;
        made.created();
    }
    drop(Rotation::begin(app.core()).await.expect("it begins"));
    // PostgreSQL releases its locks a moment later.
    eventually("the rotation is rolled back", async || {
        set_password(&admin, "hunter4").await.status == 200
    })
    .await;

    let torn = "UPDATE servers SET rcon_password = (SELECT value FROM settings
                WHERE name = 'secret_key_check') WHERE id = 2";
    app.core().db.run_sql(torn).await.expect("written");
    let error = rotate(&app).await.expect_err("one does not open");
    assert_eq!(error.code(), ErrorCode::UnreadableSecret);
    let kept = Some("hunter4".to_owned());
    assert_eq!(passwords(&app, &old()).await, [kept, None]);
    restart(&app, old()).await.expect("the old key");
    let query = "/api/audit-log?action=secret_key.rotate";
    assert_eq!(admin.total(query).await, "0");
}

#[service_test]
async fn a_second_rotation_from_the_old_key_is_refused(app: TestApp) {
    rotate(&app).await.expect("the key is changed");
    let refused = rotate(&app).await.expect_err("it is another");
    assert_eq!(refused.code(), ErrorCode::WrongSecretKey);
    restart(&app, new()).await.expect("the new key");
}

#[service_test]
async fn while_a_rotation_runs_writes_of_secrets_get_503(app: TestApp, admin: Client) {
    if !app.core().db.on_postgres() {
        // SQLite has one writer at a time, so there is nothing to wait for.
        return;
    }
    let made = admin.post("/api/servers", server("hunter2")).await;
    made.created();
    let rotation = Rotation::begin(app.core()).await.expect("it begins");
    let refused = set_password(&admin, "hunter3").await;
    refused.error(503, "busy");
    let answer = rotation.finish(&new()).await;
    answer.expect("the rotation finishes");
    let kept = Some("hunter2".to_owned());
    assert_eq!(passwords(&app, &new()).await, [kept]);
}

#[service_test]
async fn no_password_is_lost_to_a_concurrent_rotation(app: TestApp, admin: Client) {
    let made = admin.post("/api/servers", server("hunter2")).await;
    made.created();
    let write = |caller: Client, number: usize| async move {
        match number % 2 {
            0 => set_password(&caller, "hunter3").await,
            _ => caller.post("/api/servers", server("hunter4")).await,
        }
    };
    let writes = at_once((0..50).map(|number| write(admin.clone(), number)));
    let (answers, rotated) = tokio::join!(writes, rotate(&app));
    rotated.expect("the key is changed");
    let written = count(&answers, 200) + count(&answers, 201);
    assert_eq!(written + count(&answers, 503), 50);
    let passwords = passwords(&app, &new()).await;
    assert_eq!(passwords.len(), 1 + count(&answers, 201));
    assert!(passwords.iter().all(Option::is_some), "{passwords:?}");
}
