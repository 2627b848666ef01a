//! An expired role is held nowhere, whether or not it has been ended yet.

use serde_json::{Value, json};

use super::{ANNA, VIP, at, until, with_anna};
use crate::support::payments::currency;
use crate::support::walk::walk_ids;
use crate::support::{Client, TestApp};

/// Every read that can show a role, reduced to whether it shows VIP.
async fn shows(app: &TestApp, admin: &Client, token: &str) -> Vec<(String, bool)> {
    let has_vip = |roles: &Value| {
        let roles = roles.as_array().expect("a list of roles");
        roles.iter().any(|role| role["id"] == 1)
    };
    let mut shown = Vec::new();
    for path in [ANNA, "/api/users/by-social/steam/anna"] {
        let user = admin.get(path).await.ok()["user"].take();
        shown.push((path.to_owned(), has_vip(&user["roles"])));
        let path = format!("{path}?include=roles");
        let user = admin.get(&path).await.ok()["user"].take();
        shown.push((path, has_vip(&user["roles"])));
    }
    for path in [
        "/api/users?include=roles",
        "/api/users/search?q=anna&include=roles",
    ] {
        let list = admin.get(path).await.ok();
        shown.push((path.to_owned(), has_vip(&list["users"][0]["roles"])));
    }
    let body = json!({ "network": "steam", "values": ["anna"] });
    let found = admin
        .post("/api/users/lookup?include=roles", body)
        .await
        .ok();
    let found = has_vip(&found["users"][0]["user"]["roles"]);
    shown.push(("lookup".to_owned(), found));
    let roles = admin.get("/api/users/1/roles").await.ok();
    shown.push(("roles".to_owned(), has_vip(&roles["roles"])));
    let body = json!({ "token": token });
    let verified = admin.post("/api/sessions/verify?include=roles", body).await;
    shown.push((
        "verify".to_owned(),
        has_vip(&verified.ok()["user"]["roles"]),
    ));
    for status in ["", "&status=active", "&status=blocked", "&status=pending"] {
        for sort in ["id", "-id", "username", "-created_at"] {
            let path = format!("/api/users?role_id=1&sort={sort}{status}");
            let list = admin.get(&path).await;
            let listed = list.ok()["users"].as_array().map_or(0, Vec::len);
            assert_eq!(list.header("x-total-count"), listed.to_string(), "{path}");
            assert_eq!(
                walk_ids(admin, &path, "users").await.len(),
                listed,
                "{path}"
            );
            if status.is_empty() || status == "&status=active" {
                shown.push((path, listed == 1));
            }
        }
    }
    for path in ["/api/roles?include=members", "/api/roles/1?include=members"] {
        let body = admin.get(path).await.ok();
        let role = body.get("role").unwrap_or(&body["roles"][0]);
        shown.push((path.to_owned(), role["members"] == 1));
    }
    let export = admin.get("/api/users/export?format=ndjson&role_id=1").await;
    shown.push(("export".to_owned(), export.text.contains("anna")));
    let trial = json!({ "amount": 10, "user_id": 1 });
    let trial = admin.post("/api/promo-codes/1/validate", trial).await.ok();
    shown.push(("promo code".to_owned(), trial["valid"] == true));
    let mut read = app.core().db.read().await.expect("a connection");
    let now = app.core().expiry_now();
    let ids = accounts::users::role_ids(&mut read, now, 1)
        .await
        .expect("ids");
    shown.push(("role_ids".to_owned(), ids.contains(&1)));
    shown
}

#[service_test(with_anna())]
async fn an_expired_role_is_held_nowhere(app: TestApp, admin: Client) {
    app.link(1, 1, "anna").await;
    let token = app.sign_in("anna").await;
    let body = json!({ "code": "VIPS", "type": "amount", "value": 1, "role_ids": [1] });
    admin.post("/api/promo-codes", body).await.created();
    let usd = currency(&admin, "USD").await;
    let order = json!({
        "user_id": 1, "gateway": "stripe", "amount": 10, "currency_id": usd, "promo_code": "VIPS",
    });
    admin.put("/api/users/1/roles/2", json!({})).await.created();
    admin.put(VIP, until(60)).await.created();
    app.advance(59);
    for (what, is_shown) in shows(&app, &admin, &token).await {
        assert!(is_shown, "{what}");
    }
    admin
        .post("/api/payment-invoices", order.clone())
        .await
        .created();
    app.advance(1);
    for has_ended in [false, true] {
        for (what, is_shown) in shows(&app, &admin, &token).await {
            assert!(!is_shown, "{what}, ended: {has_ended}");
        }
        let answer = admin.post("/api/payment-invoices", order.clone()).await;
        answer.invalid(&[("promo_code", "is not for this user")]);
        let rows = app.number("SELECT COUNT(*) FROM user_roles").await;
        assert_eq!(rows, if has_ended { 1 } else { 2 });
        super::expiry::end_roles(&app.app).await;
    }
    assert_eq!(admin.total("/api/users?role_id=2").await, "1");
}

#[service_test(with_anna())]
async fn totals_leave_out_expired_roles_of_blocked_users_too(app: TestApp, admin: Client) {
    admin.put(VIP, until(60)).await.created();
    let block = json!({ "until": at(30) });
    admin.post("/api/users/1/block", block).await.ok();
    let totals = async || {
        let mut totals = Vec::new();
        for query in ["", "&status=active", "&status=blocked"] {
            totals.push(admin.total(&format!("/api/users?role_id=1{query}")).await);
        }
        totals
    };
    assert_eq!(totals().await, ["1", "0", "1"]);
    app.advance(30);
    assert_eq!(totals().await, ["1", "1", "0"], "the block has expired");
    app.advance(30);
    assert_eq!(totals().await, ["0", "0", "0"], "the role, too");
}

#[service_test(with_anna())]
async fn include_roles_adds_the_ends_and_without_it_bodies_stay_as_they_are(
    app: TestApp,
    admin: Client,
) {
    app.link(1, 1, "anna").await;
    let token = app.sign_in("anna").await;
    admin.put(VIP, until(60)).await.created();
    admin.put("/api/users/1/roles/2", json!({})).await.created();
    let plain = json!([
        { "id": 1, "name": "VIP", "description": "Pays" },
        { "id": 2, "name": "Guard", "description": "" },
    ]);
    let mut ends = plain.clone();
    ends[0]["expires_at"] = at(60);
    ends[1]["expires_at"] = json!(null);
    for path in [ANNA, "/api/users/by-social/steam/anna"] {
        for (query, expected) in [
            ("", &plain),
            ("?include=social", &plain),
            ("?include=roles", &ends),
        ] {
            let user = admin.get(&format!("{path}{query}")).await.ok();
            assert_eq!(user["user"]["roles"], *expected, "{path}{query}");
        }
    }
    let look_up = async |query: &str| {
        let body = json!({ "network": "steam", "values": ["anna"] });
        let found = admin
            .post(&format!("/api/users/lookup{query}"), body)
            .await
            .ok();
        found["users"][0]["user"]["roles"].clone()
    };
    assert_eq!(
        (look_up("").await, look_up("?include=roles").await),
        (plain, ends.clone())
    );
    let listed = admin.get("/api/users?include=roles").await.ok();
    assert_eq!(listed["users"][0]["roles"], ends);

    let verify = async |query: &str| {
        let path = format!("/api/sessions/verify{query}");
        admin.post(&path, json!({ "token": token })).await
    };
    assert_eq!(verify("").await.ok()["user"].get("roles"), None);
    assert_eq!(verify("?include=roles").await.ok()["user"]["roles"], ends);
    verify("?include=social")
        .await
        .invalid(&[("include", "must be roles")]);
}
