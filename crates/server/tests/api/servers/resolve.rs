//! `POST /api/servers/resolve`: host names to addresses.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use game_servers::servers::resolve::{Resolved, networks_with};
use game_servers::servers::{Networks, Refusal, live};
use platform::webhooks::{Resolve, Resolving};
use serde_json::{Value, json};

use crate::support::receiver::Names;
use crate::support::{Client, TestApp};

const RESOLVE: &str = "/api/servers/resolve";

async fn named(networks: &[&str]) -> TestApp {
    let parsed = networks.iter().map(|text| text.parse().expect(text));
    let settings = live::Settings {
        networks: Networks::Named(parsed.collect()),
        resolver: Arc::new(Names),
        ..live::Settings::default()
    };
    TestApp::start_with_live_settings(settings).await
}

async fn resolved(caller: &Client, address: &str) -> Value {
    caller
        .post(RESOLVE, json!({ "address": address }))
        .await
        .ok()
}

#[service_test(named(&["192.0.2.0/24", "2001:db8::/32"]))]
async fn a_host_is_resolved_with_its_port_and_leaves_no_audit_entry(app: TestApp) {
    let caller = app.actor(&["admin.servers"]).await;
    let entries = app.number("SELECT COUNT(*) FROM audit_log").await;
    for (address, ip, port) in [
        ("192-0-2-5.test", "192.0.2.5", json!(null)),
        (" 192-0-2-5.test:27015 ", "192.0.2.5", json!(27015)),
        ("192.0.2.5:27015", "192.0.2.5", json!(27015)),
        ("2001:db8::1", "2001:db8::1", json!(null)),
        ("[2001:db8::1]:27015", "2001:db8::1", json!(27015)),
        ("::ffff:192.0.2.5", "192.0.2.5", json!(null)),
    ] {
        let expected = json!({ "ip": ip, "port": port, "allowed": true });
        assert_eq!(resolved(&caller, address).await, expected, "{address}");
    }
    let after = app.number("SELECT COUNT(*) FROM audit_log").await;
    assert_eq!(after, entries);
}

#[service_test(named(&["192.0.2.0/24"]))]
async fn a_refused_address_has_a_reason_and_the_networks_that_would_allow_it(admin: Client) {
    let expected = json!({
        "ip": "127.0.0.1", "port": 27015, "allowed": false, "reason": "not_named",
        "server_networks": ["192.0.2.0/24", "127.0.0.1"],
    });
    assert_eq!(resolved(&admin, "127-0-0-1.test:27015").await, expected);
    let expected =
        json!({ "ip": "224.0.0.1", "port": null, "allowed": false, "reason": "not_a_host" });
    assert_eq!(resolved(&admin, "224.0.0.1").await, expected);
}

#[service_test]
async fn without_named_networks_those_of_the_present_servers_are_named(app: TestApp) {
    // Disabled, so that nothing is sent to them.
    for ip in ["10.1.2.3", "127.0.0.2", "10.1.2.3"] {
        let server = json!({
            "name": "Dust", "ip": ip, "port": 27015, "game": "cs2", "enabled": false,
            "rcon_password": "secret",
        });
        app.admin().post("/api/servers", server).await.created();
    }
    // The service of a test names loopback itself, so this calls the function.
    let networks = Networks::Elsewhere;
    let ip = [127, 0, 0, 9].into();
    let refused = Resolved {
        ip,
        port: None,
        refusal: networks.refusal(ip),
    };
    let mut read = app.core().db.read().await.expect("a reader");
    let value = networks_with(&mut read, &networks, &refused).await;
    // The server on this machine could not be contacted before, either.
    let expected = ["10.1.2.3", "127.0.0.9"].map(str::to_owned).to_vec();
    assert_eq!(value.expect("a value"), Some(expected));
    assert_eq!(refused.refusal, Some(Refusal::Internal));
}

#[service_test(named(&["192.0.2.0/24"]))]
async fn a_name_without_an_address_or_a_malformed_address_gives_422(admin: Client) {
    let answer = admin
        .post(RESOLVE, json!({ "address": "nowhere.example" }))
        .await;
    answer.invalid(&[(
        "address",
        "has no address, or none was found within 5 seconds",
    )]);
    for address in ["", "host:0", "http://host", "a b"] {
        let answer = admin.post(RESOLVE, json!({ "address": address })).await;
        answer.invalid(&[(
            "address",
            "must be a host name or an address, with or without a port, such as \
             play.example.org:27015 or [2001:db8::1]:27015",
        )]);
    }
    let answer = admin.post(RESOLVE, json!({})).await;
    answer.invalid(&[("address", "is required")]);
}

/// Finds nothing for a long time.
#[derive(Debug)]
struct Silence;

impl Resolve for Silence {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Err(io::Error::other("no answer"))
        })
    }
}

#[service_test]
async fn a_look_up_ends_after_5_seconds() {
    let settings = live::Settings {
        resolver: Arc::new(Silence),
        ..live::Settings::default()
    };
    let app = TestApp::start_with_live_settings(settings).await;
    let begun = Instant::now();
    let body = json!({ "address": "slow.example" });
    let answer = app.admin().post(RESOLVE, body).await;
    answer.error(422, "validation_failed");
    let taken = begun.elapsed();
    assert!(
        taken >= Duration::from_secs(5) && taken < Duration::from_secs(15),
        "{taken:?}"
    );
}
