//! Several instances on one database.

use super::{ANNA, connected};
use crate::support::eventually;
use crate::support::guild::{Trouble, VIP};
use discord::guild::members;

#[service_test]
async fn one_instance_at_a_time_sends_and_another_follows_when_its_lease_is_over() {
    let connected = connected().await;
    let other = connected.app.second_instance().await;
    for i in 0..20 {
        let user = connected.member(&format!("user{i}"), ANNA + i, &[]).await;
        connected.give(user, connected.vip).await;
    }
    connected.guild.trouble(Trouble {
        delay: std::time::Duration::from_millis(20),
        ..Trouble::default()
    });
    // The first has sent before, so that its lease is running.
    members::once(&other.app.discord)
        .await
        .expect("nothing to do");
    assert!(connected.guild.requests().is_empty());
    let (one, two) = tokio::join!(
        members::once(&connected.app.app.discord),
        members::once(&other.app.discord),
    );
    one.and(two).expect("visited");
    // 20 reads and 20 changes: nothing was done twice.
    assert_eq!(connected.guild.requests().len(), 40);
    for i in 0..20 {
        assert_eq!(connected.guild.roles_of(ANNA + i), Some(vec![VIP]));
    }
    let user = connected.member("late", ANNA + 50, &[]).await;
    connected.give(user, connected.vip).await;
    members::once(&other.app.discord)
        .await
        .expect("not its turn");
    assert_eq!(connected.guild.roles_of(ANNA + 50), Some(vec![]));
    other.app.kernel.core.clock.advance(61);
    members::once(&other.app.discord).await.expect("its turn");
    assert_eq!(connected.guild.roles_of(ANNA + 50), Some(vec![VIP]));
}

#[service_test]
async fn a_visit_that_died_is_made_again() {
    let connected = connected().await;
    let user = connected.member("anna", ANNA, &[]).await;
    connected.give(user, connected.vip).await;
    connected.guild.trouble(Trouble {
        delay: std::time::Duration::from_secs(30),
        ..Trouble::default()
    });
    let app = &connected.app;
    // The instance dies while it waits for an answer.
    let asked = async || !connected.guild.requests().is_empty();
    tokio::select! {
        () = app.visit_members() => panic!("it did not wait"),
        () = eventually("Discord is asked", asked) => {}
    }
    connected.guild.behaves_again();
    let other = app.second_instance().await;
    members::once(&other.app.discord).await.expect("leased");
    assert_eq!(connected.guild.roles_of(ANNA), Some(vec![]));
    other.app.kernel.core.clock.advance(61);
    members::once(&other.app.discord).await.expect("visited");
    assert_eq!(connected.guild.roles_of(ANNA), Some(vec![VIP]));
}

#[service_test]
async fn a_clock_that_was_ahead_keeps_no_instance_from_sending() {
    let connected = connected().await;
    // Its clock is right.
    let other = connected.app.second_instance().await;
    let anna = connected.member("anna", ANNA, &[]).await;
    let late = connected.member("late", ANNA + 1, &[]).await;
    connected.app.advance(3 * 24 * 3600);
    connected.give(anna, connected.vip).await;
    assert_eq!(connected.roles_of(ANNA).await, [VIP]);
    let admin = other.holder(connected.app.admin_key());
    let path = format!("/api/users/{late}/roles/{}", connected.vip);
    admin.put(&path, serde_json::json!({})).await;
    members::once(&other.app.discord).await.expect("visited");
    assert_eq!(connected.guild.roles_of(ANNA + 1), Some(vec![VIP]));
}
