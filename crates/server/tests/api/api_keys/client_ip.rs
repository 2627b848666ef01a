//! The client's address decides whether a key is valid, and is recorded.

use kernel::Limits;
use kernel::types::IpNetworks;
use serde_json::json;

use super::{restrict, restrictions_of};
use crate::support::{Client, TestApp};

/// A service that trusts proxies at 127.0.0.1 and in 10.0.0.0/8.
async fn start_with_proxies() -> TestApp {
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
async fn a_trusted_proxy_sets_the_client_ip_with_x_forwarded_for() {
    let app = start_with_proxies().await;
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
        let shown = restrictions_of(&admin, id).await;
        assert_eq!(shown["last_used_ip"], expected, "{lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn allowed_ips_are_compared_with_the_forwarded_address_or_401() {
    let app = start_with_proxies().await;
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let body = json!({ "allowed_ips": ["198.51.100.0/24"] });
    restrict(&app.admin(), id, body).await.ok();
    for (lines, status) in [
        (&[][..], 401),
        (&["198.51.100.7"], 200),
        (&["198.51.100.7, 10.0.0.2"], 200),
        (&["203.0.113.1"], 401),
        // A client that sends an allowed address is still listed after it by the proxy.
        (&["198.51.100.7, 203.0.113.1"], 401),
        (&["198.51.100.7", "203.0.113.1"], 401),
        (&["198.51.100.7, 203.0.113.1, 10.0.0.2"], 401),
        (&["198.51.100.7, unknown"], 401),
    ] {
        let answer = forwarded(&holder, lines).get("/api/roles").await;
        assert_eq!(answer.status, status, "{lines:?}");
    }
    // The header is ignored when the client is not a trusted proxy.
    let elsewhere = holder.at("127.0.0.9");
    let answer = forwarded(&elsewhere, &["198.51.100.7"])
        .get("/api/roles")
        .await;
    answer.unauthorized();
}

#[tokio::test(flavor = "multi_thread")]
async fn no_proxy_is_trusted_by_default() {
    let app = TestApp::start().await;
    let caller = forwarded(&app.admin(), &["198.51.100.7"]);
    let body = json!({ "name": "Guard" });
    caller.post("/api/roles", body).await.created();
    let log = app.admin().get("/api/audit-log?per_page=1").await.ok();
    assert_eq!(log["audit_log"][0]["ip"], "127.0.0.1");
}
