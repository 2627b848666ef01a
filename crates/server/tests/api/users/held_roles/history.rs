use serde_json::{Value, json};

use super::{ANNA, EXTEND, VIP, at, extend, until, with_anna};
use crate::support::walk::walk;
use crate::support::{Client, TestApp};

const HISTORY: &str = "/api/users/1/role-history";

async fn history(admin: &Client) -> Value {
    admin.get(HISTORY).await.ok()["role_history"].take()
}

fn past(granted_at: i64, expires_at: Value, ended_at: Value, ended_by: Value) -> Value {
    json!({
        "role_id": 1, "role_name": "VIP", "granted_at": at(granted_at), "expires_at": expires_at,
        "ended_at": ended_at, "ended_by": ended_by, "source": { "kind": "api", "id": null },
    })
}

#[service_test(with_anna())]
async fn the_history_has_one_entry_for_each_time_a_role_was_held(app: TestApp, admin: Client) {
    let none = || json!(null);
    let empty = admin.get(HISTORY).await;
    assert_eq!(empty.ok(), json!({ "role_history": [] }));
    admin.put(VIP, until(60)).await.created();
    assert_eq!(
        history(&admin).await,
        json!([past(0, at(60), none(), none())])
    );
    // Another end is the same time of holding it.
    extend(&admin, 60).await.ok();
    let mut first = past(0, at(120), none(), none());
    assert_eq!(history(&admin).await, json!([first]));

    app.advance(120);
    first = past(0, at(120), at(120), json!("expired"));
    assert_eq!(history(&admin).await, json!([first]), "before it is ended");
    super::expiry::end_roles(&app.app).await;
    assert_eq!(history(&admin).await, json!([first]), "and after");

    admin.put(VIP, json!({})).await.created();
    app.advance(10);
    admin.delete(VIP).await.ok();
    let second = past(120, none(), at(130), json!("removed"));
    assert_eq!(history(&admin).await, json!([second, first]));

    app.advance(10);
    admin
        .put("/api/users/1/roles", json!({ "role_ids": [1] }))
        .await
        .ok();
    app.advance(10);
    admin
        .put("/api/users/1/roles", json!({ "role_ids": [] }))
        .await
        .ok();
    let third = past(140, none(), at(150), json!("removed"));
    let bulk = |name: &str| json!({ "ids": [1], name: [1] });
    admin.post("/api/users/bulk", bulk("add_roles")).await.ok();
    app.advance(10);
    admin
        .post("/api/users/bulk", bulk("remove_roles"))
        .await
        .ok();
    let fourth = past(150, none(), at(160), json!("removed"));
    admin.put(VIP, until(1000)).await.created();
    app.advance(10);
    admin
        .put("/api/roles/1", json!({ "name": "Gold" }))
        .await
        .ok();
    assert_eq!(history(&admin).await[0]["role_name"], "Gold");
    admin
        .put("/api/roles/1", json!({ "name": "VIP" }))
        .await
        .ok();
    admin.delete("/api/roles/1").await.ok();
    let fifth = past(160, at(1000), at(170), json!("role_deleted"));
    assert_eq!(
        history(&admin).await,
        json!([fifth, fourth, third, second, first])
    );
    assert_eq!(admin.total(HISTORY).await, "5");
    let walked = walk(&admin, &format!("{HISTORY}?per_page=2"), "role_history").await;
    assert_eq!(walked, [fifth, fourth, third, second, first]);

    // A user that is created with roles has them from then on.
    let mut berta = crate::support::new_user("berta");
    berta["role_ids"] = json!([2]);
    admin.post("/api/users", berta).await.created();
    let berta = admin.get("/api/users/2/role-history").await.ok();
    assert_eq!(berta["role_history"][0]["granted_at"], at(170));
    admin.delete("/api/users/2").await.ok();
    admin.delete(ANNA).await.ok();
    assert_eq!(
        app.number("SELECT COUNT(*) FROM user_role_history").await,
        0
    );
}

#[service_test(with_anna())]
async fn a_role_that_expired_before_it_was_deleted_has_expired(app: TestApp, admin: Client) {
    admin.put(VIP, until(60)).await.created();
    app.advance(61);
    admin.delete("/api/roles/1").await.ok();
    let expired = past(0, at(60), at(60), json!("expired"));
    assert_eq!(history(&admin).await, json!([expired]));
    let entries = "/api/audit-log?action=users.role_expired";
    assert_eq!(admin.total(entries).await, "1");

    // The same for a user.
    admin.create_role("Cook").await;
    admin.put("/api/users/1/roles/3", until(90)).await.created();
    app.advance(90);
    admin.delete(ANNA).await.ok();
    assert_eq!(admin.total(entries).await, "2");
}

#[service_test(with_anna())]
async fn a_grant_extends_a_role_within_its_own_transaction(app: TestApp, admin: Client) {
    use accounts::roles::held::Source;
    use accounts::{roles, users};
    use kernel::write::{Change, Edit, Resource};

    let grant = async |id: i64, seconds: i64| {
        let mut edit = Edit::maintenance(app.core()).await.expect("a transaction");
        let user = users::locked(&mut edit, 1).await.expect("a user");
        let mut user = user.expect("Anna");
        let role = roles::hold(&mut edit, 1).await.expect("a role");
        let source = Source::Grant(id);
        let extended = users::extend_role(&mut edit, &mut user, &role, seconds, source).await;
        let done = Change::of_read("create", roles::Role::PLURAL, id, &json!({}));
        edit.commit(done).await.expect("it is committed");
        extended.expect("it is extended")
    };
    let first = grant(7, 60).await;
    assert_eq!(
        (first.is_new, json!(first.from), json!(first.until)),
        (true, at(0), at(60))
    );
    app.advance(10);
    let second = grant(8, 60).await;
    assert_eq!(
        (second.is_new, json!(second.from), json!(second.until)),
        (false, at(60), at(120))
    );
    let shown = history(&admin).await;
    assert_eq!(shown[0]["source"], json!({ "kind": "grant", "id": 7 }));
    assert_eq!(shown[0]["expires_at"], at(120));
    // The next one that gives the role is another source.
    app.advance(200);
    admin.post(EXTEND, json!({ "seconds": 60 })).await.created();
    assert_eq!(history(&admin).await[0]["source"]["kind"], "api");
}
