//! For each operation: a resource to call it on, and what to send.

use std::sync::atomic::{AtomicU64, Ordering};

use rcon::testing::Behaviour;
use serde_json::{Value, json};

use super::document::Operation;
use crate::support::{Answer, Client, TestApp, payments, server_with_console, sign_in};

/// A request that succeeds, once.
pub struct Fixture {
    /// Fills the placeholders of the path.
    pub ids: Vec<i64>,
    /// The query string with its question mark.
    pub query: &'static str,
    pub body: Option<Value>,
    /// The action in the audit log; empty for a read.
    pub action: &'static str,
    /// The game server that it acts on, if it changes nothing in the database.
    pub outside: Option<rcon::testing::Server>,
    /// The resource id of the audit entry, if neither the path nor the reply has it.
    pub about: Option<i64>,
    /// The path that shows the change, if it is not the list that the path begins with.
    pub seen_at: Option<String>,
}

impl Fixture {
    fn read(ids: &[i64]) -> Self {
        Self {
            ids: ids.to_vec(),
            query: "",
            body: None,
            action: "",
            outside: None,
            about: None,
            seen_at: None,
        }
    }

    fn write(action: &'static str, ids: &[i64], body: Value) -> Self {
        Self {
            body: Some(body),
            ..Self::write_empty(action, ids)
        }
    }

    /// A write without a body.
    fn write_empty(action: &'static str, ids: &[i64]) -> Self {
        Self {
            action,
            ..Self::read(ids)
        }
    }

    pub async fn send(&self, caller: &Client, operation: &Operation) -> Answer {
        let path = operation.path_to(&self.ids) + self.query;
        let method = operation.method.clone();
        caller.send(method, &path, self.body.clone()).await
    }
}

/// Creates new resources that the operation needs and returns how to call it.
pub async fn fixture(operation: &Operation, app: &TestApp) -> Fixture {
    let admin = &app.admin();
    match operation.id.as_str() {
        "getStatus" | "listApiKeys" | "listAuditLog" | "listNavbarItems" | "listOwnPermissions"
        | "listPages" | "listPermissions" | "listRoles" | "listServers" => Fixture::read(&[]),

        "getApiKey" | "getApiKeyRestrictions" => Fixture::read(&[api_key(admin).await]),
        "createApiKey" => Fixture::write("api_keys.create", &[], json!({ "name": "Shop" })),
        "updateApiKey" => {
            let body = json!({ "name": "Forum", "active": false });
            Fixture::write("api_keys.update", &[api_key(admin).await], body)
        }
        "deleteApiKey" => Fixture::write_empty("api_keys.delete", &[api_key(admin).await]),
        "rotateApiKey" => {
            let body = json!({ "overlap_seconds": 60 });
            Fixture::write("api_keys.rotate", &[api_key(admin).await], body)
        }
        "setApiKeyRestrictions" => {
            let body = json!({ "requests_per_second": 10 });
            Fixture::write("api_keys.restrictions", &[api_key(admin).await], body)
        }
        "regenerateApiKey" => Fixture::write_empty("api_keys.regenerate", &[api_key(admin).await]),
        "setApiKeyPermissions" => {
            let body = json!({ "permission_ids": [9] });
            Fixture::write("api_keys.permissions", &[api_key(admin).await], body)
        }

        "getRole" => Fixture::read(&[role(admin).await]),
        "createRole" => Fixture::write("roles.create", &[], json!({ "name": "Guard" })),
        "updateRole" => {
            let body = json!({ "name": "Guard", "color": "#1e90ff" });
            Fixture::write("roles.update", &[role(admin).await], body)
        }
        "deleteRole" => Fixture::write_empty("roles.delete", &[role(admin).await]),
        "setRolePermissions" => {
            let body = json!({ "permission_ids": [4, 5] });
            Fixture::write("roles.permissions", &[role(admin).await], body)
        }

        "getNavbarItem" | "listNavbarItemRoles" => Fixture::read(&[navbar_item(admin).await.0]),
        "createNavbarItem" => {
            Fixture::write("navbar_items.create", &[], json!({ "title": "Home" }))
        }
        "updateNavbarItem" => {
            let body = json!({ "title": "Shop", "url": "/shop", "roles": [] });
            Fixture::write("navbar_items.update", &[navbar_item(admin).await.0], body)
        }
        "deleteNavbarItem" => {
            Fixture::write_empty("navbar_items.delete", &[navbar_item(admin).await.0])
        }
        "reorderNavbarItems" => {
            let (id, _) = navbar_item(admin).await;
            let body = json!({ "items": [{ "id": id, "position": 7 }] });
            Fixture::write("navbar_items.reorder", &[], body)
        }
        "addNavbarItemRoles" => {
            let body = json!({ "roles": [role(admin).await] });
            Fixture::write(
                "navbar_items.add_roles",
                &[navbar_item(admin).await.0],
                body,
            )
        }
        "removeNavbarItemRoles" => {
            let (id, role) = navbar_item(admin).await;
            let body = json!({ "roles": [role] });
            Fixture::write("navbar_items.remove_roles", &[id], body)
        }

        "listGames" => Fixture::read(&[]),
        "getServer" | "getServerLive" | "getServerHistory" | "queryServer" => {
            Fixture::read(&[server(admin).await])
        }
        "createServer" => Fixture::write("servers.create", &[], new_server()),
        "updateServer" => {
            let body = json!({ "name": "Inferno", "port": 27016 });
            Fixture::write("servers.update", &[server(admin).await], body)
        }
        "deleteServer" => Fixture::write_empty("servers.delete", &[server(admin).await]),
        "toggleServer" => Fixture::write_empty("servers.toggle", &[server(admin).await]),
        "runServerCommand" => {
            let (outside, id) = server_with_console(admin, Behaviour::Valve).await;
            Fixture {
                outside: Some(outside),
                ..Fixture::write("servers.rcon", &[id], json!({ "command": "echo hello" }))
            }
        }

        "getPage" | "listPageBlocks" => Fixture::read(&[page(admin).await]),
        "createPage" => Fixture::write("pages.create", &[], new_page()),
        "updatePage" => {
            let body = json!({ "title": "Contact", "is_active": false });
            Fixture::write("pages.update", &[page(admin).await], body)
        }
        "deletePage" => Fixture::write_empty("pages.delete", &[page(admin).await]),

        "addPageBlock" => Fixture::write("pages.add_block", &[page(admin).await], new_block()),
        "updatePageBlock" => {
            let body = json!({ "content": "<p>Changed</p>" });
            Fixture::write("pages.update_block", &block(admin).await, body)
        }
        "removePageBlock" => Fixture::write_empty("pages.remove_block", &block(admin).await),
        "reorderPageBlocks" => {
            let [page, block] = block(admin).await;
            let body = json!({ "items": [{ "id": block, "order": 7 }] });
            Fixture::write("pages.reorder_blocks", &[page], body)
        }

        "listPromoCodes" | "listPaymentGateways" | "listSocialNetworks" => Fixture::read(&[]),
        "getPromoCode" => Fixture::read(&[promo_code(admin).await]),
        "createPromoCode" => Fixture::write("promo_codes.create", &[], new_promo_code()),
        "updatePromoCode" => {
            let body = json!({ "value": 2, "active": false });
            Fixture::write("promo_codes.update", &[promo_code(admin).await], body)
        }
        "deletePromoCode" => Fixture::write_empty("promo_codes.delete", &[promo_code(admin).await]),
        "validatePromoCode" => Fixture {
            body: Some(json!({ "amount": 10 })),
            ..Fixture::read(&[promo_code(admin).await])
        },

        "getPaymentGateway" => Fixture::read(&[gateway(admin).await]),
        "createPaymentGateway" => Fixture::write("payment_gateways.create", &[], new_gateway()),
        "updatePaymentGateway" => {
            let body = json!({ "name": "Cards", "enabled": false });
            Fixture::write("payment_gateways.update", &[gateway(admin).await], body)
        }
        "deletePaymentGateway" => {
            Fixture::write_empty("payment_gateways.delete", &[gateway(admin).await])
        }

        "getSocialNetwork" => Fixture::read(&[network(admin).await]),
        "createSocialNetwork" => Fixture::write("social_networks.create", &[], new_network()),
        "updateSocialNetwork" => {
            let body = json!({ "title": "Changed" });
            Fixture::write("social_networks.update", &[network(admin).await], body)
        }
        "deleteSocialNetwork" => {
            Fixture::write_empty("social_networks.delete", &[network(admin).await])
        }

        "listCurrencies"
        | "listPaymentInvoices"
        | "exportPaymentInvoices"
        | "getPaymentStatistics" => Fixture::read(&[]),
        "getCurrency" => Fixture::read(&[currency(admin).await]),
        "createCurrency" => Fixture::write("currencies.create", &[], new_currency()),
        "updateCurrency" => {
            let body = json!({ "exchange_rate": 2 });
            Fixture::write("currencies.update", &[currency(admin).await], body)
        }
        "deleteCurrency" => {
            Fixture::write_empty("currencies.delete", &[second_currency(admin).await])
        }
        "setDefaultCurrency" => {
            Fixture::write_empty("currencies.default", &[second_currency(admin).await])
        }

        "getPaymentInvoice" => Fixture::read(&[invoice(app).await]),
        "createPaymentInvoice" => {
            Fixture::write("payment_invoices.create", &[], new_invoice(app).await)
        }
        "setPaymentInvoiceStatus" => {
            let body = json!({ "is_paid": true });
            Fixture::write("payment_invoices.status", &[invoice(app).await], body)
        }
        "failPaymentInvoice" => {
            let body = json!({ "reason": "Declined" });
            Fixture::write("payment_invoices.fail", &[invoice(app).await], body)
        }
        "deletePaymentInvoice" => {
            Fixture::write_empty("payment_invoices.delete", &[invoice(app).await])
        }

        "listUsers" | "exportUsers" => Fixture::read(&[]),
        "searchUsers" => Fixture {
            query: "?q=fixture",
            ..Fixture::read(&[])
        },
        "getUser" | "listUserBlocks" | "listUserSocialNetworks" | "listUserDevices" => {
            Fixture::read(&[user(admin).await])
        }
        "createUser" => Fixture::write("users.create", &[], new_user()),
        "updateUser" => {
            let body = json!({ "status": "pending", "password": "correct horse" });
            Fixture::write("users.update", &[user(admin).await], body)
        }
        "deleteUser" => Fixture::write_empty("users.delete", &[user(admin).await]),
        "changeUsers" => {
            let body = json!({ "ids": [user(admin).await], "block": {} });
            Fixture::write("users.bulk", &[], body)
        }
        "blockUser" => {
            let body = json!({ "reason": "Spam" });
            Fixture::write("users.block", &[user(admin).await], body)
        }
        "unblockUser" => {
            let id = user(admin).await;
            admin
                .post_empty(&format!("/api/users/{id}/block"))
                .await
                .ok();
            Fixture::write_empty("users.unblock", &[id])
        }
        "setUserRoles" => {
            let body = json!({ "role_ids": [role(admin).await] });
            Fixture::write("users.roles", &[user(admin).await], body)
        }
        "addUserSocialNetwork" => {
            let body = json!({ "network_id": 1, "profile_url": "gordon" });
            Fixture::write("users.add_social_network", &[user(admin).await], body)
        }
        "deleteUserSocialNetwork" => {
            let user = user(admin).await;
            let path = format!("/api/users/{user}/social-networks");
            let body = json!({ "network_id": 1, "profile_url": "gordon" });
            let link = make(admin, &path, body).await;
            Fixture::write_empty("users.remove_social_network", &[user, link])
        }
        "addUserDevice" => {
            let body = json!({ "name": "Phone", "user_agent": "Mozilla/5.0" });
            Fixture::write("users.add_device", &[user(admin).await], body)
        }
        "deleteUserDevice" => {
            let user = user(admin).await;
            let device = app.device(user, "Phone").await;
            Fixture::write_empty("users.remove_device", &[user, device])
        }

        "createSession" => {
            let (id, body) = visitor(admin).await;
            Fixture {
                seen_at: Some(format!("/api/users/{id}/devices")),
                ..Fixture::write("sessions.create", &[], body)
            }
        }
        "verifySession" => Fixture {
            body: Some(session(admin).await.1),
            ..Fixture::read(&[])
        },
        "deleteSession" => {
            let (device, body) = session(admin).await;
            Fixture {
                about: Some(device),
                seen_at: Some("/api/users".into()),
                ..Fixture::write("sessions.delete", &[], body)
            }
        }

        unknown => panic!("the operation {unknown} has no fixture: add one to this table"),
    }
}

async fn api_key(admin: &Client) -> i64 {
    make(admin, "/api/api-keys", json!({ "name": "Fixture" })).await
}

async fn role(admin: &Client) -> i64 {
    make(admin, "/api/roles", json!({ "name": "Fixture" })).await
}

/// An item, and the role that it has.
async fn navbar_item(admin: &Client) -> (i64, i64) {
    let role = role(admin).await;
    let body = json!({ "title": "Fixture", "roles": [role] });
    (make(admin, "/api/navbar-items", body).await, role)
}

async fn server(admin: &Client) -> i64 {
    make(admin, "/api/servers", new_server()).await
}

fn new_server() -> Value {
    json!({
        "name": "Fixture", "ip": "127.0.0.7", "port": 27015, "game": "cs2",
        "rcon_password": "hunter2",
    })
}

async fn page(admin: &Client) -> i64 {
    make(admin, "/api/cms-pages", new_page()).await
}

/// Each has its own slug.
fn new_page() -> Value {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let slug = format!("fixture-{}", COUNT.fetch_add(1, Ordering::Relaxed));
    json!({ "title": "Fixture", "slug": slug, "content": "<p>Fixture</p>" })
}

/// A page, and a block of it.
async fn block(admin: &Client) -> [i64; 2] {
    let page = page(admin).await;
    let path = format!("/api/cms-pages/{page}/blocks");
    [page, make(admin, &path, new_block()).await]
}

fn new_block() -> Value {
    json!({ "type": "text", "content": "<p>Fixture</p>" })
}

async fn promo_code(admin: &Client) -> i64 {
    make(admin, "/api/promo-codes", new_promo_code()).await
}

fn new_promo_code() -> Value {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let code = format!("FIXTURE{}", MADE.fetch_add(1, Ordering::Relaxed));
    json!({ "code": code, "type": "amount", "value": 1 })
}

async fn gateway(admin: &Client) -> i64 {
    make(admin, "/api/payment-gateways", new_gateway()).await
}

fn new_gateway() -> Value {
    static MADE: AtomicU64 = AtomicU64::new(0);
    json!({ "key": format!("fixture-{}", MADE.fetch_add(1, Ordering::Relaxed)) })
}

async fn network(admin: &Client) -> i64 {
    make(admin, "/api/social-networks", new_network()).await
}

fn new_network() -> Value {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let name = format!("fixture-{}", MADE.fetch_add(1, Ordering::Relaxed));
    json!({ "name": name, "title": "Fixture" })
}

async fn currency(admin: &Client) -> i64 {
    make(admin, "/api/currencies", new_currency()).await
}

/// One that is not the default.
async fn second_currency(admin: &Client) -> i64 {
    currency(admin).await;
    currency(admin).await
}

fn new_currency() -> Value {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let code = format!("{:03x}", MADE.fetch_add(1, Ordering::Relaxed));
    json!({ "code": code, "minimum_value": 0, "exchange_rate": 1 })
}

async fn invoice(app: &TestApp) -> i64 {
    let body = new_invoice(app).await;
    make(&app.admin(), "/api/payment-invoices", body).await
}

async fn new_invoice(app: &TestApp) -> Value {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let name = format!("payer{}", MADE.fetch_add(1, Ordering::Relaxed));
    let user_id = payments::user(app, &name).await;
    let currency_id = currency(&app.admin()).await;
    json!({ "user_id": user_id, "gateway": "stripe", "amount": 9.99, "currency_id": currency_id })
}

async fn user(admin: &Client) -> i64 {
    make(admin, "/api/users", new_user()).await
}

/// A user, and the body that signs in.
async fn visitor(admin: &Client) -> (i64, Value) {
    let user = new_user();
    let body = sign_in(user["username"].as_str().expect("a name"));
    (make(admin, "/api/users", user).await, body)
}

/// The device of a signed-in user, and the body that names the session.
async fn session(admin: &Client) -> (i64, Value) {
    let (_, body) = visitor(admin).await;
    let made = admin.post("/api/sessions", body).await.created();
    (created_id(&made), json!({ "token": made["session_token"] }))
}

/// A user with a new name.
fn new_user() -> Value {
    static MET: AtomicU64 = AtomicU64::new(0);
    let name = format!("fixture{}", MET.fetch_add(1, Ordering::Relaxed));
    json!({
        "username": name,
        "email": format!("{name}@example.com"),
        "password": "battery staple",
    })
}

async fn make(admin: &Client, path: &str, body: Value) -> i64 {
    created_id(&admin.post(path, body).await.created())
}

/// The id of the created resource, whatever its name in the reply.
pub fn created_id(reply: &Value) -> i64 {
    let parts = reply.as_object().expect("an object").values();
    let mut ids = parts.filter_map(|part| part["id"].as_i64());
    ids.next().unwrap_or_else(|| panic!("no id in {reply}"))
}
