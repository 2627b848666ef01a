//! Events: every audit entry, as a stream.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Rng;
use crate::support::events::EventReader;
use crate::support::{Client, TestApp, at_once, eventually, within_a_second};

async fn create_page(client: &Client) {
    let page = json!({ "title": "Rules", "slug": "rules", "content": "Be kind." });
    client.post("/api/cms-pages", page).await.created();
}

async fn next(events: &mut EventReader) -> Value {
    events.next().await.expect("an event")
}

#[service_test]
async fn an_event_tells_who_did_what(app: TestApp) {
    let (key_id, caller) = app.key(&["admin.roles"]).await;
    let mut events = app.admin().events("/api/events").await;
    let role = caller.create_role("Guard").await;
    let mut event = next(&mut events).await;
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(event["id"].take(), entry["id"]);
    assert_eq!(
        event,
        json!({
            "id": null,
            "at": "2026-03-01T12:00:00Z",
            "action": "roles.create",
            "resource": "roles",
            "resource_id": role,
            "actor": { "kind": "key", "id": key_id, "name": "actor 0" },
        })
    );
}

#[service_test]
async fn events_of_the_service_itself_have_no_key(app: TestApp) {
    let mut events = app.admin().events("/api/events?after=0").await;
    let first = next(&mut events).await;
    let actor = json!({ "kind": "command_line", "id": null, "name": "command line" });
    assert_eq!(first["actor"], actor);
}

#[service_test]
async fn a_stream_goes_on_after_the_last_event_received(admin: Client) {
    let mut events = admin.events("/api/events").await;
    let roles = [
        admin.create_role("One").await,
        admin.create_role("Two").await,
        admin.create_role("Three").await,
    ];
    let first = next(&mut events).await;
    assert_eq!(first["resource_id"], roles[0]);
    drop(events);
    let cursor = first["id"].to_string();
    let by_header = admin.with("Last-Event-ID", &cursor);
    let path = format!("/api/events?after={cursor}");
    for mut events in [
        by_header.events("/api/events?after=0").await,
        admin.events(&path).await,
    ] {
        for role in &roles[1..] {
            assert_eq!(next(&mut events).await["resource_id"], *role);
        }
    }
    let refused = admin.with("Last-Event-ID", "x").get("/api/events").await;
    refused.invalid(&[("Last-Event-ID", "must be the id of an event")]);
    let refused = admin.get("/api/events?after=-1").await;
    refused.error(422, "validation_failed");
}

#[service_test]
async fn event_names_off_leaves_out_the_names(admin: Client) {
    let mut named = admin.events("/api/events?event_names=on").await;
    let mut nameless = admin.events("/api/events?event_names=off").await;
    let role = admin.create_role("Guard").await;
    assert!(named.frame().await.contains("\nevent: roles.create\n"));
    let frame = nameless.frame().await;
    let lines: Vec<&str> = frame.lines().collect();
    assert_eq!(lines.len(), 3, "id, data and the end: {frame:?}");
    assert!(lines[0].starts_with("id: "), "{frame:?}");
    let data = lines[1].strip_prefix("data: ").expect("data");
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(
        (&data["action"], &data["resource_id"]),
        (&json!("roles.create"), &json!(role))
    );
    let refused = admin.get("/api/events?event_names=no").await;
    refused.invalid(&[("event_names", "must be on or off")]);
}

#[service_test]
async fn a_thousand_streams_of_one_key_leave_the_service_to_others(app: TestApp, admin: Client) {
    let greedy = app.actor(&["admin.currencies.read"]).await;
    let mut opened = Vec::new();
    // In parts, because each needs two open files of this process.
    for _ in 0..10 {
        let part = (0..100).map(|_| {
            let greedy = greedy.clone();
            async move { greedy.try_events("/api/events").await }
        });
        opened.extend(at_once(part).await);
    }
    assert_eq!(opened.iter().filter(|opened| opened.is_ok()).count(), 16);
    for refused in opened.iter().filter_map(|opened| opened.as_ref().err()) {
        refused.error(429, "too_many_streams");
        assert_eq!(refused.header("retry-after"), "10");
    }
    assert_eq!(app.anonymous().get("/healthz").await.status, 200);
    admin.get("/api/roles").await.ok();
    // Other requests of the same key are served, and so are streams of others.
    greedy.get("/api/currencies").await.ok();
    let mut events = admin.events("/api/events").await;
    admin.create_role("Guard").await;
    next(&mut events).await;
    drop(opened);
    eventually("its streams are closed", async || {
        greedy.try_events("/api/events").await.is_ok()
    })
    .await;
}

#[service_test(TestApp::start_with(|limits| limits.connections = 20))]
async fn all_streams_together_hold_a_quarter_of_the_connections(app: TestApp, admin: Client) {
    let mut streams = Vec::new();
    for _ in 0..5 {
        let caller = app.actor(&["admin.roles.read"]).await;
        streams.push(caller.events("/api/events").await);
    }
    let refused = admin.try_events("/api/events").await;
    let refused = refused.err().expect("a refusal");
    refused.error(503, "busy");
    assert_eq!(refused.header("retry-after"), "1");
    admin.get("/api/roles").await.ok();
    streams.pop();
    eventually("a stream is closed", async || {
        admin.try_events("/api/events").await.is_ok()
    })
    .await;
}

#[service_test]
async fn filters_choose_a_resource_or_an_action(admin: Client) {
    let mut of_pages = admin.events("/api/events?resource=pages").await;
    let mut of_updates = admin.events("/api/events?action=roles.update").await;
    let role = admin.create_role("Guard").await;
    let path = format!("/api/roles/{role}");
    admin.put(&path, json!({ "name": "Guards" })).await.ok();
    create_page(&admin).await;
    assert_eq!(next(&mut of_pages).await["action"], "pages.create");
    assert_eq!(next(&mut of_updates).await["resource_id"], role);
}

#[service_test]
async fn a_caller_sees_only_resources_it_may_read(app: TestApp, admin: Client) {
    let roles = app.actor(&["admin.roles.read"]).await;
    let auditor = app.actor(&["admin.audit.read"]).await;
    let nothing = app.actor(&[]).await;
    assert_eq!(nothing.get("/api/events").await.status, 403);
    assert_eq!(app.anonymous().get("/api/events").await.status, 401);
    let mut of_roles = roles.events("/api/events").await;
    let mut of_all = auditor.events("/api/events").await;
    create_page(&admin).await;
    admin.create_role("Guard").await;
    assert_eq!(next(&mut of_roles).await["action"], "roles.create");
    assert_eq!(next(&mut of_all).await["action"], "pages.create");
    assert_eq!(next(&mut of_all).await["action"], "roles.create");
}

#[service_test]
async fn a_stream_ends_when_its_key_is_revoked_or_changed(app: TestApp, admin: Client) {
    let other = app.second_instance().await;
    for (method, path, body) in [
        ("DELETE", "", None),
        (
            "PUT",
            "/permissions",
            Some(json!({ "permission_ids": [11] })),
        ),
    ] {
        let (id, caller) = app.key(&["admin.roles.read", "admin.pages.read"]).await;
        let here = caller.events("/api/events").await;
        let elsewhere = other.holder(caller.key_value());
        within_a_second("the other instance knows the key", async || {
            elsewhere.get("/api/roles").await.status == 200
        })
        .await;
        let there = elsewhere.events("/api/events").await;
        let path = format!("/api/api-keys/{id}{path}");
        let method = method.parse().expect("a method");
        assert_eq!(admin.send(method, &path, body).await.status, 200);
        here.end().await;
        there.end().await;
    }
}

#[service_test]
async fn a_comment_every_15_seconds_keeps_a_quiet_stream_open(app: TestApp) {
    let mut reply = reqwest::Client::new()
        .get(format!("{}/api/events", app.address))
        .header("X-API-Key", app.admin_key())
        .send()
        .await
        .expect("a stream");
    let mut received = Vec::new();
    let began = Instant::now();
    while received.len() < 2 {
        let chunk = reply.chunk().await.expect("open").expect("a comment");
        assert!(chunk.starts_with(b":"), "{chunk:?}");
        received.push(began.elapsed().as_secs());
    }
    // The first comes at once.
    assert!(received[0] < 10, "{received:?}");
    assert!(received[1] >= 14, "{received:?}");
}

#[service_test]
async fn events_of_another_instance_arrive(app: TestApp) {
    let other = app.second_instance().await;
    let mut events = app.admin().events("/api/events").await;
    let role = other.holder(app.admin_key()).create_role("Guard").await;
    assert_eq!(next(&mut events).await["resource_id"], role);
}

#[service_test]
async fn a_thousand_streams_share_one_reader_of_the_log() {
    let app = TestApp::start_with(|limits| {
        limits.connections = 4096;
        limits.connections_per_address = 4096;
    })
    .await;
    let admin = app.admin();
    let mut streams = Vec::new();
    // As many keys as it takes, since each has at most 16.
    for _ in 0..63 {
        let caller = app.actor(&["admin.roles.read"]).await;
        for _ in 0..16 {
            streams.push(caller.events("/api/events").await);
        }
    }
    let role = admin.create_role("Guard").await;
    for events in &mut streams {
        assert_eq!(next(events).await["resource_id"], role);
    }
    if app.core().db.on_postgres() {
        let mut read = app.core().db.read().await.expect("a reader");
        let connections: i64 = read
            .query_one(
                "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()",
                &[],
                |row| row.get(0),
            )
            .await
            .expect("a count");
        assert!(connections < 20, "{connections}");
    }
}

/// An entry that is written and not committed yet, with a lower id than the next one.
#[service_test]
async fn an_entry_that_is_committed_late_is_not_skipped(app: TestApp, admin: Client) {
    if !app.core().db.on_postgres() {
        // One transaction writes at a time, so no entry is committed late.
        return;
    }
    let mut events = admin.events("/api/events").await;
    for commits in [true, false] {
        let mut late = app.core().db.begin().await.expect("a transaction");
        late.execute(
            "INSERT INTO audit_log (at, key_name, request_id, action, resource, resource_id,
                                    before, after)
             VALUES (1, 'late', 'late', 'roles.late', 'roles', 7, '{}', '{}')",
            &[],
        )
        .await
        .expect("an entry");
        let role = admin.create_role(&format!("Guard {commits}")).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        let listed = admin
            .get("/api/audit-log?sort=id&action=roles.create")
            .await;
        let listed = listed.ok()["audit_log"].to_string();
        assert!(!listed.contains(&format!("Guard {commits}")), "{listed}");
        match commits {
            true => late.commit().await.expect("committed"),
            false => late.rollback().await.expect("rolled back"),
        }
        if commits {
            assert_eq!(next(&mut events).await["action"], "roles.late");
        }
        let event = next(&mut events).await;
        assert_eq!(
            (&event["action"], &event["resource_id"]),
            (&json!("roles.create"), &json!(role))
        );
    }
}

/// How long the writers write; longer in `make torture`.
fn seconds() -> u64 {
    let seconds = std::env::var("STEWARD_TEST_EVENTS_SECONDS");
    seconds.map_or(2, |seconds| seconds.parse().expect("a number"))
}

#[service_test]
async fn every_entry_of_64_writers_arrives_once_and_in_order() {
    const WRITERS: usize = 64;
    let app = TestApp::start().await;
    let other = app.second_instance().await;
    let clients = [app.admin(), other.holder(app.admin_key())];
    let stop = Arc::new(AtomicBool::new(false));
    let mut roles = Vec::new();
    for i in 0..8 {
        roles.push(app.admin().create_role(&format!("Shared {i}")).await);
    }
    let start = newest_id(&app.admin()).await;
    let writers: Vec<_> = (0..WRITERS)
        .map(|i| {
            let (client, stop) = (clients[i % 2].clone(), Arc::clone(&stop));
            let path = format!("/api/roles/{}", roles[i % roles.len()]);
            tokio::spawn(async move {
                let mut written = 0;
                while !stop.load(Ordering::Relaxed) {
                    let body = json!({ "description": format!("{i} {written}") });
                    // Many writers wait for the same row; some may give up.
                    written += usize::from(client.put(&path, body).await.status == 200);
                }
                written
            })
        })
        .collect();
    let reader = tokio::spawn(read_with_interruptions(clients, start, Arc::clone(&stop)));
    tokio::time::sleep(Duration::from_secs(seconds())).await;
    stop.store(true, Ordering::Relaxed);
    let mut written = 0;
    for writer in writers {
        written += writer.await.expect("the writer ends");
    }
    // The last event, which tells the reader to stop.
    let end = app.admin().create_role("The end").await;
    let received = reader.await.expect("the reader ends");
    assert_eq!(received.last().expect("events").1, end);
    let mut read = app.core().db.read().await.expect("a connection");
    let sql = "SELECT id FROM audit_log WHERE id > $1";
    let logged: Vec<i64> = read
        .query(sql, db::params![start], |row| row.get(0))
        .await
        .expect("ids");
    let ids: Vec<i64> = received.iter().map(|(id, _)| *id).collect();
    assert_eq!(
        ids.len(),
        ids.iter().collect::<BTreeSet<_>>().len(),
        "none twice"
    );
    assert_eq!(
        BTreeSet::from_iter(&ids),
        BTreeSet::from_iter(&logged),
        "none missing"
    );
    assert_eq!(ids.len(), written + 1);
    let mut last = BTreeMap::new();
    for (id, role) in received {
        assert!(
            last.insert(role, id).is_none_or(|before| before < id),
            "swapped"
        );
    }
}

async fn newest_id(admin: &Client) -> i64 {
    let entry = admin.newest_audit_entry().await;
    entry["id"].as_i64().expect("an id")
}

/// Reads events, and at random moments disconnects and continues on either instance. Returns the id
/// and the resource of each.
async fn read_with_interruptions(
    clients: [Client; 2],
    start: i64,
    stop: Arc<AtomicBool>,
) -> Vec<(i64, i64)> {
    let mut rng = Rng::new(15);
    let mut received: Vec<(i64, i64)> = Vec::new();
    let deadline = Instant::now() + Duration::from_secs(seconds() + 120);
    loop {
        let last = received.last().map_or(start, |(id, _)| *id);
        let client = &clients[rng.below(2) as usize];
        let mut events = client.events(&format!("/api/events?after={last}")).await;
        for _ in 0..rng.below(200) {
            assert!(Instant::now() < deadline, "the last event arrives");
            let event = events.next().await.expect("an event");
            let number = |field: &str| event[field].as_i64().expect("a number");
            received.push((number("id"), number("resource_id")));
            if stop.load(Ordering::Relaxed) && event["action"] == "roles.create" {
                return received;
            }
        }
    }
}
