//! No write takes effect after its key was deleted, however far it had come.

use kernel::write::Edit;
use platform::api_keys;

use super::document::writes;
use super::fixtures::fixture;
use super::writes::{audit, state};
use crate::support::{TestApp, eventually};

/// How many transactions wait for a lock of this database.
const WAITING: &str = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND database =
                       (SELECT oid FROM pg_database WHERE datname = current_database())";

#[service_test]
async fn every_write_running_when_its_key_is_deleted_gives_401_and_changes_nothing(app: TestApp) {
    let admin = app.admin();
    for operation in writes(&app).await {
        let id = &operation.id;
        let fixture = fixture(&operation, &app).await;
        let needed = operation.needs();
        let permissions = [&needed[..1], operation.also_needs()].concat();
        let (key_id, caller) = app.key(&permissions).await;
        caller.get("/api/permissions").await.ok();
        let resource = fixture.action.split('.').next().unwrap_or_default();
        let changes_keys = ["api_keys", "operators"].contains(&resource)
            || operation.path.starts_with("/api/operators/");
        let (entries, _) = audit(&admin).await;
        let before = state(&admin, &operation, &fixture).await;
        app.advance(1);

        // On SQLite the write waits for this transaction; on PostgreSQL it comes as far as its
        // audit entry, or, if it changes keys, waits for this change of a key.
        let mut edit = Edit::command_line(app.core()).await.expect("a transaction");
        let lock = match changes_keys {
            true => api_keys::lock(&mut edit).await,
            false => {
                let sql = "LOCK TABLE audit_log IN SHARE MODE";
                edit.lock(sql, &[]).await.map_err(Into::into)
            }
        };
        lock.expect("locked");
        let delete = async {
            eventually("the write is under way", async || {
                if app.core().db.on_postgres() {
                    return app.number(WAITING).await > 0;
                }
                let last = app.app.kernel.keys.last_use(key_id);
                last.is_some_and(|last| last.at == app.core().clock.now())
            })
            .await;
            let key = api_keys::target_to_delete(&mut edit, key_id).await;
            let change = api_keys::delete(&mut edit, key.expect("the key")).await;
            edit.commit(change.expect("deleted"))
                .await
                .expect("committed")
        };
        let (answer, _) = tokio::join!(fixture.send(&caller, &operation), delete);

        answer.unauthorized();
        let (after, entry) = audit(&admin).await;
        assert_eq!(after, entries + 1, "{id}");
        assert_eq!(entry["action"], "api_keys.delete", "{id}");
        assert_eq!(entry["resource_id"], key_id, "{id}");
        if !changes_keys {
            assert_eq!(state(&admin, &operation, &fixture).await, before, "{id}");
        }
        if let Some(outside) = &fixture.outside {
            assert!(outside.is_untouched(), "{id}");
        }
    }
}
