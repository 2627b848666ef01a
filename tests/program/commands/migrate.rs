use crate::support::Home;

#[tokio::test]
async fn migrate_applies_what_its_dry_run_prints() {
    let home = Home::new().await;
    std::fs::create_dir(home.data()).expect("a folder");
    // On SQLite an empty file is an empty database.
    home.write("data/steward.db", "");
    let state = home.database().await.schema_state().await;
    let pending = state.expect("a state").pending();
    assert!(!pending.is_empty());

    for _ in 0..2 {
        let dry = home.run(&["migrate", "--dry-run"]).await;
        let printed: Vec<&str> = dry.ok().lines().collect();
        assert_eq!(printed, pending);
        let count = format!("{0} of {0} migrations are to be applied.\n", pending.len());
        assert_eq!(dry.stderr, count);
    }
    assert!(
        !home.secret_key_file().exists(),
        "a dry run changes nothing"
    );

    let applied = home.run(&["migrate"]).await;
    let printed: Vec<&str> = applied.ok().lines().collect();
    assert_eq!(printed, pending);
    let count = format!("{0} of {0} migrations were applied now.\n", pending.len());
    assert_eq!(applied.stderr, count);

    let service = home.start().await;
    for args in [&["migrate", "--dry-run"][..], &["migrate"]] {
        assert_eq!(home.run(args).await.ok(), "");
    }
    service.stop().await.ok();
}

#[tokio::test]
async fn the_next_version_applies_its_migration_alone() {
    let home = Home::new().await;
    let service = home.start().await;
    let known = home.database().await.schema_state().await;
    let known = known.expect("a state").known;
    let next = known + 1;
    let name = format!("{next:04}_next\n");

    let found = home.next_version(&["check"]).end().await;
    let pending = format!("1 of {next} to be applied at the next start");
    assert!(found.ok().contains(&pending), "{found:?}");
    let refused = home.next_version(&["backup", "backup.db"]).end().await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("1 migration"), "{refused:?}");
    let url = home.database_url();
    let copy = ["copy", "--from", &url, "--to", "sqlite:copy.db"];
    home.next_version(&copy).end().await.failed(&format!(
        "{url}: {known} of {next} migrations are applied; start this version of the service with \
         it first"
    ));

    for args in [&["migrate", "--dry-run"][..], &["migrate"]] {
        assert_eq!(home.next_version(args).end().await.ok(), name);
    }
    assert_eq!(home.next_version(&["migrate"]).end().await.ok(), "");
    // This version keeps serving, and refuses to start again.
    service.admin().get("/api/users").await.ok();
    service.stop().await.ok();
    home.run(&[]).await.failed(&format!(
        "the database is at migration {next}, but this program knows only {known}: it was written \
         by a newer version; install that version or a later one"
    ));
}

#[tokio::test]
async fn migrate_creates_no_database() {
    let home = Home::new().await;
    for args in [&["migrate"][..], &["migrate", "--dry-run"]] {
        let ended = home.bare(args).end().await;
        ended.failed(
            "there is no database at ./data/steward.db; name it with --data-dir or --database-url",
        );
    }
    assert!(!home.data().exists());
}
