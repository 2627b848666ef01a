use db::testing::free_port;
use tokio::net::TcpListener;

use crate::support::Home;

#[tokio::test]
async fn a_wrong_secret_key_is_refused() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let right = std::fs::read(home.secret_key_file()).expect("a key");

    std::fs::write(home.secret_key_file(), "0f".repeat(32)).expect("written");
    let ended = home.run(&[]).await;
    ended.failed(
        "The secret key file does not match this database. Restore the file it was created with. \
         If that file is lost, `steward secret reset` says what can be done.",
    );

    std::fs::write(home.secret_key_file(), right).expect("written");
    home.start().await.stop().await.ok();
}

#[tokio::test]
async fn a_lost_secret_key_is_not_silently_replaced() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let right = std::fs::read(home.secret_key_file()).expect("a key");
    std::fs::remove_file(home.secret_key_file()).expect("removed");
    for args in [&[][..], &["key", "list"], &["secret", "rotate"]] {
        home.run(args).await.failed(
            "the secret key file ./data/secret.key is missing, and this database was written under \
             one. Restore the file from a backup, or copy it from another instance. If it is lost, \
             `steward secret reset` says what can be done",
        );
        assert!(!home.secret_key_file().exists(), "{args:?} created one");
    }
    std::fs::write(home.secret_key_file(), right).expect("written");
    home.start().await.stop().await.ok();
}

#[tokio::test]
async fn a_malformed_secret_key_file_is_refused_and_kept() {
    let home = Home::new().await;
    std::fs::create_dir(home.data()).expect("a folder");
    for bad in ["", "0f0f", &"0g".repeat(32), &"0f".repeat(33)] {
        std::fs::write(home.secret_key_file(), bad).expect("written");
        let ended = home.run(&[]).await;
        ended.failed(
            "the secret key file ./data/secret.key: it does not contain 64 hexadecimal digits",
        );
        assert!(bad.is_empty() || !ended.stderr.contains(bad));
        let kept = std::fs::read_to_string(home.secret_key_file()).expect("a file");
        assert_eq!(kept, bad);
    }
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_not_changed() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let db = home.database().await;
    let known = db.schema_state().await.expect("a state").known;
    db.run_sql(
        "INSERT INTO schema_migrations (version, name, checksum, applied_at)
         VALUES (9999, '9999_from_the_future', '', 0)",
    )
    .await
    .expect("written");
    drop(db);

    let ended = home.run(&[]).await;
    ended.failed(&format!(
        "the database is at migration 9999, but this program knows only {known}: \
         it was written by a newer version; install that version or a later one"
    ));
}

#[tokio::test]
async fn a_port_in_use_is_reported() {
    let home = Home::new().await;
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    for option in ["--listen", "--metrics-listen"] {
        let ended = home.run(&[option, &address]).await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert_eq!(ended.stdout, "");
        let sentence = format!("steward: cannot listen on {address}: Address already in use");
        assert!(ended.stderr.contains(&sentence), "{ended:?}");
    }
    assert!(!home.data().exists(), "the database is not touched");
    if home.on_postgres() {
        let state = home.database().await.schema_state().await;
        assert_eq!(state.expect("a state").applied, 0);
    }
}

#[tokio::test]
async fn a_second_service_on_the_same_sqlite_file_is_refused() {
    let home = Home::new().await;
    if home.on_postgres() {
        return;
    }
    let service = home.start().await;
    std::os::unix::fs::symlink("data", home.folder().join("link")).expect("a link");
    let holder = format!("by process {}", service.id());
    for folder in ["data", "link"] {
        let ended = home.run(&["--data-dir", folder]).await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let url = format!("steward: sqlite:{folder}/steward.db is already served");
        for words in [&url, &holder, "Several instances need PostgreSQL"] {
            assert!(ended.stderr.contains(words), "no {words:?} in {ended:?}");
        }
    }
    home.run(&["key", "list"]).await.ok();
    service.admin().get("/api/status").await.ok();

    service.kill();
    home.start().await.stop().await.ok();
    home.start().await.stop().await.ok();
}

#[tokio::test]
async fn a_failed_first_start_does_not_lose_the_first_key() {
    let home = Home::new().await;
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let ended = home.run(&["--listen", &address]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");

    let mut service = home.steward(&[]).serve().await;
    let key = service.first_key().await;
    service.holder(&key).get("/api/status").await.ok();
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_created_is_reported() {
    let home = Home::new().await;
    home.write("data", "a file is in the way");
    let ended = home.run(&[]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let sentence = "steward: the data folder ./data: ";
    assert!(ended.stderr.contains(sentence), "{ended:?}");
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_refused_and_not_changed() {
    let home = Home::new().await;
    let text = "This is a letter to my grandmother. ".repeat(50);
    let file = home.write("letter.db", &text);
    let ended = home.run(&["--database-url", "sqlite:letter.db"]).await;
    ended.failed("sqlite:letter.db: this file is not an SQLite database");
    assert_eq!(std::fs::read_to_string(file).expect("a file"), text);
}

#[tokio::test]
async fn a_database_in_a_folder_that_does_not_exist_is_refused() {
    let home = Home::new().await;
    let ended = home
        .run(&["--database-url", "sqlite:none/steward.db"])
        .await;
    ended.failed("the folder none does not exist");
}

#[tokio::test]
async fn an_unreachable_database_is_reported_without_its_password() {
    let home = Home::new().await;
    let port = free_port();
    let url = format!("postgres://steward:hunter2@127.0.0.1:{port}/community");
    let args = ["--database-url", &url, "--database-wait", "0"];
    let ended = home.run(&args).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let shown = format!("steward: postgres://steward@127.0.0.1:{port}/community: ");
    assert!(ended.stderr.contains(&shown), "{ended:?}");
    assert!(ended.stderr.contains("Connection refused"), "{ended:?}");
    assert!(!ended.stderr.contains("hunter2"), "{ended:?}");
}
