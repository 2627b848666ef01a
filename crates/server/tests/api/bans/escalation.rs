//! Operators are banned only by those who have their permissions.

use serde_json::json;

use super::{OTHER_STEAM_ID, STEAM_ID, ban_of, issue};
use crate::support::{Client, TestApp};

#[service_test]
async fn a_ban_of_an_operator_needs_the_operators_permissions(app: TestApp, admin: Client) {
    let operator = app.operator("anna", &["admin.users"]).await;
    app.link(operator, 1, STEAM_ID).await;
    // Someone else linked the profile of the operator first.
    let moderator = app.actor(&["admin.bans"]).await;
    for body in [
        ban_of(STEAM_ID, json!({})),
        json!({ "kind": "gag", "user_id": operator, "reason": "x" }),
    ] {
        let refused = moderator.post("/api/bans", body).await;
        refused.error(403, "privilege_escalation");
    }
    let ban = issue(&admin, ban_of(STEAM_ID, json!({}))).await;
    for (path, body) in [
        ("/api/bans/1/lift", json!({ "reason": "x" })),
        ("/api/bans/1/kick", json!({})),
        (
            "/api/bans/lift",
            json!({ "steam_id64": STEAM_ID, "reason": "x" }),
        ),
    ] {
        let refused = moderator.post(path, body).await;
        refused.error(403, "privilege_escalation");
    }
    let refused = moderator.put("/api/bans/1", json!({ "reason": "x" })).await;
    refused.error(403, "privilege_escalation");
    assert_eq!(super::read(&admin, &ban).await["state"], "active");

    issue(&moderator, ban_of(OTHER_STEAM_ID, json!({}))).await;
    let equal = app.actor(&["admin.bans", "admin.users"]).await;
    issue(&equal, ban_of(STEAM_ID, json!({}))).await;
}
