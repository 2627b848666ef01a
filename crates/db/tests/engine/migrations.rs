use db::testing::Scratch;
use db::{Db, Error, params};
use tokio::task::JoinSet;

use crate::support::{migrated, within};

/// A column and an index, as most migrations add.
const NEXT: &str =
    "ALTER TABLE roles ADD COLUMN icon TEXT; CREATE INDEX roles_name ON roles (name)";

async fn known(db: &Db) -> i64 {
    db.schema_state().await.expect("the schema is known").known
}

async fn applied_migrations(db: &Db) -> Vec<(i64, i64)> {
    let mut read = db.read().await.expect("a reader");
    read.query(
        "SELECT version, applied_at FROM schema_migrations ORDER BY version",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
    .expect("the table can be read")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_database_is_brought_up_to_date() {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    let before = db.schema_state().await.expect("an empty database");
    assert_eq!(before.applied, 0);
    let applied = within(db.migrate(77)).await.expect("migrated");
    assert_eq!(applied.names.len() as i64, before.known);
    let after = db.schema_state().await.expect("the schema is known");
    assert_eq!((after.applied, after.known), (before.known, before.known));
    let all: Vec<_> = (1..=before.known).map(|version| (version, 77)).collect();
    assert_eq!(applied_migrations(&db).await, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_does_nothing() {
    let (_scratch, db) = migrated().await;
    let before = applied_migrations(&db).await;
    let again = within(db.migrate(88)).await.expect("migrated");
    assert!(again.names.is_empty());
    assert_eq!(applied_migrations(&db).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn programs_that_start_concurrently_apply_each_migration_once() {
    let scratch = Scratch::new().await;
    let url: db::DatabaseUrl = scratch.url().parse().expect("a valid address");
    let mut starts = JoinSet::new();
    for i in 0..8 {
        let url = url.clone();
        starts.spawn(async move {
            let db = Db::open(&url, &db::Options::default()).await?;
            if i % 2 == 0 {
                db.schema_state().await?;
            }
            Ok::<_, Error>(db.migrate(0).await?.names)
        });
    }
    let mut applied = Vec::new();
    while let Some(start) = within(starts.join_next()).await {
        applied.extend(start.expect("no panic").expect("every start succeeds"));
    }
    applied.sort_unstable();
    let db = scratch.open().await;
    assert_eq!(applied.len() as i64, known(&db).await);
    applied.dedup();
    assert_eq!(applied.len(), applied_migrations(&db).await.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn instances_of_the_next_version_that_start_concurrently_apply_its_migration_once() {
    let (scratch, _db) = migrated().await;
    let mut starts = JoinSet::new();
    for _ in 0..8 {
        let db = scratch.open().await;
        starts.spawn(async move { db.migrate_with_next(NEXT, 0).await });
    }
    let mut applied = Vec::new();
    while let Some(start) = within(starts.join_next()).await {
        let start = start.expect("no panic").expect("every start succeeds");
        applied.extend(start.names);
    }
    assert_eq!(applied.len(), 1, "{applied:?}");
}

/// The role with this name, created and read by statements that the connections keep prepared.
async fn create_and_read_role(db: &Db, name: &str) -> Vec<String> {
    let mut tx = within(db.begin()).await.expect("a transaction");
    let insert = "INSERT INTO roles (name, description, color) VALUES ($1, '', '')";
    let inserted = tx.execute(insert, params![name]).await;
    inserted.expect("a role");
    within(tx.commit()).await.expect("committed");
    let mut read = db.read().await.expect("a reader");
    let select = "SELECT name FROM roles WHERE name = $1";
    let found = read.query(select, params![name], |row| row.get(0)).await;
    found.expect("roles")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_version_before_keeps_working_after_the_next_version_has_migrated() {
    let (scratch, db) = migrated().await;
    assert_eq!(create_and_read_role(&db, "Guard").await, ["Guard"]);
    let next = scratch.open().await;
    let applied = within(next.migrate_with_next(NEXT, 0)).await;
    assert_eq!(applied.expect("migrated").names.len(), 1);
    assert_eq!(create_and_read_role(&db, "Cook").await, ["Cook"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_a_newer_program_is_refused() {
    let (_scratch, db) = migrated().await;
    let newer = known(&db).await + 1;
    let applied = within(db.migrate_with_next(NEXT, 0)).await;
    applied.expect("migrated");
    for refused in [
        db.migrate(0).await.map(|_| ()),
        db.schema_state().await.map(|_| ()),
    ] {
        let is_newer = matches!(
            refused,
            Err(Error::Newer { found, known }) if found == newer && known == newer - 1
        );
        assert!(is_newer, "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_migration_is_refused() {
    let (_scratch, db) = migrated().await;
    let next = known(&db).await + 1;
    let applied = within(db.migrate_with_next(NEXT, 0)).await;
    applied.expect("migrated");
    let edited = within(db.migrate_with_next("SELECT 1", 0)).await;
    assert!(
        matches!(edited, Err(Error::Diverged { version }) if version == next),
        "{edited:?}"
    );

    db.run_sql(
        "DELETE FROM schema_migrations WHERE version > 1;
         UPDATE schema_migrations SET checksum = 'other'",
    )
    .await
    .expect("a row");
    for refused in [
        db.migrate(0).await.map(|_| ()),
        db.schema_state().await.map(|_| ()),
    ] {
        assert!(
            matches!(refused, Err(Error::Diverged { version: 1 })),
            "{refused:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_migration_is_rolled_back_and_can_be_retried() {
    const CREATES_TWO: &str = "CREATE TABLE first (id BIGINT); CREATE TABLE second (id BIGINT)";
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    let before: Vec<_> = (1..=known(&db).await).map(|version| (version, 1)).collect();
    let next = before.len() as i64 + 1;
    db.run_sql("CREATE TABLE second (id BIGINT)")
        .await
        .expect("a table");
    let failed = within(db.migrate_with_next(CREATES_TWO, 1)).await;
    assert!(
        matches!(&failed, Err(Error::Migration { name, .. }) if name.ends_with("_next")),
        "{failed:?}"
    );
    assert_eq!(applied_migrations(&db).await, before);
    let mut read = db.read().await.expect("a reader");
    read.query("SELECT id FROM first", &[], |_| Ok(()))
        .await
        .expect_err("its first statement is rolled back");
    drop(read);

    db.run_sql("DROP TABLE second").await.expect("dropped");
    let applied = within(db.migrate_with_next(CREATES_TWO, 2)).await;
    assert_eq!(applied.expect("migrated").names.len(), 1);
    let all = [&before[..], &[(next, 2)]].concat();
    assert_eq!(applied_migrations(&db).await, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_state_writes_nothing() {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    db.schema_state().await.expect("an empty database");
    let mut read = db.read().await.expect("a reader");
    read.query("SELECT version FROM schema_migrations", &[], |_| Ok(()))
        .await
        .expect_err("there is no table yet");
}
