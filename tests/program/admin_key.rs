use serde_json::json;

use crate::support::{ADMIN_KEY, Home};

const OTHER: &str = "another-horse-another-staple";
const SENTENCE: &str = "the admin key must be 16 to 256 visible ASCII characters";

#[tokio::test]
async fn a_chosen_admin_key_is_valid_and_not_printed() {
    let home = Home::new().await;
    let service = home.start().await;
    let keys = service.admin().get("/api/api-keys").await.ok();
    let keys = keys["api_keys"].as_array().expect("a list").clone();
    assert_eq!(keys.len(), 1);
    assert_eq!(keys[0]["name"], "admin");
    assert_eq!(keys[0]["key"], "correct-********");
    let ended = service.stop().await;
    assert_eq!(ended.code, Some(0));
    for text in [&ended.stdout, &ended.stderr] {
        assert!(!text.contains(ADMIN_KEY), "{text}");
        assert!(!text.contains("stw_"), "{text}");
    }
}

#[tokio::test]
async fn after_a_change_the_earlier_admin_key_gets_401() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();

    let changed = home.steward(&[]).env("STEWARD_ADMIN_KEY", OTHER);
    let service = changed.serve().await;
    service.admin().get("/api/status").await.expect(401);
    let keys = service.holder(OTHER).get("/api/api-keys").await.ok();
    assert_eq!(keys["api_keys"].as_array().expect("a list").len(), 1);
    service.stop().await.ok();

    // Without the option, the last value stays valid.
    let service = home.steward(&[]).serve().await;
    service.holder(OTHER).get("/api/status").await.ok();
    service.stop().await.ok();
}

#[tokio::test]
async fn a_chosen_admin_key_replaces_the_printed_first_key() {
    let home = Home::new().await;
    let mut service = home.steward(&[]).serve().await;
    let printed = service.first_key().await;
    service.holder(&printed).get("/api/status").await.ok();
    service.stop().await.ok();

    let service = home.start().await;
    service.admin().get("/api/status").await.ok();
    let answer = service.holder(&printed).get("/api/status").await;
    answer.expect(401);
}

#[tokio::test]
async fn a_start_makes_the_chosen_admin_key_valid_again() {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    let taken = json!({ "permission_ids": [1] });
    admin.put("/api/api-keys/1/permissions", taken).await.ok();
    let body = json!({ "active": false });
    admin.put("/api/api-keys/1", body).await.ok();
    admin.get("/api/status").await.expect(401);
    service.stop().await.ok();

    let service = home.start().await;
    let admin = service.admin();
    admin.get("/api/roles").await.ok();
    admin.delete("/api/api-keys/1").await.ok();
    service.stop().await.ok();

    let service = home.start().await;
    service.admin().get("/api/roles").await.ok();
}

#[tokio::test]
async fn an_invalid_admin_key_is_refused_without_printing_it() {
    let home = Home::new().await;
    let long = "x".repeat(257);
    for bad in [
        "fifteen-letters",
        "with spaces in between",
        "mit-ümlaut-in-der-mitte",
        &long,
    ] {
        let call = home.steward(&[]).env("STEWARD_ADMIN_KEY", bad);
        let ended = call.end().await;
        ended.failed(SENTENCE);
        assert!(!ended.stderr.contains(bad));
    }
    assert!(!home.data().exists(), "nothing is made for such a start");
}

#[tokio::test]
async fn the_value_of_another_key_is_refused_as_admin_key() {
    let home = Home::new().await;
    let created = home.run(&["key", "create", "--name", "other", "--all"]);
    let other = created.await.ok().trim_end().to_owned();
    let call = home.steward(&[]).env("STEWARD_ADMIN_KEY", &other);
    let ended = call.end().await;
    ended.failed("Another API key already has the value of the admin key. Choose another value.");
    assert!(!ended.stderr.contains(&other));
}
