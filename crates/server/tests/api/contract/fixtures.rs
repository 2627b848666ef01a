//! For each operation: a resource to call it on, and what to send.

use game_servers::servers::live::poller;
use kernel::types::Timestamp;
use platform::webhooks::{queue, sender};
use rcon::testing::Behaviour;
use serde_json::{Value, json};

use super::document::Operation;
use crate::support::game_server::{self, GameServer};
use crate::support::guild;
use crate::support::receiver::Receiver;
use crate::support::{
    self, Answer, Client, TestApp, eventually, payments, providers, server_with_console, sign_in,
};

/// A request that succeeds, once.
pub struct Fixture {
    /// Fills the placeholders of the path.
    pub ids: Vec<i64>,
    /// The query string with its question mark.
    pub query: &'static str,
    pub body: Option<Value>,
    /// The action in the audit log; empty for a read.
    pub action: &'static str,
    /// The target outside the database, if it changes nothing in it.
    pub outside: Option<Outside>,
    /// The game server that the service asks; it runs as long as this.
    _running: Option<GameServer>,
    /// The resource id of the audit entry, if neither the path nor the reply has it.
    pub about: Option<i64>,
    /// The path that shows the change, if it is not the list that the path begins with.
    pub seen_at: Option<String>,
}

/// Something that no transaction can roll back.
pub enum Outside {
    Console(rcon::testing::Server),
    Receiver(Receiver),
}

impl Outside {
    /// Whether anything was done there.
    pub fn is_untouched(&self) -> bool {
        match self {
            Self::Console(server) => server.commands().is_empty(),
            Self::Receiver(receiver) => receiver.requests().is_empty(),
        }
    }
}

impl Fixture {
    fn read(ids: &[i64]) -> Self {
        Self {
            ids: ids.to_vec(),
            query: "",
            body: None,
            action: "",
            outside: None,
            _running: None,
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
        "getStatus" | "listOwnPermissions" | "listPermissions" => Fixture::read(&[]),

        "listBackups" => {
            backup(app).await;
            Fixture::read(&[])
        }
        "downloadBackup" => Fixture::read(&[backup(app).await]),
        "createBackup" => {
            no_backup_runs(app).await;
            Fixture::write_empty("backups.create", &[])
        }
        "deleteBackup" => {
            let id = backup(app).await;
            // The newest one cannot be deleted.
            backup(app).await;
            Fixture::write_empty("backups.delete", &[id])
        }

        "listApiKeys" => {
            api_key(app).await;
            Fixture::read(&[])
        }
        "listAuditLog" | "exportAuditLog" => {
            let path = format!("/api/roles/{}", role(app).await);
            admin.put(&path, json!({ "name": "Guard" })).await.ok();
            Fixture {
                query: "?resource=roles",
                ..Fixture::read(&[])
            }
        }
        "listenToEvents" => Fixture {
            query: "?after=0",
            ..Fixture::read(&[])
        },

        "getApiKey" | "getApiKeyRestrictions" => Fixture::read(&[api_key(app).await]),
        "createApiKey" => Fixture::write("api_keys.create", &[], json!({ "name": "Shop" })),
        "updateApiKey" => {
            let body = json!({ "name": "Forum", "active": false });
            Fixture::write("api_keys.update", &[api_key(app).await], body)
        }
        "deleteApiKey" => Fixture::write_empty("api_keys.delete", &[api_key(app).await]),
        "rotateApiKey" => {
            let body = json!({ "overlap_seconds": 60 });
            Fixture::write("api_keys.rotate", &[api_key(app).await], body)
        }
        "setApiKeyRestrictions" => {
            let body = json!({ "requests_per_second": 10 });
            Fixture::write("api_keys.restrictions", &[api_key(app).await], body)
        }
        "regenerateApiKey" => Fixture::write_empty("api_keys.regenerate", &[api_key(app).await]),
        "setApiKeyPermissions" => {
            let body = json!({ "permission_ids": [9] });
            Fixture::write("api_keys.permissions", &[api_key(app).await], body)
        }

        "listRoles" => {
            role(app).await;
            Fixture::read(&[])
        }
        "getRole" => Fixture::read(&[role(app).await]),
        "createRole" => Fixture::write("roles.create", &[], new_role()),
        "updateRole" => {
            let body = json!({ "name": "Guard", "color": "#1e90ff" });
            Fixture::write("roles.update", &[role(app).await], body)
        }
        "deleteRole" => Fixture::write_empty("roles.delete", &[role(app).await]),
        "setRolePermissions" => {
            let body = json!({ "permission_ids": [4, 5] });
            Fixture::write("roles.permissions", &[role(app).await], body)
        }

        "listNavbarItems" => {
            navbar_item(app).await;
            Fixture::read(&[])
        }
        "getNavbarItem" | "listNavbarItemRoles" => Fixture::read(&[navbar_item(app).await.0]),
        "createNavbarItem" => {
            Fixture::write("navbar_items.create", &[], json!({ "title": "Home" }))
        }
        "updateNavbarItem" => {
            let body = json!({ "title": "Shop", "url": "/shop", "roles": [] });
            Fixture::write("navbar_items.update", &[navbar_item(app).await.0], body)
        }
        "deleteNavbarItem" => {
            Fixture::write_empty("navbar_items.delete", &[navbar_item(app).await.0])
        }
        "reorderNavbarItems" => {
            let (id, _) = navbar_item(app).await;
            let body = json!({ "items": [{ "id": id, "position": 7 }] });
            Fixture::write("navbar_items.reorder", &[], body)
        }
        "addNavbarItemRoles" => {
            let body = json!({ "roles": [role(app).await] });
            Fixture::write("navbar_items.add_roles", &[navbar_item(app).await.0], body)
        }
        "removeNavbarItemRoles" => {
            let (id, role) = navbar_item(app).await;
            let body = json!({ "roles": [role] });
            Fixture::write("navbar_items.remove_roles", &[id], body)
        }

        "listGames" => Fixture::read(&[]),
        "listServers" => {
            server(app).await;
            Fixture::read(&[])
        }
        "getServer" => Fixture::read(&[server(app).await]),
        "getServerLive" => {
            let (running, id) = running_server(app).await;
            let answer = admin.post_empty(&format!("/api/servers/{id}/query")).await;
            answer.ok();
            Fixture {
                _running: Some(running),
                ..Fixture::read(&[id])
            }
        }
        "getServerHistory" => {
            let (running, id) = running_server(app).await;
            poller::once(&app.app.servers).await.expect("a round");
            Fixture {
                _running: Some(running),
                query: "?from=2026-03-01T12:00:00Z&to=2026-03-01T12:10:00Z&step=300",
                ..Fixture::read(&[id])
            }
        }
        "queryServer" => {
            let (running, id) = running_server(app).await;
            Fixture {
                _running: Some(running),
                ..Fixture::read(&[id])
            }
        }
        "resolveServerAddress" => Fixture {
            body: Some(json!({ "address": "127.0.0.1:27015" })),
            ..Fixture::read(&[])
        },
        "createServer" => Fixture::write("servers.create", &[], new_server()),
        "updateServer" => {
            let body = json!({ "name": "Inferno", "port": 27016 });
            Fixture::write("servers.update", &[server(app).await], body)
        }
        "deleteServer" => Fixture::write_empty("servers.delete", &[server(app).await]),
        "toggleServer" => Fixture::write_empty("servers.toggle", &[server(app).await]),
        "runServerCommand" => {
            let (outside, id) = server_with_console(admin, Behaviour::Valve).await;
            Fixture {
                outside: Some(Outside::Console(outside)),
                ..Fixture::write("servers.rcon", &[id], json!({ "command": "echo hello" }))
            }
        }

        "listPages" => {
            page(app).await;
            Fixture::read(&[])
        }
        "getPage" => Fixture::read(&[page(app).await]),
        "listPageBlocks" => Fixture::read(&block(app).await[..1]),
        "createPage" => Fixture::write("pages.create", &[], new_page(app)),
        "updatePage" => {
            let body = json!({ "title": "Contact", "is_active": false });
            Fixture::write("pages.update", &[page(app).await], body)
        }
        "deletePage" => Fixture::write_empty("pages.delete", &[page(app).await]),

        "addPageBlock" => Fixture::write("pages.add_block", &[page(app).await], new_block()),
        "updatePageBlock" => {
            let body = json!({ "content": "<p>Welcome back!</p>" });
            Fixture::write("pages.update_block", &block(app).await, body)
        }
        "removePageBlock" => Fixture::write_empty("pages.remove_block", &block(app).await),
        "reorderPageBlocks" => {
            let [page, block] = block(app).await;
            let body = json!({ "items": [{ "id": block, "order": 7 }] });
            Fixture::write("pages.reorder_blocks", &[page], body)
        }

        "listSocialNetworks" => Fixture::read(&[]),
        "listPaymentGateways" => {
            gateway(app).await;
            Fixture::read(&[])
        }
        "listPromoCodes" => {
            promo_code(app).await;
            Fixture::read(&[])
        }
        "getPromoCode" => Fixture::read(&[promo_code(app).await]),
        "createPromoCode" => Fixture::write("promo_codes.create", &[], new_promo_code(app)),
        "updatePromoCode" => {
            let body = json!({ "value": 2, "active": false });
            Fixture::write("promo_codes.update", &[promo_code(app).await], body)
        }
        "deletePromoCode" => Fixture::write_empty("promo_codes.delete", &[promo_code(app).await]),
        "validatePromoCode" => Fixture {
            body: Some(json!({ "amount": 10 })),
            ..Fixture::read(&[promo_code(app).await])
        },

        "listProducts" => {
            product(app).await;
            Fixture::read(&[])
        }
        "getProduct" => Fixture::read(&[product(app).await]),
        "createProduct" => Fixture::write("products.create", &[], new_product(app).await),
        "updateProduct" => {
            let body = json!({ "description": "Thirty days", "active": false });
            Fixture::write("products.update", &[product(app).await], body)
        }
        "deleteProduct" => Fixture::write_empty("products.delete", &[product(app).await]),
        "listGrants" => {
            grant(app).await;
            Fixture::read(&[])
        }
        "getGrant" => Fixture::read(&[grant(app).await[0]]),
        "createGrant" => Fixture::write("grants.create", &[], new_grant(app).await),
        "cancelGrant" => Fixture::write_empty("grants.cancel", &[grant(app).await[0]]),
        "revokeGrant" => Fixture::write_empty("grants.revoke", &[grant(app).await[0]]),
        "retryGrantStep" => {
            let [grant, step, ..] = failed_grant(app).await;
            Fixture {
                about: Some(grant),
                ..Fixture::write_empty("grants.retry", &[grant, step])
            }
        }
        "resolveGrantStep" => {
            let [grant, step, ..] = failed_grant(app).await;
            let body = json!({ "note": "Given by hand." });
            Fixture {
                about: Some(grant),
                ..Fixture::write("grants.resolve", &[grant, step], body)
            }
        }
        "getDiscord" | "listDiscordServerRoles" => {
            discord(app).await;
            Fixture::read(&[])
        }
        "setDiscord" => {
            discord(app).await;
            let trusts = app.next_number("trust").is_multiple_of(2);
            Fixture {
                about: Some(1),
                ..Fixture::write("discord.update", &[], json!({ "trust_links": trusts }))
            }
        }
        "removeDiscord" => {
            discord_role(app).await;
            Fixture {
                about: Some(1),
                seen_at: Some("/api/discord/roles".to_owned()),
                ..Fixture::write_empty("discord.delete", &[])
            }
        }
        "listDiscordRoles" => {
            discord_role(app).await;
            Fixture::read(&[])
        }
        "setDiscordRoles" => {
            discord(app).await;
            let body = json!({ "mappings": [
                { "role_id": role(app).await, "discord_role_id": guild::VIP.to_string() },
            ] });
            Fixture {
                about: Some(1),
                seen_at: Some("/api/discord/roles".to_owned()),
                ..Fixture::write("discord.roles", &[], body)
            }
        }
        "checkDiscord" => {
            discord_role(app).await;
            Fixture {
                body: None,
                ..Fixture::read(&[])
            }
        }
        "listDiscordMembers" => {
            discord_member(app).await;
            Fixture::read(&[])
        }
        "repairDiscord" => {
            discord_member(app).await;
            Fixture {
                about: Some(1),
                ..Fixture::write("discord.repair", &[], json!({ "dry_run": false }))
            }
        }
        "listBans" | "exportBans" => {
            ban(app).await;
            Fixture::read(&[])
        }
        "followBans" => {
            ban(app).await;
            Fixture {
                query: "?after=0",
                ..Fixture::read(&[])
            }
        }
        "getBan" => Fixture::read(&[ban(app).await]),
        "checkBan" => {
            ban(app).await;
            Fixture {
                query: "?steam_id64=76561197969249708&server_id=1",
                ..Fixture::read(&[])
            }
        }
        "checkBans" => {
            ban(app).await;
            let players = json!([{ "steam_id64": "STEAM_1:0:4491990", "ip": "192.0.2.7" }]);
            Fixture {
                body: Some(json!({ "players": players })),
                ..Fixture::read(&[])
            }
        }
        "createBan" => Fixture::write("bans.create", &[], new_ban()),
        "updateBan" => {
            let body = json!({ "reason": "Aimbot", "note": "Seen twice" });
            Fixture::write("bans.update", &[ban(app).await], body)
        }
        "liftBan" => {
            let body = json!({ "reason": "Appealed" });
            Fixture::write("bans.lift", &[ban(app).await], body)
        }
        "liftBansOfPlayer" => {
            // Each ban that is lifted has an entry of its own.
            let body = json!({ "steam_id64": "[U:1:1]", "reason": "Appealed" });
            Fixture::write("bans.lift_all", &[], body)
        }
        "kickBannedPlayer" => {
            let server = server(app).await;
            let id = ban(app).await;
            let path = format!("/api/servers/{server}/commands");
            let body = json!({ "kick_command": "kick {steam_id64}" });
            admin.put(&path, body).await.ok();
            Fixture {
                seen_at: Some(format!("/api/bans/{id}")),
                ..Fixture::write_empty("bans.kick", &[id])
            }
        }
        "getServerCommands" => Fixture::read(&[server(app).await]),
        "updateServerCommands" => {
            let id = server(app).await;
            let body = json!({ "kick_command": "kick {steam_id64}" });
            Fixture {
                seen_at: Some(format!("/api/servers/{id}/commands")),
                ..Fixture::write("servers.commands", &[id], body)
            }
        }
        "listServerDeliveries" => Fixture::read(&[grant(app).await[2]]),
        "confirmServerDelivery" => {
            let [grant, step, server] = grant(app).await;
            Fixture {
                about: Some(grant),
                seen_at: Some(format!("/api/grants/{grant}")),
                ..Fixture::write_empty("grants.deliver", &[server, 2 * step])
            }
        }
        "failServerDelivery" => {
            // It needs attention already, so there is no second entry.
            let [grant, step, server] = grant(app).await;
            let other = 2 * (step + 1);
            let path = format!("/api/servers/{server}/deliveries/{other}/failed");
            admin.post(&path, json!({})).await.ok();
            let body = json!({ "reason": "The inventory is full." });
            Fixture {
                about: Some(grant),
                seen_at: Some(format!("/api/grants/{grant}")),
                ..Fixture::write("grants.fail_delivery", &[server, 2 * step], body)
            }
        }
        "refundPaymentInvoice" => {
            let id = invoice(app).await;
            payments::pay(admin, &json!(id)).await.ok();
            let body = json!({ "kind": "refund", "reason": "Ordered twice" });
            Fixture::write("payment_invoices.refund", &[id], body)
        }

        "getPaymentGateway" => Fixture::read(&[gateway(app).await]),
        "createPaymentGateway" => Fixture::write("payment_gateways.create", &[], new_gateway(app)),
        "updatePaymentGateway" => {
            let body = json!({ "name": "Cards", "enabled": false });
            Fixture::write("payment_gateways.update", &[gateway(app).await], body)
        }
        "deletePaymentGateway" => {
            Fixture::write_empty("payment_gateways.delete", &[gateway(app).await])
        }

        "getSocialNetwork" => Fixture::read(&[network(app).await]),
        "createSocialNetwork" => Fixture::write("social_networks.create", &[], new_network(app)),
        "updateSocialNetwork" => {
            let body = json!({ "title": "Fediverse" });
            Fixture::write("social_networks.update", &[network(app).await], body)
        }
        "deleteSocialNetwork" => {
            Fixture::write_empty("social_networks.delete", &[network(app).await])
        }

        "listCurrencies" => {
            currency(app).await;
            Fixture::read(&[])
        }
        "listPaymentInvoices" | "exportPaymentInvoices" | "getPaymentStatistics" => {
            invoice(app).await;
            Fixture::read(&[])
        }
        "getCurrency" => Fixture::read(&[currency(app).await]),
        "createCurrency" => Fixture::write("currencies.create", &[], new_currency(app)),
        "updateCurrency" => {
            let body = json!({ "exchange_rate": 2 });
            Fixture::write("currencies.update", &[currency(app).await], body)
        }
        "deleteCurrency" => {
            Fixture::write_empty("currencies.delete", &[second_currency(app).await])
        }
        "setDefaultCurrency" => {
            Fixture::write_empty("currencies.default", &[second_currency(app).await])
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

        "listUsers" | "exportUsers" => {
            user(app).await;
            Fixture::read(&[])
        }
        "searchUsers" => {
            user(app).await;
            Fixture {
                query: "?q=anna",
                ..Fixture::read(&[])
            }
        }
        "getUser" => Fixture::read(&[user(app).await]),
        "getUserBySocial" => {
            steam_user(app).await;
            Fixture::read(&[1, 76_561_197_969_249_708])
        }
        "lookUpUsers" => {
            steam_user(app).await;
            let values = ["STEAM_1:0:4491990", "[U:1:1]"];
            Fixture {
                body: Some(json!({ "network": "steam", "values": values })),
                ..Fixture::read(&[])
            }
        }
        "listUserBlocks" => {
            let id = user(app).await;
            let body = json!({ "reason": "Spam" });
            let path = format!("/api/users/{id}/block");
            admin.post(&path, body).await.ok();
            Fixture::read(&[id])
        }
        "listUserSocialNetworks" => Fixture::read(&linked_user(app).await[..1]),
        "listUserDevices" => {
            let id = user(app).await;
            app.device(id, "Phone").await;
            Fixture::read(&[id])
        }
        "createUser" => Fixture::write("users.create", &[], new_user(app)),
        "updateUser" => {
            let body = json!({ "status": "pending", "password": "correct horse" });
            Fixture::write("users.update", &[user(app).await], body)
        }
        "deleteUser" => Fixture::write_empty("users.delete", &[user(app).await]),
        "eraseUser" => Fixture::write_empty("users.erase", &[user(app).await]),
        "changeUsers" => {
            let body = json!({ "ids": [user(app).await], "block": { "reason": "Spam" } });
            Fixture::write("users.bulk", &[], body)
        }
        "blockUser" => {
            let body = json!({ "reason": "Spam" });
            Fixture::write("users.block", &[user(app).await], body)
        }
        "unblockUser" => {
            let id = user(app).await;
            let answer = admin.post_empty(&format!("/api/users/{id}/block")).await;
            answer.ok();
            Fixture::write_empty("users.unblock", &[id])
        }
        "setUserRoles" => {
            let body = json!({ "role_ids": [role(app).await] });
            Fixture::write("users.roles", &[user(app).await], body)
        }
        "listUserRoles" | "listUserRoleHistory" => Fixture::read(&role_holder(app).await[..1]),
        "setUserRole" => {
            let body = json!({ "expires_at": "2026-05-01T00:00:00Z" });
            Fixture::write("users.set_role", &role_holder(app).await, body)
        }
        "extendUserRole" => {
            let body = json!({ "seconds": 86400 });
            Fixture::write("users.extend_role", &role_holder(app).await, body)
        }
        "removeUserRole" => Fixture::write_empty("users.remove_role", &role_holder(app).await),
        "addUserSocialNetwork" => {
            let body = json!({ "network_id": 1, "profile_url": "anna" });
            Fixture::write("users.add_social_network", &[user(app).await], body)
        }
        "deleteUserSocialNetwork" => {
            Fixture::write_empty("users.remove_social_network", &linked_user(app).await)
        }
        "listUserIdentities" => Fixture::read(&identity(app).await[..1]),
        "unlinkUserIdentity" => {
            let ids = identity(app).await;
            let body = json!({ "password": "battery staple" });
            let path = format!("/api/users/{}", ids[0]);
            admin.put(&path, body).await.ok();
            Fixture::write_empty("users.unlink_identity", &ids)
        }
        "addUserDevice" => {
            let body = json!({ "name": "Phone", "user_agent": "Mozilla/5.0" });
            Fixture::write("users.add_device", &[user(app).await], body)
        }
        "deleteUserDevice" => {
            let user = user(app).await;
            let device = app.device(user, "Phone").await;
            Fixture::write_empty("users.remove_device", &[user, device])
        }

        "listOperators" => {
            operator(app).await;
            Fixture::read(&[])
        }
        "listOperatorInvitations" => {
            invitation(app).await;
            Fixture::read(&[])
        }
        "getOperatorInvitation" => Fixture::read(&[invitation(app).await]),
        "inviteOperator" => Fixture {
            seen_at: Some(INVITATIONS.into()),
            ..Fixture::write("operator_invitations.create", &[], new_invitation())
        },
        "withdrawOperatorInvitation" => Fixture {
            seen_at: Some(INVITATIONS.into()),
            ..Fixture::write_empty("operator_invitations.delete", &[invitation(app).await])
        },
        "getOperator" => Fixture::read(&[operator(app).await]),
        "setOperator" => {
            let body = json!({ "permission_ids": [9], "active": true });
            Fixture::write("operators.update", &[operator(app).await], body)
        }
        "listOperatorSessions" => Fixture::read(&[operator_session(app).await[0]]),
        "endOperatorSessions" => {
            let [id, _] = operator_session(app).await;
            Fixture {
                seen_at: Some(format!("/api/operators/{id}/sessions")),
                ..Fixture::write_empty("operators.end_sessions", &[id])
            }
        }
        "endOperatorSession" => {
            let ids = operator_session(app).await;
            Fixture {
                about: Some(ids[1]),
                seen_at: Some(format!("/api/operators/{}/sessions", ids[0])),
                ..Fixture::write_empty("console_sessions.delete", &ids)
            }
        }
        "removeOperator" => Fixture::write_empty("operators.delete", &[operator(app).await]),
        "resetOperatorTwoFactor" => {
            let id = operator(app).await;
            let sql = format!("UPDATE operators SET has_two_factor = TRUE WHERE user_id = {id}");
            app.app
                .kernel
                .core
                .db
                .run_sql(&sql)
                .await
                .expect("a second factor");
            Fixture::write_empty("operators.reset_two_factor", &[id])
        }

        "createSession" => {
            let (id, body) = visitor(app).await;
            Fixture {
                seen_at: Some(format!("/api/users/{id}/devices")),
                ..Fixture::write("sessions.create", &[], body)
            }
        }
        "startSignIn" => Fixture {
            body: Some(json!({ "return_to": providers::RETURN_TO, "client_ip": "192.0.2.7" })),
            ..Fixture::read(&[])
        },
        "finishSignIn" => {
            let [user, _] = identity(app).await;
            let path = format!("/api/users/{user}/identities");
            let list = admin.get(&path).await.ok();
            let steam_id = list["identities"][0]["subject"]
                .as_str()
                .expect("a SteamID");
            let begun = app.begin_sign_in("steam").await;
            let nonce = nth("fixture", app.next_number("nonce"));
            let answer = begun.steam_answer(steam_id, &providers::nonce(&nonce));
            let body = providers::finish_body(&begun, &answer.query());
            Fixture {
                seen_at: Some(format!("/api/users/{user}/devices")),
                ..Fixture::write("sessions.create", &[], body)
            }
        }
        "verifySession" => Fixture {
            body: Some(session(app).await.1),
            ..Fixture::read(&[])
        },
        "deleteSession" => {
            let (device, body) = session(app).await;
            Fixture {
                about: Some(device),
                seen_at: Some("/api/users".into()),
                ..Fixture::write("sessions.delete", &[], body)
            }
        }

        "listWebhooks" => {
            webhook(app).await;
            Fixture::read(&[])
        }
        "getWebhook" => Fixture::read(&[webhook(app).await]),
        "createWebhook" => Fixture::write("webhooks.create", &[], new_webhook()),
        "updateWebhook" => {
            let body = json!({ "name": "Chat", "events": ["users.*"], "active": false });
            Fixture::write("webhooks.update", &[webhook(app).await], body)
        }
        "deleteWebhook" => Fixture::write_empty("webhooks.delete", &[webhook(app).await]),
        "rotateWebhookSecret" => {
            let body = json!({ "overlap_seconds": 3600 });
            Fixture::write("webhooks.rotate_secret", &[webhook(app).await], body)
        }
        "testWebhook" => {
            let receiver = Receiver::start().await;
            let id = make(app, "/api/webhooks", json!({ "url": receiver.url() })).await;
            Fixture {
                outside: Some(Outside::Receiver(receiver)),
                ..Fixture::write_empty("webhooks.test", &[id])
            }
        }
        "listWebhookDeliveries" => Fixture::read(&[delivery(app).await[0]]),
        "retryWebhookDelivery" => {
            let [id, event] = delivery(app).await;
            Fixture {
                seen_at: Some(format!("/api/webhooks/{id}/deliveries")),
                ..Fixture::write_empty("webhooks.retry", &[id, event])
            }
        }
        "replayWebhook" => {
            let [id, _] = delivery(app).await;
            let body = json!({ "from": "2026-03-01T00:00:00Z", "to": "2026-03-02T00:00:00Z" });
            Fixture {
                seen_at: Some(format!("/api/webhooks/{id}/deliveries")),
                ..Fixture::write("webhooks.replay", &[id], body)
            }
        }

        unknown => panic!("the operation {unknown} has no fixture: add one to this table"),
    }
}

/// Nothing listens at its address.
async fn webhook(app: &TestApp) -> i64 {
    make(app, "/api/webhooks", new_webhook()).await
}

fn new_webhook() -> Value {
    json!({ "url": "https://127.0.0.1:9/hooks", "events": ["payment-invoices.*", "users.block"] })
}

/// A webhook, and an event that was delivered to it.
async fn delivery(app: &TestApp) -> [i64; 2] {
    let receiver = Receiver::start().await;
    let body = json!({ "url": receiver.url(), "events": ["roles.create"] });
    let id = make(app, "/api/webhooks", body).await;
    role(app).await;
    queue::once(&app.app.webhooks).await.expect("queued");
    sender::once(&app.app.webhooks).await.expect("sent");
    let path = format!("/api/webhooks/{id}/deliveries");
    let list = app.admin().get(&path).await.ok();
    [id, list["deliveries"][0]["id"].as_i64().expect("an id")]
}

/// A whole backup.
async fn backup(app: &TestApp) -> i64 {
    no_backup_runs(app).await;
    let started = app.admin().post_empty("/api/backups").await.expect(202);
    no_backup_runs(app).await;
    started_at(&started)
}

async fn no_backup_runs(app: &TestApp) {
    eventually("no backup runs", async || {
        let list = app.admin().get("/api/backups").await.ok();
        let mut list = list["backups"].as_array().expect("a list").iter();
        list.all(|backup| backup["state"] == "done")
    })
    .await;
}

/// The moment of a backup that was started.
pub fn started_at(reply: &Value) -> i64 {
    let moment = reply["backup"]["created_at"].as_str().expect("a moment");
    moment.parse::<Timestamp>().expect("a moment").unix()
}

async fn api_key(app: &TestApp) -> i64 {
    make(app, "/api/api-keys", json!({ "name": "Shop" })).await
}

async fn role(app: &TestApp) -> i64 {
    make(app, "/api/roles", new_role()).await
}

fn new_role() -> Value {
    json!({ "name": "Moderator", "description": "Keeps the chat friendly." })
}

/// An item, and the role that it has.
async fn navbar_item(app: &TestApp) -> (i64, i64) {
    let role = role(app).await;
    let body = json!({ "title": "Forum", "url": "/forum", "roles": [role] });
    (make(app, "/api/navbar-items", body).await, role)
}

async fn server(app: &TestApp) -> i64 {
    make(app, "/api/servers", new_server()).await
}

/// A game server that answers, and its id.
async fn running_server(app: &TestApp) -> (GameServer, i64) {
    let running = GameServer::start(game_server::Behaviour::Tidy).await;
    let id = make(app, "/api/servers", running.body()).await;
    (running, id)
}

fn new_server() -> Value {
    json!({
        "name": "Dust II", "ip": "203.0.113.7", "port": 27015, "game": "cs2",
        "rcon_password": "hunter2",
    })
}

fn new_ban() -> Value {
    json!({
        "kind": "ban", "steam_id64": "STEAM_1:0:4491990", "player_name": "Gordon",
        "reason": "Cheating", "note": "Reported by three players", "seconds": 2_592_000,
        "evidence": ["https://example.org/demos/7"],
    })
}

/// Connects a server at Discord.
async fn discord(app: &TestApp) {
    app.admin().put("/api/discord", guild::connection()).await;
}

/// The same, where a role at Discord follows a role.
async fn discord_role(app: &TestApp) {
    discord(app).await;
    let role = role(app).await;
    app.admin().map_roles(&[(role, guild::VIP)]).await;
}

/// The same, with somebody who is not on that server.
async fn discord_member(app: &TestApp) {
    discord_role(app).await;
    let user = user(app).await;
    let profile = guild::BOT + 1_000 + user;
    app.verify_discord(user, profile).await;
    app.visit_members().await;
}

async fn ban(app: &TestApp) -> i64 {
    make(app, "/api/bans", new_ban()).await
}

async fn page(app: &TestApp) -> i64 {
    make(app, "/api/cms-pages", new_page(app)).await
}

/// Each has its own slug.
fn new_page(app: &TestApp) -> Value {
    let slug = nth("rules", app.next_number("page"));
    json!({ "title": "Rules", "slug": slug, "content": "<p>Be kind.</p>" })
}

/// A page, and a block of it.
async fn block(app: &TestApp) -> [i64; 2] {
    let page = page(app).await;
    let path = format!("/api/cms-pages/{page}/blocks");
    [page, make(app, &path, new_block()).await]
}

fn new_block() -> Value {
    json!({ "type": "text", "content": "<p>Welcome!</p>" })
}

async fn promo_code(app: &TestApp) -> i64 {
    make(app, "/api/promo-codes", new_promo_code(app)).await
}

fn new_promo_code(app: &TestApp) -> Value {
    let code = nth("SUMMER", app.next_number("promo code"));
    json!({ "code": code, "type": "amount", "value": 1 })
}

/// One that gives a role as well, for which a new product would need another permission.
async fn product(app: &TestApp) -> i64 {
    let mut body = new_product(app).await;
    let role = json!({ "kind": "role", "role_id": role(app).await, "seconds": 86_400 });
    let steps = body["steps"].as_array_mut().expect("a list");
    steps.push(role);
    make(app, "/api/products", body).await
}

/// Two deliveries, so that one of them does not finish a grant.
async fn new_product(app: &TestApp) -> Value {
    let (server, currency) = (server(app).await, currency(app).await);
    let step = json!({ "kind": "plugin", "server_ids": [server], "payload": { "item": "vip" } });
    let prices = json!([{ "currency_id": currency, "amount": 5 }]);
    json!({ "name": "VIP", "prices": prices, "steps": [step, step] })
}

async fn new_grant(app: &TestApp) -> Value {
    let (user, product) = (user(app).await, product(app).await);
    let admin = app.admin();
    let steam_id = 76_561_197_960_265_729 + user;
    let link = json!({ "network_id": 1, "profile_url": steam_id.to_string() });
    let path = format!("/api/users/{user}/social-networks");
    admin.post(&path, link).await.created();
    json!({ "user_id": user, "product_id": product, "reason": "Won a tournament" })
}

/// A grant, its first step, and the server of that step.
async fn grant(app: &TestApp) -> [i64; 3] {
    let body = new_grant(app).await;
    let made = app.admin().post("/api/grants", body).await.created();
    let number = |value: &Value| value.as_i64().expect("a number");
    let (grant, step) = (&made["grant"], &made["grant"]["steps"][0]);
    [&grant["id"], &step["id"], &step["server_id"]].map(number)
}

/// The same, with all its steps failed.
async fn failed_grant(app: &TestApp) -> [i64; 3] {
    let made = grant(app).await;
    let [_, step, server] = made;
    for delivery in [2 * step, 2 * (step + 1)] {
        let path = format!("/api/servers/{server}/deliveries/{delivery}/failed");
        app.admin().post(&path, json!({})).await.ok();
    }
    made
}

async fn gateway(app: &TestApp) -> i64 {
    make(app, "/api/payment-gateways", new_gateway(app)).await
}

fn new_gateway(app: &TestApp) -> Value {
    json!({ "key": nth("bank", app.next_number("gateway")), "name": "Bank transfer" })
}

async fn network(app: &TestApp) -> i64 {
    make(app, "/api/social-networks", new_network(app)).await
}

fn new_network(app: &TestApp) -> Value {
    let name = nth("mastodon", app.next_number("network"));
    json!({ "name": name, "title": "Mastodon" })
}

async fn currency(app: &TestApp) -> i64 {
    make(app, "/api/currencies", new_currency(app)).await
}

/// One that is not the default.
async fn second_currency(app: &TestApp) -> i64 {
    currency(app).await;
    currency(app).await
}

fn new_currency(app: &TestApp) -> Value {
    let number = app.next_number("currency");
    let known = ["EUR", "USD", "GBP"].get(number as usize);
    let code = known.map_or_else(|| format!("{number:03x}"), |code| (*code).to_owned());
    json!({ "code": code, "minimum_value": 0, "exchange_rate": 1 })
}

async fn invoice(app: &TestApp) -> i64 {
    let body = new_invoice(app).await;
    make(app, "/api/payment-invoices", body).await
}

async fn new_invoice(app: &TestApp) -> Value {
    let name = new_name(app);
    let user_id = payments::user(app, &name).await;
    let currency_id = currency(app).await;
    json!({ "user_id": user_id, "gateway": "stripe", "amount": 9.99, "currency_id": currency_id })
}

async fn user(app: &TestApp) -> i64 {
    make(app, "/api/users", new_user(app)).await
}

/// A user who may use the console, without permissions.
async fn operator(app: &TestApp) -> i64 {
    let id = user(app).await;
    let path = format!("/api/operators/{id}");
    app.admin().put(&path, json!({})).await.created();
    id
}

const INVITATIONS: &str = "/api/operators/invitations";

async fn invitation(app: &TestApp) -> i64 {
    make(app, INVITATIONS, new_invitation()).await
}

fn new_invitation() -> Value {
    json!({ "permission_ids": [9], "note": "For Anna" })
}

/// An operator who is signed in, and the session.
async fn operator_session(app: &TestApp) -> [i64; 2] {
    let user = new_user(app);
    let name = user["username"].as_str().expect("a name").to_owned();
    let id = make(app, "/api/users", user).await;
    let path = format!("/api/operators/{id}");
    app.admin().put(&path, json!({})).await.created();
    app.signed_in(&name).await;
    [id, app.number("SELECT MAX(id) FROM console_sessions").await]
}

/// A user, and the body that signs in.
async fn visitor(app: &TestApp) -> (i64, Value) {
    let user = new_user(app);
    let body = sign_in(user["username"].as_str().expect("a name"));
    (make(app, "/api/users", user).await, body)
}

/// The device of a signed-in user, and the body that names the session.
async fn session(app: &TestApp) -> (i64, Value) {
    let (_, body) = visitor(app).await;
    let made = app.admin().post("/api/sessions", body).await.created();
    (created_id(&made), json!({ "token": made["session_token"] }))
}

fn new_user(app: &TestApp) -> Value {
    support::new_user(&new_name(app))
}

/// A username that no other user of this service has.
fn new_name(app: &TestApp) -> String {
    nth("anna", app.next_number("user"))
}

/// A user with a SteamID.
async fn steam_user(app: &TestApp) {
    let path = format!("/api/users/{}/social-networks", user(app).await);
    let body = json!({ "network_id": 1, "profile_url": "[U:1:8983980]" });
    app.admin().post(&path, body).await.created();
}

/// A user, and a role that they hold for a month.
async fn role_holder(app: &TestApp) -> [i64; 2] {
    let ids = [user(app).await, role(app).await];
    let path = format!("/api/users/{}/roles/{}", ids[0], ids[1]);
    let body = json!({ "expires_at": "2026-04-01T00:00:00Z" });
    app.admin().put(&path, body).await.created();
    ids
}

/// A user, and a link to a profile of theirs.
async fn linked_user(app: &TestApp) -> [i64; 2] {
    let user = user(app).await;
    let path = format!("/api/users/{user}/social-networks");
    let body = json!({ "network_id": 1, "profile_url": "anna" });
    [user, make(app, &path, body).await]
}

/// A user who signed in with Steam, and the identity.
async fn identity(app: &TestApp) -> [i64; 2] {
    let steam_id = 76_561_197_969_249_708 + app.next_number("identity");
    let made = app.steam_sign_in(&steam_id.to_string()).await;
    let user = made["user"]["id"].as_i64().expect("an id");
    let path = format!("/api/users/{user}/identities");
    let list = app.admin().get(&path).await.ok();
    [user, list["identities"][0]["id"].as_i64().expect("an id")]
}

/// The name itself for the first thing, and with a number for each further one.
fn nth(name: &str, number: u64) -> String {
    match number {
        0 => name.to_owned(),
        _ => format!("{name}{number}"),
    }
}

async fn make(app: &TestApp, path: &str, body: Value) -> i64 {
    created_id(&app.admin().post(path, body).await.created())
}

/// The id of the created resource, whatever its name in the reply.
pub fn created_id(reply: &Value) -> i64 {
    let parts = reply.as_object().expect("an object").values();
    let mut ids = parts.filter_map(|part| part["id"].as_i64());
    ids.next().unwrap_or_else(|| panic!("no id in {reply}"))
}
