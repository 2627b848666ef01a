//! Loading many rows at once.

use db::{Conn, Db, Error, Value, params};

use crate::support::{create, migrated, with_items};

const MANY: i64 = 12_345;

async fn with_lines() -> (db::testing::Scratch, Db) {
    let (scratch, db) = with_items().await;
    create(
        &db,
        "CREATE TABLE lines (id ID PRIMARY KEY, item_id BIGINT NOT NULL REFERENCES items (id),
                             name TEXT UNIQUE, raw BYTES, flag BOOLEAN NOT NULL)",
    )
    .await;
    (scratch, db)
}

const COLUMNS: [&str; 5] = ["id", "item_id", "name", "raw", "flag"];

#[tokio::test]
async fn load_adds_all_rows_with_all_types_of_values() {
    let (_scratch, db) = with_lines().await;
    let mut tx = db.begin().await.expect("a transaction");
    let ids = 1..=MANY;
    let items = ids.clone().map(|id| [Value::from(id)]);
    tx.load("items", ["id"], items).await.expect("items");
    let names: Vec<String> = ids.clone().map(|id| format!("n{id}")).collect();
    let raw = [1_u8, 0, 255];
    let lines = ids.zip(&names).map(|(id, name)| {
        let name = (id % 2 == 0).then_some(name);
        [
            id.into(),
            (MANY + 1 - id).into(),
            name.into(),
            Value::from(&raw),
            (id % 3 == 0).into(),
        ]
    });
    tx.load("lines", COLUMNS, lines).await.expect("lines");
    tx.load("lines", COLUMNS, []).await.expect("no rows");
    tx.commit().await.expect("committed");

    let mut read = db.read().await.expect("a reader");
    let found: (i64, i64, i64, i64) = read
        .query_one(
            "SELECT COUNT(*), COUNT(name), SUM(CASE WHEN flag THEN 1 ELSE 0 END),
                    SUM(CASE WHEN item_id + id = $1 AND length(raw) = 3 THEN 1 ELSE 0 END)
             FROM lines",
            params![MANY + 1],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )
        .await
        .expect("counts");
    assert_eq!(found, (MANY, MANY / 2, MANY / 3, MANY));
    let last: (Option<String>, Vec<u8>) = read
        .query_one(
            "SELECT name, raw FROM lines WHERE id = $1",
            params![MANY - 1],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await
        .expect("a row");
    assert_eq!(last, (Some("n12344".into()), raw.to_vec()));
}

#[tokio::test]
async fn load_names_the_violated_constraint_and_adds_nothing() {
    let (_scratch, db) = with_lines().await;
    let row = |id: i64, item: i64, name: &'static str| {
        [
            id.into(),
            item.into(),
            Value::from(name),
            Value::Null,
            true.into(),
        ]
    };
    for (rows, name) in [
        (vec![row(1, 1, "a"), row(2, 1, "a")], "lines_name_key"),
        (vec![row(1, 1, "a"), row(1, 1, "b")], "lines_pkey"),
        (vec![row(1, 1, "a"), row(2, 7, "b")], "lines_item_id_fkey"),
    ] {
        let mut tx = db.begin().await.expect("a transaction");
        let one = [[Value::from(1_i64)]];
        tx.load("items", ["id"], one).await.expect("an item");
        match tx.load("lines", COLUMNS, rows).await {
            Err(Error::Unique(found) | Error::ForeignKey(found)) => assert_eq!(found, name),
            other => panic!("{other:?}"),
        }
        drop(tx);
    }
    let mut tx = db.begin().await.expect("a transaction");
    let nul = tx.load("lines", COLUMNS, [row(1, 1, "a\0b")]).await;
    assert!(matches!(nul, Err(Error::Nul)), "{nul:?}");
    let left = tx.query_one("SELECT COUNT(*) FROM items", &[], |row| row.get::<i64>(0));
    assert_eq!(left.await.expect("a count"), 0);
}

#[tokio::test]
async fn load_runs_triggers_for_every_row() {
    let (_scratch, db) = migrated().await;
    let mut tx = db.begin().await.expect("a transaction");
    let names: Vec<String> = (0..1200).map(|number| format!("user{number:05}")).collect();
    let columns = [
        "username",
        "email",
        "username_folded",
        "email_folded",
        "password_hash",
        "status",
        "created_at",
        "updated_at",
    ];
    let rows = names.iter().map(|name| {
        let name = Value::from(name);
        [
            name,
            name,
            name,
            name,
            Value::from(""),
            Value::from("active"),
            0.into(),
            0.into(),
        ]
    });
    tx.load("users", columns, rows).await.expect("users");
    tx.commit().await.expect("committed");
    let mut read = db.read().await.expect("a reader");
    for wanted in ["user00000", "user00731", "user01199"] {
        let found = read
            .query(
                "SELECT u.username FROM users u
                 WHERE u.id IN (SELECT rowid FROM user_search($1)) AND u.username = $2",
                params![db::Containing(&[wanted]), wanted],
                |row| row.get::<String>(0),
            )
            .await;
        assert_eq!(found.expect("a search"), [wanted]);
    }
}

#[tokio::test]
async fn reserved_ids_continue_after_the_last_id_of_the_table() {
    let (_scratch, db) = migrated().await;
    let role = "INSERT INTO roles (name, description, color) VALUES ('', '', '') RETURNING id";
    let mut tx = db.begin().await.expect("a transaction");
    assert_eq!(tx.reserve_ids("roles", 0).await.expect("none"), 0);
    assert_eq!(tx.reserve_ids("roles", 3).await.expect("ids"), 1);
    let rows = (1..=3_i64).map(|id| [id.into(), "".into(), "".into(), Value::from("")]);
    let columns = ["id", "name", "description", "color"];
    tx.load("roles", columns, rows).await.expect("roles");
    let next: i64 = tx
        .query_one(role, &[], |row| row.get(0))
        .await
        .expect("an id");
    assert_eq!(next, 4);
    tx.execute("DELETE FROM roles", &[]).await.expect("deleted");
    assert_eq!(
        tx.reserve_ids("roles", 2).await.expect("ids"),
        5,
        "an id was given twice"
    );
    tx.commit().await.expect("committed");
}

#[tokio::test]
async fn vacuum_or_checkpoint_cleans_up_after_load() {
    let (scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a transaction");
    let rows = (1..=MANY).map(|id| [Value::from(id)]);
    tx.load("items", ["id"], rows).await.expect("items");
    tx.commit().await.expect("committed");
    db.vacuum_or_checkpoint().await.expect("cleaned up");
    if db.on_postgres() {
        let mut read = db.read().await.expect("a reader");
        let known = read.query_one(
            "SELECT reltuples::bigint, current_setting('statement_timeout') FROM pg_class
             WHERE relname = 'items'",
            &[],
            |row| Ok((row.get::<i64>(0)?, row.get::<String>(1)?)),
        );
        assert_eq!(known.await.expect("statistics"), (MANY, "10s".into()));
    } else {
        let path = scratch.url().trim_start_matches("sqlite:").to_owned();
        let wal = std::fs::metadata(format!("{path}-wal")).map_or(0, |wal| wal.len());
        assert_eq!(wal, 0);
    }
}

/// The indexes and the foreign keys of all tables.
async fn definitions(conn: &mut Conn, on_postgres: bool) -> Vec<String> {
    let sql = match on_postgres {
        true => {
            "SELECT pg_get_indexdef(indexrelid) AS line FROM pg_index
             WHERE indrelid::regclass::text NOT LIKE 'pg_%'
             UNION ALL SELECT conrelid::regclass::text || conname || pg_get_constraintdef(oid)
             FROM pg_constraint WHERE contype = 'f' ORDER BY line"
        }
        false => "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY sql",
    };
    conn.query(sql, &[], |row| row.get(0)).await.expect("lines")
}

#[tokio::test]
async fn indexes_and_foreign_keys_that_a_load_drops_are_restored() {
    let (_scratch, db) = migrated().await;
    let on_postgres = db.on_postgres();
    let mut tx = db.begin().await.expect("a transaction");
    let before = definitions(&mut tx, on_postgres).await;
    let dropped = tx.drop_for_load(&["users", "payment_invoices"]).await;
    let without = definitions(&mut tx, on_postgres).await;
    // Unique indexes are still there.
    let unique = |lines: &[String]| lines.iter().filter(|line| line.contains("UNIQUE")).count();
    assert_eq!(unique(&without), unique(&before));
    assert_eq!(without.len() + 20 < before.len(), on_postgres);
    let restored = tx.restore_dropped(dropped.expect("dropped")).await;
    restored.expect("restored");
    assert_eq!(definitions(&mut tx, on_postgres).await, before);
}

#[tokio::test]
async fn a_row_that_violates_a_dropped_foreign_key_is_found() {
    let (_scratch, db) = with_lines().await;
    let mut tx = db.begin().await.expect("a transaction");
    let dropped = tx.drop_for_load(&["lines"]).await.expect("dropped");
    let row = [1.into(), 7.into(), Value::Null, Value::Null, true.into()];
    // SQLite keeps the foreign key.
    let mut outcome = tx.load("lines", COLUMNS, [row]).await;
    assert_eq!(outcome.is_ok(), db.on_postgres());
    if outcome.is_ok() {
        outcome = tx.restore_dropped(dropped).await;
    }
    match outcome {
        Err(Error::ForeignKey(name)) => assert_eq!(name, "lines_item_id_fkey"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn load_does_not_restore_statement_limits_that_were_removed() {
    let (_scratch, db) = with_items().await;
    let mut tx = db.begin().await.expect("a transaction");
    tx.allow_long_statements().await.expect("allowed");
    tx.load("items", ["id"], [[Value::from(1_i64)]])
        .await
        .expect("items");
    if db.on_postgres() {
        let limit: String = tx
            .query_one("SHOW statement_timeout", &[], |row| row.get(0))
            .await
            .expect("the limit");
        assert_eq!(limit, "0");
    }
}
