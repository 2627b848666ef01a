//! Deliveries for plugins on game servers.

use serde_json::{Value, json};

use super::{give, grant, month_of_vip, product, states, stocked};
use crate::support::{Client, TestApp, assert_fields};

async fn server(admin: &Client) {
    let body = json!({
        "name": "Game", "ip": "127.0.0.1", "port": 1, "game": "cs2", "rcon_password": "hunter2",
    });
    admin.post("/api/servers", body).await.created();
}

async fn pending(plugin: &Client) -> Vec<Value> {
    let list = plugin.get("/api/servers/1/deliveries").await.ok();
    list["deliveries"].as_array().expect("a list").clone()
}

async fn report(plugin: &Client, id: &Value, outcome: &str) {
    let path = format!("/api/servers/1/deliveries/{id}/{outcome}");
    plugin.post(&path, json!({})).await.ok();
}

#[service_test(stocked())]
async fn a_plugin_fetches_and_confirms_and_takes_back(app: TestApp, admin: Client) {
    server(&admin).await;
    let plugin = app.actor(&["admin.deliveries"]).await;
    let step = json!({ "kind": "plugin", "server_ids": [1], "payload": { "item": "knife" } });
    let vip = product(&admin, json!([month_of_vip(), step])).await;
    give(&admin, vip).await;
    let deliveries = pending(&plugin).await;
    let fields = [
        "id",
        "kind",
        "grant_id",
        "product",
        "user",
        "steam_id64",
        "payload",
        "expires_at",
    ];
    assert_fields(&deliveries[0], &fields);
    assert_eq!(deliveries[0]["kind"], "grant");
    assert_eq!(
        deliveries[0]["user"],
        json!({ "id": 1, "username": "anna" })
    );
    assert_eq!(deliveries[0]["steam_id64"], "76561197960265729");
    assert_eq!(deliveries[0]["payload"], json!({ "item": "knife" }));
    assert_eq!(deliveries[0]["expires_at"], "2026-03-31T12:00:00Z");
    for (steam_id, count) in [("76561197960265729", 1), ("76561197960265730", 0)] {
        let path = format!("/api/servers/1/deliveries?steam_id64={steam_id}");
        let list = plugin.get(&path).await.ok();
        assert_eq!(list["deliveries"].as_array().map(Vec::len), Some(count));
    }
    let id = &deliveries[0]["id"];
    report(&plugin, id, "done").await;
    report(&plugin, id, "done").await;
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("done", vec!["done", "done"])
    );
    assert!(pending(&plugin).await.is_empty());

    admin.post("/api/grants/1/revoke", json!({})).await.ok();
    let deliveries = pending(&plugin).await;
    assert_eq!(deliveries[0]["kind"], "revoke");
    assert_ne!(deliveries[0]["id"], *id);
    // A late confirmation of the first delivery does not confirm the second.
    report(&plugin, id, "done").await;
    assert_eq!(pending(&plugin).await.len(), 1);
    report(&plugin, &deliveries[0]["id"], "done").await;
    assert_eq!(
        states(&grant(&admin, 1).await),
        ("revoked", vec!["undone", "undone"])
    );
}

#[service_test(stocked())]
async fn a_failed_delivery_needs_attention_and_can_be_retried(app: TestApp, admin: Client) {
    server(&admin).await;
    let plugin = app.actor(&["admin.deliveries"]).await;
    let step = json!({ "kind": "plugin", "server_ids": [1], "payload": {} });
    let vip = product(&admin, json!([step])).await;
    give(&admin, vip).await;
    let id = pending(&plugin).await[0]["id"].clone();
    let path = format!("/api/servers/1/deliveries/{id}/failed");
    plugin
        .post(&path, json!({ "reason": "Inventory full" }))
        .await
        .ok();
    let given = grant(&admin, 1).await;
    assert_eq!(states(&given), ("attention", vec!["failed"]));
    assert_eq!(given["steps"][0]["error"], "Inventory full");
    let retry = format!("/api/grants/1/steps/{}/retry", given["steps"][0]["id"]);
    admin.post(&retry, json!({})).await.ok();
    assert_eq!(pending(&plugin).await[0]["id"], id);
}

#[service_test(stocked())]
async fn a_delivery_that_was_fetched_before_it_was_revoked_is_taken_back(
    app: TestApp,
    admin: Client,
) {
    server(&admin).await;
    let plugin = app.actor(&["admin.deliveries"]).await;
    let step = json!({ "kind": "plugin", "server_ids": [1], "payload": {} });
    let vip = product(&admin, json!([step])).await;
    give(&admin, vip).await;
    let id = pending(&plugin).await[0]["id"].clone();
    admin.post("/api/grants/1/revoke", json!({})).await.ok();
    assert!(pending(&plugin).await.is_empty());
    report(&plugin, &id, "done").await;
    assert_eq!(pending(&plugin).await[0]["kind"], "revoke");
}

#[service_test(stocked())]
async fn deliveries_need_their_permission_and_a_server(app: TestApp, admin: Client) {
    server(&admin).await;
    server(&admin).await;
    let plugin = app.actor(&["admin.deliveries"]).await;
    plugin.get("/api/servers/9/deliveries").await.not_found();
    plugin
        .get("/api/products")
        .await
        .error(403, "missing_permission");
    let reader = app.actor(&["admin.products"]).await;
    reader
        .get("/api/servers/1/deliveries")
        .await
        .error(403, "missing_permission");
    let step = json!({ "kind": "plugin", "server_ids": [1], "payload": {} });
    let vip = product(&admin, json!([step])).await;
    give(&admin, vip).await;
    let id = pending(&plugin).await[0]["id"].clone();
    let elsewhere = format!("/api/servers/2/deliveries/{id}/done");
    plugin.post(&elsewhere, json!({})).await.not_found();
    let path = "/api/servers/1/deliveries/999/done";
    plugin.post(path, json!({})).await.not_found();
    plugin
        .get("/api/servers/1/deliveries?steam_id64=gordon")
        .await
        .invalid(&[(
            "steam_id64",
            "must be a SteamID64 such as 76561197960265729",
        )]);
}
