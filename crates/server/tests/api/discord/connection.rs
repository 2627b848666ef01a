use serde_json::json;

use super::{ANNA, NOTHING, connected};
use crate::support::guild::{BOT_TOKEN, GUILD, Guild, OTHER_GUILD, VIP, connection};
use crate::support::{Client, TestApp, assert_fields};

const PATH: &str = "/api/discord";

#[service_test]
async fn a_server_is_connected_changed_and_disconnected(app: TestApp, admin: Client) {
    admin.get(PATH).await.not_found();
    admin.delete(PATH).await.not_found();
    let made = admin.put(PATH, connection()).await.created();
    let shown = json!({
        "guild_id": GUILD.to_string(), "bot_token": "********", "active": true,
        "trust_links": false, "state": "ok", "error": null, "checked_at": null,
    });
    assert_eq!(made["discord"], shown);
    assert_eq!(admin.get(PATH).await.ok()["discord"], shown);
    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["action"], "discord.create");
    assert_eq!(entry["after"]["bot_token"], "***");

    let changed = admin.put(PATH, json!({ "trust_links": true })).await.ok();
    assert_fields(&changed, &["message", "discord"]);
    assert_eq!(changed["discord"]["trust_links"], true);
    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["action"], "discord.update");
    assert_eq!(entry["after"], json!({ "trust_links": true }));

    let off = admin.put(PATH, json!({ "active": false })).await.ok();
    assert_eq!(off["discord"]["state"], "disabled");
    admin.delete(PATH).await.ok();
    assert_eq!(admin.newest_audit_entry().await["action"], "discord.delete");
    admin.get(PATH).await.not_found();
    assert_eq!(
        app.number("SELECT COUNT(*) FROM queue WHERE kind = 'discord'")
            .await,
        0
    );
}

#[service_test]
async fn an_empty_body_changes_nothing_and_a_new_token_changes_the_etag(admin: Client) {
    admin.put(PATH, connection()).await.created();
    let before = admin.etag(PATH).await;
    admin.put(PATH, json!({})).await.ok();
    assert_eq!(admin.etag(PATH).await, before);
    let token = json!({ "bot_token": "another-token-of-the-bot" });
    admin.put(PATH, token).await.ok();
    assert_ne!(admin.etag(PATH).await, before);
    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["before"], json!({ "bot_token": "***" }));
    assert_eq!(entry["after"], json!({ "bot_token": "***" }));
    let stale = admin.with("If-Match", &before);
    let refused = stale.put(PATH, json!({ "active": false })).await;
    refused.error(412, "precondition_failed");
}

#[service_test]
async fn all_faults_of_a_connection_are_in_one_422(admin: Client) {
    admin
        .put(PATH, json!({}))
        .await
        .invalid(&[("guild_id", "is required"), ("bot_token", "is required")]);
    let wrong = json!({ "guild_id": 613_425_648_685_547_541_i64, "active": "yes" });
    admin.put(PATH, wrong).await.invalid(&[
        ("guild_id", "must be a string"),
        ("active", "must be true or false"),
        ("bot_token", "is required"),
    ]);
    for id in [
        "1234567890123456",
        "012345678901234567",
        "x",
        "99999999999999999999",
        "-1",
    ] {
        let body = json!({ "guild_id": id, "bot_token": BOT_TOKEN });
        let fault = "must be an id of Discord: 17 to 20 digits in a string";
        admin.put(PATH, body).await.invalid(&[("guild_id", fault)]);
    }
    for token in ["********", "has a space in it here", &"x".repeat(201)] {
        let body = json!({ "guild_id": GUILD.to_string(), "bot_token": token });
        let fault = "must be 20 to 200 visible ASCII characters";
        admin.put(PATH, body).await.invalid(&[("bot_token", fault)]);
    }
    admin.get(PATH).await.not_found();
}

#[service_test]
async fn another_server_needs_the_token_and_forgets_pairs_and_members() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    connected.app.visit_members().await;
    let admin = &connected.admin;
    let other = json!({ "guild_id": OTHER_GUILD.to_string() });
    let refused = admin.put(PATH, other).await;
    refused.invalid(&[("bot_token", "is required")]);
    let other = json!({ "guild_id": OTHER_GUILD.to_string(), "bot_token": BOT_TOKEN });
    admin.put(PATH, other).await.ok();
    let pairs = admin.get("/api/discord/roles").await.ok();
    assert_eq!(pairs, json!({ "mappings": [] }));
    assert_eq!(connected.shown(ANNA).await, None);
    // Nothing is changed on the server that was left.
    connected.app.visit_members().await;
    assert_eq!(connected.guild.roles_of(ANNA), Some(vec![VIP]));
}

#[service_test]
async fn while_inactive_nothing_is_sent_and_changes_are_made_up_for() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    let admin = &connected.admin;
    admin.put(PATH, json!({ "active": false })).await.ok();
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
    assert!(connected.guild.requests().is_empty());
    assert_eq!(
        connected.shown(ANNA).await.expect("due")["state"],
        "pending"
    );
    admin.put(PATH, json!({ "active": true })).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
}

#[service_test]
async fn disconnecting_leaves_roles_at_discord() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    connected.admin.delete(PATH).await.ok();
    connected.take(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    assert_eq!(
        connected
            .app
            .number("SELECT COUNT(*) FROM discord_members")
            .await,
        0
    );
}

#[service_test]
async fn two_first_connections_at_once_make_one(app: TestApp, admin: Client) {
    let results = tokio::join!(admin.put(PATH, connection()), admin.put(PATH, connection()));
    let mut statuses = [results.0.status, results.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 201]);
    assert_eq!(app.number("SELECT COUNT(*) FROM discord").await, 1);
}

#[service_test]
async fn without_a_connection_the_other_operations_give_409(admin: Client) {
    let code = "discord_not_connected";
    let body = json!({ "mappings": [] });
    admin.put("/api/discord/roles", body).await.error(409, code);
    admin
        .post_empty("/api/discord/check")
        .await
        .error(409, code);
    admin.get("/api/discord/guild-roles").await.error(409, code);
    for dry_run in [true, false] {
        let body = json!({ "dry_run": dry_run });
        admin
            .post("/api/discord/repair", body)
            .await
            .error(409, code);
    }
    let list = admin.get("/api/discord/members").await.ok();
    assert_eq!(list, json!({ "members": [] }));
    let pairs = admin.get("/api/discord/roles").await.ok();
    assert_eq!(pairs, json!({ "mappings": [] }));
}

#[service_test]
async fn without_a_connection_changes_of_users_mark_nobody(app: TestApp, admin: Client) {
    let role = admin.create_role("VIP").await;
    let anna = app.user("anna").await;
    app.verify_discord(anna, ANNA).await;
    let path = format!("/api/users/{anna}/roles/{role}");
    admin.put(&path, json!({})).await.created();
    assert_eq!(app.number("SELECT COUNT(*) FROM discord_members").await, 0);
    assert_eq!(app.number("SELECT COUNT(*) FROM queue").await, 0);
}

#[service_test]
async fn a_rotation_of_the_secret_key_keeps_the_token() {
    let connected = connected().await;
    let core = connected.app.core();
    let rotation = server::secret_rotation::Rotation::begin(core).await;
    let new = kernel::secret::SecretKey::new(&[8; 32]);
    rotation
        .expect("begun")
        .finish(&new)
        .await
        .expect("rotated");
    // An instance with the old key alone can open nothing.
    let refused = connected.admin.post_empty("/api/discord/check").await;
    refused.error(503, "unavailable");
    let opened = {
        let mut read = core.db.read().await.expect("a reader");
        let sql = "SELECT bot_token FROM discord";
        let sealed: Vec<u8> = read
            .query_one(sql, &[], |row| row.get(0))
            .await
            .expect("a token");
        new.open("discord.bot_token", &sealed)
    };
    assert_eq!(opened.as_deref(), Some(BOT_TOKEN.as_bytes()));
}

#[service_test]
async fn a_lost_secret_key_disables_the_connection_until_it_gets_a_token() {
    let connected = connected().await;
    let core = connected.app.core();
    let forgotten = server::secret_rotation::reset(core).await.expect("reset");
    assert_eq!(forgotten.discord_tokens, 1);
    let shown = connected.shown_connection().await;
    assert_eq!(
        (&shown["state"], &shown["error"]),
        (&json!("disabled"), &json!("token_refused"))
    );
    let refused = connected.admin.post_empty("/api/discord/check").await;
    refused.error(409, "discord_not_connected");
    let refused = connected.admin.put(PATH, json!({ "active": true })).await;
    refused.invalid(&[("bot_token", "is required")]);
    let again = json!({ "bot_token": BOT_TOKEN, "active": true });
    connected.admin.put(PATH, again).await.ok();
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
}

#[service_test]
async fn events_of_the_connection_need_the_permission_to_read_it() {
    let guild = Guild::start().await;
    let app = TestApp::start_with_guild(&guild).await;
    let reader = app.actor(&["admin.discord.read"]).await;
    let other = app.actor(&["admin.users.read"]).await;
    app.admin().put(PATH, connection()).await.created();
    let log = async |client: Client| client.events("/api/events?after=0&resource=discord").await;
    let event = log(reader).await.next().await.expect("an event");
    assert_eq!(event["action"], "discord.create");
    // Longer than the feed waits before it reads again.
    let silence = std::time::Duration::from_millis(500);
    let mut events = log(other).await;
    assert!(tokio::time::timeout(silence, events.next()).await.is_err());
}
