//! Backups that the service stores: taken on request, listed, downloaded and deleted.

pub mod restore;
mod schedule;

use std::path::PathBuf;

use db::{Db, Options};
use kernel::secret::SecretKey;
use platform::backups::{self, Claim};
use serde_json::{Value, json};
use server::app::{App, Settings};
use server::routes::{PublicPaths, router};

use crate::support::{Client, NOON, TestApp, assert_fields, eventually, listen, new_user};

/// One more instance, with its own settings for backups.
async fn instance(app: &TestApp, backups: backups::Settings) -> (App, Client) {
    let settings = Settings {
        backups,
        ..Settings::default()
    };
    let clock = app.core().clock.clone();
    let db = app.scratch.open().await;
    let started = App::start(db, clock, SecretKey::new(&[7; 32]), settings).await;
    let started = started.expect("the service starts");
    let address = listen(&started, router(&started, PublicPaths::ALL)).await;
    let client = Client::new(&address, Some(app.admin_key()));
    (started, client)
}

fn folder(app: &TestApp) -> PathBuf {
    app.scratch.folder().join("backups")
}

/// The names of all entries of the folder but the lock.
fn entries(app: &TestApp) -> Vec<String> {
    let entries = std::fs::read_dir(folder(app)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
    names.retain(|name| name != ".lock");
    names.sort();
    names
}

async fn list(client: &Client) -> Vec<Value> {
    let list = client.get("/api/backups").await.ok();
    list["backups"].as_array().expect("a list").clone()
}

/// Takes a backup and waits until it is done. Returns its name.
async fn take(client: &Client) -> String {
    let started = client.post_empty("/api/backups").await.expect(202);
    let name = started["backup"]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    eventually("the backup is done", async || {
        let list = list(client).await;
        let found = list.iter().find(|backup| backup["name"] == *name);
        found.expect("it is listed")["state"] == "done"
    })
    .await;
    name
}

/// The response to a download, with its bytes.
async fn download(
    client: &Client,
    app: &TestApp,
    name: &str,
) -> (reqwest::header::HeaderMap, Vec<u8>) {
    let url = format!("{}/api/backups/{name}", app.address);
    let request = reqwest::Client::new().get(url);
    let request = request.header("X-API-Key", client.key_value());
    let response = request.send().await.expect("a response");
    assert_eq!(response.status().as_u16(), 200);
    let headers = response.headers().clone();
    (
        headers,
        response.bytes().await.expect("a whole file").into(),
    )
}

async fn actions(client: &Client) -> Vec<(String, String)> {
    let log = client.get("/api/audit-log?resource=backups").await.ok();
    let log = log["audit_log"].as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let entries = log.iter().rev();
    entries
        .map(|entry| (text(&entry["action"]), text(&entry["key_name"])))
        .collect()
}

#[service_test]
async fn a_backup_is_taken_listed_downloaded_and_deleted(app: TestApp, admin: Client) {
    admin.post("/api/users", new_user("anna")).await.created();

    let started = admin.post_empty("/api/backups").await.expect(202);
    let name = "steward-20260301T120000Z.db";
    assert_eq!(
        started["backup"],
        json!({
            "name": name, "state": "running", "size": null,
            "created_at": "2026-03-01T12:00:00Z", "counts": null,
        })
    );
    eventually("it is done", async || {
        list(&admin).await[0]["state"] == "done"
    })
    .await;
    let listed = &list(&admin).await[0];
    assert_fields(listed, &["name", "state", "size", "created_at", "counts"]);
    assert_eq!(listed["counts"]["users"], 1);

    let (headers, bytes) = download(&admin, &app, name).await;
    assert_eq!(listed["size"], bytes.len());
    assert_eq!(headers["content-type"], "application/vnd.sqlite3");
    assert_eq!(headers["content-length"], bytes.len().to_string().as_str());
    let disposition = format!("attachment; filename=\"{name}\"");
    assert_eq!(headers["content-disposition"], disposition.as_str());
    let copy = app.scratch.folder().join("copy.db");
    std::fs::write(&copy, &bytes).expect("written");
    let url = format!("sqlite:{}", copy.display()).parse().expect("valid");
    let copy = Db::open(&url, &Options::default()).await.expect("it opens");
    let mut read = copy.read().await.expect("a reader");
    let users = read.query("SELECT username FROM users", &[], |row| {
        row.get::<String>(0)
    });
    assert_eq!(users.await.expect("users"), ["anna"]);

    let path = format!("/api/backups/{name}");
    let etag = headers["etag"].to_str().expect("a tag");
    let known = admin.with("If-None-Match", etag).get(&path).await;
    assert_eq!((known.status, known.text.as_str()), (304, ""));
    let gzip = admin.with("Accept-Encoding", "gzip");
    assert!(!gzip.get(&path).await.has_header("content-encoding"));

    let newer = take(&admin).await;
    admin.delete(&path).await.ok();
    assert_eq!(entries(&app), [newer.clone(), format!("{newer}.json")]);
    admin.get(&path).await.not_found();
    admin.delete(&path).await.not_found();
    // One download sent nothing, because the client had the file.
    let expected = [
        "backups.create",
        "backups.download",
        "backups.download",
        "backups.create",
        "backups.delete",
    ];
    let by_admin = expected.map(|action| (action.to_owned(), "admin".to_owned()));
    assert_eq!(actions(&admin).await, by_admin);
}

#[service_test]
async fn the_newest_backup_cannot_be_deleted_409_newest_backup(app: TestApp, admin: Client) {
    let (older, newest) = (take(&admin).await, take(&admin).await);
    let path = |name: &str| format!("/api/backups/{name}");
    admin
        .delete(&path(&newest))
        .await
        .error(409, "newest_backup");
    admin.delete(&path(&older)).await.ok();
    admin
        .delete(&path(&newest))
        .await
        .error(409, "newest_backup");
    // A failed one is no backup.
    let mark = folder(&app).join(".steward-20270301T120000Z.db.failed");
    std::fs::write(mark, "").expect("a marker");
    admin
        .delete(&path(&newest))
        .await
        .error(409, "newest_backup");
    admin
        .delete(&path("steward-20270301T120000Z.db"))
        .await
        .ok();
    assert_eq!(list(&admin).await.len(), 1);
}

#[service_test]
async fn a_reader_of_backups_can_list_and_download_them_only(app: TestApp, admin: Client) {
    let names = [take(&admin).await, take(&admin).await];
    let (key_id, reader) = app.key(&["admin.backups.read"]).await;
    assert_eq!(list(&reader).await.len(), 2);
    let (headers, bytes) = download(&reader, &app, &names[0]).await;
    assert_eq!(headers["cache-control"], "no-store");
    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["action"], "backups.download");
    assert_eq!(
        (&entry["key_id"], &entry["resource_id"]),
        (&json!(key_id), &json!(NOON))
    );
    assert_eq!(entry["after"], json!({ "size": bytes.len() }));
    let path = format!("/api/backups/{}", names[0]);
    reader.delete(&path).await.forbidden(" admin.backups.");
    let answer = reader.post_empty("/api/backups").await;
    answer.forbidden(" admin.backups.");
}

#[service_test]
async fn only_the_owner_of_the_folder_can_read_its_files(app: TestApp, admin: Client) {
    let name = take(&admin).await;
    for file in [name.clone(), format!("{name}.json")] {
        let metadata = std::fs::metadata(folder(&app).join(&file)).expect("a file");
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

/// The entry is there when the first byte arrives, and none is sent if it cannot be written.
#[service_test]
async fn nothing_is_sent_without_its_audit_entry(app: TestApp, admin: Client) {
    let name = take(&admin).await;
    app.user("anna").await;
    let sql = match app.core().db.on_postgres() {
        true => "ALTER TABLE audit_log ADD CONSTRAINT no_more CHECK (id < 0) NOT VALID",
        false => {
            "CREATE TRIGGER no_more BEFORE INSERT ON audit_log
             BEGIN SELECT RAISE(ABORT, 'no more'); END"
        }
    };
    app.core().db.run_sql(sql).await.expect("no more entries");
    for path in [
        &format!("/api/backups/{name}"),
        "/api/users/export",
        "/api/payment-invoices/export",
        "/api/audit-log/export",
    ] {
        admin.get(path).await.error(500, "internal_error");
    }
}

#[service_test]
async fn backups_of_one_second_have_different_names_and_are_listed_by_time(admin: Client) {
    let mut taken = Vec::new();
    for _ in 0..3 {
        taken.push(take(&admin).await);
    }
    let mut sorted = taken.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(taken, sorted);
    let names = |list: &[Value]| {
        list.iter()
            .map(|backup| backup["name"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&list(&admin).await), taken);
    let second = admin.get("/api/backups?per_page=1&page=2").await;
    assert_eq!(second.header("x-total-count"), "3");
    assert_eq!(second.ok()["backups"][0]["name"], taken[1]);
    let after = second
        .header("link")
        .split("after=")
        .nth(1)
        .expect("a cursor");
    let after = after.split(['&', '>']).next().expect("a cursor");
    let rest = admin.get(&format!("/api/backups?after={after}")).await.ok();
    assert_eq!(rest["backups"][0]["name"], taken[2]);
}

#[service_test]
async fn without_backup_dir_every_operation_gives_409_backups_disabled(app: TestApp) {
    let name = take(&app.admin()).await;
    let (_, disabled) = instance(&app, backups::Settings::default()).await;
    let path = format!("/api/backups/{name}");
    for answer in [
        disabled.get("/api/backups").await,
        disabled.post_empty("/api/backups").await,
        disabled.get(&path).await,
        disabled.delete(&path).await,
    ] {
        answer.error(409, "backups_disabled");
    }
    // The console knows it from the session, without a request that fails.
    let sign_in = json!({ "api_key": app.admin_key() });
    let session = disabled
        .post("/api/console/session", sign_in)
        .await
        .created();
    assert_eq!(session["features"]["backups"], false);
    assert_eq!(list(&app.admin()).await.len(), 1);
}

#[service_test]
async fn while_a_backup_runs_another_gives_409_backup_running(app: TestApp, admin: Client) {
    let earliest = take(&admin).await;
    let earlier = take(&admin).await;
    let claim = Claim::new(&app.app.backups)
        .await
        .expect("nothing else runs");
    let running = claim.backup().name.to_string();

    let second = app.second_instance().await;
    for client in [&admin, &second.holder(app.admin_key())] {
        let answer = client.post_empty("/api/backups").await;
        answer.error(409, "backup_running");
        let path = format!("/api/backups/{running}");
        client.get(&path).await.error(409, "backup_running");
        client.delete(&path).await.error(409, "backup_running");
        assert_eq!(list(client).await[2]["state"], "running");
    }
    // Instances with separate folders share only the database.
    let own = backups::Settings {
        folder: Some(app.scratch.folder().join("elsewhere")),
        ..backups::Settings::default()
    };
    let (_, elsewhere) = instance(&app, own).await;
    if app.core().db.on_postgres() {
        let answer = elsewhere.post_empty("/api/backups").await;
        answer.error(409, "backup_running");
    }
    // Others can be deleted in the meantime.
    admin.delete(&format!("/api/backups/{earliest}")).await.ok();

    drop(claim);
    eventually("the database has no lock any more", async || {
        elsewhere.post_empty("/api/backups").await.status == 202
    })
    .await;
    assert_eq!(entries(&app), [earlier.clone(), format!("{earlier}.json")]);
}

#[service_test]
async fn a_name_of_any_other_form_gives_404(app: TestApp, admin: Client) {
    take(&admin).await;
    std::fs::write(
        app.scratch.folder().join("steward-20260301T120000Z.db"),
        "secret",
    )
    .expect("a file beside the folder");
    for name in [
        "..%2fsteward-20260301T120000Z.db",
        "%2e%2e%2fsteward-20260301T120000Z.db",
        "..%5csteward-20260301T120000Z.db",
        ".lock",
        "steward-20260301T120000Z.db.json",
        "steward-20260301T120000Z.db%00",
        "steward-20260301T120001Z.db",
        "%2fetc%2fpasswd",
    ] {
        let path = format!("/api/backups/{name}");
        admin.get(&path).await.not_found();
        admin.delete(&path).await.not_found();
    }
    assert_eq!(list(&admin).await.len(), 1);
}

#[service_test]
async fn a_failed_backup_is_listed_and_can_be_deleted(app: TestApp, admin: Client) {
    for is_deleted in [true, false] {
        let claim = Claim::new(&app.app.backups)
            .await
            .expect("nothing else runs");
        let name = claim.backup().name;
        std::fs::remove_dir_all(folder(&app).join(format!(".{name}.partial"))).expect("removed");
        let failed = claim.start(&app.app.backups).await.expect("it ends");
        failed.expect_err("it has nowhere to write");

        let listed = &list(&admin).await[0];
        assert_eq!(
            (&listed["state"], &listed["size"]),
            (&json!("failed"), &Value::Null)
        );
        let path = format!("/api/backups/{name}");
        admin.get(&path).await.not_found();
        if is_deleted {
            admin.delete(&path).await.ok();
            assert_eq!(entries(&app), [""; 0]);
        }
    }
    // A success makes earlier failures uninteresting.
    let name = take(&admin).await;
    assert_eq!(entries(&app), [name.clone(), format!("{name}.json")]);
}

#[service_test]
async fn a_download_ends_when_its_key_is_revoked(app: TestApp, admin: Client) {
    let name = take(&admin).await;
    // More than the system buffers between the service and the client.
    let file = std::fs::File::options()
        .write(true)
        .open(folder(&app).join(&name));
    let size = 64 << 20;
    file.expect("the file").set_len(size).expect("it is larger");
    let (key_id, caller) = app.key(&["admin.backups"]).await;
    let url = format!("{}/api/backups/{name}", app.address);
    let request = reqwest::Client::new().get(url);
    let mut response = request
        .header("X-API-Key", caller.key_value())
        .send()
        .await
        .expect("a response");
    let first = response.chunk().await.expect("a part").expect("a part");
    admin.delete(&format!("/api/api-keys/{key_id}")).await.ok();
    let mut received = first.len() as u64;
    let broken_off = loop {
        match response.chunk().await {
            Ok(Some(part)) => received += part.len() as u64,
            Ok(None) => break false,
            Err(_) => break true,
        }
    };
    assert!(broken_off && received < size, "{received} bytes");
}
