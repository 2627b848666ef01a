use db::testing::Scratch;
use db::{Db, Error, params};
use tokio::task::JoinSet;

use crate::support::{migrated, within};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_a_newer_program_is_refused() {
    let (_scratch, db) = migrated().await;
    let newer = known(&db).await + 1;
    let mut tx = db.begin().await.expect("a transaction");
    tx.execute(
        "INSERT INTO schema_migrations (version, name, checksum, applied_at)
         VALUES ($1, 'from the future', '', 0)",
        params![newer],
    )
    .await
    .expect("a row");
    within(tx.commit()).await.expect("committed");
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
    db.run_sql("UPDATE schema_migrations SET checksum = 'other' WHERE version = 2")
        .await
        .expect("a row");
    for refused in [
        db.migrate(0).await.map(|_| ()),
        db.schema_state().await.map(|_| ()),
    ] {
        assert!(
            matches!(refused, Err(Error::Diverged { version: 2 })),
            "{refused:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_migration_is_rolled_back_and_can_be_retried() {
    let scratch = Scratch::new().await;
    let db = scratch.open().await;
    // The second statement of the third migration creates this table, too.
    db.run_sql("CREATE TABLE role_permissions (id BIGINT)")
        .await
        .expect("a table");
    let failed = within(db.migrate(1)).await;
    assert!(
        matches!(&failed, Err(Error::Migration { name, .. }) if name == "0003_roles"),
        "{failed:?}"
    );
    assert_eq!(applied_migrations(&db).await, [(1, 1), (2, 1)]);
    let mut read = db.read().await.expect("a reader");
    read.query("SELECT id FROM roles", &[], |_| Ok(()))
        .await
        .expect_err("its first statement is rolled back");
    drop(read);

    db.run_sql("DROP TABLE role_permissions")
        .await
        .expect("dropped");
    let applied = within(db.migrate(2)).await.expect("migrated");
    assert_eq!(applied.names.first(), Some(&"0003_roles"));
    assert_eq!(applied_migrations(&db).await[..3], [(1, 1), (2, 1), (3, 2)]);
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
