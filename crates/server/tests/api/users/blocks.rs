use serde_json::{Value, json};
use server::maintenance::Rules;

use crate::support::{Client, TestApp, assert_fields};

const ANNA: &str = "/api/users/1";
const BLOCK: &str = "/api/users/1/block";
const UNBLOCK: &str = "/api/users/1/unblock";

async fn status(admin: &Client) -> Value {
    admin.get(ANNA).await.ok()["user"]["status"].clone()
}

async fn with_anna() -> TestApp {
    let app = TestApp::start().await;
    app.user("anna").await;
    app
}

const OPEN: &str = "SELECT COUNT(*) FROM user_blocks WHERE lifted_at IS NULL";

#[service_test(with_anna())]
async fn a_user_is_blocked_and_unblocked(app: TestApp, admin: Client) {
    for body in [
        None,
        Some(json!({})),
        Some(json!({ "reason": null, "until": null })),
        Some(json!({ "reason": "Spam" })),
    ] {
        let answer = admin.send(reqwest::Method::POST, BLOCK, body).await;
        assert_fields(&answer.ok(), &["message"]);
        assert_eq!(status(&admin).await, "blocked");
        assert_fields(&admin.post_empty(UNBLOCK).await.ok(), &["message"]);
        assert_eq!(status(&admin).await, "active");
    }
    assert_eq!(app.number("SELECT COUNT(*) FROM user_blocks").await, 4);
    assert_eq!(app.number(OPEN).await, 0);
}

#[service_test(with_anna())]
async fn an_invalid_reason_or_until_gives_422(admin: Client) {
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

#[service_test(with_anna())]
async fn a_block_expires_at_the_second_of_until(app: TestApp, admin: Client) {
    let active = admin.etag(ANNA).await;
    let until = json!({ "until": "2026-03-01T12:01:00Z" });
    admin.post(BLOCK, until).await.ok();
    app.advance(59);
    let blocked = admin.get(ANNA).await;
    assert_eq!(blocked.ok()["user"]["status"], "blocked");
    assert_ne!(blocked.header("etag"), active);
    for path in ["/api/users", "/api/users/search?q=anna"] {
        let listed = admin.get(path).await.ok();
        assert_eq!(listed["users"][0]["status"], "blocked", "{path}");
    }

    app.advance(1);
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

    // Neither another change nor an unblock restores it.
    admin.put(ANNA, json!({ "username": "ann" })).await.ok();
    admin.post_empty(UNBLOCK).await.ok();
    assert_eq!(status(&admin).await, "active");
    app.advance(60);
    admin.post_empty(BLOCK).await.ok();
    assert_eq!(status(&admin).await, "blocked");
    let ended_then = "SELECT COUNT(*) FROM user_blocks WHERE lifted_at = until";
    assert_eq!(app.number(ended_then).await, 1, "when it expired, not now");
    assert_eq!(app.number(OPEN).await, 1);
}

#[service_test(with_anna())]
async fn blocking_again_replaces_reason_and_end(app: TestApp, admin: Client) {
    let body = json!({ "reason": "Spam", "until": "2026-03-01T12:01:00Z" });
    admin.post(BLOCK, body).await.ok();
    let first = admin.etag(ANNA).await;
    admin.post(BLOCK, json!({ "reason": "Insults" })).await.ok();
    assert_ne!(admin.get(ANNA).await.header("etag"), first);
    app.advance(3600);
    assert_eq!(status(&admin).await, "blocked", "the end has gone too");

    let mut read = app.core().db.read().await.expect("a reader");
    let rows: Vec<(String, Option<i64>, bool, String)> = read
        .query(
            "SELECT reason, until, lifted_at IS NULL, by_name FROM user_blocks ORDER BY id",
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

#[service_test(with_anna())]
async fn a_status_can_block_and_unblock(app: TestApp, admin: Client) {
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

    admin.post_empty(UNBLOCK).await.ok();
    assert_eq!(status(&admin).await, "pending", "no block, nothing to lift");
    let until = json!({ "until": "2026-03-01T12:01:00Z" });
    admin.post(BLOCK, until).await.ok();
    set("blocked").await;
    app.advance(60);
    assert_eq!(status(&admin).await, "blocked", "without an end");
    admin.post_empty(UNBLOCK).await.ok();
    assert_eq!(status(&admin).await, "active");
    assert_eq!(app.number(OPEN).await, 0);
}

#[service_test(with_anna())]
async fn audit_entries_have_the_reason(admin: Client) {
    let body = json!({ "reason": "Spam", "until": "2026-04-01T00:00:00Z" });
    admin.post(BLOCK, body.clone()).await.ok();
    let entry = admin.newest_audit_entry().await;
    assert_eq!(entry["action"], "users.block");
    let expected = json!({ "status": "active", "block": null });
    assert_eq!(entry["before"], expected);
    let expected = json!({ "status": "blocked", "block": body });
    assert_eq!(entry["after"], expected);
}

#[service_test(with_anna())]
async fn all_blocks_of_a_user_are_listed_newest_first(app: TestApp, admin: Client) {
    app.user("berta").await;
    let history = "/api/users/1/blocks";
    let empty = admin.get(history).await;
    assert_eq!(empty.ok(), json!({ "blocks": [] }));
    assert_eq!(empty.header("x-total-count"), "0");

    let (key_id, moderator) = app.key(&["admin.users"]).await;
    let body = json!({ "reason": "Spam", "until": "2026-03-01T12:01:00Z" });
    moderator.post(BLOCK, body).await.ok();
    admin.post_empty("/api/users/2/block").await.ok();
    let listed = admin.get(history).await;
    assert_eq!(listed.header("x-total-count"), "1");
    let mut first = json!({
        "id": 1,
        "reason": "Spam",
        "until": "2026-03-01T12:01:00Z",
        "at": "2026-03-01T12:00:00Z",
        "by": { "kind": "key", "id": key_id, "name": "actor 0" },
        "lifted_at": null,
    });
    assert_eq!(listed.ok()["blocks"], json!([first]));

    // It ended when it expired, whether or not maintenance has cleared it since.
    first["lifted_at"] = json!("2026-03-01T12:01:00Z");
    app.advance(59);
    let listed = admin.get(history).await.ok();
    assert_eq!(listed["blocks"][0]["lifted_at"], json!(null));
    app.advance(1);
    assert_eq!(admin.get(history).await.ok()["blocks"], json!([first]));
    app.advance(60);
    admin.put(ANNA, json!({ "status": "blocked" })).await.ok();
    app.advance(60);
    admin.post(BLOCK, json!({ "reason": "Insults" })).await.ok();
    app.advance(60);
    admin.post_empty(UNBLOCK).await.ok();
    // The entry stays when its key is deleted.
    let key = format!("/api/api-keys/{key_id}");
    admin.delete(&key).await.ok();

    let by_admin = |id: i64, reason: &str, from: &str, to: &str| {
        json!({
            "id": id,
            "reason": reason,
            "until": null,
            "at": format!("2026-03-01T12:{from}:00Z"),
            "by": { "kind": "key", "id": 1, "name": "admin" },
            "lifted_at": format!("2026-03-01T12:{to}:00Z"),
        })
    };
    assert_eq!(
        admin.get(history).await.ok()["blocks"],
        json!([
            by_admin(4, "Insults", "03", "04"),
            by_admin(3, "", "02", "03"),
            first,
        ])
    );
}

#[service_test(with_anna())]
async fn the_list_of_blocks_is_paged_with_page_and_per_page(admin: Client) {
    for number in 1..=45 {
        let body = json!({ "reason": number.to_string() });
        admin.post(BLOCK, body).await.ok();
    }
    let reasons = |page: &Value| -> Vec<i64> {
        let blocks = page["blocks"].as_array().expect("a list").iter();
        let reason = |block: &Value| block["reason"].as_str()?.parse().ok();
        blocks.filter_map(reason).collect()
    };
    let history = "/api/users/1/blocks";
    let mut path = history.to_owned();
    let mut seen = Vec::new();
    for size in [20, 20, 5] {
        let page = admin.get(&path).await;
        assert_eq!(page.header("x-total-count"), "45");
        let found = reasons(&page.ok());
        assert_eq!(found.len(), size);
        seen.extend(found);
        let links = page.header("link");
        let next = links.split(", ").find(|link| link.contains("\"next\""));
        match next.and_then(|link| link.strip_prefix('<')?.split_once('>')) {
            Some((next, _)) => path = next.to_owned(),
            None => assert_eq!(seen.len(), 45),
        }
    }
    assert_eq!(seen, (1..=45).rev().collect::<Vec<_>>());
    let second = admin.get(&format!("{history}?page=2&per_page=10")).await;
    assert_eq!(reasons(&second.ok()), (26..=35).rev().collect::<Vec<_>>());
    let answer = admin.get(&format!("{history}?page=0")).await;
    answer.invalid(&[("page", "must be an integer of at least 1")]);
    admin.get("/api/users/9/blocks").await.not_found();
}

#[service_test(with_anna())]
async fn maintenance_clears_expired_blocks_and_changes_no_answer(app: TestApp, admin: Client) {
    app.user("ben").await;
    app.user("cleo").await;
    let minute = json!({ "until": "2026-03-01T12:01:00Z" });
    for id in 1..=3 {
        let path = format!("/api/users/{id}/block");
        admin.post(&path, minute.clone()).await.ok();
    }
    app.advance(60);
    // Blocked again, so this block has not expired.
    admin.post("/api/users/3/block", json!({})).await.ok();
    let seen = async || {
        let mut seen = Vec::new();
        for path in [
            "/api/users/1",
            "/api/users/1/blocks",
            "/api/users/3",
            "/api/users?status=active",
            "/api/users?status=blocked",
        ] {
            let answer = admin.get(path).await;
            let headers = answer.headers.clone();
            let header = |name| headers.get(name).cloned();
            seen.push((answer.text, header("etag"), header("x-total-count")));
        }
        seen
    };
    let before = seen().await;
    let set = "SELECT COUNT(*) FROM users WHERE blocked_until IS NOT NULL";
    assert_eq!(app.number(set).await, 3);
    app.maintain(Rules::default()).await;
    assert_eq!(app.number(set).await, 1);
    let active = "SELECT COUNT(*) FROM users WHERE status = 'active'";
    assert_eq!(app.number(active).await, 2);
    assert_eq!(seen().await, before);
}

/// The total and the ids of a list, and the status that every user in it shows.
async fn of_status(admin: &Client, query: &str, status: &str) -> (String, Vec<i64>) {
    let answer = admin
        .get(&format!("/api/users?{query}status={status}"))
        .await;
    let users = answer.ok()["users"].as_array().expect("a list").clone();
    assert!(
        users.iter().all(|user| user["status"] == status),
        "{users:?}"
    );
    let ids = users.iter().filter_map(|user| user["id"].as_i64());
    (answer.header("x-total-count").to_owned(), ids.collect())
}

#[service_test(with_anna())]
async fn status_filter_and_x_total_count_follow_expiry_to_the_second(app: TestApp, admin: Client) {
    for name in ["ben", "cleo", "dora"] {
        app.user(name).await;
    }
    admin.create_role("Guard").await;
    for id in [1, 2, 4] {
        let path = format!("/api/users/{id}/roles");
        admin.put(&path, json!({ "role_ids": [1] })).await.ok();
    }
    let until = |moment: &str| json!({ "until": format!("2026-03-01T12:{moment}Z") });
    let block = async |id: i64, terms: Value| {
        let answer = admin.post(&format!("/api/users/{id}/block"), terms).await;
        answer.ok();
    };
    block(1, until("01:00")).await;
    block(2, until("01:01")).await;
    block(3, json!({})).await;
    let holds = async |active: &[i64], blocked: &[i64]| {
        for (status, ids) in [("active", active), ("blocked", blocked)] {
            let all = of_status(&admin, "", status).await;
            assert_eq!(all, (ids.len().to_string(), ids.to_vec()), "{status}");
            let with_role: Vec<i64> = ids.iter().copied().filter(|id| *id != 3).collect();
            for query in ["role_id=1&", "role_id=1&sort=username&"] {
                let found = of_status(&admin, query, status).await;
                let expected = (with_role.len().to_string(), with_role.clone());
                assert_eq!(found, expected, "{query}{status}");
            }
            for query in [
                "sort=username&",
                "sort=created_at&",
                "sort=id&per_page=100&",
            ] {
                assert_eq!(
                    of_status(&admin, query, status).await,
                    all,
                    "{query}{status}"
                );
            }
        }
    };
    holds(&[4], &[1, 2, 3]).await;
    app.advance(59);
    holds(&[4], &[1, 2, 3]).await;
    app.advance(1);
    holds(&[1, 4], &[2, 3]).await;
    app.advance(1);
    holds(&[1, 2, 4], &[3]).await;
    // Whatever happens to expired blocks, they are counted once.
    admin.post_empty("/api/users/1/unblock").await.ok();
    holds(&[1, 2, 4], &[3]).await;
    admin.put(ANNA, json!({ "username": "ann" })).await.ok();
    holds(&[1, 2, 4], &[3]).await;
    block(2, until("02:00")).await;
    holds(&[1, 4], &[2, 3]).await;
    let bulk = json!({ "ids": [1, 2, 3], "unblock": true });
    admin.post("/api/users/bulk", bulk).await.ok();
    holds(&[1, 2, 3, 4], &[]).await;
    let bulk = json!({ "ids": [1, 3], "block": until("03:00") });
    admin.post("/api/users/bulk", bulk).await.ok();
    holds(&[2, 4], &[1, 3]).await;
    app.advance(119);
    holds(&[1, 2, 3, 4], &[]).await;
    app.maintain(Rules::default()).await;
    holds(&[1, 2, 3, 4], &[]).await;
    admin.delete("/api/users/3").await.ok();
    holds(&[1, 2, 4], &[]).await;
}

#[service_test(with_anna())]
async fn a_permanent_block_lasts_until_it_is_lifted(app: TestApp, admin: Client) {
    admin.post_empty(BLOCK).await.ok();
    app.advance(500 * 365 * 24 * 60 * 60);
    assert_eq!(status(&admin).await, "blocked");
    assert_eq!(
        of_status(&admin, "", "blocked").await,
        ("1".into(), vec![1])
    );
    app.maintain(Rules::default()).await;
    assert_eq!(status(&admin).await, "blocked");
    let block = &admin.get("/api/users/1/blocks").await.ok()["blocks"][0];
    assert_eq!(
        (&block["until"], &block["lifted_at"]),
        (&json!(null), &json!(null))
    );
    admin.post_empty(UNBLOCK).await.ok();
    assert_eq!(status(&admin).await, "active");
    assert_eq!(of_status(&admin, "", "blocked").await, ("0".into(), vec![]));
}

#[service_test(with_anna())]
async fn an_expired_block_can_be_replaced_before_and_after_maintenance(app: TestApp) {
    let admin = app.admin();
    for round in 0..2 {
        let until = kernel::types::Timestamp::from_unix(app.core().clock.now().unix() + 60);
        let terms = json!({ "reason": "Spam", "until": until.to_string() });
        admin.post(BLOCK, terms).await.ok();
        app.advance(60);
        if round == 1 {
            app.maintain(Rules::default()).await;
        }
        assert_eq!(status(&admin).await, "active");
        app.advance(60);
        admin.post(BLOCK, json!({ "reason": "Insults" })).await.ok();
        assert_eq!(status(&admin).await, "blocked");
        let blocks = admin.get("/api/users/1/blocks").await.ok();
        assert_eq!(blocks["blocks"][0]["lifted_at"], json!(null));
        assert_eq!(blocks["blocks"][1]["lifted_at"], json!(until.to_string()));
        assert_eq!(app.number(OPEN).await, 1);
        admin.post_empty(UNBLOCK).await.ok();
        assert_eq!(app.number(OPEN).await, 0);
    }
}

#[service_test(with_anna())]
async fn a_block_shows_the_operator_who_made_it_until_they_are_erased(app: TestApp) {
    let admin = app.admin();
    let id = app.operator("olga", &["admin.users"]).await;
    let olga = app.signed_in("olga").await;
    olga.post(BLOCK, json!({ "reason": "Spam" })).await.ok();
    let shown = async || {
        let user = admin.get(&format!("{ANNA}?include=block")).await.ok();
        let blocks = admin.get("/api/users/1/blocks").await.ok();
        let (current, past) = (&user["user"]["block"], &blocks["blocks"][0]);
        for field in ["reason", "until", "at", "by"] {
            assert_eq!(current[field], past[field], "{field}");
        }
        current["by"].clone()
    };
    let by = json!({ "kind": "operator", "id": id, "name": "olga" });
    assert_eq!(shown().await, by);
    admin.delete(&format!("/api/operators/{id}")).await.ok();
    admin
        .post_empty(&format!("/api/users/{id}/erase"))
        .await
        .ok();
    let by = json!({ "kind": "operator", "id": id, "name": "***" });
    assert_eq!(shown().await, by);
}
