//! Every write leaves one audit entry and honours `If-Match`.

use reqwest::Method;
use serde_json::{Value, json};

use super::document::{Operation, operations, writes};
use super::fixtures::{Fixture, created_id, fixture, started_at};
use crate::support::{Client, TestApp, assert_fields, eventually};

/// The newest entry, and how many there are.
pub async fn audit(admin: &Client) -> (u64, Value) {
    let answer = admin.get("/api/audit-log?per_page=1").await;
    let total = answer.header("x-total-count").parse().expect("a number");
    (total, answer.ok()["audit_log"][0].clone())
}

/// Everything visible of the resource and its list.
pub async fn state(admin: &Client, operation: &Operation, fixture: &Fixture) -> String {
    let collection = operation.collection();
    let list = fixture.seen_at.as_ref().unwrap_or(&collection);
    let mut state = Value::Null;
    // Work in the background is part of the write.
    eventually("nothing runs", async || {
        state = admin.get(list).await.ok();
        !state.to_string().contains(r#""state":"running""#)
    })
    .await;
    let mut state = state.to_string();
    if operation.has_target() {
        // HEAD, because a download leaves an audit entry.
        let path = operation.single(&fixture.ids);
        let single = admin.send(Method::HEAD, &path, None).await;
        let tag = if single.status == 200 {
            single.header("etag")
        } else {
            ""
        };
        state += &format!("{} {tag}", single.status);
    }
    state
}

#[service_test]
async fn every_write_leaves_one_audit_entry(app: TestApp, admin: Client) {
    for operation in writes(&app).await {
        let id = &operation.id;
        let fixture = fixture(&operation, &app).await;
        let needed = operation.needs();
        let one = needed.first().expect("a write needs a permission");
        let permissions = [&[*one], operation.also_needs()].concat();
        let (key_id, caller) = app.key(&permissions).await;
        let name = admin.get(&format!("/api/api-keys/{key_id}")).await.ok();
        let (before, _) = audit(&admin).await;

        let request_id = format!("request-{id}");
        let caller = caller.with("X-Request-Id", &request_id);
        let answer = fixture.send(&caller, &operation).await;
        assert_eq!(
            answer.status.to_string(),
            operation.success(),
            "{id}: {}",
            answer.text
        );

        let (after, entry) = audit(&admin).await;
        assert_eq!(after, before + 1, "{id}");
        assert_fields(
            &entry,
            &[
                "id",
                "at",
                "key_id",
                "key_name",
                "user_id",
                "user_name",
                "request_id",
                "ip",
                "action",
                "resource",
                "resource_id",
                "before",
                "after",
            ],
        );
        let resource = fixture.action.split('.').next().unwrap_or_default();
        // A bulk change has no resource id.
        let target = match fixture.about.or(fixture.ids.first().copied()) {
            Some(id) => id,
            None if answer.status == 201 => created_id(&answer.json()),
            None if answer.status == 202 => started_at(&answer.json()),
            None => 0,
        };
        assert_eq!(entry["action"], fixture.action, "{id}");
        assert_eq!(entry["resource"], resource, "{id}");
        assert_eq!(entry["resource_id"], target, "{id}");
        assert_eq!(entry["key_id"], key_id, "{id}");
        assert_eq!(entry["key_name"], name["api_key"]["name"], "{id}");
        // Its own id, so that no client can point to the request of another.
        assert_ne!(entry["request_id"], request_id.as_str(), "{id}");
        assert_eq!(entry["request_id"].as_str().map(str::len), Some(26), "{id}");
        assert_eq!(answer.header("x-request-id"), request_id, "{id}");
        assert_eq!(entry["ip"], "127.0.0.1", "{id}");
        assert_eq!(entry["at"], "2026-03-01T12:00:00Z", "{id}");
    }
}

#[service_test]
async fn reads_leave_no_audit_entry_unless_they_take_many_data_away(app: TestApp, admin: Client) {
    for operation in operations(&app).await {
        if operation.writes() {
            continue;
        }
        let fixture = fixture(&operation, &app).await;
        let (before, _) = audit(&admin).await;
        let answer = fixture.send(&admin, &operation).await;
        let success = operation.success();
        assert_eq!(answer.status.to_string(), success, "{answer:?}");
        let (after, entry) = audit(&admin).await;
        let Some(action) = audited_read(&operation.id) else {
            assert_eq!(after, before, "{}", operation.id);
            continue;
        };
        assert_eq!((after, &entry["action"]), (before + 1, &json!(action)));
        assert_eq!(entry["resource_id"], *fixture.ids.first().unwrap_or(&0));
        assert_eq!(
            (&entry["key_name"], &entry["before"]),
            (&json!("admin"), &json!({}))
        );
        // HEAD takes nothing away.
        let path = operation.path_to(&fixture.ids);
        admin.send(Method::HEAD, &path, None).await;
        assert_eq!(audit(&admin).await.0, after, "{}", operation.id);
    }
}

/// The action in the audit log of a read that sends a whole table, or everything.
fn audited_read(operation: &str) -> Option<&'static str> {
    match operation {
        "downloadBackup" => Some("backups.download"),
        "exportAuditLog" => Some("audit_log.export"),
        "exportBans" => Some("bans.export"),
        "exportPaymentInvoices" => Some("payment_invoices.export"),
        "exportUsers" => Some("users.export"),
        _ => None,
    }
}

#[service_test]
async fn a_write_with_a_stale_if_match_gives_412_and_changes_nothing(app: TestApp, admin: Client) {
    let mut seen = 0;
    let writes = writes(&app).await;
    for operation in writes.iter().filter(|write| write.is_conditional()) {
        let id = &operation.id;
        let fixture = fixture(operation, &app).await;
        let single = admin.get(&operation.single(&fixture.ids)).await;
        assert_eq!(single.status, 200, "{id}");
        let tag = single.header("etag").to_owned();
        let (entries, _) = audit(&admin).await;
        let before = state(&admin, operation, &fixture).await;

        for wrong in ["\"AAAAAAAAAAAAAAAAAAAA\"", &format!("W/{tag}"), ""] {
            let late = admin.with("If-Match", wrong);
            let answer = fixture.send(&late, operation).await;
            answer.error(412, "precondition_failed");
        }
        assert_eq!(state(&admin, operation, &fixture).await, before, "{id}");
        assert_eq!(audit(&admin).await.0, entries, "{id}");

        let careful = admin.with("If-Match", &tag);
        let answer = fixture.send(&careful, operation).await;
        assert_eq!(
            answer.status.to_string(),
            operation.success(),
            "{id}: {}",
            answer.text
        );
        if fixture.outside.is_none() {
            assert_ne!(state(&admin, operation, &fixture).await, before, "{id}");
        }
        assert_eq!(audit(&admin).await.0, entries + 1, "{id}");
        seen += 1;
    }
    assert!(seen > 0, "there are writes to what exists");
}

#[service_test]
async fn a_write_to_a_missing_resource_gives_404_and_changes_nothing(app: TestApp, admin: Client) {
    for operation in writes(&app).await.iter().filter(|write| write.has_target()) {
        let mut fixture = fixture(operation, &app).await;
        let (entries, _) = audit(&admin).await;
        for id in [0, -1, i64::MAX] {
            fixture.ids.fill(id);
            fixture.send(&admin, operation).await.not_found();
            let careful = admin.with("If-Match", "*");
            fixture.send(&careful, operation).await.not_found();
        }
        assert_eq!(audit(&admin).await.0, entries, "{}", operation.id);
    }
}

/// Writes to a resource that do not change it, and an erasure, which leaves nothing to update.
const WITHOUT_ETAG: [&str; 9] = [
    "confirmServerDelivery",
    "endOperatorSession",
    "failServerDelivery",
    "kickBannedPlayer",
    "runServerCommand",
    "testWebhook",
    "retryWebhookDelivery",
    "replayWebhook",
    "eraseUser",
];

#[service_test]
async fn every_write_replies_with_the_etag_that_a_get_gives_and_if_match_takes(app: TestApp) {
    let admin = app.admin();
    let mut seen = 0;
    for operation in writes(&app).await {
        let id = &operation.id;
        let fixture = fixture(&operation, &app).await;
        let single = match operation.has_target() {
            true => Some(operation.single(&fixture.ids)),
            false => operation.only_one().map(str::to_owned),
        };
        let before = match &single {
            Some(single) => admin.etag(single).await,
            None => String::new(),
        };
        let first = fixture.send(&admin, &operation).await;
        assert_eq!(first.status.to_string(), operation.success(), "{first:?}");
        let created = || first.headers.get("location")?.to_str().ok();
        let single = single.or_else(|| created().map(str::to_owned));
        let read = match &single {
            Some(single) => Some(admin.get(single).await),
            None => None,
        };
        let is_left = read.as_ref().is_some_and(|read| read.status == 200);
        let gives_etag = is_left && !WITHOUT_ETAG.contains(&id.as_str());
        assert_eq!(first.has_header("etag"), gives_etag, "{id}");
        let (Some(single), Some(read), true) = (single, read, gives_etag) else {
            continue;
        };
        seen += 1;

        let tag = first.header("etag");
        // A resource that shows others has a second part in the tag of a GET.
        let (state, shown) = match read.header("etag").split_once('.') {
            Some((state, _)) => (format!("{state}\""), true),
            None => (read.header("etag").to_owned(), false),
        };
        assert_eq!(tag, state, "{id}");
        if !shown {
            let conditional = admin.with("If-None-Match", tag);
            assert_eq!(conditional.get(&single).await.status, 304, "{id}");
        }
        if operation.method == Method::PUT {
            let stale = admin.with("If-Match", &before);
            let answer = fixture.send(&stale, &operation).await;
            answer.error(412, "precondition_failed");
            let current = admin.with("If-Match", tag);
            fixture.send(&current, &operation).await.ok();
        }
    }
    assert!(seen >= 45, "{seen} writes reply with a tag");
}

#[service_test]
async fn every_201_has_the_location_of_the_created_resource(app: TestApp, admin: Client) {
    let mut seen = 0;
    for operation in writes(&app).await {
        let id = &operation.id;
        let fixture = fixture(&operation, &app).await;
        let answer = fixture.send(&admin, &operation).await;
        let documented = &operation.documented["responses"][answer.status.to_string()];
        let is_documented = documented["headers"].get("Location").is_some();
        assert_eq!(answer.has_header("location"), is_documented, "{id}");
        if !is_documented {
            continue;
        }
        assert_eq!(answer.status, 201, "{id}");
        let list = operation.path_to(&fixture.ids);
        let created = format!("{list}/{}", created_id(&answer.json()));
        assert_eq!(answer.header("location"), created, "{id}");
        // Parts of a resource can only be read as a list.
        let status = if operation.has_target() { 405 } else { 200 };
        assert_eq!(admin.get(&created).await.status, status, "{id}");
        seen += 1;
    }
    assert_eq!(seen, 19, "all but sessions, which have no path");
}
