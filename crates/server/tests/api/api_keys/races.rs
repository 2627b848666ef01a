use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::support::{TestApp, at_once};

#[service_test]
async fn of_values_regenerated_at_once_exactly_one_is_valid(app: TestApp) {
    let (id, old) = app.key(&["admin.roles.read"]).await;
    let making = (0..16).map(|_| {
        let admin = app.admin();
        async move {
            let path = format!("/api/api-keys/{id}/regenerate");
            let made = admin.post_empty(&path).await.ok();
            made["api_key"]["key"].as_str().expect("a value").to_owned()
        }
    });
    let mut opening = 0;
    for value in at_once(making).await {
        let answer = app.holder(&value).get("/api/roles").await;
        opening += usize::from(answer.status == 200);
    }
    assert_eq!(opening, 1);
    old.get("/api/roles").await.unauthorized();
}

#[service_test(TestApp::start_with(|limits| limits.wrong_keys_per_minute = u32::MAX))]
async fn after_a_revocation_all_concurrent_requests_get_401(app: TestApp) {
    for way in ["delete", "deactivate", "regenerate"] {
        let (id, holder) = app.key(&["admin.roles.read"]).await;
        let revoked = Arc::new(AtomicBool::new(false));
        let busy = Arc::new(Barrier::new(65));
        let mut readers = JoinSet::new();
        for _ in 0..64 {
            let (holder, revoked, busy) = (holder.clone(), Arc::clone(&revoked), Arc::clone(&busy));
            readers.spawn(async move {
                holder.get("/api/roles").await.ok();
                busy.wait().await;
                loop {
                    let too_late = revoked.load(Ordering::SeqCst);
                    let answer = holder.get("/api/roles").await;
                    if too_late {
                        return answer.unauthorized();
                    }
                    assert!(matches!(answer.status, 200 | 401), "{answer:?}");
                }
            });
        }
        busy.wait().await;
        let (admin, path) = (app.admin(), format!("/api/api-keys/{id}"));
        match way {
            "delete" => admin.delete(&path).await.ok(),
            "deactivate" => admin.put(&path, json!({ "active": false })).await.ok(),
            _ => admin.post_empty(&format!("{path}/regenerate")).await.ok(),
        };
        revoked.store(true, Ordering::SeqCst);
        readers.join_all().await;
    }
}
