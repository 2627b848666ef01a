use serde_json::{Value, json};

use super::{ANNA, BORIS, connected};
use crate::support::guild::{MODERATOR, SUPPORTER, Trouble, VIP};

#[service_test]
async fn somebody_who_is_not_on_the_server_is_so_until_the_next_repair() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.guild.leave(ANNA);
    connected.give(anna, connected.vip).await;
    connected.app.visit_members().await;
    assert_eq!(
        connected.shown(ANNA).await.expect("a member")["state"],
        "not_a_member"
    );
    connected.guild.join(ANNA, &[]);
    connected.app.visit_members().await;
    assert_eq!(
        connected.guild.roles_of(ANNA),
        Some(vec![]),
        "nobody asks at once"
    );
    // A day later at most.
    connected.app.advance(24 * 3600 + 3600);
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    assert_eq!(
        connected.shown(ANNA).await.expect("a member")["state"],
        "ok"
    );
}

#[service_test]
async fn an_error_is_retried_with_growing_delays_and_then_failed() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    let trouble = Trouble {
        fails_each: 1,
        fails_with: 500,
        ..Trouble::default()
    };
    connected.guild.trouble(trouble);
    let hour = 3600;
    let delays = [0, 5, 30, 120, 600, hour, 3 * hour, 8 * hour, 24 * hour];
    for (before, delay) in delays.into_iter().enumerate() {
        // Up to a fifth is added to each.
        connected.app.advance(delay + delay / 5 + 1);
        connected.guild.forget_requests();
        connected.app.visit_members().await;
        let asked = connected.guild.requests().into_iter();
        let of_anna = asked.filter(|request| request.path.ends_with(&ANNA.to_string()));
        assert_eq!(of_anna.count(), 1, "attempt {before}");
        let shown = connected.shown(ANNA).await.expect("a member");
        assert_eq!(shown["error"], "Discord answered with 500.");
        let state = if before == 8 { "failed" } else { "pending" };
        assert_eq!(shown["state"], state, "attempt {before}");
    }
    connected.guild.behaves_again();
    // The next change tries again.
    connected.give(anna, connected.supporter).await;
    assert_eq!(connected.roles_of(ANNA).await, [SUPPORTER, VIP]);
    assert_eq!(
        connected.shown(ANNA).await.expect("a member")["error"],
        Value::Null
    );
}

#[service_test]
async fn a_refused_token_disables_the_connection_at_once_with_one_entry() {
    for (trouble, problem) in [
        (
            Trouble {
                refuses_token: true,
                ..Trouble::default()
            },
            "token_refused",
        ),
        (
            Trouble {
                is_gone: true,
                ..Trouble::default()
            },
            "access_refused",
        ),
    ] {
        let connected = connected().await;
        let anna = connected.member("anna", ANNA, &[]).await;
        let boris = connected.member("boris", BORIS, &[]).await;
        connected.give(anna, connected.vip).await;
        connected.give(boris, connected.vip).await;
        connected.guild.trouble(trouble);
        connected.app.visit_members().await;
        assert_eq!(
            connected.guild.requests().len(),
            1,
            "nothing is sent after that"
        );
        let shown = connected.shown_connection().await;
        assert_eq!(shown["active"], false);
        assert_eq!(
            (&shown["state"], &shown["error"]),
            (&json!("disabled"), &json!(problem))
        );
        let entry = connected.admin.newest_audit_entry().await;
        assert_eq!(entry["action"], "discord.disable");
        assert_eq!(entry["key_name"], "system");
        assert_eq!(entry["after"]["problem"], problem);
        // Switched on again, it makes up for what was not done.
        connected.guild.behaves_again();
        let on = json!({ "active": true });
        let shown = connected.admin.put("/api/discord", on).await.ok();
        assert_eq!(shown["discord"]["state"], "ok");
        assert_eq!(connected.roles_of(ANNA).await, [VIP]);
        assert_eq!(connected.roles_of(BORIS).await, [VIP]);
    }
}

#[service_test]
async fn a_refusal_of_the_former_token_says_nothing_of_the_new_one() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    let (go, waiting) = tokio::sync::watch::channel(false);
    connected.guild.trouble(Trouble {
        refuses_token: true,
        go: Some(waiting),
        ..Trouble::default()
    });
    tokio::join!(connected.app.visit_members(), async {
        crate::support::eventually("the visit begins", async || {
            !connected.guild.requests().is_empty()
        })
        .await;
        connected.guild.behaves_again();
        let token = json!({ "bot_token": crate::support::guild::BOT_TOKEN });
        connected.admin.put("/api/discord", token).await.ok();
        go.send_replace(true);
    });
    assert_eq!(connected.shown_connection().await["active"], true);
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
}

#[service_test]
async fn a_role_above_that_of_the_bot_fails_its_pair_and_not_each_member() {
    let connected = connected().await;
    let moderator = connected.admin.create_role("Moderator").await;
    connected
        .admin
        .map_roles(&[(connected.vip, VIP), (moderator, SUPPORTER)])
        .await;
    connected.app.visit_members().await;
    // Somebody moves the bot's role below VIP after the check.
    connected.guild.move_bot_to(4);
    let anna = connected.member("anna", ANNA, &[]).await;
    let boris = connected.member("boris", BORIS, &[]).await;
    for user in [anna, boris] {
        connected.give(user, connected.vip).await;
        connected.give(user, moderator).await;
    }
    assert_eq!(connected.roles_of(ANNA).await, [SUPPORTER]);
    assert_eq!(connected.roles_of(BORIS).await, [SUPPORTER]);
    let tried = connected.guild.changes().into_iter();
    assert_eq!(
        tried.filter(|(_, _, role)| *role == VIP).count(),
        1,
        "one try, not each"
    );
    for id in [ANNA, BORIS] {
        assert_eq!(connected.shown(id).await.expect("a member")["state"], "ok");
    }
    let shown = connected.shown_connection().await;
    assert_eq!(
        (&shown["state"], &shown["error"]),
        (&json!("error"), &json!("role_above_bot"))
    );
    // A check that finds it mended gives the role to those who went without.
    connected.guild.move_bot_to(5);
    let check = connected.admin.post_empty("/api/discord/check").await.ok();
    assert_eq!(check["check"]["mappings"][0]["ok"], true);
    assert_eq!(connected.roles_of(ANNA).await, [SUPPORTER, VIP]);
    assert_eq!(connected.roles_of(BORIS).await, [SUPPORTER, VIP]);
    assert_eq!(connected.shown_connection().await["state"], "ok");
}

#[service_test]
async fn a_role_that_was_deleted_at_discord_fails_its_pair() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.guild.delete_role(VIP);
    connected.give(anna, connected.vip).await;
    connected.give(anna, connected.supporter).await;
    assert_eq!(connected.roles_of(ANNA).await, [SUPPORTER]);
    assert_eq!(connected.shown_connection().await["error"], "role_missing");
}

#[service_test]
async fn a_pause_that_discord_asks_for_is_kept_and_nothing_is_lost() {
    let connected = connected().await;
    for i in 0..6 {
        let user = connected.member(&format!("user{i}"), ANNA + i, &[]).await;
        connected.give(user, connected.vip).await;
    }
    connected.guild.trouble(Trouble {
        limits_each: 6,
        limits_for: "1",
        ..Trouble::default()
    });
    connected.app.visit_members().await;
    assert_eq!(
        connected.guild.limited(),
        1,
        "no request after the first 429"
    );
    let before = connected.guild.requests().len();
    connected.app.visit_members().await;
    assert_eq!(connected.guild.requests().len(), before, "during the pause");
    connected.guild.behaves_again();
    connected.app.advance(1);
    connected.app.visit_members().await;
    for i in 0..6 {
        assert_eq!(connected.roles_of(ANNA + i).await, [VIP]);
    }
}

#[service_test]
async fn a_pause_holds_for_requests_of_operators_and_for_all_instances() {
    const CHECK: &str = "/api/discord/check";
    let connected = connected().await;
    let other = connected.app.second_instance().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.guild.trouble(Trouble {
        limits_each: 1,
        limits_for: "7200",
        ..Trouble::default()
    });
    let refused = connected.admin.post_empty(CHECK).await;
    refused.error(503, "provider_unavailable");
    connected.guild.behaves_again();
    connected.guild.forget_requests();
    connected.give(anna, connected.vip).await;
    connected.app.visit_members().await;
    let elsewhere = other.holder(connected.app.admin_key());
    for admin in [&connected.admin, &elsewhere] {
        for answer in [
            admin.post_empty(CHECK).await,
            admin.get("/api/discord/guild-roles").await,
            admin
                .post("/api/discord/repair", json!({ "dry_run": true }))
                .await,
        ] {
            answer.error(503, "provider_unavailable");
        }
    }
    assert!(connected.guild.requests().is_empty(), "during the pause");
    // Discord did not mean another bot.
    let token = json!({ "bot_token": crate::support::guild::BOT_TOKEN });
    connected.admin.put("/api/discord", token).await.ok();
    elsewhere.post_empty(CHECK).await.ok();
}

#[service_test]
async fn a_refusal_of_what_an_operator_asks_disables_the_connection() {
    for ask in ["roles", "dry run"] {
        let connected = connected().await;
        connected.guild.trouble(Trouble {
            refuses_token: true,
            ..Trouble::default()
        });
        let refused = match ask {
            "roles" => connected.admin.get("/api/discord/guild-roles").await,
            _ => {
                let dry_run = json!({ "dry_run": true });
                connected.admin.post("/api/discord/repair", dry_run).await
            }
        };
        refused.error(409, "discord_not_connected");
        let shown = connected.shown_connection().await;
        assert_eq!(shown["active"], false, "{ask}");
        assert_eq!(shown["error"], "token_refused");
        let entry = connected.admin.newest_audit_entry().await;
        assert_eq!(entry["action"], "discord.disable");
    }
}

#[service_test]
async fn a_limit_that_is_used_up_is_waited_for_before_a_request_is_refused() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[MODERATOR]).await;
    connected.give(anna, connected.vip).await;
    connected.guild.trouble(Trouble {
        remaining: Some(0),
        ..Trouble::default()
    });
    connected.app.visit_members().await;
    // Each answer says that the limit is used up for 0.2 seconds.
    let shortest = connected.guild.shortest_time_of(2).expect("two requests");
    assert!(
        shortest >= std::time::Duration::from_millis(200),
        "{shortest:?}"
    );
    assert_eq!(connected.guild.roles_of(ANNA), Some(vec![VIP, MODERATOR]));
}

#[service_test]
async fn at_most_20_requests_a_second_are_sent() {
    let guild = crate::support::guild::Guild::start().await;
    let settings = discord::guild::Settings {
        pace: discord::guild::Settings::default().pace,
        ..guild.settings()
    };
    let app = crate::support::TestApp::start_with_discord(settings).await;
    let admin = app.admin();
    let vip = admin.create_role("VIP").await;
    let body = crate::support::guild::connection();
    admin.put("/api/discord", body).await.created();
    admin.map_roles(&[(vip, VIP)]).await;
    for i in 0..15 {
        let user = app.user(&format!("user{i}")).await;
        app.verify_discord(user, ANNA + i).await;
        guild.join(ANNA + i, &[]);
        admin
            .put(&format!("/api/users/{user}/roles/{vip}"), json!({}))
            .await
            .created();
    }
    app.visit_members().await;
    assert!(guild.requests().len() > 30);
    let second = guild.shortest_time_of(21).expect("so many requests");
    // Requests are seen when they arrive, and a busy machine delays the first of them. Without a
    // pace they take a tenth of this.
    assert!(
        second >= std::time::Duration::from_millis(600),
        "{second:?}"
    );
}
