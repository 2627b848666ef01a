use serde_json::{Value, json};

use super::{ANNA, connected};
use crate::support::guild::{BOOSTER, BOT_ROLE, GUILD, MODERATOR, SUPPORTER, Trouble, VIP};
use crate::support::{Client, assert_fields};

const PATH: &str = "/api/discord/check";

async fn check(admin: &Client) -> Value {
    admin.post_empty(PATH).await.ok()["check"].take()
}

fn good() -> Value {
    json!({ "ok": true, "problem": null })
}

fn bad(problem: &str) -> Value {
    json!({ "ok": false, "problem": problem })
}

#[service_test]
async fn a_check_answers_every_question() {
    let connected = connected().await;
    let found = check(&connected.admin).await;
    assert_fields(
        &found,
        &["token", "guild", "intent", "bot_role", "mappings"],
    );
    for question in ["token", "guild", "intent", "bot_role"] {
        assert_eq!(found[question], good(), "{question}");
    }
    assert_eq!(
        found["mappings"][0],
        json!({
            "role_id": connected.vip, "discord_role_id": VIP.to_string(), "ok": true, "problem": null,
        })
    );
    let shown = connected.shown_connection().await;
    assert_eq!(shown["checked_at"], "2026-03-01T12:00:00Z");
}

#[service_test]
async fn a_check_says_for_each_pair_why_the_role_cannot_be_given() {
    let connected = connected().await;
    let role = connected.vip;
    let missing = VIP + 100;
    let pairs = [BOOSTER, MODERATOR, BOT_ROLE, GUILD, SUPPORTER, missing];
    let pairs: Vec<(i64, i64)> = pairs.into_iter().map(|at| (role, at)).collect();
    connected.admin.map_roles(&pairs).await;
    let found = check(&connected.admin).await;
    let problems = found["mappings"].as_array().expect("a list").iter();
    let problems: std::collections::BTreeMap<&str, &Value> = problems
        .map(|pair| {
            (
                pair["discord_role_id"].as_str().expect("an id"),
                &pair["problem"],
            )
        })
        .collect();
    for (at, problem) in [
        (BOOSTER, json!("role_managed")),
        (MODERATOR, json!("role_above_bot")),
        (BOT_ROLE, json!("role_managed")),
        (GUILD, json!("role_is_everyone")),
        (SUPPORTER, Value::Null),
        (missing, json!("role_missing")),
    ] {
        assert_eq!(problems[at.to_string().as_str()], &problem, "{at}");
    }
    assert_eq!(connected.shown_connection().await["state"], "error");
    // The pair that can be given is followed all the same, and no other is tried.
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, role).await;
    assert_eq!(connected.roles_of(ANNA).await, [SUPPORTER]);
    assert!(
        connected
            .guild
            .changes()
            .iter()
            .all(|(_, _, role)| *role == SUPPORTER)
    );
}

#[service_test]
async fn a_check_finds_what_the_bot_lacks() {
    for (trouble, question, problem) in [
        (
            Trouble {
                refuses_token: true,
                ..Trouble::default()
            },
            "token",
            "token_refused",
        ),
        (
            Trouble {
                is_gone: true,
                ..Trouble::default()
            },
            "guild",
            "not_in_guild",
        ),
        (
            Trouble {
                has_no_intent: true,
                ..Trouble::default()
            },
            "intent",
            "intent_missing",
        ),
        (
            Trouble {
                has_no_permission: true,
                ..Trouble::default()
            },
            "bot_role",
            "manage_roles_missing",
        ),
    ] {
        let connected = connected().await;
        connected.guild.trouble(trouble);
        let found = check(&connected.admin).await;
        assert_eq!(found[question], bad(problem));
        let is_fatal = ["token", "guild"].contains(&question);
        let shown = connected.shown_connection().await;
        assert_eq!(shown["active"], !is_fatal, "{question}");
        if is_fatal {
            assert_eq!(found["intent"], bad("not_checked"));
            assert_eq!(found["mappings"][0]["problem"], "not_checked");
            let entry = connected.admin.newest_audit_entry().await;
            assert_eq!(entry["action"], "discord.disable");
        }
        let state = match question {
            "bot_role" => "error",
            "intent" => "ok",
            _ => "disabled",
        };
        assert_eq!(shown["state"], state, "{question}");
    }
}

#[service_test]
async fn a_check_without_an_answer_gives_503_provider_unavailable_and_changes_nothing() {
    let connected = connected().await;
    for trouble in [
        Trouble {
            fails_each: 1,
            fails_with: 500,
            ..Trouble::default()
        },
        Trouble {
            forgets_each: 1,
            ..Trouble::default()
        },
    ] {
        connected.guild.trouble(trouble);
        let refused = connected.admin.post_empty(PATH).await;
        refused.error(503, "provider_unavailable");
        let path = "/api/discord/guild-roles";
        connected
            .admin
            .get(path)
            .await
            .error(503, "provider_unavailable");
        assert_eq!(connected.shown_connection().await["state"], "ok");
    }
}

#[service_test]
async fn the_roles_of_the_server_are_listed_the_highest_first() {
    let connected = connected().await;
    let reader = connected.app.actor(&["admin.discord.read"]).await;
    let list = reader.get("/api/discord/guild-roles").await.ok();
    let roles = list["guild_roles"].as_array().expect("a list");
    let ids: Vec<String> = roles
        .iter()
        .map(|role| role["id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(ids[..2], [MODERATOR.to_string(), BOT_ROLE.to_string()]);
    assert_eq!(ids.len(), 6, "all but that of everyone");
    assert_fields(&roles[0], &["id", "name", "color", "problem"]);
    assert_eq!(roles[0]["problem"], "role_above_bot");
    assert_eq!(
        roles[2],
        json!({
            "id": VIP.to_string(), "name": "VIP", "color": "#1e90ff", "problem": null,
        })
    );
}
