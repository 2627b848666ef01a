//! Roles of users that expire.

mod exactness;
mod expiry;
mod history;
mod model;
mod plans;
mod races;

use serde_json::{Value, json};

use crate::support::{Answer, Client, NOON, TestApp, assert_fields};

const ANNA: &str = "/api/users/1";
const ROLES: &str = "/api/users/1/roles";
const VIP: &str = "/api/users/1/roles/1";
const EXTEND: &str = "/api/users/1/roles/1/extend";
const MONTH: i64 = 30 * 24 * 60 * 60;

/// Anna, and the roles VIP and Guard.
async fn with_anna() -> TestApp {
    let app = TestApp::start().await;
    app.user("anna").await;
    let body = json!({ "name": "VIP", "description": "Pays", "color": "#f1c40f" });
    app.admin().post("/api/roles", body).await.created();
    app.admin().create_role("Guard").await;
    app
}

/// The time this many seconds after the start of a test.
fn at(seconds: i64) -> Value {
    json!(kernel::types::Timestamp::from_unix(NOON + seconds).to_string())
}

fn until(seconds: i64) -> Value {
    json!({ "expires_at": at(seconds) })
}

async fn extend(admin: &Client, seconds: i64) -> Answer {
    admin.post(EXTEND, json!({ "seconds": seconds })).await
}

/// The ids of the roles that the user holds.
async fn held(admin: &Client) -> Value {
    let roles = admin.get(ROLES).await.ok()["roles"].take();
    let ids = roles.as_array().expect("a list").iter();
    ids.map(|role| role["id"].clone()).collect()
}

#[service_test(with_anna())]
async fn a_role_is_given_until_a_time_changed_and_removed(app: TestApp, admin: Client) {
    let given = admin.put(VIP, until(60)).await;
    assert_fields(&given.created(), &["message", "user_role"]);
    assert_eq!(given.header("location"), VIP);
    let mut role = json!({
        "id": 1, "name": "VIP", "description": "Pays", "color": "#f1c40f",
        "granted_at": at(0), "expires_at": at(60),
    });
    assert_eq!(given.created()["user_role"], role);
    let listed = admin.get(ROLES).await;
    assert_eq!(listed.ok(), json!({ "roles": [role] }));
    assert_eq!(listed.header("x-total-count"), "1");

    app.advance(10);
    role["expires_at"] = at(120);
    let changed = admin.put(VIP, until(120)).await;
    assert_eq!(changed.ok()["user_role"], role, "granted_at stays");
    assert!(!changed.has_header("location"));
    role["expires_at"] = json!(null);
    for body in [Some(json!({})), Some(json!({ "expires_at": null })), None] {
        admin.put(VIP, until(120)).await.ok();
        let answer = admin.send(reqwest::Method::PUT, VIP, body).await;
        assert_eq!(answer.ok()["user_role"], role, "without an end");
    }
    admin.put("/api/users/1/roles/2", json!({})).await.created();
    assert_eq!(held(&admin).await, json!([1, 2]));

    assert_fields(&admin.delete(VIP).await.ok(), &["message"]);
    assert_eq!(held(&admin).await, json!([2]));
    admin.delete(VIP).await.not_found();
}

#[service_test(with_anna())]
async fn an_extension_adds_to_the_later_of_now_and_the_end(app: TestApp, admin: Client) {
    let given = extend(&admin, MONTH).await;
    assert_eq!(given.created()["user_role"]["expires_at"], at(MONTH));
    assert_eq!(given.header("location"), VIP);
    app.advance(100);
    let extended = extend(&admin, MONTH).await;
    assert_eq!(extended.ok()["user_role"]["expires_at"], at(2 * MONTH));
    assert_eq!(extended.ok()["user_role"]["granted_at"], at(0));
    assert!(!extended.has_header("location"));

    // After its end it is given from now.
    app.advance(2 * MONTH);
    let again = extend(&admin, 60).await;
    let now = 100 + 2 * MONTH;
    assert_eq!(again.created()["user_role"]["granted_at"], at(now));
    assert_eq!(again.created()["user_role"]["expires_at"], at(now + 60));

    // Without an end it stays so.
    admin.put(VIP, json!({})).await.ok();
    let endless = extend(&admin, 60).await;
    assert_eq!(endless.ok()["user_role"]["expires_at"], json!(null));
}

#[service_test(with_anna())]
async fn an_invalid_end_or_extension_gives_422(app: TestApp, admin: Client) {
    let moment = "must be a moment in ISO 8601, such as 2026-03-01T12:00:00Z";
    let (past, far) = (
        "must be in the future",
        "must lead to a time within the next 100 years",
    );
    for (end, sentence) in [
        (json!("2026-03-01T12:00:00Z"), past),
        (json!("2026-03-01T14:00:00+02:00"), past),
        (json!("2126-03-02T12:00:01Z"), far),
        (json!("9999-01-01T00:00:00Z"), far),
        (json!("soon"), moment),
        (json!(7), "must be a string"),
    ] {
        let answer = admin.put(VIP, json!({ "expires_at": end })).await;
        answer.invalid(&[("expires_at", sentence)]);
    }
    let range = "must be an integer from 60 to 315360000";
    for seconds in [json!(59), json!(315_360_001), json!("60"), json!(60.5)] {
        let answer = admin.post(EXTEND, json!({ "seconds": seconds })).await;
        answer.invalid(&[("seconds", range)]);
    }
    let answer = admin.post(EXTEND, json!({})).await;
    answer.invalid(&[("seconds", "is required")]);
    admin.post_empty(EXTEND).await.error(422, "missing_body");
    assert_eq!(held(&admin).await, json!([]));

    let offset = json!({ "expires_at": "2026-03-01T14:00:01+02:00" });
    let given = admin.put(VIP, offset).await.created();
    assert_eq!(given["user_role"]["expires_at"], at(1));
    admin
        .put(VIP, json!({ "expires_at": "2126-03-01T12:00:00Z" }))
        .await
        .ok();
    extend(&admin, 60 * 60 * 24 * 2)
        .await
        .invalid(&[("seconds", far)]);
    assert_eq!(
        app.number("SELECT COUNT(*) FROM user_role_history").await,
        1
    );
}

#[service_test(with_anna())]
async fn an_unknown_user_or_role_gives_404(admin: Client) {
    for path in ["/api/users/9/roles", "/api/users/9/role-history"] {
        admin.get(path).await.not_found();
    }
    for path in [
        "/api/users/9/roles/1",
        "/api/users/1/roles/9",
        "/api/users/1/roles/x",
    ] {
        admin.put(path, until(60)).await.not_found();
        admin
            .put(path, json!({ "expires_at": 7 }))
            .await
            .not_found();
        admin.delete(path).await.not_found();
        let extend = format!("{path}/extend");
        admin
            .post(&extend, json!({ "seconds": 60 }))
            .await
            .not_found();
    }
}

#[service_test(with_anna())]
async fn the_etag_changes_with_an_end_and_if_match_guards_every_write(app: TestApp, admin: Client) {
    let without = admin.etag(ANNA).await;
    let stale = admin.with("If-Match", &without);
    let given = admin.with("If-Match", &without).put(VIP, until(60)).await;
    given.created();
    let first = given.header("etag").to_owned();
    assert!(
        admin
            .etag(ANNA)
            .await
            .starts_with(first.trim_end_matches('"'))
    );
    for answer in [
        stale.put(VIP, until(90)).await,
        stale.post(EXTEND, json!({ "seconds": 60 })).await,
        stale.delete(VIP).await,
        stale.put(ROLES, json!({ "role_ids": [] })).await,
    ] {
        answer.error(412, "precondition_failed");
    }
    let changed = admin.with("If-Match", &first).put(VIP, until(90)).await;
    changed.ok();
    assert_ne!(changed.header("etag"), first, "only the end has changed");
    let updated = admin.get(ANNA).await.ok()["user"]["updated_at"].clone();
    assert_eq!(updated, at(0));

    // It expires, and the user is again what they were.
    let held = admin.with("If-None-Match", &admin.etag(ANNA).await);
    assert_eq!(held.get(ANNA).await.status, 304);
    app.advance(90);
    held.get(ANNA).await.ok();
    assert_eq!(admin.etag(ANNA).await, without);
    let late = admin.with("If-Match", changed.header("etag"));
    late.delete(VIP).await.error(412, "precondition_failed");
    admin
        .with("If-Match", &without)
        .put(VIP, json!({}))
        .await
        .created();
}

#[service_test(with_anna())]
async fn an_idempotency_key_extends_once(app: TestApp, admin: Client) {
    let careful = admin.with("Idempotency-Key", "order-7");
    let first = careful.post(EXTEND, json!({ "seconds": 60 })).await;
    let again = careful.post(EXTEND, json!({ "seconds": 60 })).await;
    assert_eq!(again.created(), first.created());
    assert_eq!(again.header("location"), VIP);
    assert_eq!(again.header("idempotent-replayed"), "true");
    let other = admin.with("Idempotency-Key", "order-8");
    for _ in 0..2 {
        let extended = other.post(EXTEND, json!({ "seconds": 60 })).await;
        assert_eq!(extended.ok()["user_role"]["expires_at"], at(120));
    }
    assert_eq!(app.number("SELECT COUNT(*) FROM user_roles").await, 1);
}

#[service_test(with_anna())]
async fn a_list_of_role_ids_and_a_bulk_change_keep_the_end_of_a_role_that_stays(
    app: TestApp,
    admin: Client,
) {
    let ends = async || {
        let roles = admin.get(ROLES).await.ok()["roles"].take();
        let roles = roles.as_array().expect("a list").iter();
        roles
            .map(|role| (role["id"].clone(), role["expires_at"].clone()))
            .collect::<Vec<_>>()
    };
    let both = vec![(json!(1), at(60)), (json!(2), json!(null))];
    admin.put(VIP, until(60)).await.created();
    let replaced = admin.put(ROLES, json!({ "role_ids": [2, 1] })).await;
    let roles = &replaced.ok()["user"]["roles"];
    assert_fields(&roles[0], &["id", "name", "description"]);
    assert_eq!(ends().await, both);

    let bulk = async |name: &str, roles: Value| {
        let body = json!({ "ids": [1], name: roles });
        admin.post("/api/users/bulk", body).await.ok()
    };
    assert_eq!(
        bulk("add_roles", json!([1, 2])).await["unchanged"],
        json!([1])
    );
    assert_eq!(ends().await, both);
    bulk("remove_roles", json!([2])).await;
    bulk("add_roles", json!([1, 2])).await;
    assert_eq!(ends().await, both);

    // An expired role is not held: both give it again, without an end.
    app.advance(60);
    assert_eq!(
        bulk("remove_roles", json!([1])).await["unchanged"],
        json!([1])
    );
    assert_eq!(bulk("add_roles", json!([1])).await["changed"], json!([1]));
    assert_eq!(ends().await[0], (json!(1), json!(null)));
    admin.put(VIP, until(120)).await.ok();
    app.advance(60);
    admin.put(ROLES, json!({ "role_ids": [1] })).await.ok();
    assert_eq!(ends().await, [(json!(1), json!(null))]);
    let total = admin
        .total("/api/audit-log?action=users.role_expired")
        .await;
    assert_eq!(total, "2", "each end has its entry");
}

#[service_test(with_anna())]
async fn audit_entries_name_the_role_and_its_ends(app: TestApp, admin: Client) {
    let fields = |end: Value| json!({ "role_id": 1, "role_name": "VIP", "expires_at": end });
    let newest = async |action: &str, before: Value, after: Value| {
        let entry = admin.newest_audit_entry().await;
        assert_eq!(entry["action"], action);
        assert_eq!(
            (&entry["resource"], &entry["resource_id"]),
            (&json!("users"), &json!(1))
        );
        assert_eq!(
            (&entry["before"], &entry["after"]),
            (&before, &after),
            "{action}"
        );
    };
    admin.put(VIP, until(60)).await.created();
    newest("users.set_role", json!({}), fields(at(60))).await;
    admin.put(VIP, until(60)).await.ok();
    newest("users.set_role", json!({}), json!({})).await;
    admin.put(VIP, json!({})).await.ok();
    newest("users.set_role", fields(at(60)), fields(json!(null))).await;
    admin.put(VIP, until(60)).await.ok();
    extend(&admin, 60).await.ok();
    newest("users.extend_role", fields(at(60)), fields(at(120))).await;
    admin.delete(VIP).await.ok();
    newest("users.remove_role", fields(at(120)), json!({})).await;
    extend(&admin, 60).await.created();
    newest("users.extend_role", json!({}), fields(at(60))).await;

    app.advance(60);
    extend(&admin, 60).await.created();
    newest("users.extend_role", json!({}), fields(at(120))).await;
    let log = admin.get("/api/audit-log").await.ok();
    let ended = &log["audit_log"][1];
    assert_eq!(ended["action"], "users.role_expired");
    assert_eq!(
        (&ended["before"], &ended["after"]),
        (&fields(at(60)), &json!({}))
    );
    assert_eq!(
        (&ended["key_name"], &ended["key_id"]),
        (&json!("system"), &json!(null))
    );
}
