//! Several instances on one database.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::Limits;
use platform::webhooks::{queue, sender};

use super::{create, create_role, deliveries, send};
use crate::support::receiver::{Behaviour, Receiver};
use crate::support::{TestApp, eventually, open};

#[service_test]
async fn instances_share_the_work_and_send_nothing_twice(app: TestApp) {
    let second = app.second_instance().await;
    let receivers = [Receiver::start().await, Receiver::start().await];
    let mut webhooks = Vec::new();
    for receiver in &receivers {
        webhooks.push(create(&app, receiver, &["roles.create"]).await.0);
    }
    let running: Vec<_> = [&app.app, &second.app]
        .map(|app| tokio::spawn(platform::webhooks::run(app.webhooks.clone())))
        .into();
    let writers = [app.admin(), second.holder(app.admin_key())].map(|client| {
        tokio::spawn(async move {
            for i in 0..60 {
                let body = serde_json::json!({ "name": format!("Role {i}") });
                client.post("/api/roles", body).await.created();
            }
        })
    });
    for writer in writers {
        writer.await.expect("no panic");
    }
    for (receiver, id) in receivers.iter().zip(&webhooks) {
        eventually("all are delivered", async || {
            let path = format!("/api/webhooks/{id}/deliveries?state=delivered&per_page=1");
            app.admin().total(&path).await == "120"
        })
        .await;
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for request in receiver.requests() {
            *times.entry(request.id().to_owned()).or_default() += 1;
        }
        assert_eq!(times.len(), 120);
        assert!(times.values().all(|times| *times == 1), "{times:?}");
    }
    for instance in running {
        instance.abort();
    }
}

#[service_test]
async fn rounds_at_once_send_nothing_twice(app: TestApp) {
    let second = app.second_instance().await;
    let receiver = Receiver::start().await;
    create(&app, &receiver, &["roles.create"]).await;
    for number in 1..=5 {
        for i in 0..20 {
            create_role(&app, &format!("Role {number} {i}")).await;
        }
        let rounds: Vec<_> = [&app.app, &second.app, &app.app, &second.app]
            .into_iter()
            .map(|app| {
                let app = app.clone();
                tokio::spawn(async move {
                    queue::once(&app.webhooks).await?;
                    sender::once(&app.webhooks).await
                })
            })
            .collect();
        for round in rounds {
            round.await.expect("no panic").expect("a round");
        }
        assert_eq!(receiver.count(), 20 * number);
    }
}

#[service_test]
async fn another_instance_takes_over_from_a_dead_one_when_the_lease_expires() {
    let app = Arc::new(TestApp::start().await);
    let receiver = Receiver::start().await;
    let (id, _) = create(&app, &receiver, &["roles.create"]).await;
    receiver.behaves(Behaviour::Hang);
    create_role(&app, "Guard").await;
    let (kill, killed) = tokio::sync::oneshot::channel();
    let shared = Arc::clone(&app);
    let first = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let opening = open(&shared.scratch, Limits::default());
        let app = runtime.block_on(opening);
        runtime.spawn(platform::webhooks::run(app.webhooks));
        runtime.block_on(killed).expect("a sign");
        runtime.shutdown_background();
    });
    eventually("the first instance sends", async || receiver.count() == 1).await;
    kill.send(()).expect("it is still there");
    first.join().expect("it is dead");
    receiver.behaves(Behaviour::Status(200));

    send(&app).await;
    app.advance(19);
    send(&app).await;
    assert_eq!(receiver.count(), 1, "it is still leased");
    assert_eq!(deliveries(&app, id).await[0]["state"], "pending");
    app.advance(2);
    send(&app).await;
    assert_eq!(receiver.count(), 2);
    assert_eq!(deliveries(&app, id).await[0]["state"], "delivered");
    let requests = receiver.requests();
    assert_eq!(requests[0].id(), requests[1].id());
}
