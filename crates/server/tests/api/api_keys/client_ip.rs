//! The client's address decides whether a key is valid, and is recorded.

use kernel::types::IpNetworks;
use serde_json::json;

use super::{restrict, restrictions_of};
use crate::support::{Client, TestApp};

/// A service that trusts proxies at 127.0.0.1 and in 10.0.0.0/8.
async fn start_with_proxies() -> TestApp {
    TestApp::start_with(|limits| {
        limits.trusted_proxies = IpNetworks::from_stored("127.0.0.1,10.0.0.0/8")
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

#[service_test(start_with_proxies())]
async fn a_trusted_proxy_sets_the_client_ip_with_x_forwarded_for(app: TestApp, admin: Client) {
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
        caller.create_role("Guard").await;
        let entry = admin.newest_audit_entry().await;
        assert_eq!(entry["ip"], expected, "{lines:?}");
        let shown = restrictions_of(&admin, id).await;
        assert_eq!(shown["last_used_ip"], expected, "{lines:?}");
    }
}

#[service_test(start_with_proxies())]
async fn allowed_ips_are_compared_with_the_forwarded_address_or_401(app: TestApp) {
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

#[service_test]
async fn no_proxy_is_trusted_by_default(app: TestApp) {
    let caller = forwarded(&app.admin(), &["198.51.100.7"]);
    caller.create_role("Guard").await;
    assert_eq!(app.admin().newest_audit_entry().await["ip"], "127.0.0.1");
}
