use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::support::{ADMIN_KEY, Ended, Home};

#[tokio::test]
async fn check_reports_a_healthy_installation() {
    let home = Home::new().await;
    let service = home.start().await;
    assert_healthy(&home).await;
    service.admin().get("/api/status").await.ok();
    service.stop().await.ok();
    assert_healthy(&home).await;
}

async fn assert_healthy(home: &Home) {
    let ended = home.run(&["check"]).await;
    let text = ended.ok();
    assert!(!text.contains("WRONG"), "{text}");
    let version = format!("steward {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(finding(&ended, "program"), version);
    assert_eq!(finding(&ended, "key file"), "./data/secret.key");
    let engine = if home.on_postgres() {
        "(PostgreSQL "
    } else {
        "sqlite:./data/steward.db (SQLite 3."
    };
    let database = finding(&ended, "database");
    assert!(database.contains(engine), "{database}");
    let migrations = finding(&ended, "migrations");
    assert!(migrations.starts_with("all "), "{migrations}");
    let key = finding(&ended, "secret key");
    assert_eq!(key, "the one this database was written under");
}

/// The text after `what` in a line that is ok.
#[track_caller]
fn finding(ended: &Ended, what: &str) -> String {
    let line = ended.stdout.lines().find(|line| line.starts_with(what));
    let line = line.unwrap_or_else(|| panic!("no {what} in {ended:?}"));
    let finding = line[what.len()..].trim_start().strip_prefix("ok ");
    finding.expect(line).trim_start().to_owned()
}

/// Asserts that exactly these lines are wrong, and that the command fails.
#[track_caller]
fn assert_wrong(ended: &Ended, lines: &[(&str, &str)]) {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let found: Vec<&str> = ended
        .stdout
        .lines()
        .filter(|line| line.contains(" WRONG "))
        .collect();
    assert_eq!(found.len(), lines.len(), "{ended:?}");
    for (line, (what, words)) in found.iter().zip(lines) {
        assert!(line.starts_with(what), "{line}");
        assert!(line.contains(words), "{line}");
    }
    let count = match lines.len() {
        1 => "1 check failed".to_owned(),
        more => format!("{more} checks failed"),
    };
    assert_eq!(ended.stderr, format!("steward: {count}\n"));
}

#[tokio::test]
async fn check_leaves_an_empty_folder_empty() {
    let home = Home::new().await;
    let ended = home.bare(&["check"]).end().await;
    assert_wrong(
        &ended,
        &[
            ("key file", "./data/secret.key: No such file"),
            ("database", "there is no database at ./data/steward.db"),
        ],
    );
    let left = std::fs::read_dir(home.folder()).expect("a folder").count();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn check_says_why_a_database_cannot_be_looked_at() {
    let home = Home::new().await;
    home.write("data", "a file, not a folder");
    let ended = home.bare(&["check"]).end().await;
    assert_wrong(
        &ended,
        &[
            ("key file", "./data/secret.key: Not a directory"),
            (
                "database",
                "the database at ./data/steward.db: Not a directory",
            ),
        ],
    );
}

#[tokio::test]
async fn check_reports_what_would_stop_a_start() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let call = home.steward(&["check", "--tls-cert", "no.crt", "--tls-key", "no.key"]);
    let ended = call.env("STEWARD_ADMIN_KEY", "short").end().await;
    assert_wrong(
        &ended,
        &[
            ("admin key", "16 to 256 visible ASCII characters"),
            ("certificate", "no.crt: No such file"),
        ],
    );
    let call = home.steward(&["check"]);
    let ended = call.env("STEWARD_ADMIN_KEY", ADMIN_KEY).end().await;
    assert!(!ended.ok().contains(ADMIN_KEY), "{ended:?}");
    assert_eq!(finding(&ended, "admin key"), "chosen");
}

#[tokio::test]
async fn check_says_whether_the_settings_of_each_provider_are_complete() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let page = ["--sign-in-return-to", "https://site.example/signed-in"];
    let steam = ["--steam-sign-in", "on"];
    let id = ["--discord-client-id", "1234567890"];
    let file = ["--discord-client-secret-file", "discord.secret"];
    let run = async |options: &[&[&str]]| home.run(&options.concat()).await;
    let check: &[&str] = &["check"];

    let ended = run(&[check, &steam]).await;
    assert_wrong(&ended, &[("steam", "needs --sign-in-return-to")]);
    for half in [&id, &file] {
        let ended = run(&[check, &page, half]).await;
        assert_wrong(&ended, &[("discord", "only one of them is set")]);
    }
    let ended = run(&[check, &page, &id, &file]).await;
    assert_wrong(&ended, &[("discord", "discord.secret: No such file")]);
    home.write("discord.secret", "\n");
    let ended = run(&[check, &page, &id, &file]).await;
    assert_wrong(&ended, &[("discord", "visible ASCII")]);
    home.write("discord.secret", "hush-hush\n");
    let ended = run(&[check, &id, &file]).await;
    assert_wrong(&ended, &[("discord", "needs --sign-in-return-to")]);
    let wrong_id = ["--discord-client-id", "steward"];
    let ended = run(&[check, &page, &wrong_id, &file]).await;
    assert_wrong(&ended, &[("discord", "digits")]);

    let test = ["--steam-url", "http://127.0.0.1:9/openid/login"];
    let ended = run(&[check, &page, &steam, &id, &file, &test]).await;
    assert!(!ended.ok().contains("hush"), "{ended:?}");
    for provider in ["steam", "discord"] {
        let text = finding(&ended, provider);
        assert_eq!(
            text,
            "signs in, and returns to https://site.example/signed-in"
        );
    }
    let warned = ended.stdout.lines().any(|line| {
        line.starts_with("sign-in") && line.contains(" warn ") && line.contains("127.0.0.1:9")
    });
    assert!(warned, "{ended:?}");
    // The service does not start with what is incomplete.
    let ended = run(&[&["serve", "--listen", "127.0.0.1:0"], &steam]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("--sign-in-return-to"), "{ended:?}");
}

#[tokio::test]
async fn check_warns_of_files_that_other_users_can_change() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    for (path, mode) in [(home.secret_key_file(), 0o644), (home.data(), 0o777)] {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("the mode is set");
    }
    let ended = home.run(&["check"]).await;
    let lines = ended.ok().lines();
    let warnings: Vec<&str> = lines.filter(|line| line.contains(" warn ")).collect();
    let [file, folder] = warnings[..] else {
        panic!("{ended:?}");
    };
    assert!(file.contains("./data/secret.key: mode 644: "), "{file}");
    assert!(folder.contains("./data: mode 777: "), "{folder}");
}

#[tokio::test]
async fn check_before_the_first_start_changes_nothing() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let empty = Home::new().await;
    std::fs::create_dir(empty.data()).expect("a folder");
    std::fs::copy(home.secret_key_file(), empty.secret_key_file()).expect("copied");
    // On SQLite an empty file is an empty database.
    empty.write("data/steward.db", "");
    for _ in 0..2 {
        let ended = empty.run(&["check"]).await;
        ended.ok();
        let migrations = finding(&ended, "migrations");
        assert!(
            migrations.ends_with(" to be applied at the next start"),
            "{migrations}"
        );
        let key = finding(&ended, "secret key");
        assert_eq!(key, "the database has none yet");
    }
}

#[tokio::test]
async fn check_reports_a_wrong_secret_key() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    std::fs::write(home.secret_key_file(), "0f".repeat(32)).expect("written");
    let line = ("secret key", "not the one this database was written under");
    assert_wrong(&home.run(&["check"]).await, &[line]);

    std::fs::write(home.secret_key_file(), "0f").expect("written");
    let line = ("key file", "it does not contain 64 hexadecimal digits");
    assert_wrong(&home.run(&["check"]).await, &[line]);

    std::fs::remove_file(home.secret_key_file()).expect("removed");
    let line = ("key file", "No such file");
    assert_wrong(&home.run(&["check"]).await, &[line]);
    assert!(!home.secret_key_file().exists(), "checking makes nothing");
}

#[tokio::test]
async fn check_reports_a_database_of_a_newer_version() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let newer = "INSERT INTO schema_migrations (version, name, checksum, applied_at)
                 VALUES (9999, '9999_from_the_future', '', 0)";
    let db = home.database().await;
    db.run_sql(newer).await.expect("written");
    let ended = home.run(&["check"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let line = ended
        .stdout
        .lines()
        .find(|line| line.starts_with("migrations"));
    let line = line.expect("a line about migrations");
    assert!(line.contains("WRONG"), "{line}");
    assert!(line.contains("written by a newer version"), "{line}");
}

#[tokio::test]
async fn the_printed_openapi_document_is_the_committed_one() {
    let home = Home::new().await;
    let ended = home.bare(&["openapi"]).end().await;
    let printed: Value = serde_json::from_str(ended.ok()).expect("JSON");
    assert_eq!(printed["openapi"], "3.1.0");
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let published = std::fs::read_to_string(published).expect("a file");
    assert_eq!(ended.stdout, published, "run 'make openapi' and commit it");

    let service = home.start().await;
    let served = service.anonymous().get("/openapi.json").await.ok();
    assert_eq!(served, printed);
}
