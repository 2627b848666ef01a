use serde_json::json;

use super::{MONTH, ROLES, VIP, at, held, until, with_anna};
use crate::support::{Client, TestApp, at_once, count, in_every_order};

#[service_test(with_anna())]
async fn concurrent_extensions_add_up(app: TestApp, admin: Client) {
    let second = app.second_instance().await;
    let other = second.holder(app.admin_key());
    let requests = (0..20).map(|number| {
        let admin = [&admin, &other][number % 2].clone();
        async move { super::extend(&admin, MONTH).await }
    });
    let answers = at_once(requests).await;
    assert_eq!((count(&answers, 201), count(&answers, 200)), (1, 19));
    let roles = admin.get(ROLES).await.ok();
    assert_eq!(roles["roles"][0]["expires_at"], at(20 * MONTH));
    assert_eq!(
        app.number("SELECT COUNT(*) FROM user_role_history").await,
        1
    );
}

#[service_test(with_anna())]
async fn an_extension_and_the_end_see_each_other(app: TestApp, admin: Client) {
    let mut now = 0;
    for round in 0..12 {
        admin.put(VIP, until(now + 60)).await;
        app.advance(60);
        now += 60;
        let requests = [true, false].map(|extends| {
            let (admin, app) = (admin.clone(), app.app.clone());
            let request = async move {
                if !extends {
                    super::expiry::end_roles(&app).await;
                    return admin.get(ROLES).await;
                }
                super::extend(&admin, 60).await
            };
            (extends, request)
        });
        in_every_order(round, requests).await;
        // Whichever was first, the role has ended once and was given from now.
        let roles = admin.get(ROLES).await.ok();
        assert_eq!(roles["roles"][0]["granted_at"], at(now), "round {round}");
        assert_eq!(
            roles["roles"][0]["expires_at"],
            at(now + 60),
            "round {round}"
        );
        let total = admin
            .total("/api/audit-log?action=users.role_expired")
            .await;
        assert_eq!(total, (round + 1).to_string());
        admin.delete(VIP).await.ok();
    }
}

/// Every write that changes the roles of a user, at once with the job and deletes of the role.
#[service_test(with_anna())]
async fn concurrent_writes_leave_a_consistent_history(app: TestApp, admin: Client) {
    let second = app.second_instance().await;
    let other = second.holder(app.admin_key());
    for name in ["berta", "clara"] {
        app.user(name).await;
    }
    for round in 0..8 {
        let role = admin.create_role("Cook").await;
        for user in 1..=3 {
            let now = app.core().clock.now().unix() - crate::support::NOON;
            let path = format!("/api/users/{user}/roles/1");
            admin.put(&path, until(now + 1)).await;
            let path = format!("/api/users/{user}/roles/{role}");
            admin.put(&path, until(now + 1)).await.created();
        }
        app.advance(1);
        second.app.kernel.core.clock.advance(1);
        let requests = (0..24).map(|number| {
            let admin = [&admin, &other][number % 2].clone();
            let app = [&app.app, &second.app][number % 2].clone();
            let user = number % 3 + 1;
            let path = format!("/api/users/{user}/roles");
            async move {
                match number % 8 {
                    0 | 1 => {
                        super::expiry::end_roles(&app).await;
                        return admin.get(&path).await;
                    }
                    2 => admin.put(&path, json!({ "role_ids": [2, role] })).await,
                    3 => {
                        let body = json!({ "ids": [1, 2, 3], "add_roles": [1, role] });
                        admin.post("/api/users/bulk", body).await
                    }
                    4 => admin.delete(&format!("/api/roles/{role}")).await,
                    5 => admin.delete(&format!("{path}/{role}")).await,
                    6 => admin.put(&format!("{path}/1"), json!({})).await,
                    _ => {
                        let body = json!({ "seconds": 60 });
                        admin.post(&format!("{path}/{role}/extend"), body).await
                    }
                }
            }
        });
        for answer in at_once(requests).await {
            let expected = [200, 201, 404, 422].contains(&answer.status);
            assert!(expected, "round {round}: {answer:?}");
        }
        for sql in UNLIKE {
            assert_eq!(app.number(sql).await, 0, "round {round}: {sql}");
        }
    }
    assert!(held(&admin).await.is_array());
}

/// Counts of what must not be: a role without its history or with another end, an open entry of the
/// history without its role, and an expired role without its event or with two.
pub const UNLIKE: [&str; 4] = [
    "SELECT COUNT(*) FROM user_roles h LEFT JOIN user_role_history p
       ON p.user_id = h.user_id AND p.role_id = h.role_id AND p.ended_at IS NULL
     WHERE p.id IS NULL OR p.expires_at <> h.expires_at",
    "SELECT COUNT(*) FROM user_role_history p LEFT JOIN user_roles h
       ON h.user_id = p.user_id AND h.role_id = p.role_id
     WHERE p.ended_at IS NULL AND h.user_id IS NULL",
    "SELECT ABS((SELECT COUNT(*) FROM user_role_history WHERE ended_by = 'expired')
              - (SELECT COUNT(*) FROM audit_log WHERE action = 'users.role_expired'))",
    "SELECT COUNT(*) FROM user_role_history
     WHERE (ended_at IS NULL) <> (ended_by IS NULL)
        OR (ended_by = 'expired' AND ended_at <> expires_at) OR ended_at < granted_at",
];
