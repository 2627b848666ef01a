use crate::support::Home;

#[tokio::test]
async fn migrate_applies_what_its_dry_run_prints() {
    let home = Home::new().await;
    std::fs::create_dir(home.data()).expect("a folder");
    // On SQLite an empty file is an empty database.
    home.write("data/steward.db", "");
    let state = home.database().await.schema_state().await;
    let pending = state.expect("a state").pending();
    assert!(pending.len() > 10, "{pending:?}");

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
