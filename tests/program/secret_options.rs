//! Secrets in files: `STEWARD_<OPTION>_FILE`, credentials of systemd, and who can read them.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{ADMIN_KEY, Call, Home, program_path};

fn set_mode(file: &Path, mode: u32) {
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(file, permissions).expect("the mode is set");
}

async fn assert_admin_key_is_used(call: Call) {
    let service = call.serve().await;
    service.admin().get("/api/roles").await.ok();
    service.stop().await.ok();
}

#[tokio::test]
async fn the_admin_key_is_read_from_a_file_or_a_credential() {
    let home = Home::new().await;
    home.write("key.txt", &format!("{ADMIN_KEY}\n"));
    let call = home.steward(&[]).env("STEWARD_ADMIN_KEY_FILE", "key.txt");
    assert_admin_key_is_used(call).await;

    let home = Home::new().await;
    std::fs::create_dir(home.folder().join("credentials")).expect("a folder");
    home.write("credentials/admin-key", ADMIN_KEY);
    let call = home
        .steward(&[])
        .env("CREDENTIALS_DIRECTORY", "credentials");
    assert_admin_key_is_used(call).await;
}

#[tokio::test]
async fn the_database_url_is_read_from_a_file_which_a_flag_overrides() {
    let home = Home::new().await;
    home.write("url.txt", "sqlite:elsewhere.db\n");
    // Overrides the file, like the variable does.
    home.write("steward.toml", "database-url = \"sqlite:toml.db\"");
    let create = ["key", "create", "--name", "K"];
    let call = home
        .bare(&create)
        .env("STEWARD_DATABASE_URL_FILE", "url.txt");
    call.end().await.ok();
    assert!(home.folder().join("elsewhere.db").exists());
    let flag = [&create[..], &["--database-url", "sqlite:flag.db"]].concat();
    let flag = [&flag[..], &["--data-dir", "other"]].concat();
    let call = home.bare(&flag).env("STEWARD_DATABASE_URL_FILE", "url.txt");
    call.end().await.ok();
    assert!(home.folder().join("flag.db").exists());
    assert!(!home.folder().join("toml.db").exists());
}

#[tokio::test]
async fn two_sources_of_one_secret_are_an_error() {
    let home = Home::new().await;
    home.write("key.txt", ADMIN_KEY);
    home.write("admin-key", ADMIN_KEY);
    let file = |call: Call| call.env("STEWARD_ADMIN_KEY_FILE", "key.txt");
    let variable = |call: Call| call.env("STEWARD_ADMIN_KEY", ADMIN_KEY);
    let credential = |call: Call| call.env("CREDENTIALS_DIRECTORY", ".");
    let both = "are set; set only one of them";
    let (first, second) = ("STEWARD_ADMIN_KEY and", "STEWARD_ADMIN_KEY_FILE");
    for (call, words) in [
        (file(variable(home.bare(&[]))), [first, second, both]),
        (
            credential(file(home.bare(&[]))),
            [second, "the credential admin-key", both],
        ),
        (
            credential(variable(home.bare(&[]))),
            [first, "the credential admin-key", both],
        ),
    ] {
        let ended = call.end().await;
        ended.misused(&words);
        assert!(!ended.stderr.contains(ADMIN_KEY), "{ended:?}");
    }
}

#[tokio::test]
async fn a_missing_or_empty_secret_file_is_an_error() {
    let home = Home::new().await;
    let call = home.bare(&[]).env("STEWARD_ADMIN_KEY_FILE", "absent.txt");
    call.end().await.misused(&["absent.txt: "]);
    home.write("empty.txt", "\n");
    let call = home.bare(&[]).env("STEWARD_DATABASE_URL_FILE", "empty.txt");
    call.end().await.misused(&["empty.txt is empty"]);
}

#[tokio::test]
async fn help_and_errors_do_not_show_a_secret_from_a_file() {
    let home = Home::new().await;
    home.write("key.txt", ADMIN_KEY);
    home.write("url.txt", "mysql://anna:hunter2@host/x");
    let call = home
        .bare(&["--help"])
        .env("STEWARD_ADMIN_KEY_FILE", "key.txt");
    let ended = call.end().await;
    assert!(!ended.ok().contains(ADMIN_KEY), "{ended:?}");
    let call = home.bare(&[]).env("STEWARD_DATABASE_URL_FILE", "url.txt");
    let ended = call.end().await;
    ended.misused(&["database-url in url.txt"]);
    assert!(!ended.stderr.contains("hunter2"), "{ended:?}");

    home.write("steward.toml", &format!("admin-key = \"{ADMIN_KEY}\""));
    let ended = home.bare(&["--help"]).end().await;
    assert!(!ended.ok().contains(ADMIN_KEY), "{ended:?}");
}

#[tokio::test]
async fn files_with_secrets_that_others_can_read_are_warned_about() {
    let home = Home::new().await;
    let key = home.write("key.txt", ADMIN_KEY);
    set_mode(&key, 0o644);
    let start = async || {
        let call = home.steward(&[]).env("STEWARD_ADMIN_KEY_FILE", "key.txt");
        let ended = call.serve().await.stop().await;
        let mut files: Vec<String> = ended
            .log()
            .iter()
            .filter(|line| {
                line["message"]
                    .as_str()
                    .is_some_and(|m| m.starts_with("other users"))
            })
            .filter_map(|line| Some(line["file"].as_str()?.to_owned()))
            .collect();
        files.sort_unstable();
        files
    };
    assert_eq!(start().await, ["key.txt"]);
    set_mode(&key, 0o640);
    assert!(start().await.is_empty());

    set_mode(&home.secret_key_file(), 0o644);
    let config = home.write("steward.toml", "log-level = \"info\"");
    set_mode(&config, 0o644);
    assert_eq!(
        start().await,
        ["./data/secret.key"],
        "this steward.toml has no secret"
    );
    if !home.on_postgres() {
        set_mode(&home.data().join("steward.db"), 0o664);
        assert_eq!(start().await, ["./data/secret.key", "./data/steward.db"]);
    }
}

#[tokio::test]
async fn a_readable_steward_toml_with_a_secret_is_warned_about() {
    let home = Home::new().await;
    let config = home.write("steward.toml", &format!("admin-key = \"{ADMIN_KEY}\""));
    set_mode(&config, 0o644);
    let mut service = home.steward(&[]).serve().await;
    service.logged(|line| line["file"] == "steward.toml").await;
    service.stop().await.ok();
}

#[tokio::test]
async fn a_steward_toml_of_another_user_or_writable_by_everyone_is_refused() {
    let home = Home::new().await;
    let config = home.write("steward.toml", "data-dir = \"elsewhere\"");
    let create = ["key", "create", "--name", "K"];
    let named = [&create[..], &["--config", "steward.toml"]].concat();
    let words = ["steward.toml", "is not read", "--config steward.toml"];
    set_mode(&config, 0o646);
    home.steward(&create).end().await.misused(&words);
    assert!(!home.folder().join("elsewhere").exists());
    set_mode(&config, 0o644);
    // Only root can give a file away.
    if chown(&config, Some(65534), None).is_ok() {
        home.steward(&create).end().await.misused(&words);
        assert!(!home.folder().join("elsewhere").exists());
    }
    home.steward(&named).end().await.ok();
    assert!(home.folder().join("elsewhere").exists());
}

#[tokio::test]
async fn the_process_leaves_no_core_dumps_unless_allowed() {
    let home = Home::new().await;
    for (args, expected) in [(&[][..], true), (&["--core-dumps", "on"], false)] {
        let service = home
            .steward(args)
            .env("STEWARD_ADMIN_KEY", ADMIN_KEY)
            .serve()
            .await;
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", service.id()));
        let limits = limits.expect("it runs");
        let line = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"));
        let words: Vec<&str> = line.expect("a limit").split_whitespace().collect();
        if expected {
            assert_eq!(words[4..6], ["0", "0"], "{line:?}");
        } else if own_limit() != "0" {
            assert_ne!(words[5], "0", "{line:?}");
        }
        service.stop().await.ok();
    }
}

/// The largest core dump that a process of this test run may leave.
fn own_limit() -> String {
    let limits = std::fs::read_to_string("/proc/self/limits").expect("a file");
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let words: Vec<&str> = line.expect("a limit").split_whitespace().collect();
    words[5].to_owned()
}

#[tokio::test]
async fn the_first_key_is_shown_even_if_standard_output_cannot_be_written() {
    let home = Home::new().await;
    let full = std::fs::File::options().write(true).open("/dev/full");
    let child = Command::new(program_path())
        .args([
            "--listen",
            "127.0.0.1:0",
            "--database-url",
            &home.database_url(),
        ])
        .current_dir(home.folder())
        .stdin(Stdio::null())
        .stdout(full.expect("a device"))
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let ended = tokio::task::spawn_blocking(|| child.wait_with_output());
    let ended = ended.await.expect("no panic").expect("it ends");
    assert_eq!(ended.status.code(), Some(1));
    let shown = String::from_utf8(ended.stderr).expect("text");
    let key = shown
        .lines()
        .find_map(|line| line.trim().strip_prefix("stw_"));
    let key = format!("stw_{}", key.expect("the first key"));
    let service = home.steward(&[]).serve().await;
    service.holder(&key).get("/api/roles").await.ok();
    service.stop().await.ok();
}
