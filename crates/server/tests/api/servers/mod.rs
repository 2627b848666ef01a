//! Game servers.

mod history;
mod input;
mod live;
mod rcon;
mod rcon_password;
mod resolve;

use serde_json::{Value, json};

use crate::support::{Client, TestApp, assert_fields, at_once, count};

const ITEM: [&str; 6] = ["id", "name", "ip", "port", "enabled", "game"];

/// The body of a create; its password is `hunter2`.
fn new() -> Value {
    json!({
        "name": "Dust",
        "ip": "127.0.0.7",
        "port": 27015,
        "game": "cs2",
        "rcon_password": "hunter2",
    })
}

/// The body of a create, with other values for some fields.
fn new_with(other: &Value) -> Value {
    let mut body = new();
    for (name, value) in other.as_object().expect("fields") {
        body[name] = value.clone();
    }
    body
}

async fn create(admin: &Client, body: Value) -> Value {
    admin.post("/api/servers", body).await.created()["server"].take()
}

fn with<const N: usize>(fields: [&'static str; N]) -> Vec<&'static str> {
    ITEM.into_iter().chain(fields).collect()
}

#[service_test]
async fn a_server_lives_from_create_to_delete(app: TestApp, admin: Client) {
    let created = admin.post("/api/servers", new()).await.created();
    assert_fields(&created, &["message", "server"]);
    assert_fields(&created["server"], &with(["created_at"]));
    let item = json!({
        "id": 1, "name": "Dust", "ip": "127.0.0.7", "port": 27015, "enabled": true, "game": "cs2",
    });
    let mut expected = item.clone();
    expected["created_at"] = json!("2026-03-01T12:00:00Z");
    assert_eq!(created["server"], expected);

    let listed = admin.get("/api/servers").await;
    assert_eq!(listed.header("x-total-count"), "1");
    assert_eq!(listed.ok(), json!({ "servers": [item] }));

    app.advance(60);
    let body = json!({ "name": "Inferno", "port": 27016 });
    let updated = admin.put("/api/servers/1", body).await.ok();
    assert_fields(&updated, &["message", "server"]);
    let expected = json!({
        "id": 1, "name": "Inferno", "ip": "127.0.0.7", "port": 27016, "enabled": true,
        "game": "cs2", "updated_at": "2026-03-01T12:01:00Z",
    });
    assert_eq!(updated["server"], expected);

    let single = admin.get("/api/servers/1").await.ok();
    assert_fields(&single, &["server"]);
    let more = ["rcon_password", "created_at", "updated_at", "stats"];
    assert_fields(&single["server"], &with(more));
    assert_eq!(single["server"]["name"], "Inferno");
    assert_eq!(single["server"]["rcon_password"], "********");
    assert_eq!(single["server"]["created_at"], "2026-03-01T12:00:00Z");
    assert_eq!(single["server"]["updated_at"], "2026-03-01T12:01:00Z");
    let nothing_known = json!({ "players_online": 0, "max_players": 0, "map": "" });
    assert_eq!(single["server"]["stats"], nothing_known);

    let deleted = admin.delete("/api/servers/1").await.ok();
    assert_fields(&deleted, &["message"]);
    admin.get("/api/servers/1").await.not_found();
    admin.put("/api/servers/1", json!({})).await.not_found();
    admin.post_empty("/api/servers/1/toggle").await.not_found();
    admin.delete("/api/servers/1").await.not_found();
    let listed = admin.get("/api/servers").await.ok();
    assert_eq!(listed, json!({ "servers": [] }));
}

#[service_test]
async fn servers_are_paged_only_with_page_or_per_page(admin: Client) {
    for number in 1..=25 {
        let name = format!("Server {number}");
        create(&admin, new_with(&json!({ "name": name }))).await;
    }
    let ids = |body: Value| -> Vec<i64> {
        let servers = body["servers"].as_array().expect("a list").clone();
        servers
            .iter()
            .filter_map(|server| server["id"].as_i64())
            .collect()
    };
    let all = admin.get("/api/servers").await;
    assert!(!all.has_header("link"));
    assert_eq!(ids(all.ok()), (1..=25).collect::<Vec<_>>());
    let page = admin.get("/api/servers?page=2&per_page=10").await;
    assert_eq!(page.header("x-total-count"), "25");
    assert!(page.header("link").contains("rel=\"next\""));
    assert_eq!(ids(page.ok()), (11..=20).collect::<Vec<_>>());
    let past = admin.get("/api/servers?page=9").await;
    assert_eq!(ids(past.ok()), [0; 0]);
    let query = admin.get("/api/servers?page=0").await;
    query.invalid(&[("page", "must be an integer of at least 1")]);
}

#[service_test]
async fn equal_fields_of_a_server_change_nothing_not_even_the_etag(app: TestApp, admin: Client) {
    create(&admin, new()).await;
    let before = admin.get("/api/servers/1").await;
    app.advance(60);
    let same = json!({
        "name": "Dust", "ip": "127.0.0.7", "port": 27015.0, "enabled": true, "game": "cs2",
    });
    for body in [json!({}), json!({ "unknown": 1 }), same] {
        let updated = admin.put("/api/servers/1", body.clone()).await.ok();
        assert_eq!(
            updated["server"]["updated_at"], "2026-03-01T12:00:00Z",
            "{body}"
        );
        let after = admin.get("/api/servers/1").await;
        assert_eq!(after.text, before.text, "{body}");
        assert_eq!(after.header("etag"), before.header("etag"), "{body}");
    }
    let strict = admin.with("Prefer", "handling=strict");
    let answer = strict.put("/api/servers/1", json!({ "unknown": 1 })).await;
    answer.invalid(&[("unknown", "is not a field of this request")]);
}

#[service_test]
async fn each_field_of_a_server_can_be_changed_alone(app: TestApp, admin: Client) {
    create(&admin, new()).await;
    for (name, value) in [
        ("name", json!("Mirage")),
        ("ip", json!("2001:db8::1")),
        ("port", json!(1)),
        ("enabled", json!(false)),
        ("game", json!("csgo")),
    ] {
        let before = admin.get("/api/servers/1").await;
        app.advance(1);
        let mut expected = before.ok()["server"].take();
        let updated = admin.put("/api/servers/1", json!({ name: value })).await;
        expected[name] = value;
        expected["updated_at"] = updated.ok()["server"]["updated_at"].clone();
        let after = admin.get("/api/servers/1").await;
        assert_eq!(after.ok()["server"], expected, "{name}");
        assert_ne!(
            after.ok()["server"]["updated_at"],
            before.ok()["server"]["updated_at"]
        );
        assert_ne!(after.header("etag"), before.header("etag"), "{name}");
    }
}

#[service_test]
async fn a_toggle_reports_the_new_state(app: TestApp, admin: Client) {
    create(&admin, new_with(&json!({ "enabled": false }))).await;
    for (seconds, enabled, message) in [
        (1, true, "Server enabled."),
        (2, false, "Server disabled."),
        (3, true, "Server enabled."),
    ] {
        app.advance(1);
        let toggled = admin.post_empty("/api/servers/1/toggle").await.ok();
        assert_eq!(toggled, json!({ "message": message, "enabled": enabled }));
        let server = admin.get("/api/servers/1").await.ok()["server"].take();
        assert_eq!(server["enabled"], enabled);
        let moment = format!("2026-03-01T12:00:0{seconds}Z");
        assert_eq!(server["updated_at"], moment.as_str());
    }
    let entry = admin.get("/api/audit-log?action=servers.toggle").await.ok();
    assert_eq!(entry["audit_log"][0]["before"], json!({ "enabled": false }));
    assert_eq!(entry["audit_log"][0]["after"], json!({ "enabled": true }));
    // A body is ignored, because the action takes none.
    let ignored = admin.post("/api/servers/1/toggle", json!("what?")).await;
    assert_eq!(ignored.ok()["enabled"], false);
}

#[service_test]
async fn an_even_number_of_concurrent_toggles_changes_nothing(admin: Client) {
    create(&admin, new()).await;
    let toggle = |caller: Client| async move { caller.post_empty("/api/servers/1/toggle").await };
    let answers = at_once((0..50).map(|_| toggle(admin.clone()))).await;
    assert_eq!(count(&answers, 200), 50);
    let switched_on = answers
        .iter()
        .filter(|answer| answer.ok()["enabled"] == true);
    assert_eq!(switched_on.count(), 25);
    let server = admin.get("/api/servers/1").await.ok();
    assert_eq!(server["server"]["enabled"], true);
}

#[service_test]
async fn of_fifty_updates_with_one_if_match_one_succeeds_and_the_others_get_412(admin: Client) {
    create(&admin, new()).await;
    let single = admin.get("/api/servers/1").await;
    let careful = admin.with("If-Match", single.header("etag"));
    let rename = |caller: Client, number: i64| async move {
        let body = json!({ "name": format!("Server {number}") });
        caller.put("/api/servers/1", body).await
    };
    let answers = at_once((0..50).map(|number| rename(careful.clone(), number))).await;
    assert_eq!((count(&answers, 200), count(&answers, 412)), (1, 49));
}
