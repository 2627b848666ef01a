//! Where a request comes from decides who is let in, and is written down.

use kernel::Limits;
use kernel::types::IpNetworks;
use serde_json::json;

use super::{restrict, restrictions};
use crate::support::{Client, TestApp};

/// A service behind proxies at 127.0.0.1 and in 10.0.0.0/8.
async fn behind_proxies() -> TestApp {
    TestApp::start_with(Limits {
        trusted_proxies: IpNetworks::from_stored("127.0.0.1,10.0.0.0/8"),
        ..Limits::default()
    })
    .await
}

fn forwarded(client: &Client, lines: &[&str]) -> Client {
    let mut client = client.clone();
    for line in lines {
        client = client.with("X-Forwarded-For", line);
    }
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trusted_proxy_says_for_whom_it_asks() {
    let app = behind_proxies().await;
    let admin = app.admin();
    let (id, holder) = app.key(&["admin.roles"]).await;
    for (lines, expected) in [
        (&[][..], "127.0.0.1"),
        (&["198.51.100.7"], "198.51.100.7"),
        (&["203.0.113.1, 198.51.100.7"], "198.51.100.7"),
        (&["198.51.100.7, 10.0.0.2"], "198.51.100.7"),
        (&["203.0.113.1", "198.51.100.7,10.0.0.2"], "198.51.100.7"),
        (&["[2001:db8::7]:4711"], "2001:db8::7"),
        (&["::ffff:198.51.100.7"], "198.51.100.7"),
        (&["198.51.100.7, garbage, 10.0.0.2"], "10.0.0.2"),
        (&["198.51.100.7, "], "127.0.0.1"),
    ] {
        let caller = forwarded(&holder, lines);
        let body = json!({ "name": "Guard" });
        caller.post("/api/roles", body).await.created();
        let log = admin.get("/api/audit-log?per_page=1").await.ok();
        assert_eq!(log["audit_log"][0]["ip"], expected, "{lines:?}");
        let shown = restrictions(&admin, id).await;
        assert_eq!(shown["last_used_ip"], expected, "{lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_behind_a_proxy_is_the_one_that_is_allowed_or_not() {
    let app = behind_proxies().await;
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let body = json!({ "allowed_ips": ["198.51.100.0/24"] });
    restrict(&app.admin(), id, body).await.ok();
    for (lines, status) in [
        (&[][..], 401),
        (&["198.51.100.7"], 200),
        (&["198.51.100.7, 10.0.0.2"], 200),
        (&["203.0.113.1"], 401),
        // Whoever puts an allowed address in front is still named behind it.
        (&["198.51.100.7, 203.0.113.1"], 401),
        (&["198.51.100.7", "203.0.113.1"], 401),
        (&["198.51.100.7, 203.0.113.1, 10.0.0.2"], 401),
        (&["198.51.100.7, unknown"], 401),
    ] {
        let answer = forwarded(&holder, lines).get("/api/roles").await;
        assert_eq!(answer.status, status, "{lines:?}");
    }
    // Who is no proxy is not asked.
    let elsewhere = holder.at("127.0.0.9");
    let answer = forwarded(&elsewhere, &["198.51.100.7"])
        .get("/api/roles")
        .await;
    answer.unauthorized();
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_trusted_unless_it_is_said() {
    let app = TestApp::start().await;
    let caller = forwarded(&app.admin(), &["198.51.100.7"]);
    let body = json!({ "name": "Guard" });
    caller.post("/api/roles", body).await.created();
    let log = app.admin().get("/api/audit-log?per_page=1").await.ok();
    assert_eq!(log["audit_log"][0]["ip"], "127.0.0.1");
}
