use std::fs::File;

use crate::support::Home;

#[tokio::test]
async fn a_command_ends_quietly_if_its_output_is_closed() {
    let home = Home::new().await;
    home.run(&["key", "create", "--name", "K"]).await.ok();
    for args in [
        &["key", "create", "--name", "K"][..],
        &["key", "list"],
        &["key", "revoke", "1"],
        &["operator", "list"],
        &["operator", "invite"],
        &["server", "list"],
        &["demo", "--users", "10", "--invoices", "10"],
        &["backup", "backup.db"],
        &["check"],
        &["secret", "rotate"],
        &["openapi"],
        &["--help"],
        &["--version"],
    ] {
        let ended = home.steward(args).end_unread().await;
        assert_eq!(ended.code, Some(0), "{args:?}: {ended:?}");
        for noise in ["panicked", "steward: "] {
            assert!(!ended.stderr.contains(noise), "{args:?}: {ended:?}");
        }
    }
    assert!(home.folder().join("backup.db").exists());
    let listed = home.run(&["server", "list"]).await;
    assert!(listed.ok().lines().count() > 10, "the demo data stay");
}

#[tokio::test]
async fn a_closed_standard_error_does_not_end_a_command() {
    let home = Home::new().await;
    for args in [
        &["key", "create", "--name", "K"][..],
        &["demo", "--users", "10", "--invoices", "10"],
    ] {
        let call = home.steward(args).with_unread_stderr();
        let ended = call.end_unread().await;
        assert_eq!(ended.code, Some(0), "{args:?}: {ended:?}");
    }
    let call = home.bare(&["--data-dir", "absent", "key", "list"]);
    let ended = call.with_unread_stderr().end_unread().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
}

#[tokio::test]
async fn check_fails_even_if_its_output_is_closed() {
    let home = Home::new().await;
    let ended = home.bare(&["check"]).end_unread().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.stderr, "steward: 2 checks failed\n");
}

#[tokio::test]
async fn an_output_that_cannot_be_written_is_an_error() {
    let home = Home::new().await;
    let full = File::options().write(true).open("/dev/full");
    let call = home.bare(&["openapi"]);
    let ended = call.end_with(full.expect("a device")).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let sentence = "steward: standard output cannot be written: No space left on device";
    assert!(ended.stderr.starts_with(sentence), "{ended:?}");
}
