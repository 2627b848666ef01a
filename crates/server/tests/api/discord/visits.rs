use serde_json::{Value, json};

use super::{ANNA, BORIS, NOTHING, connected};
use crate::support::guild::{BOT, BOT_ROLE, SUPPORTER, UNMAPPED, VIP};
use crate::support::{NOON, assert_fields};

#[service_test]
async fn a_role_is_given_and_taken_and_other_roles_are_untouched() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[UNMAPPED]).await;
    connected.give(anna, connected.vip).await;
    let due = connected.shown(ANNA).await.expect("a member");
    assert_fields(
        &due,
        &["discord_id", "user_id", "state", "error", "synced_at"],
    );
    assert_eq!(due["state"], "pending");
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, VIP]);
    let shown = connected.shown(ANNA).await.expect("a member");
    assert_eq!(shown["user_id"], anna);
    assert_eq!(
        (&shown["state"], &shown["error"]),
        (&json!("ok"), &Value::Null)
    );
    assert_eq!(shown["synced_at"], "2026-03-01T12:00:00Z");
    connected.take(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED]);
    // The bot's own role and all others were never named in a request.
    let changed = connected.guild.changes();
    assert!(
        changed
            .iter()
            .all(|(_, member, role)| *member == ANNA && *role == VIP)
    );
    assert_eq!(connected.guild.roles_of(BOT), Some(vec![BOT_ROLE]));
    let requests = connected.guild.requests();
    let names = |request: &crate::support::providers::Request| {
        request.head.contains("x-audit-log-reason: Steward")
    };
    assert!(requests.iter().all(names));
}

#[service_test]
async fn ten_changes_become_one_visit() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    for _ in 0..5 {
        connected.give(anna, connected.vip).await;
        connected.take(anna, connected.vip).await;
    }
    connected.give(anna, connected.supporter).await;
    assert_eq!(connected.roles_of(ANNA).await, [SUPPORTER]);
    assert_eq!(connected.guild.requests().len(), 2, "one read, one change");
}

#[service_test]
async fn the_end_of_a_role_takes_it() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    let path = format!("/api/users/{anna}/roles/{}/extend", connected.vip);
    connected
        .admin
        .post(&path, json!({ "seconds": 60 }))
        .await
        .created();
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    connected.app.advance(60);
    let core = connected.app.core();
    accounts::users::end_expired_roles(core)
        .await
        .expect("ended");
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
}

#[service_test]
async fn every_way_to_give_and_take_roles_is_followed() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    let admin = &connected.admin;
    let (vip, supporter) = (connected.vip, connected.supporter);
    let roles = format!("/api/users/{anna}/roles");
    admin.put(&roles, json!({ "role_ids": [vip] })).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    admin
        .put(&roles, json!({ "role_ids": [supporter] }))
        .await
        .ok();
    assert_eq!(connected.roles_of(ANNA).await, [SUPPORTER]);
    let bulk = |action: &str, roles: Value| json!({ "ids": [anna], action: roles });
    let path = "/api/users/bulk";
    admin.post(path, bulk("add_roles", json!([vip]))).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, [SUPPORTER, VIP]);
    admin
        .post(path, bulk("remove_roles", json!([vip, supporter])))
        .await
        .ok();
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
}

#[service_test]
async fn a_block_takes_all_roles_until_it_ends() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[UNMAPPED]).await;
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, VIP]);
    let admin = &connected.admin;
    let block = format!("/api/users/{anna}/block");
    admin.post_empty(&block).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED]);
    admin
        .post_empty(&format!("/api/users/{anna}/unblock"))
        .await
        .ok();
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, VIP]);
    // Nobody acts when a block ends.
    let until = kernel::types::Timestamp::from_unix(NOON + 3600);
    admin.post(&block, json!({ "until": until })).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED]);
    connected.app.advance(3599);
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED]);
    connected.app.advance(1);
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, VIP]);
}

#[service_test]
async fn a_block_by_the_status_and_of_many_is_followed() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    let path = format!("/api/users/{anna}");
    connected
        .admin
        .put(&path, json!({ "status": "blocked" }))
        .await
        .ok();
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
    connected
        .admin
        .put(&path, json!({ "status": "active" }))
        .await
        .ok();
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    let body = json!({ "ids": [anna], "block": {} });
    connected.admin.post("/api/users/bulk", body).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
}

#[service_test]
async fn an_unlinked_profile_loses_its_roles_and_is_forgotten() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[UNMAPPED]).await;
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, VIP]);
    let path = format!("/api/users/{anna}/identities");
    let list = connected.admin.get(&path).await.ok();
    let id = &list["identities"][0]["id"];
    connected.admin.delete(&format!("{path}/{id}")).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED]);
    assert_eq!(connected.shown(ANNA).await, None);
}

#[service_test]
async fn a_deleted_user_and_an_erased_one_lose_their_roles_at_discord() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    let boris = connected.member("boris", BORIS, &[]).await;
    for user in [anna, boris] {
        connected.give(user, connected.vip).await;
    }
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    connected
        .admin
        .delete(&format!("/api/users/{anna}"))
        .await
        .ok();
    connected
        .admin
        .post_empty(&format!("/api/users/{boris}/erase"))
        .await
        .ok();
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
    assert_eq!(connected.roles_of(BORIS).await, NOTHING);
    for id in [ANNA, BORIS] {
        assert_eq!(connected.shown(id).await, None);
    }
}

#[service_test]
async fn erasing_while_inactive_forgets_the_profile_at_once() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    connected.app.visit_members().await;
    connected
        .admin
        .put("/api/discord", json!({ "active": false }))
        .await
        .ok();
    connected
        .admin
        .post_empty(&format!("/api/users/{anna}/erase"))
        .await
        .ok();
    assert_eq!(connected.shown(ANNA).await, None);
    let queued = "SELECT COUNT(*) FROM queue WHERE kind = 'discord' AND item > 0";
    assert_eq!(connected.app.number(queued).await, 0);
}

#[service_test]
async fn what_somebody_typed_counts_only_with_trust_links() {
    let connected = connected().await;
    let anna = connected.app.user("anna").await;
    connected.guild.join(ANNA, &[]);
    connected.app.link(anna, 2, &ANNA.to_string()).await;
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
    let trust = json!({ "trust_links": true });
    connected.admin.put("/api/discord", trust).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    let distrust = json!({ "trust_links": false });
    connected.admin.put("/api/discord", distrust).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
}

#[service_test]
async fn with_trust_links_a_link_is_followed_until_it_is_removed() {
    let connected = connected().await;
    let trust = json!({ "trust_links": true });
    connected.admin.put("/api/discord", trust).await.ok();
    let anna = connected.app.user("anna").await;
    connected.guild.join(ANNA, &[]);
    connected.give(anna, connected.vip).await;
    // Handles and addresses that are no ids are ignored.
    connected.app.link(anna, 1, "anna").await;
    connected.app.link(anna, 2, &ANNA.to_string()).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    let path = format!("/api/users/{anna}/social-networks");
    let list = connected.admin.get(&path).await.ok();
    let links = list["social_networks"].as_array().expect("a list").iter();
    let mut ids = links
        .filter(|link| link["network"] == "discord")
        .map(|link| &link["id"]);
    let id = ids.next().expect("a link");
    connected.admin.delete(&format!("{path}/{id}")).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
}

/// Without this rule somebody could take the roles of a moderator away by typing the id.
#[service_test]
async fn a_verified_profile_belongs_to_its_user_whoever_has_linked_it() {
    let connected = connected().await;
    let trust = json!({ "trust_links": true });
    connected.admin.put("/api/discord", trust).await.ok();
    let boris = connected.app.user("boris").await;
    connected.app.link(boris, 2, &ANNA.to_string()).await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    connected.give(boris, connected.supporter).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    // Of two links, the first counts.
    let clara = connected.app.user("clara").await;
    connected.guild.join(BORIS, &[]);
    let dora = connected.app.user("dora").await;
    connected.app.link(clara, 2, &BORIS.to_string()).await;
    connected.app.link(dora, 2, &BORIS.to_string()).await;
    connected.give(dora, connected.vip).await;
    assert_eq!(connected.roles_of(BORIS).await, NOTHING);
    connected.give(clara, connected.supporter).await;
    assert_eq!(connected.roles_of(BORIS).await, [SUPPORTER]);
}

#[service_test]
async fn a_change_during_a_visit_is_not_lost() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    connected.guild.trouble(crate::support::guild::Trouble {
        delay: std::time::Duration::from_millis(300),
        ..Default::default()
    });
    let app = &connected.app;
    let ((), ()) = tokio::join!(app.visit_members(), async {
        crate::support::eventually("the visit begins", async || {
            !connected.guild.requests().is_empty()
        })
        .await;
        connected.take(anna, connected.vip).await;
    });
    connected.guild.behaves_again();
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
    assert_eq!(
        connected.shown(ANNA).await.expect("a member")["state"],
        "ok"
    );
}

#[service_test]
async fn members_are_listed_by_state_in_pages() {
    let connected = connected().await;
    for i in 0..25 {
        let user = connected.member(&format!("user{i}"), ANNA + i, &[]).await;
        if i < 22 {
            connected.give(user, connected.vip).await;
        }
    }
    connected.guild.leave(ANNA);
    connected.app.visit_members().await;
    let admin = &connected.admin;
    let first = admin.get("/api/discord/members").await;
    assert_eq!(first.header("x-total-count"), "22");
    let members = first.ok()["members"].as_array().expect("a list").clone();
    assert_eq!(members.len(), 20);
    let last = members[19]["discord_id"].as_str().expect("an id");
    let rest = admin
        .get(&format!("/api/discord/members?after={last}"))
        .await
        .ok();
    assert_eq!(rest["members"].as_array().expect("a list").len(), 2);
    let absent = admin
        .get("/api/discord/members?state=not_a_member")
        .await
        .ok();
    assert_eq!(absent["members"][0]["discord_id"], ANNA.to_string());
    assert_eq!(absent["members"].as_array().expect("a list").len(), 1);
    let refused = admin.get("/api/discord/members?state=gone").await;
    let fault = "must be pending, ok, not_a_member or failed";
    refused.invalid(&[("state", fault)]);
}
