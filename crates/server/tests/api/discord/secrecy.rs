//! Where the bot's token must not be found.

use serde_json::json;

use super::{ANNA, connected};
use crate::support::guild::{BOT_TOKEN, Trouble};
use crate::support::holds;

#[service_test]
async fn the_token_is_in_no_reply_event_export_or_stored_value() {
    let connected = connected().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    connected.give(anna, connected.vip).await;
    connected.app.visit_members().await;
    let admin = &connected.admin;
    let keyed = admin.with("Idempotency-Key", "connect-1");
    let body = json!({ "bot_token": BOT_TOKEN });
    let mut seen = Vec::new();
    seen.push(keyed.put("/api/discord", body).await.json().to_string());
    for path in [
        "/api/discord",
        "/api/discord/roles",
        "/api/discord/members",
        "/api/discord/guild-roles",
        "/api/audit-log?per_page=100",
        "/api/audit-log/export",
        "/api/users/export",
    ] {
        let answer = admin.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        seen.push(answer.text);
    }
    for trouble in [
        Trouble {
            refuses_token: true,
            ..Trouble::default()
        },
        Trouble {
            fails_each: 1,
            fails_with: 500,
            ..Trouble::default()
        },
    ] {
        connected.guild.trouble(trouble);
        let answer = admin.post_empty("/api/discord/check").await;
        seen.push(answer.json().to_string());
    }
    let wrong = json!({ "bot_token": format!("{BOT_TOKEN} x") });
    seen.push(admin.put("/api/discord", wrong).await.json().to_string());
    for text in seen {
        assert!(!text.contains(BOT_TOKEN), "{text}");
    }
    let stored = connected.app.everything_stored().await;
    assert!(!holds(&stored, BOT_TOKEN.as_bytes()));
    assert!(holds(&stored, b"anna@example.com"), "the tables were read");
}
