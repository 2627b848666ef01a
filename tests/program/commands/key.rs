use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{HalfSentPost, Home, Program};

/// Attempts within a second, the time after which another process knows on PostgreSQL. On SQLite it
/// knows at once.
const SOON: usize = 100;

#[tokio::test]
async fn a_key_created_while_the_service_runs_is_valid_at_once() {
    let home = Home::new().await;
    let service = home.start().await;
    let args = ["key", "create", "--name", "Reader", "--permission"];
    let ended = home.run(&[&args[..], &["admin.roles.read"]].concat()).await;
    let value = ended.ok().trim_end();
    assert_eq!(ended.stdout, format!("{value}\n"), "the value and no more");
    assert!(value.starts_with("stw_") && value.len() == 50, "{value}");
    assert!(!ended.stderr.contains(value));

    let reader = service.holder(value);
    assert_status_soon(&home, &service, value, 200, "/api/roles").await;
    reader.get("/api/api-keys").await.expect(403);
    let role = json!({ "name": "Moderator" });
    reader.post("/api/roles", role).await.expect(403);
    let held = reader.get("/api/permissions").await.ok();
    assert_eq!(held["permissions"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_key_can_have_several_all_or_no_permissions() {
    let home = Home::new().await;
    let service = home.start().await;
    let create = async |args: &[&str]| {
        let ended = home
            .run(&[&["key", "create", "--name", "K"], args].concat())
            .await;
        let value = ended.ok().trim_end().to_owned();
        assert_status_soon(&home, &service, &value, 200, "/api/permissions").await;
        let held = service.holder(&value).get("/api/permissions").await.ok();
        let held = held["permissions"].as_array().expect("a list").clone();
        held.into_iter()
            .map(|permission| permission["name"].clone())
            .collect::<Vec<_>>()
    };
    let two = ["--permission", "admin.users", "--permission", "admin.pages"];
    assert_eq!(create(&two).await, ["admin.pages", "admin.users"]);
    assert_eq!(create(&[]).await, Vec::<Value>::new());

    let all = create(&["--all"]).await;
    let admin = service.admin().get("/api/permissions").await.ok();
    let everything = admin["permissions"].as_array().expect("a list");
    assert_eq!(all.len(), everything.len());

    let both = ["key", "create", "--name", "K", "--all"];
    let ended = home.run(&[&both[..], &two].concat()).await;
    ended.misused(&["--all", "--permission"]);
}

#[tokio::test]
async fn an_invalid_permission_or_name_creates_no_key() {
    let home = Home::new().await;
    home.run(&["key", "create", "--name", "Only"]).await.ok();
    let args = ["key", "create", "--name", "K", "--permission"];
    let ended = home.run(&[&args[..], &["admin.usres"]].concat()).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.stdout, "");
    let sentence = "steward: there is no permission admin.usres; there are admin.api-keys, ";
    assert!(ended.stderr.starts_with(sentence), "{ended:?}");

    let blank = home.run(&["key", "create", "--name", " "]).await;
    let rule = "a key's name has 1 to 100 characters, is not blank and has no control characters";
    blank.failed(rule);
    let args = ["key", "create", "--name", "two\nlines \u{1b}[31m"];
    home.run(&args).await.failed(rule);
    home.run(&["key", "create"]).await.misused(&["--name"]);

    let listed = home.run(&["key", "list"]).await;
    assert_eq!(listed.ok().lines().count(), 2, "{listed:?}");
}

#[tokio::test]
async fn the_list_shows_masked_values_only() {
    let home = Home::new().await;
    let service = home.start().await;
    let args = ["key", "create", "--name", "Plugin", "--all"];
    let ended = home.run(&args).await;
    let value = ended.ok().trim_end();
    let off = json!({ "active": false });
    service.admin().put("/api/api-keys/2", off).await.ok();

    let listed = home.run(&["key", "list"]).await;
    let lines: Vec<Vec<&str>> = listed
        .ok()
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines.len(), 3, "{listed:?}");
    assert_eq!(lines[1][..3], ["1", "correct-********", "yes"]);
    assert_eq!(lines[1][4..], ["never", "never", "admin"]);
    let mask = format!("{}********", &value[..8]);
    assert_eq!(lines[2][..3], ["2", &mask, "no"]);
    assert!(!listed.stdout.contains(value));
}

#[tokio::test]
async fn the_list_shows_expires_at_and_last_used_at() {
    let home = Home::new().await;
    let service = home.start().await;
    let args = ["key", "create", "--name", "Brief", "--expires-in-days", "7"];
    let value = home.run(&args).await.ok().trim_end().to_owned();
    assert_status_soon(&home, &service, &value, 200, "/api/permissions").await;
    let admin = service.admin();
    let path = "/api/api-keys/2/restrictions";
    let shown = admin.get(path).await.ok()["restrictions"].clone();
    let (end, used) = (&shown["expires_at"], &shown["last_used_at"]);
    assert!(end.is_string() && used.is_string(), "{shown}");
    // An orderly stop writes the last uses.
    service.stop().await.ok();

    let listed = home.run(&["key", "list"]).await;
    let brief = listed.ok().lines().last().expect("a line");
    let brief: Vec<&str> = brief.split_whitespace().collect();
    let [.., created, expires, last_used, "Brief"] = brief[..] else {
        panic!("{listed:?}");
    };
    assert_eq!((&json!(expires), &json!(last_used)), (end, used));
    let days = |text: &str| text[8..10].parse::<i64>().expect("a day");
    assert!([7, 7 - 31, 7 - 30, 7 - 29, 7 - 28].contains(&(days(expires) - days(created))));
    assert_eq!(created[10..], expires[10..]);

    for bad in ["0", "-1", "36501", "soon"] {
        let flag = format!("--expires-in-days={bad}");
        let ended = home.run(&["key", "create", "--name", "K", &flag]).await;
        ended.misused(&["--expires-in-days", bad]);
    }
}

#[tokio::test]
async fn the_list_can_be_json() {
    let home = Home::new().await;
    let service = home.start().await;
    let args = ["key", "create", "--name", "Brief", "--permission"];
    let ended = home.run(&[&args[..], &["admin.roles"]].concat()).await;
    let value = ended.ok().trim_end();
    let served = service.admin().get("/api/api-keys").await.ok();

    let listed = home.run(&["key", "list", "--json"]).await;
    assert!(!listed.ok().contains(value));
    let listed: Value = serde_json::from_str(&listed.stdout).expect("JSON");
    let mut brief = listed["api_keys"][1].clone();
    let fields = brief.as_object_mut().expect("a key");
    assert_eq!(fields.remove("expires_at"), Some(Value::Null));
    assert_eq!(fields.remove("last_used_at"), Some(Value::Null));
    let single = service.admin().get("/api/api-keys/2").await.ok();
    let permissions = &single["api_key"]["permissions"];
    assert_eq!(fields.remove("permissions").as_ref(), Some(permissions));
    assert_eq!(permissions[0]["name"], "admin.roles");
    assert_eq!(brief, served["api_keys"][1]);
    assert_eq!(listed["api_keys"][0]["name"], "admin");
}

#[tokio::test]
async fn a_revoked_key_gets_401_from_the_next_request_on() {
    let home = Home::new().await;
    let service = home.start().await;
    let body = json!({ "name": "Leaver" });
    let created = service.admin().post("/api/api-keys", body).await.created();
    let value = created["api_key"]["key"].as_str().expect("a value");
    let id = created["api_key"]["id"].to_string();
    let leaver = service.holder(value);
    leaver.get("/api/permissions").await.ok();

    let ended = home.run(&["key", "revoke", &id]).await;
    assert_eq!(ended.ok(), format!("Key {id} revoked.\n"));
    assert_status_soon(&home, &service, value, 401, "/api/permissions").await;
    service.admin().get("/api/permissions").await.ok();
}

#[tokio::test]
async fn a_write_whose_body_is_sent_after_key_revoke_gets_401() {
    let home = Home::new().await;
    let service = home.start().await;
    let ended = home.run(&["key", "create", "--name", "Leaver", "--all"]);
    let value = ended.await.ok().trim_end().to_owned();
    assert_status_soon(&home, &service, &value, 200, "/api/roles").await;
    let body = json!({ "name": "Backdoor" }).to_string();
    let begun = [
        HalfSentPost::post_as(&service, &value, "/api/roles", &body).await,
        HalfSentPost::post_as(&service, &value, "/api/api-keys", &body).await,
    ];
    home.run(&["key", "revoke", "2"]).await.ok();
    for request in begun {
        assert_eq!(request.status().await, 401);
    }
    let roles = service.admin().get("/api/roles").await.ok();
    assert_eq!(roles["roles"], json!([]));
    let keys = service.admin().get("/api/api-keys").await.ok();
    assert_eq!(keys["api_keys"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn revoking_a_missing_key_is_an_error() {
    let home = Home::new().await;
    home.run(&["key", "create", "--name", "K"]).await.ok();
    let ended = home.run(&["key", "revoke", "77"]).await;
    ended.failed("There is no such API key.");
    let ended = home.run(&["key", "revoke", "all"]).await;
    ended.misused(&["all"]);
}

#[tokio::test]
async fn an_operator_without_any_key_can_create_one() {
    let home = Home::new().await;
    let mut service = home.steward(&[]).serve().await;
    let first = service.first_key().await;
    let admin = service.holder(&first);
    admin.delete("/api/api-keys/1").await.ok();
    admin.get("/api/status").await.expect(401);

    let ended = home
        .run(&["key", "create", "--name", "Back in", "--all"])
        .await;
    let value = ended.ok().trim_end();
    assert_status_soon(&home, &service, value, 200, "/api/api-keys").await;
}

#[tokio::test]
async fn the_command_line_leaves_audit_entries() {
    let home = Home::new().await;
    let service = home.start().await;
    let created = home
        .run(&["key", "create", "--name", "Brief", "--all"])
        .await;
    let value = created.ok().trim_end();
    home.run(&["key", "revoke", "2"]).await.ok();
    home.run(&["key", "list"]).await.ok();

    let admin = service.admin();
    let log = admin.get("/api/audit-log?resource_id=2").await.ok();
    let entries = log["audit_log"].as_array().expect("a list");
    let actions: Vec<&Value> = entries.iter().map(|entry| &entry["action"]).collect();
    assert_eq!(actions, ["api_keys.delete", "api_keys.create"]);
    for entry in entries {
        assert_eq!(entry["key_id"], Value::Null);
        assert_eq!(entry["key_name"], "command line");
        assert_eq!(entry["ip"], Value::Null);
        assert_ne!(entry["request_id"], "");
    }
    assert_eq!(entries[1]["after"]["name"], "Brief");
    assert_eq!(entries[1]["after"]["key"], "***");
    assert!(!log.to_string().contains(value));
}

/// Asserts that a key gets this status: at once on SQLite, within a second on PostgreSQL.
async fn assert_status_soon(home: &Home, service: &Program, key: &str, status: u16, path: &str) {
    let holder = service.holder(key);
    let mut answer = holder.get(path).await;
    // Attempts are counted, because a machine that stops for a while is not late.
    for _ in 0..SOON {
        if !home.on_postgres() || answer.status == status {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1) / SOON as u32).await;
        answer = holder.get(path).await;
    }
    answer.expect(status);
}

#[tokio::test]
async fn a_mistyped_folder_is_not_created() {
    let home = Home::new().await;
    for command in [&["key", "list"][..], &["key", "revoke", "1"]] {
        let url = format!(
            "sqlite:{}",
            home.folder().join("nowhere/steward.db").display()
        );
        let call = [command, &["--database-url", &url]].concat();
        let ended = home.run(&call).await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(
            ended.stderr.contains("there is no database at"),
            "{ended:?}"
        );
        assert!(!home.folder().join("nowhere").exists());
    }
}
