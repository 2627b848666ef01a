//! After the reply to a revocation, no other instance admits the old credential, not even one that
//! is busy and whose notifications are late.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use db::testing::Proxy;
use serde_json::json;

use super::revocation::{WAYS, is_channel_up, revoke, warm_second_instance};
use crate::support::{
    Client, SESSION, SecondInstance, TestApp, console_sign_in, cookie, eventually,
};

/// How late notifications arrive at the second instance.
const DELAY: Duration = Duration::from_millis(10);

/// How many keys are revoked; more in `make torture`.
fn revocations() -> usize {
    let number = std::env::var("STEWARD_TEST_REVOCATIONS");
    number.map_or(96, |number| number.parse().expect("a number"))
}

/// A second instance whose notifications are late on PostgreSQL.
async fn slow_second_instance(app: &mut TestApp) -> (Option<Proxy>, SecondInstance) {
    let proxy = app.scratch.behind_proxy().await;
    let second = warm_second_instance(app).await;
    if let Some(proxy) = &proxy {
        proxy.delay_notifications(DELAY);
    }
    (proxy, second)
}

/// Clients that read from both instances as fast as they can, until dropped.
struct Load(Arc<AtomicBool>);

impl Load {
    fn start(clients: &[Client]) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        for client in clients {
            let (client, stop) = (client.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    client.get("/api/roles").await.ok();
                }
            });
        }
        Self(stop)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[service_test]
async fn no_other_instance_admits_a_key_after_the_reply_to_its_revocation(mut app: TestApp) {
    let mut keys = Vec::new();
    for (way, status) in WAYS.iter().cycle().take(revocations()) {
        let (id, holder) = app.key(&["admin.roles.read"]).await;
        keys.push((*way, *status, id, holder));
    }
    let (_proxy, second) = slow_second_instance(&mut app).await;
    let (here, there) = (app.admin(), second.holder(app.admin_key()));
    let _load = Load::start(&[here.clone(), here, there.clone(), there]);
    for (way, status, id, holder) in keys {
        let elsewhere = second.holder(holder.key_value());
        elsewhere.get("/api/roles").await.ok();
        // Then it uses its cache again.
        eventually("the second instance knows the versions", async || {
            is_channel_up(&second.app).await
        })
        .await;
        revoke(&app.admin(), id, way).await;
        let answer = elsewhere.get("/api/roles").await;
        assert_eq!(answer.status, status, "{way} {id}");
        // Stay below the limit of wrong keys, which would hide a refusal.
        second.app.kernel.core.clock.advance(2);
    }
}

/// The ways to end the sessions of an operator.
const SESSION_WAYS: [&str; 6] = [
    "sign out",
    "block",
    "deactivate",
    "delete",
    "password",
    "reset the password",
];

#[service_test]
async fn no_other_instance_admits_a_session_after_the_reply_to_its_end(mut app: TestApp) {
    let (_proxy, second) = slow_second_instance(&mut app).await;
    let admin = app.admin();
    for (number, way) in SESSION_WAYS.into_iter().enumerate() {
        let name = format!("anna{number}");
        let id = app.operator(&name, &["admin.roles"]).await;
        let here = app.signed_in(&name).await;
        let answer = app.anonymous().post(SESSION, console_sign_in(&name)).await;
        let other = app.with_session(&answer);
        let token = cookie(&answer, "steward").expect("a session");
        let there = Client::new(&second.address, None).with("Cookie", &format!("steward={token}"));
        there.get("/api/roles").await.ok();
        let (user, operator) = (format!("/api/users/{id}"), format!("/api/operators/{id}"));
        let answer = match way {
            "sign out" => other.delete("/api/console/session").await,
            "block" => admin.post_empty(&format!("{user}/block")).await,
            "deactivate" => admin.put(&operator, json!({ "active": false })).await,
            "delete" => admin.delete(&operator).await,
            "password" => {
                let body =
                    json!({ "current_password": "battery staple", "password": "another one" });
                here.put("/api/console/password", body).await
            }
            _ => admin.put(&user, json!({ "password": "another one" })).await,
        };
        answer.ok();
        assert_eq!(there.get("/api/roles").await.status, 401, "{way}");
    }
}

/// The second request with an `Idempotency-Key` does not get the reply before the first one could.
#[service_test]
async fn a_replayed_reply_to_a_revocation_holds_on_every_instance(mut app: TestApp) {
    let mut keys = Vec::new();
    for _ in 0..8 {
        keys.push(app.key(&["admin.roles.read"]).await);
    }
    let (_proxy, second) = slow_second_instance(&mut app).await;
    for (id, holder) in keys {
        let elsewhere = second.holder(holder.key_value());
        elsewhere.get("/api/roles").await.ok();
        let admin = app.admin().with("Idempotency-Key", &format!("end-{id}"));
        let path = format!("/api/api-keys/{id}");
        let revoked = async || {
            admin.delete(&path).await.ok();
            assert_eq!(elsewhere.get("/api/roles").await.status, 401);
        };
        tokio::join!(revoked(), revoked());
    }
}

#[service_test]
async fn an_instance_that_is_cut_off_delays_a_revocation_by_a_second_and_only_once(
    mut app: TestApp,
) {
    let (id, holder) = app.key(&["admin.roles.read"]).await;
    let mut others = Vec::new();
    for _ in 0..5 {
        others.push(app.key(&["admin.roles.read"]).await.0);
    }
    let (proxy, second) = slow_second_instance(&mut app).await;
    let Some(proxy) = proxy else {
        return;
    };
    let elsewhere = second.holder(holder.key_value());
    elsewhere.get("/api/roles").await.ok();
    proxy.silence();
    let started = Instant::now();
    revoke(&app.admin(), id, "delete").await;
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(!is_channel_up(&second.app).await, "its versions expired");
    // The fastest of several, since the machine may be busy.
    let mut fastest = Duration::MAX;
    for other in others {
        let started = Instant::now();
        revoke(&app.admin(), other, "delete").await;
        fastest = fastest.min(started.elapsed());
    }
    assert!(fastest < Duration::from_millis(800), "each waited");
}
