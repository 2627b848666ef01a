use serde_json::{Value, json};

use crate::support::{Home, Program};

async fn sign_in(service: &Program, login: &str, password: &str) -> u16 {
    let body = json!({
        "login": login, "password": password, "device_name": "Phone", "user_agent": "Lynx",
    });
    service.admin().post("/api/sessions", body).await.status
}

#[tokio::test]
async fn a_user_is_created_and_gets_another_password() {
    let home = Home::new().await;
    let service = home.start().await;
    let create = ["user", "create", "--username", "anna"];
    let create = [&create[..], &["--email", "anna@example.com"]].concat();
    let created = home.run(&create).await;
    let first = created.ok().trim_end();
    assert_eq!(created.stdout, format!("{first}\n"));
    assert_eq!(first.len(), 20);
    let remark = "Created user 1. The password is shown only this once:\n";
    assert_eq!(created.stderr, remark);
    assert_eq!(sign_in(&service, "anna", first).await, 201);

    let reset = home.run(&["user", "reset-password", "anna"]).await;
    let second = reset.ok().trim_end();
    assert_ne!(first, second);
    assert_eq!(sign_in(&service, "anna", first).await, 422);
    assert_eq!(sign_in(&service, "anna", second).await, 201);

    let args = ["user", "reset-password", "anna@example.com"];
    let args = [&args[..], &["--password-stdin"]].concat();
    let call = home.steward(&args).stdin("battery staple\n");
    let ended = call.end().await;
    assert_eq!(ended.ok(), "Replaced the password of user 1.\n");
    assert_eq!(sign_in(&service, "anna", second).await, 422);
    assert_eq!(sign_in(&service, "anna", "battery staple").await, 201);

    let log = service.admin().get("/api/audit-log?resource=users").await;
    let log = log.ok();
    let mine = log["audit_log"].as_array().expect("a list").iter();
    let mine: Vec<&Value> = mine
        .filter(|entry| entry["key_name"] == "command line")
        .map(|entry| &entry["action"])
        .collect();
    assert_eq!(mine, ["users.update", "users.update", "users.create"]);
    for secret in [first, second, "battery staple"] {
        assert!(!log.to_string().contains(secret));
    }
}

#[tokio::test]
async fn users_are_listed_as_a_table_or_as_json() {
    let home = Home::new().await;
    let service = home.start().await;
    let empty = home.run(&["user", "list", "--json"]).await;
    let empty: Value = serde_json::from_str(empty.ok()).expect("JSON");
    assert_eq!(empty, json!({ "users": [] }));
    for name in ["anna", "bert"] {
        let body = json!({
            "username": name, "email": format!("{name}@example.com"), "password": "battery staple",
        });
        service.admin().post("/api/users", body).await.created();
    }
    let served = service.admin().get("/api/users").await.ok();
    let listed = home.run(&["user", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(listed.ok()).expect("JSON");
    assert_eq!(listed, served);
    let table = home.run(&["user", "list"]).await;
    let lines: Vec<&str> = table.ok().lines().collect();
    assert_eq!(lines.len(), 3);
    for part in ["     2  active ", "bert@example.com", "  bert"] {
        assert!(lines[2].contains(part), "{lines:?}");
    }
}

#[tokio::test]
async fn invalid_or_unknown_users_are_refused_with_all_reasons() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let create = ["user", "create", "--username", "anna"];
    let create = [&create[..], &["--email", "anna@example.com"]].concat();
    home.run(&create).await.ok();
    let again = home.run(&create).await;
    again.failed("username: has already been taken; email: has already been taken");

    let bad = ["user", "create", "--username", " ", "--email", "nowhere"];
    let bad = [&bad[..], &["--password-stdin"]].concat();
    let ended = home.steward(&bad).stdin("short\n").end().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for field in ["username: ", "email: ", "password: must be 8 to 1024"] {
        assert!(ended.stderr.contains(field), "no {field} in {ended:?}");
    }
    let ended = home.run(&["user", "reset-password", "berta"]).await;
    ended.failed("there is no user berta");
}
