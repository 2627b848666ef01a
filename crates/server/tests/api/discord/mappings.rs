use serde_json::{Value, json};

use super::{ANNA, BORIS, NOTHING, connected};
use crate::support::guild::{SUPPORTER, UNMAPPED, VIP};

const PATH: &str = "/api/discord/roles";

fn pair(role: i64, at_discord: i64) -> Value {
    json!({ "role_id": role, "discord_role_id": at_discord.to_string() })
}

#[service_test]
async fn pairs_are_replaced_as_a_whole() {
    let connected = connected().await;
    let (admin, vip, supporter) = (&connected.admin, connected.vip, connected.supporter);
    let list = admin.get(PATH).await.ok();
    assert_eq!(
        list,
        json!({ "mappings": [pair(vip, VIP), pair(supporter, SUPPORTER)] })
    );
    let before = admin.etag(PATH).await;
    let body = json!({ "mappings": [pair(supporter, VIP), pair(vip, VIP)] });
    let replaced = admin.put(PATH, body.clone()).await.ok();
    assert_eq!(
        replaced["mappings"],
        json!([pair(vip, VIP), pair(supporter, VIP)])
    );
    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["action"], "discord.roles");
    assert_eq!(entry["after"]["mappings"], replaced["mappings"]);
    let stale = admin.with("If-Match", &before);
    stale
        .put(PATH, body)
        .await
        .error(412, "precondition_failed");
    admin.put(PATH, json!({ "mappings": [] })).await.ok();
    assert_eq!(admin.get(PATH).await.ok(), json!({ "mappings": [] }));
}

#[service_test]
async fn all_faults_of_pairs_are_in_one_422() {
    let connected = connected().await;
    let (admin, vip) = (&connected.admin, connected.vip);
    let body = json!({ "mappings": [
        pair(vip, VIP), pair(999, VIP), pair(vip, VIP), { "role_id": vip, "discord_role_id": 7 },
        { "role_id": vip }, 7,
    ] });
    admin.put(PATH, body).await.invalid(&[
        ("mappings.1.role_id", "is not the id of a role"),
        ("mappings.2", "must not be repeated"),
        ("mappings.3.discord_role_id", "must be a string"),
        ("mappings.4.discord_role_id", "is required"),
        ("mappings.5", "must be an object"),
    ]);
    admin
        .put(PATH, json!({}))
        .await
        .invalid(&[("mappings", "is required")]);
    let many: Vec<Value> = (0..251).map(|i| pair(vip, VIP + i)).collect();
    let refused = admin.put(PATH, json!({ "mappings": many })).await;
    refused.invalid(&[("mappings", "must hold at most 250 items")]);
    assert_eq!(admin.get(PATH).await.ok()["mappings"][0], pair(vip, VIP));
}

#[service_test]
async fn a_new_pair_is_followed_by_those_who_hold_the_role_already() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[UNMAPPED]).await;
    let role = connected.admin.create_role("Veteran").await;
    connected.give(anna, role).await;
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED]);
    connected.admin.map_roles(&[(role, SUPPORTER)]).await;
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, SUPPORTER]);
}

#[service_test]
async fn roles_of_a_removed_pair_stay_at_discord() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    connected
        .admin
        .map_roles(&[(connected.supporter, SUPPORTER)])
        .await;
    connected.take(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
}

#[service_test]
async fn a_role_at_discord_stays_while_any_role_that_it_follows_is_held() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    let pairs = [(connected.vip, VIP), (connected.supporter, VIP)];
    connected.admin.map_roles(&pairs).await;
    connected.give(anna, connected.vip).await;
    connected.give(anna, connected.supporter).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    connected.take(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    connected.take(anna, connected.supporter).await;
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
}

#[service_test]
async fn deleting_one_of_two_roles_takes_the_role_at_discord_from_those_who_held_only_it() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    let boris = connected.member("boris", BORIS, &[]).await;
    let pairs = [(connected.vip, VIP), (connected.supporter, VIP)];
    connected.admin.map_roles(&pairs).await;
    connected.give(anna, connected.vip).await;
    connected.give(boris, connected.supporter).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    let path = format!("/api/roles/{}", connected.vip);
    connected.admin.delete(&path).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, NOTHING);
    assert_eq!(connected.roles_of(BORIS).await, [VIP]);
    let list = connected.admin.get(PATH).await.ok();
    assert_eq!(
        list,
        json!({ "mappings": [pair(connected.supporter, VIP)] })
    );
}

#[service_test]
async fn deleting_the_only_role_of_a_pair_removes_the_pair_and_nothing_at_discord() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    let path = format!("/api/roles/{}", connected.vip);
    connected.admin.delete(&path).await.ok();
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
}
