//! No event is left out, whatever the order in which transactions commit.

use std::sync::Arc;
use std::time::Duration;

use db::params;

use super::{create, create_role, send};
use crate::support::receiver::Receiver;
use crate::support::{NOON, TestApp, eventually};

/// Writes an audit entry in a transaction that is still open.
async fn open_entry(app: &TestApp) -> db::Tx {
    let mut tx = app.core().db.begin().await.expect("a transaction");
    tx.execute(
        "INSERT INTO audit_log (at, key_name, request_id, action, resource, resource_id, before,
                                after)
         VALUES ($1, 'late', 'late', 'roles.late', 'roles', 1, '{}', '{}')",
        params![NOON],
    )
    .await
    .expect("an entry");
    tx
}

#[service_test]
async fn an_entry_that_is_committed_after_one_with_a_higher_id_is_sent(app: TestApp) {
    if !app.core().db.on_postgres() {
        // SQLite has one writer, so ids are in the order of commits.
        return;
    }
    let receiver = Receiver::start().await;
    create(&app, &receiver, &["roles.*"]).await;
    let running = tokio::spawn(platform::webhooks::run(app.app.webhooks.clone()));
    create_role(&app, "first").await;
    eventually("it arrives", async || receiver.count() == 1).await;
    let late = open_entry(&app).await;
    create_role(&app, "second").await;
    // Long enough for a few rounds, in which the second must not move the position past the gap.
    tokio::time::sleep(Duration::from_secs(1)).await;
    late.commit().await.expect("committed");
    eventually("both arrive", async || receiver.count() == 3).await;
    let expected = ["roles.create", "roles.late", "roles.create"];
    assert_eq!(receiver.actions(), expected);
    running.abort();
}

#[service_test]
async fn a_creation_waits_until_no_entry_before_its_position_can_appear() {
    let app = Arc::new(TestApp::start().await);
    if !app.core().db.on_postgres() {
        return;
    }
    let receiver = Arc::new(Receiver::start().await);
    let late = open_entry(&app).await;
    create_role(&app, "before").await;
    let creating = {
        let (app, receiver) = (Arc::clone(&app), Arc::clone(&receiver));
        tokio::spawn(async move { create(&app, &receiver, &["roles.*"]).await })
    };
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(!creating.is_finished(), "the late entry could be left out");
    late.commit().await.expect("committed");
    creating.await.expect("it is created");
    create_role(&app, "after").await;
    send(&app).await;
    assert_eq!(receiver.actions(), ["roles.create"]);
}
