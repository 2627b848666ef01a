use discord::guild::{MemberState, members};
use kernel::write::Edit;
use serde_json::json;

use super::{ANNA, BORIS, Connected, connected};
use crate::support::guild::{SUPPORTER, Trouble, UNMAPPED, VIP};

const PATH: &str = "/api/discord/repair";
const STRANGER: i64 = 80_351_110_224_678_999;

/// Anna should have VIP and has not, Boris has it and should not; a stranger has it as well.
async fn drifted() -> Connected {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.member("boris", BORIS, &[]).await;
    connected.give(anna, connected.vip).await;
    connected.app.visit_members().await;
    connected.guild.set_roles(ANNA, &[UNMAPPED]);
    connected.guild.set_roles(BORIS, &[VIP, UNMAPPED]);
    connected.guild.join(STRANGER, &[VIP, SUPPORTER]);
    connected.guild.forget_requests();
    connected
}

#[service_test]
async fn a_repair_brings_back_what_somebody_changed_by_hand() {
    let connected = drifted().await;
    let begun = connected.admin.post(PATH, json!({})).await;
    assert_eq!(
        begun.expect(202),
        json!({ "message": "The repair has begun." })
    );
    assert_eq!(
        connected.admin.newest_audit_entry().await["action"],
        "discord.repair"
    );
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, VIP]);
    assert_eq!(connected.roles_of(BORIS).await, [UNMAPPED]);
    assert_eq!(
        connected.roles_of(STRANGER).await,
        [SUPPORTER, VIP],
        "nobody's member"
    );
    // Two members differ, and only they are visited.
    let changed = connected.guild.changes();
    assert_eq!(changed.len(), 2);
}

#[service_test]
async fn a_repair_is_made_every_night() {
    let connected = drifted().await;
    connected.app.visit_members().await;
    assert!(connected.guild.requests().is_empty());
    // Tests begin at noon; the night begins at three.
    connected.app.advance(15 * 3600 - 1);
    connected.app.visit_members().await;
    assert!(connected.guild.requests().is_empty());
    connected.app.advance(3600 + 1);
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, VIP]);
    connected.guild.set_roles(ANNA, &[]);
    connected.app.advance(24 * 3600 + 3600);
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
}

#[service_test]
async fn a_dry_run_says_what_would_change_and_changes_nothing() {
    let connected = drifted().await;
    let before = connected.admin.newest_audit_entry().await;
    let planned = connected
        .admin
        .post(PATH, json!({ "dry_run": true }))
        .await
        .ok();
    let change = |id: i64, user: i64, add: &[i64], remove: &[i64]| {
        let texts = |ids: &[i64]| ids.iter().map(i64::to_string).collect::<Vec<_>>();
        json!({
            "discord_id": id.to_string(), "user_id": user,
            "add": texts(add), "remove": texts(remove),
        })
    };
    assert_eq!(planned["total"], 2);
    assert_eq!(
        planned["changes"],
        json!([change(ANNA, 1, &[VIP], &[]), change(BORIS, 2, &[], &[VIP]),])
    );
    assert_eq!(connected.admin.newest_audit_entry().await, before);
    connected.app.visit_members().await;
    assert!(connected.guild.changes().is_empty());
}

#[service_test]
async fn without_the_intent_members_are_read_one_by_one_and_a_dry_run_gives_409() {
    let connected = drifted().await;
    connected.guild.trouble(Trouble {
        has_no_intent: true,
        ..Trouble::default()
    });
    let refused = connected.admin.post(PATH, json!({ "dry_run": true })).await;
    refused.error(409, "discord_intent_missing");
    connected.admin.post(PATH, json!({})).await.expect(202);
    // Five a second.
    for _ in 0..5 {
        connected.app.visit_members().await;
        connected.app.advance(1);
    }
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, VIP]);
    assert_eq!(connected.roles_of(BORIS).await, [UNMAPPED]);
    assert_eq!(connected.roles_of(STRANGER).await, [SUPPORTER, VIP]);
    assert_eq!(connected.shown_connection().await["state"], "ok");
}

#[service_test]
async fn a_repair_notices_who_has_left_and_who_has_come() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    let boris = connected.member("boris", BORIS, &[]).await;
    connected.guild.leave(BORIS);
    for user in [anna, boris] {
        connected.give(user, connected.vip).await;
    }
    connected.app.visit_members().await;
    connected.guild.leave(ANNA);
    connected.guild.join(BORIS, &[]);
    connected.admin.post(PATH, json!({})).await.expect(202);
    connected.app.visit_members().await;
    assert_eq!(
        connected.shown(ANNA).await.expect("known")["state"],
        "not_a_member"
    );
    assert_eq!(connected.guild.roles_of(BORIS), Some(vec![VIP]));
}

#[service_test]
async fn a_large_server_is_listed_in_parts() {
    let connected = connected().await;
    let mut members = Vec::new();
    for i in 0..2_500 {
        connected.guild.join(ANNA + 1_000 + i, &[SUPPORTER]);
    }
    for i in [0, 999, 1_000, 1_001, 2_499] {
        let id = ANNA + 1_000 + i;
        let user = connected
            .member(&format!("user{i}"), id, &[SUPPORTER])
            .await;
        connected.give(user, connected.vip).await;
        members.push(id);
    }
    connected.app.visit_members().await;
    for id in &members {
        connected.guild.set_roles(*id, &[SUPPORTER]);
    }
    let planned = connected
        .admin
        .post(PATH, json!({ "dry_run": true }))
        .await
        .ok();
    assert_eq!(planned["total"], 5);
    connected.admin.post(PATH, json!({})).await.expect(202);
    for id in members {
        assert_eq!(connected.roles_of(id).await, [VIP]);
    }
    let other = connected.guild.roles_of(ANNA + 1_005);
    assert_eq!(other, Some(vec![SUPPORTER]));
}

#[service_test]
async fn a_repair_begun_again_compares_everybody_anew() {
    let connected = drifted().await;
    connected.admin.post(PATH, json!({})).await.expect(202);
    connected.admin.post(PATH, json!({})).await.expect(202);
    assert_eq!(connected.roles_of(ANNA).await, [UNMAPPED, VIP]);
    let running = "SELECT COUNT(*) FROM discord WHERE repair_step IS NOT NULL";
    assert_eq!(connected.app.number(running).await, 0);
}

#[service_test]
async fn a_dry_run_that_is_no_boolean_gives_422() {
    let connected = connected().await;
    let refused = connected
        .admin
        .post(PATH, json!({ "dry_run": "yes" }))
        .await;
    refused.invalid(&[("dry_run", "must be true or false")]);
}

#[service_test]
async fn repairs_do_not_make_the_delays_of_a_failing_member_begin_anew() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.guild.trouble(Trouble {
        fails_for: Some(ANNA),
        ..Trouble::default()
    });
    connected.give(anna, connected.vip).await;
    connected.app.visit_members().await;
    let repair = async || {
        connected.admin.post(PATH, json!({})).await.expect(202);
        connected.app.visit_members().await;
        connected.shown(ANNA).await.expect("a member")
    };
    for attempt in 2..9 {
        assert_eq!(repair().await["state"], "pending", "attempt {attempt}");
    }
    // Another one tries again, and says the same.
    for _ in 0..2 {
        let shown = repair().await;
        assert_eq!(shown["state"], "failed");
        assert_eq!(shown["error"], "Discord answered with 500.");
    }
    // Also of somebody who has left, until Discord says so.
    connected.guild.leave(ANNA);
    assert_eq!(repair().await["state"], "failed");
    connected.guild.behaves_again();
    assert_eq!(repair().await["state"], "not_a_member");
}

#[service_test]
async fn a_repair_says_whom_somebody_belongs_to_who_is_not_on_the_server() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.guild.leave(ANNA);
    connected.admin.delete("/api/discord").await.ok();
    let connection = crate::support::guild::connection();
    let again = connected.admin.put("/api/discord", connection).await;
    again.created();
    connected.app.visit_members().await;
    let shown = connected.shown(ANNA).await.expect("known");
    assert_eq!(shown["state"], "not_a_member");
    assert_eq!(shown["user_id"], anna);
}

#[service_test]
async fn people_who_are_not_on_the_server_are_looked_at_in_parts() {
    let connected = connected().await;
    let nobody = |i: i64| members::Member {
        discord_id: (ANNA + i).to_string().parse().expect("an id"),
        user_id: None,
        state: MemberState::Ok,
        error: None,
        attempts: 0,
        changes: 0,
        synced_at: None,
    };
    let people: Vec<members::Member> = (0..1_100).map(nobody).collect();
    let core = &connected.app.app.kernel.core;
    let mut edit = Edit::maintenance(core).await.expect("an edit");
    members::load(&mut edit, &people).await.expect("stored");
    edit.commit_as_system(&[]).await.expect("stored");
    connected.admin.post(PATH, json!({})).await.expect(202);
    connected.app.visit_members().await;
    let left = connected.admin.get("/api/discord/members").await.ok();
    assert_eq!(left["members"], json!([]), "they belonged to nobody");
}
