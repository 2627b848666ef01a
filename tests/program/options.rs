use serde_json::json;

use crate::support::{ADMIN_KEY, Call, Home};

#[tokio::test]
async fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let home = Home::new().await;
    home.write("steward.toml", "data-dir = \"from-file\"\n");
    let made = |name: &str| home.folder().join(name).join("secret.key").exists();
    let create = ["key", "create", "--name", "K"];

    home.steward(&create).end().await.ok();
    assert!(made("from-file"));
    assert!(!made("data"));

    // Each of these is a new installation, so it needs a database of its own.
    let home = Home::new().await;
    home.write("steward.toml", "data-dir = \"from-file\"\n");
    let made = |name: &str| home.folder().join(name).join("secret.key").exists();
    let call = home.steward(&create);
    call.env("STEWARD_DATA_DIR", "from-environment")
        .end()
        .await
        .ok();
    assert!(made("from-environment"));
    assert!(!made("from-file"));

    let home = Home::new().await;
    home.write("steward.toml", "data-dir = \"from-file\"\n");
    let made = |name: &str| home.folder().join(name).join("secret.key").exists();
    let call = home.steward(&[&create[..], &["--data-dir", "from-flag"]].concat());
    call.env("STEWARD_DATA_DIR", "from-environment")
        .end()
        .await
        .ok();
    assert!(made("from-flag"));
    assert!(!made("from-environment"));
    assert!(!made("from-file"));
}

#[tokio::test]
async fn numbers_follow_the_same_order() {
    let home = Home::new().await;
    home.write("steward.toml", "max-body = 10\n");
    let role = json!({ "name": "Moderator" });
    let status = async |call: Call| {
        let service = call.env("STEWARD_ADMIN_KEY", ADMIN_KEY).serve().await;
        let answer = service.admin().post("/api/roles", role.clone()).await;
        service.stop().await.ok();
        answer.status
    };
    assert_eq!(status(home.steward(&[])).await, 413);
    let set = |args| home.steward(args).env("STEWARD_MAX_BODY", "100");
    assert_eq!(status(set(&[])).await, 201);
    assert_eq!(status(set(&["--max-body", "10"])).await, 413);
}

#[tokio::test]
async fn another_file_can_be_named() {
    let home = Home::new().await;
    home.write("steward.toml", "data-dir = \"wrong\"\n");
    home.write("other.toml", "# nothing but\ndata-dir = \"right\"\n");
    let create = ["key", "create", "--name", "K"];
    let call = home.steward(&[&create[..], &["--config", "other.toml"]].concat());
    call.end().await.ok();
    let call = home.steward(&create);
    call.env("STEWARD_CONFIG", "other.toml").end().await.ok();
    assert!(home.folder().join("right/secret.key").exists());
    assert!(!home.folder().join("wrong").exists());
}

#[tokio::test]
async fn a_file_with_a_mistake_is_refused() {
    let home = Home::new().await;
    for (text, words) in [
        ("lisen = \"127.0.0.1:0\"", "there is no option called lisen"),
        ("[server]\nport = 1", "there is no option called server"),
        ("config = \"x.toml\"", "there is no option called config"),
        ("help = \"yes\"", "there is no option called help"),
        ("listen = true", "listen must be a string or a number"),
        ("listen = [\"a\"]", "listen must be a string or a number"),
        ("max-body = 1.5", "max-body must be a string or a number"),
    ] {
        home.write("steward.toml", text);
        let ended = home.bare(&[]).end().await;
        ended.misused(&["steward.toml: ", words]);
    }
    home.write("steward.toml", "listen = \n");
    home.bare(&[]).end().await.misused(&["steward.toml: "]);
    assert!(!home.data().exists(), "nothing is made for such a call");
}

#[tokio::test]
async fn a_bad_value_is_refused_by_the_name_of_its_option() {
    let home = Home::new().await;
    for (option, bad) in [
        ("listen", "localhost"),
        ("listen", "127.0.0.1:65536"),
        ("metrics-listen", "nowhere"),
        ("database-connections", "1"),
        ("server-query", "maybe"),
        ("audit-days", "0"),
        ("max-body", "plenty"),
        ("max-connections", "0"),
        ("request-timeout", "soon"),
        ("send-timeout", "0"),
        ("log-format", "xml"),
        ("log-level", "loud"),
    ] {
        let flag = format!("--{option}");
        let ended = home.bare(&[&flag, bad]).end().await;
        ended.misused(&[&flag, bad]);

        let variable = flag[1..].replace('-', "_").to_uppercase();
        let call = home.bare(&[]).env(&format!("STEWARD{variable}"), bad);
        call.end().await.misused(&[&flag, bad]);

        home.write("steward.toml", &format!("{option} = \"{bad}\""));
        let ended = home.bare(&[]).end().await;
        ended.misused(&[&flag, bad]);
        std::fs::remove_file(home.folder().join("steward.toml")).expect("removed");
    }
    assert!(!home.data().exists(), "nothing is made for such a call");
}

#[tokio::test]
async fn a_file_that_was_named_must_be_there() {
    let home = Home::new().await;
    let ended = home.bare(&["--config", "absent.toml"]).end().await;
    ended.misused(&["absent.toml: "]);
    let call = home.bare(&[]).env("STEWARD_CONFIG", "absent.toml");
    call.end().await.misused(&["absent.toml: "]);
}
