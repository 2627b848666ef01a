use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::support::{ADMIN_KEY, Client, Home};

const ANY_PORT: [&str; 2] = ["--listen", "127.0.0.1:0"];

#[tokio::test]
async fn it_starts_in_an_empty_folder_without_configuration() {
    let home = Home::new().await;
    let mut service = home.bare(&ANY_PORT).serve().await;
    let call = service.wait_for_stderr(curl_line).await;

    let (host, port) = service.address.split_once(':').expect("a port");
    assert_eq!(host, "127.0.0.1");
    assert_ne!(port.parse::<u16>().expect("a number"), 0);

    // The line is for copying, so the test follows it.
    let words = call.strip_prefix("curl -H 'X-API-Key: ").expect("a header");
    let (key, address) = words.split_once("' http://").expect("an address");
    let (address, path) = address.split_once('/').expect("a path");
    let caller = Client::new(address, Some(key));
    let status = caller.get(&format!("/{path}")).await.ok();
    assert_eq!(status["api_version"], "1.0.0");

    let output = format!("listening on http://{}\n", service.address);
    let ended = service.stop().await;
    assert_eq!(ended.ok(), output);
    assert_eq!(names_in(home.folder()), ["data"]);
    // SQLite may leave its own files next to them.
    assert_eq!(names_in(&home.data())[..2], ["secret.key", "steward.db"]);
}

#[tokio::test]
async fn it_listens_on_localhost() {
    let home = Home::new().await;
    let both = ["--listen", "localhost:0", "--metrics-listen", "localhost:0"];
    let service = home.start_with(&both).await;
    assert!(service.address.starts_with("127.0.0.1:"));
    service.admin().get("/api/status").await.ok();
    service.stop().await.ok();

    let ended = home.run(&["--listen", "8080"]).await;
    ended.misused(&["such as 127.0.0.1:8080", "localhost:8080 and :8080"]);
}

#[tokio::test]
async fn the_first_key_is_printed_once() {
    let home = Home::new().await;
    let mut service = home.steward(&[]).serve().await;
    let key = service.first_key().await;
    let ended = service.stop().await;
    // Once on its own line and once in the curl line.
    assert_eq!(ended.stderr.matches(&key).count(), 2);

    let again = home.steward(&[]).serve().await;
    again.holder(&key).get("/api/status").await.ok();
    let ended = again.stop().await;
    assert!(!ended.stderr.contains("stw_"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("curl"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_restart_does_not_create_a_deleted_first_key_again() {
    let home = Home::new().await;
    let service = home.start().await;
    service.admin().delete("/api/api-keys/1").await.ok();
    service.stop().await.ok();

    let again = home.steward(&[]).serve().await;
    let ended = again.stop().await;
    assert!(!ended.stderr.contains("stw_"), "{}", ended.stderr);
}

#[tokio::test]
async fn data_and_secret_key_are_readable_by_their_owner_only() {
    let home = Home::new().await;
    let service = home.bare(&ANY_PORT).serve().await;
    let mode = |path: &Path| {
        let found = std::fs::metadata(path).expect("it is there");
        found.permissions().mode() & 0o777
    };
    assert_eq!(mode(&home.data()), 0o700);
    assert_eq!(mode(&home.secret_key_file()), 0o600);
    let key = std::fs::read_to_string(home.secret_key_file()).expect("a key");
    let digits = key.trim_end();
    assert_eq!(digits.len(), 64);
    assert!(digits.bytes().all(|digit| digit.is_ascii_hexdigit()));

    service.stop().await.ok();
    home.bare(&ANY_PORT).serve().await.stop().await.ok();
    let kept = std::fs::read_to_string(home.secret_key_file()).expect("a key");
    assert_eq!(kept, key, "it is made once");
}

#[tokio::test]
async fn a_new_database_has_permissions_and_one_key_only() {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();

    let held = admin.get("/api/permissions").await.ok();
    let held = held["permissions"].as_array().expect("a list").clone();
    assert_eq!(held[0]["name"], "admin.api-keys");
    let ids: Vec<_> = held
        .iter()
        .map(|permission| permission["id"].clone())
        .collect();
    let all: Vec<_> = (1..=30).map(|id| json!(id)).collect();
    assert_eq!(ids, all);

    let keys = admin.get("/api/api-keys").await.ok();
    assert_eq!(keys["api_keys"].as_array().expect("a list").len(), 1);
    assert_eq!(keys["api_keys"][0]["name"], "admin");
    assert_eq!(admin.get("/api/roles").await.ok(), json!({ "roles": [] }));

    // A first start leaves two audit entries: for the key and for the link that it printed.
    let log = admin.get("/api/audit-log").await.ok();
    let log = log["audit_log"].as_array().expect("a list");
    let actions: Vec<_> = log.iter().map(|entry| &entry["action"]).collect();
    assert_eq!(actions, ["operators.invite", "api_keys.create"]);
    for entry in log {
        assert_eq!(entry["key_name"], "command line");
    }
}

#[tokio::test]
async fn metrics_listen_serves_metrics_on_their_own_address() {
    let home = Home::new().await;
    let service = home.start().await;
    let beside = service.anonymous().get("/metrics").await;
    assert_eq!(beside.status, 200);
    service.stop().await.ok();

    let mut service = home.start_with(&["--metrics-listen", "127.0.0.1:0"]).await;
    let line = service
        .logged(|line| line["message"] == "serving metrics")
        .await;
    let address = line["address"].as_str().expect("an address");
    assert_ne!(address, service.address);
    service.admin().get("/api/status").await.ok();
    let apart = Client::new(address, Some(ADMIN_KEY));
    let metrics = apart.get("/metrics").await;
    assert_eq!(metrics.status, 200);
    let counted = "steward_http_requests_total{method=\"GET\",route=\"/api/status\"";
    assert!(metrics.text.contains(counted), "{}", metrics.text);

    service.anonymous().get("/metrics").await.expect(404);
    apart.get("/api/status").await.expect(404);
    service.stop().await.ok();
}

fn curl_line(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim);
    lines
        .find(|line| line.starts_with("curl "))
        .map(str::to_owned)
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.into_string().expect("a name"))
        .collect();
    names.sort();
    names
}
