//! The format of Discord.

use serde_json::{Value, json};

use super::{create_role, send};
use crate::support::TestApp;
use crate::support::receiver::{Received, Receiver};

#[service_test]
async fn discord_gets_an_embed_that_mentions_no_one(app: TestApp) {
    let receiver = Receiver::start().await;
    let body = json!({
        "url": receiver.url(), "events": ["roles.*"], "format": "discord",
    });
    app.admin().post("/api/webhooks", body).await.created();
    create_role(&app, "@everyone <@1>").await;
    let long = "x".repeat(1000);
    let change = json!({ "name": "Guard", "description": long });
    app.admin().put("/api/roles/1", change).await.ok();
    send(&app).await;
    // Two are sent at once.
    let mut requests: Vec<Value> = receiver.requests().iter().map(Received::json).collect();
    requests.sort_by_key(|request| request["embeds"][0]["title"].to_string());
    let created = &requests[0];
    assert_eq!(created["allowed_mentions"], json!({ "parse": [] }));
    let embed = &created["embeds"][0];
    assert_eq!(embed["title"], "roles.create");
    assert_eq!(embed["description"], "roles 1, changed by admin");
    let name = json!({ "name": "name", "value": r"\@everyone \<\@1\>" });
    assert!(
        embed["fields"].as_array().expect("a list").contains(&name),
        "{embed}"
    );
    let changed = &requests[1]["embeds"][0];
    let names = r"\@everyone \<\@1\> → Guard";
    assert_eq!(changed["fields"][0]["value"], names);
    let value = changed["fields"][1]["value"].as_str().expect("text");
    assert!(
        value.starts_with("– → xxx") && value.ends_with("x…"),
        "{value}"
    );
    assert!(value.chars().count() <= 1024);
}
