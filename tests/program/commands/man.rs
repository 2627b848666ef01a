use crate::support::{ADMIN_KEY, Home};

#[tokio::test]
async fn each_command_has_a_manual_page() {
    let home = Home::new().await;
    home.write("steward.toml", "data-dir = \"/a/private/place\"");
    let call = home.bare(&["man", "share/man1"]);
    let call = call.env("STEWARD_ADMIN_KEY", ADMIN_KEY);
    assert_eq!(call.end().await.ok(), "");
    let folder = home.folder().join("share/man1");
    // A hyphen is escaped in a manual page.
    let page = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).expect(name);
        let source = format!("\"steward {}\"", env!("CARGO_PKG_VERSION"));
        let title = text.lines().find(|line| line.starts_with(".TH "));
        assert!(title.is_some_and(|title| title.contains(&source)), "{text}");
        text.replace("\\-", "-")
    };
    let main = page("steward.1");
    for word in ["--query-interval", "STEWARD_QUERY_INTERVAL", "operator"] {
        assert!(main.contains(word), "no {word} in {main}");
    }
    let create = page("steward-key-create.1");
    for word in ["--permission", "steward(1)"] {
        assert!(create.contains(word), "no {word} in {create}");
    }
    assert!(!create.contains("--query-interval"), "{create}");
    page("steward-serve.1");
    page("steward-operator-list.1");
    for file in std::fs::read_dir(&folder).expect("a folder") {
        let text = std::fs::read_to_string(file.expect("an entry").path()).expect("text");
        for private in [ADMIN_KEY, "/a/private"] {
            assert!(!text.contains(private), "{text}");
        }
    }
    home.write("file", "in the way");
    let ended = home.bare(&["man", "file"]).end().await;
    ended.failed("file: File exists (os error 17)");
}
