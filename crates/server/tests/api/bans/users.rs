//! Bans of users, and what becomes of them with the user.

use serde_json::{Value, json};

use super::{OTHER_STEAM_ID, STEAM_ID, check, issue, read};
use crate::support::{Client, TestApp};

#[service_test]
async fn a_ban_of_a_user_covers_the_steam_id_linked_when_it_is_issued(app: TestApp, admin: Client) {
    let id = app.user("anna").await;
    app.link(id, 1, STEAM_ID).await;
    let ban = issue(
        &admin,
        json!({ "kind": "ban", "user_id": id, "reason": "x" }),
    )
    .await;
    assert_eq!(ban["steam_id64"], STEAM_ID);
    assert_eq!(ban["user_id"], id);

    // A link added later could be that of another player.
    let other = app.user("berta").await;
    let body = json!({ "kind": "ban", "user_id": other, "reason": "x" });
    assert_eq!(issue(&admin, body).await["steam_id64"], Value::Null);
    app.link(other, 1, OTHER_STEAM_ID).await;
    let query = format!("steam_id64={OTHER_STEAM_ID}");
    assert_eq!(check(&admin, &query).await, (false, vec![]));
    let found = admin.get(&format!("/api/bans?user_id={other}")).await.ok();
    assert_eq!(found["bans"].as_array().map(Vec::len), Some(1));
}

#[service_test]
async fn erasing_or_deleting_a_user_leaves_the_steam_id_and_the_reason(
    app: TestApp,
    admin: Client,
) {
    for (i, end) in ["erase", "delete"].into_iter().enumerate() {
        let id = app.user(end).await;
        let steam_id = [STEAM_ID, OTHER_STEAM_ID][i];
        let body = |steam_id: Value| {
            json!({
                "kind": "ban", "user_id": id, "steam_id64": steam_id, "reason": "Cheating",
                "player_name": "Anna Secret", "note": "Anna Secret", "evidence": ["https://a.example/Secret"],
            })
        };
        let with_id = issue(&admin, body(json!(steam_id))).await;
        let alone = issue(&admin, body(Value::Null)).await;
        match end {
            "erase" => admin
                .post_empty(&format!("/api/users/{id}/erase"))
                .await
                .ok(),
            _ => admin.delete(&format!("/api/users/{id}")).await.ok(),
        };
        let kept = read(&admin, &with_id).await;
        assert_eq!(kept["state"], "active", "{end}");
        assert_eq!(kept["steam_id64"], steam_id);
        assert_eq!(kept["reason"], "Cheating");
        let lifted = read(&admin, &alone).await;
        assert_eq!(lifted["state"], "lifted", "{end}");
        for ban in [kept, lifted] {
            assert_eq!(ban["user_id"], Value::Null);
            assert_eq!(ban["player_name"], "");
            assert_eq!(ban["note"], "");
            assert_eq!(ban["evidence"], json!([]));
        }
        assert!(check(&admin, &format!("steam_id64={steam_id}")).await.0);
    }
    let log = admin
        .get("/api/audit-log?resource=bans&resource_id=1")
        .await
        .ok();
    let text = log["audit_log"].to_string();
    assert!(!text.contains("Secret"), "{text}");
}
