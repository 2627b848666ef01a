//! The value of a key leaves the service once and is not stored.

use db::params;
use kernel::auth::KeyValue;
use serde_json::json;

use crate::support::{Client, TestApp};

/// Whether any column of the database contains these bytes.
async fn is_stored(app: &TestApp, bytes: &[u8]) -> bool {
    if app.core().db.on_postgres() {
        let mut read = app.core().db.read().await.expect("a reader");
        read.query_one("SELECT is_stored($1)", params![bytes], |row| row.get(0))
            .await
            .expect("all tables can be searched")
    } else {
        let files = app.scratch.files();
        let mut contents = files
            .iter()
            .map(|file| std::fs::read(file).expect("it can be read"));
        contents.any(|content| content.windows(bytes.len()).any(|part| part == bytes))
    }
}

/// PostgreSQL compresses long values in its files, so each column is searched with SQL.
async fn create_search_function(app: &TestApp) {
    if !app.core().db.on_postgres() {
        return;
    }
    let function = "CREATE FUNCTION is_stored(bytes BYTEA) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
        DECLARE
            place RECORD;
            found BOOLEAN;
        BEGIN
            FOR place IN SELECT table_name, column_name, data_type
                FROM information_schema.columns WHERE table_schema = 'public'
            LOOP
                EXECUTE format(
                    CASE place.data_type WHEN 'bytea'
                    THEN 'SELECT EXISTS (SELECT 1 FROM %I WHERE position($1 IN %I) > 0)'
                    ELSE 'SELECT EXISTS (SELECT 1 FROM %I
                          WHERE position($1 IN convert_to(%I::text, ''UTF8'')) > 0)' END,
                    place.table_name, place.column_name
                ) INTO found USING bytes;
                IF found THEN RETURN TRUE; END IF;
            END LOOP;
            RETURN FALSE;
        END $$";
    app.app
        .kernel
        .core
        .db
        .run_sql(function)
        .await
        .expect("a function");
}

/// Neither the value nor its first or last part.
async fn assert_not_stored(app: &TestApp, value: &str) {
    assert!(!is_stored(app, &value.as_bytes()[..12]).await, "{value}");
    assert!(!is_stored(app, &value.as_bytes()[10..]).await, "{value}");
}

#[service_test]
async fn no_value_is_stored_in_clear_text(app: TestApp, admin: Client) {
    create_search_function(&app).await;
    assert_not_stored(&app, app.admin_key()).await;

    let careful = admin.with("Idempotency-Key", "so-that-the-reply-is-kept");
    let body = json!({ "name": "Till number five" });
    let created = careful.post("/api/api-keys", body).await.created();
    let value = created["api_key"]["key"].as_str().expect("a value");
    assert_not_stored(&app, value).await;
    // The search must find what is there, or finding nothing proves nothing.
    assert!(is_stored(&app, b"Till number five").await);
    assert!(is_stored(&app, &value.as_bytes()[..8]).await);
    let hash = KeyValue::chosen(value).expect("a fine value").hash();
    assert!(is_stored(&app, &hash).await);

    let careful = admin.with("Idempotency-Key", "so-that-this-one-is-kept-too");
    let regenerated = careful.post_empty("/api/api-keys/2/regenerate").await.ok();
    let value = regenerated["api_key"]["key"].as_str().expect("a value");
    assert_not_stored(&app, value).await;

    let careful = admin.with("Idempotency-Key", "so-that-even-this-one-is-kept");
    let body = json!({ "overlap_seconds": 60 });
    let rotated = careful.post("/api/api-keys/2/rotate", body).await.ok();
    assert_not_stored(&app, value).await;
    let value = rotated["api_key"]["key"].as_str().expect("a value");
    assert_not_stored(&app, value).await;

    let chosen = KeyValue::chosen("chosen-by-the-operator").expect("a fine value");
    app.app.ensure_first_key(Some(&chosen)).await.expect("set");
    assert_not_stored(&app, chosen.reveal()).await;
}

/// An audit entry shows that there is a new value, but not the value.
#[service_test]
async fn no_value_and_no_hash_is_in_the_audit_log(admin: Client) {
    let body = json!({ "name": "Till" });
    admin.post("/api/api-keys", body).await.created();
    admin.post_empty("/api/api-keys/2/regenerate").await.ok();
    let body = json!({ "overlap_seconds": 60 });
    admin.post("/api/api-keys/2/rotate", body).await.ok();
    admin.delete("/api/api-keys/2").await.ok();
    let log = admin
        .get("/api/audit-log?resource=api_keys&resource_id=2")
        .await;
    let entries = log.ok();
    assert_eq!(entries["audit_log"].as_array().map(Vec::len), Some(4));
    assert!(!log.text.contains("stw_"), "{}", log.text);
    for entry in entries["audit_log"].as_array().expect("a list") {
        let text = entry.to_string();
        assert!(text.contains(r#""key":"***""#), "{text}");
        for field in ["hash", "prefix", "previous", "previous_hash"] {
            assert!(entry["before"].get(field).is_none(), "{entry}");
            assert!(entry["after"].get(field).is_none(), "{entry}");
        }
    }
}
