//! Products: prices, steps, rights, and what deleting a role or a server does to them.

use serde_json::{Value, json};

use crate::support::payments::{currency, invoice, order, shop};
use crate::support::{Client, TestApp, assert_fields};

const PRODUCTS: &str = "/api/products";

async fn server(admin: &Client) -> i64 {
    let body = json!({
        "name": "Game", "ip": "127.0.0.1", "port": 27015, "game": "cs2", "rcon_password": "hunter2",
    });
    let made = admin.post("/api/servers", body).await.created();
    made["server"]["id"].as_i64().expect("an id")
}

fn vip(steps: Value) -> Value {
    json!({ "name": "VIP", "prices": [{ "currency_id": 1, "amount": 5 }], "steps": steps })
}

#[service_test(shop())]
async fn a_product_is_created_changed_listed_and_deleted(admin: Client) {
    let role = admin.create_role("VIP").await;
    let server = server(&admin).await;
    let steps = json!([
        { "kind": "role", "role_id": role, "seconds": 2_592_000 },
        { "kind": "rcon", "server_ids": [server, server], "command": "addvip {steam_id64} {days}" },
        { "kind": "plugin", "server_ids": [server], "payload": { "item": "knife", "n": 1e3 } },
    ]);
    let made = admin.post(PRODUCTS, vip(steps)).await.created();
    assert_fields(&made, &["message", "product"]);
    let product = &made["product"];
    let fields = [
        "id",
        "name",
        "description",
        "active",
        "prices",
        "steps",
        "choose_server",
        "created_at",
        "updated_at",
    ];
    assert_fields(product, &fields);
    assert_eq!(product["description"], "");
    assert_eq!(product["active"], true);
    assert_eq!(product["choose_server"], false);
    let expected = json!([
        { "kind": "role", "role_id": role, "seconds": 2_592_000 },
        {
            "kind": "rcon", "server_ids": [server], "command": "addvip {steam_id64} {days}",
            "undo_command": null, "repeatable": false,
        },
        { "kind": "plugin", "server_ids": [server], "payload": { "item": "knife", "n": 1e3 } },
    ]);
    assert_eq!(product["steps"], expected);
    let single = admin.get("/api/products/1").await.ok();
    assert_eq!(single["product"], *product);

    let empty = admin.put("/api/products/1", json!({})).await.ok();
    assert_eq!(empty["product"], *product);
    let body = json!({ "active": false, "description": "Thirty days", "steps": [] });
    let changed = admin.put("/api/products/1", body).await.ok();
    assert_eq!(changed["product"]["steps"], json!([]));
    assert_eq!(changed["product"]["prices"], product["prices"]);
    let active = admin.get("/api/products?active=true").await;
    assert_eq!(active.ok(), json!({ "products": [] }));
    let inactive = admin.get("/api/products?active=false").await;
    assert_eq!(inactive.header("x-total-count"), "1");
    admin.delete("/api/products/1").await.ok();
    admin.get("/api/products/1").await.not_found();
}

#[service_test(shop())]
async fn every_fault_of_prices_and_steps_is_named(admin: Client) {
    let server = server(&admin).await;
    let body = json!({
        "name": "VIP",
        "prices": [{ "currency_id": 1, "amount": 5 }, { "currency_id": 1, "amount": 0 },
                   { "currency_id": 1, "amount": 6 }, { "currency_id": 9, "amount": 6 }],
        "steps": [
            { "kind": "role", "role_id": 7, "seconds": 59 },
            { "kind": "role", "role_id": 7 },
            { "kind": "gift" },
            { "kind": "rcon", "server_ids": [server], "command": "kick {name}" },
            { "kind": "rcon", "server_ids": [server], "command": "kick {steam_id2}" },
            { "kind": "rcon", "server_ids": [9], "command": "kick }" },
            { "kind": "plugin", "server_ids": [], "payload": [] },
            { "kind": "plugin", "server_ids": [9], "payload": {} },
        ],
    });
    let refused = admin.post(PRODUCTS, body).await;
    refused.invalid(&[
        ("prices.1.amount", "must be greater than 0"),
        ("prices.1.currency_id", "must not be repeated"),
        ("prices.2.currency_id", "must not be repeated"),
        ("prices.3.currency_id", "is not the id of a currency"),
        ("steps.0.role_id", "is not the id of a role"),
        ("steps.0.seconds", "must be an integer from 60 to 315360000"),
        ("steps.1.role_id", "is not the id of a role"),
        ("steps.2.kind", "must be role, rcon or plugin"),
        (
            "steps.3.command",
            "must have no other placeholders than {steam_id64}, {steam_id2}, {steam_id3}, \
             {account_id}, {discord_id}, {user_id}, {username}, {grant_id}, {invoice_id}, \
             {server_id}, {seconds}, {days} and {expires_unix}",
        ),
        (
            "steps.4.command",
            "must have {steam_id2} inside double quotes: consoles split it at its colons",
        ),
        (
            "steps.5.command",
            "must have braces only around placeholders: write {{ and }} for plain ones",
        ),
        ("steps.5.server_ids", "is not the id of a game server"),
        ("steps.6.server_ids", "must hold 1 to 50 ids"),
        ("steps.6.payload", "must be an object"),
        ("steps.7.server_ids", "is not the id of a game server"),
    ]);
    admin
        .post(PRODUCTS, json!({ "name": "VIP", "prices": [] }))
        .await
        .invalid(&[("prices", "must hold 1 to 20 prices")]);
    let big = "x".repeat(4096);
    let step = json!({ "kind": "plugin", "server_ids": [server], "payload": { "text": big } });
    admin
        .post(PRODUCTS, vip(json!([step])))
        .await
        .invalid(&[("steps.0.payload", "must be at most 4096 bytes long")]);
}

#[service_test(shop())]
async fn a_product_has_at_most_100_pairs_of_a_step_and_a_server(admin: Client) {
    let mut ids = Vec::new();
    for _ in 0..34 {
        ids.push(server(&admin).await);
    }
    let step = json!({ "kind": "rcon", "server_ids": ids, "command": "status" });
    let refused = admin.post(PRODUCTS, vip(json!([step, step, step]))).await;
    refused.invalid(&[(
        "steps",
        "must have at most 100 pairs of a step and a server",
    )]);
    admin
        .post(PRODUCTS, vip(json!([step, step])))
        .await
        .created();
}

#[service_test(shop())]
async fn steps_need_the_permission_for_what_they_do(app: TestApp, admin: Client) {
    let role = admin.create_role("VIP").await;
    let server = server(&admin).await;
    let role_step = json!([{ "kind": "role", "role_id": role }]);
    let rcon_step = json!([{ "kind": "rcon", "server_ids": [server], "command": "status" }]);
    let plugin_step = json!([{ "kind": "plugin", "server_ids": [server], "payload": {} }]);
    let seller = app.actor(&["admin.products"]).await;
    for step in [&role_step, &rcon_step] {
        let refused = seller.post(PRODUCTS, vip(step.clone())).await;
        refused.error(403, "missing_permission");
    }
    seller.post(PRODUCTS, vip(plugin_step)).await.created();
    let with_roles = app.actor(&["admin.products", "admin.users"]).await;
    with_roles
        .post(PRODUCTS, vip(role_step.clone()))
        .await
        .created();
    with_roles
        .post(PRODUCTS, vip(rcon_step.clone()))
        .await
        .error(403, "missing_permission");
    let with_consoles = app.actor(&["admin.products", "admin.servers.rcon"]).await;
    with_consoles.post(PRODUCTS, vip(rcon_step)).await.created();

    // Without `steps` in the body, no further permission is needed.
    let price = json!({ "prices": [{ "currency_id": 1, "amount": 7 }] });
    seller.put("/api/products/2", price).await.ok();
    seller
        .put("/api/products/2", json!({ "steps": role_step }))
        .await
        .error(403, "missing_permission");
    let reader = app.actor(&["admin.products.read"]).await;
    reader.get("/api/products/2").await.ok();
    reader
        .delete("/api/products/2")
        .await
        .error(403, "missing_permission");
}

#[service_test(shop())]
async fn deleting_a_role_or_a_server_makes_the_product_inactive(admin: Client) {
    let role = admin.create_role("VIP").await;
    let (kept, lost) = (server(&admin).await, server(&admin).await);
    let steps = json!([{ "kind": "role", "role_id": role }]);
    admin.post(PRODUCTS, vip(steps)).await.created();
    let steps = json!([{ "kind": "rcon", "server_ids": [kept, lost], "command": "status" }]);
    admin.post(PRODUCTS, vip(steps)).await.created();
    admin.post(PRODUCTS, vip(json!([]))).await.created();

    admin.delete(&format!("/api/roles/{role}")).await.ok();
    admin.delete(&format!("/api/servers/{lost}")).await.ok();
    let list = admin.get(PRODUCTS).await.ok();
    let active: Vec<&Value> = (0..3).map(|i| &list["products"][i]["active"]).collect();
    assert_eq!(active, [false, false, true]);
    assert_eq!(list["products"][0]["steps"][0]["role_id"], Value::Null);
    assert_eq!(list["products"][1]["steps"][0]["server_ids"], json!([kept]));
    let log = admin
        .get("/api/audit-log?action=products.disable")
        .await
        .ok();
    let entries = log["audit_log"].as_array().expect("a list");
    let about: Vec<&Value> = entries.iter().map(|entry| &entry["resource_id"]).collect();
    assert_eq!(about, [2, 1]);
    assert_eq!(
        entries[1]["after"],
        json!({ "active": false, "deleted_role_id": role })
    );
}

#[service_test(shop())]
async fn what_invoices_and_prices_name_cannot_be_deleted(admin: Client) {
    admin.post(PRODUCTS, vip(json!([]))).await.created();
    let other = currency(&admin, "USD").await;
    let prices = json!([{ "currency_id": other, "amount": 5 }, { "currency_id": 1, "amount": 5 }]);
    admin
        .put("/api/products/1", json!({ "prices": prices }))
        .await
        .ok();
    let path = format!("/api/currencies/{other}");
    admin.delete(&path).await.error(409, "currency_in_use");
    let mut body = order(json!(5));
    body["product_id"] = json!(1);
    invoice(&admin, body).await;
    admin
        .delete("/api/products/1")
        .await
        .error(409, "product_in_use");
    let one = json!([{ "currency_id": 1, "amount": 5 }]);
    admin
        .put("/api/products/1", json!({ "prices": one }))
        .await
        .ok();
    admin.delete(&path).await.ok();
}
