use serde_json::{Value, json};

use crate::support::{Client, TestApp, has_fields};

const ANNA: &str = "/api/users/1";
const BLOCK: &str = "/api/users/1/block";
const UNBLOCK: &str = "/api/users/1/unblock";

async fn status(admin: &Client) -> Value {
    admin.get(ANNA).await.ok()["user"]["status"].clone()
}

async fn with_anna() -> (TestApp, Client) {
    let app = TestApp::start().await;
    app.user("anna").await;
    let admin = app.admin();
    (app, admin)
}

const OPEN: &str = "SELECT COUNT(*) FROM user_blocks WHERE lifted_at IS NULL";

#[tokio::test(flavor = "multi_thread")]
async fn a_user_is_blocked_and_unblocked() {
    let (app, admin) = with_anna().await;
    for body in [
        None,
        Some(json!({})),
        Some(json!({ "reason": null, "until": null })),
        Some(json!({ "reason": "Spam" })),
    ] {
        let answer = admin.send(reqwest::Method::POST, BLOCK, body).await;
        has_fields(&answer.ok(), &["message"]);
        assert_eq!(status(&admin).await, "blocked");
        has_fields(&admin.act(UNBLOCK).await.ok(), &["message"]);
        assert_eq!(status(&admin).await, "active");
    }
    assert_eq!(app.number("SELECT COUNT(*) FROM user_blocks").await, 4);
    assert_eq!(app.number(OPEN).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn terms_that_make_no_sense_are_refused() {
    let (_app, admin) = with_anna().await;
    let moment = "must be a moment in ISO 8601, such as 2026-03-01T12:00:00Z";
    let body = json!({ "reason": "x".repeat(1001), "until": "soon" });
    admin.post(BLOCK, body).await.invalid(&[
        ("reason", "must be at most 1000 characters long"),
        ("until", moment),
    ]);
    let past = "must be in the future";
    for (until, sentence) in [
        ("2026-03-01T12:00:00Z", past),
        ("2026-03-01T13:59:59+02:00", past),
        ("1999-01-01T00:00:00Z", past),
        ("2026-03-02", moment),
    ] {
        let answer = admin.post(BLOCK, json!({ "until": until })).await;
        answer.invalid(&[("until", sentence)]);
    }
    let body = json!({ "reason": 1, "until": 1772366400 });
    let answer = admin.post(BLOCK, body).await;
    answer.invalid(&[
        ("reason", "must be a string"),
        ("until", "must be a string"),
    ]);
    let kind = Some(("text/plain", b"{}".to_vec()));
    let answer = admin.send_bytes(reqwest::Method::POST, BLOCK, kind).await;
    answer.error(415, "unsupported_media_type");
    let kind = Some(("application/json", b"{".to_vec()));
    let answer = admin.send_bytes(reqwest::Method::POST, BLOCK, kind).await;
    answer.error(422, "invalid_json");
    assert_eq!(status(&admin).await, "active");

    let body = json!({ "reason": "é".repeat(1000), "until": "2026-03-01T14:00:01+02:00" });
    admin.post(BLOCK, body).await.ok();
    assert_eq!(status(&admin).await, "blocked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_runs_out_by_itself() {
    let (app, admin) = with_anna().await;
    let active = admin.get(ANNA).await.header("etag").to_owned();
    let until = json!({ "until": "2026-03-01T12:01:00Z" });
    admin.post(BLOCK, until).await.ok();
    app.pass(59);
    let blocked = admin.get(ANNA).await;
    assert_eq!(blocked.ok()["user"]["status"], "blocked");
    assert_ne!(blocked.header("etag"), active);
    for path in ["/api/users", "/api/users/search?q=anna"] {
        let listed = admin.get(path).await.ok();
        assert_eq!(listed["users"][0]["status"], "blocked", "{path}");
    }

    app.pass(1);
    let free = admin
        .with("If-None-Match", blocked.header("etag"))
        .get(ANNA)
        .await;
    assert_eq!(free.ok()["user"]["status"], "active");
    assert_eq!(free.header("etag"), active);
    for path in ["/api/users", "/api/users/search?q=anna"] {
        let listed = admin.get(path).await.ok();
        assert_eq!(listed["users"][0]["status"], "active", "{path}");
    }

    // Neither a change of something else nor an unblock brings it back.
    admin.put(ANNA, json!({ "username": "ann" })).await.ok();
    admin.act(UNBLOCK).await.ok();
    assert_eq!(status(&admin).await, "active");
    app.pass(60);
    admin.act(BLOCK).await.ok();
    assert_eq!(status(&admin).await, "blocked");
    let ended_then = "SELECT COUNT(*) FROM user_blocks WHERE lifted_at = until";
    assert_eq!(app.number(ended_then).await, 1, "when it ran out, not now");
    assert_eq!(app.number(OPEN).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn blocking_again_replaces_reason_and_end() {
    let (app, admin) = with_anna().await;
    let body = json!({ "reason": "Spam", "until": "2026-03-01T12:01:00Z" });
    admin.post(BLOCK, body).await.ok();
    let first = admin.get(ANNA).await.header("etag").to_owned();
    admin.post(BLOCK, json!({ "reason": "Insults" })).await.ok();
    assert_ne!(admin.get(ANNA).await.header("etag"), first);
    app.pass(3600);
    assert_eq!(status(&admin).await, "blocked", "the end has gone too");

    let mut read = app.app.db.read().await.expect("a reader");
    let rows: Vec<(String, Option<i64>, bool, String)> = read
        .query(
            "SELECT reason, until, lifted_at IS NULL, key_name FROM user_blocks ORDER BY id",
            &[],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )
        .await
        .expect("the history");
    let until = crate::support::NOON + 60;
    let by = || "admin".to_owned();
    assert_eq!(
        rows,
        [
            ("Spam".to_owned(), Some(until), false, by()),
            ("Insults".to_owned(), None, true, by()),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_can_block_and_unblock() {
    let (app, admin) = with_anna().await;
    let set = async |status: &str| {
        let updated = admin.put(ANNA, json!({ "status": status })).await.ok();
        assert_eq!(updated["user"]["status"], status);
    };
    set("blocked").await;
    assert_eq!(app.number(OPEN).await, 1);
    admin.put(ANNA, json!({ "username": "ann" })).await.ok();
    assert_eq!(status(&admin).await, "blocked", "left alone, it stays");
    set("pending").await;
    assert_eq!(app.number(OPEN).await, 0);

    admin.act(UNBLOCK).await.ok();
    assert_eq!(status(&admin).await, "pending", "no block, nothing to lift");
    let until = json!({ "until": "2026-03-01T12:01:00Z" });
    admin.post(BLOCK, until).await.ok();
    set("blocked").await;
    app.pass(60);
    assert_eq!(status(&admin).await, "blocked", "without an end");
    admin.act(UNBLOCK).await.ok();
    assert_eq!(status(&admin).await, "active");
    assert_eq!(app.number(OPEN).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_knows_why() {
    let (_app, admin) = with_anna().await;
    let body = json!({ "reason": "Spam", "until": "2026-04-01T00:00:00Z" });
    admin.post(BLOCK, body.clone()).await.ok();
    let log = admin.get("/api/audit-log?per_page=1").await.ok();
    let entry = &log["audit_log"][0];
    assert_eq!(entry["action"], "users.block");
    assert_eq!(
        entry["before"],
        json!({ "status": "active", "block": null })
    );
    assert_eq!(
        entry["after"],
        json!({ "status": "blocked", "block": body })
    );
}
