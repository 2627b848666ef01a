//! An instance that is paused, as a machine without memory or a debugger does, and then continues.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Home, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_instance_admits_no_key_that_was_revoked_in_the_meantime() {
    let home = Home::new().await;
    if !home.on_postgres() {
        return;
    }
    let (first, second) = (home.start().await, home.start().await);
    for pause in [100, 1200] {
        let made = first
            .admin()
            .post("/api/api-keys", json!({ "name": "Shop" }))
            .await;
        let key = made.created()["api_key"].clone();
        let path = format!("/api/api-keys/{}", key["id"]);
        let body = json!({ "permission_ids": [3] });
        let admin = first.admin();
        admin.put(&format!("{path}/permissions"), body).await.ok();
        let holder = second.holder(key["key"].as_str().expect("a value"));
        for _ in 0..20 {
            holder.get("/api/roles").await.ok();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }

        second.signal("STOP");
        let started = Instant::now();
        within(admin.delete(&path)).await.ok();
        assert!(started.elapsed() < Duration::from_secs(20));
        // The request waits in the socket until the instance continues.
        let answer = tokio::spawn(async move { holder.get("/api/roles").await });
        tokio::time::sleep(Duration::from_millis(pause)).await;
        second.signal("CONT");
        within(answer).await.expect("an answer").expect(401);
    }
}
