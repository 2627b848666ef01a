use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::{ADMIN_KEY, Call, Home, within};

#[tokio::test]
async fn a_flag_overrides_the_environment_and_that_the_file() {
    let home = Home::new().await;
    home.write("steward.toml", "data-dir = \"from-file\"\n");
    let made = |name: &str| home.folder().join(name).join("secret.key").exists();
    let create = ["key", "create", "--name", "K"];

    home.steward(&create).end().await.ok();
    assert!(made("from-file"));
    assert!(!made("data"));

    // Each of these is a new installation, so it needs its own database.
    let home = Home::new().await;
    home.write("steward.toml", "data-dir = \"from-file\"\n");
    let made = |name: &str| home.folder().join(name).join("secret.key").exists();
    let call = home.steward(&create);
    let ended = call.env("STEWARD_DATA_DIR", "from-environment").end().await;
    ended.ok();
    assert!(made("from-environment"));
    assert!(!made("from-file"));

    let home = Home::new().await;
    home.write("steward.toml", "data-dir = \"from-file\"\n");
    let made = |name: &str| home.folder().join(name).join("secret.key").exists();
    let call = home.steward(&[&create[..], &["--data-dir", "from-flag"]].concat());
    let ended = call.env("STEWARD_DATA_DIR", "from-environment").end().await;
    ended.ok();
    assert!(made("from-flag"));
    assert!(!made("from-environment"));
    assert!(!made("from-file"));
}

#[tokio::test]
async fn numbers_have_the_same_precedence() {
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

/// The client IP in the audit log for a request with X-Forwarded-For.
async fn client_ip_in_the_audit_log(call: Call) -> String {
    let service = call.env("STEWARD_ADMIN_KEY", ADMIN_KEY).serve().await;
    let admin = service.admin();
    let caller = admin.with("X-Forwarded-For", "198.51.100.7");
    let role = json!({ "name": "Moderator" });
    caller.post("/api/roles", role).await.created();
    let log = admin.get("/api/audit-log?per_page=1").await.ok();
    service.stop().await.ok();
    log["audit_log"][0]["ip"]
        .as_str()
        .expect("an ip")
        .to_owned()
}

#[tokio::test]
async fn cors_origins_takes_origins_or_an_asterisk_alone() {
    let home = Home::new().await;
    let origin = "https://panel.example.org";
    let mixed = home.bare(&["--cors-origins", &format!("*,{origin}")]);
    mixed.end().await.misused(&["--cors-origins takes * alone"]);
    for (given, allowed) in [(origin, origin), ("*", "*")] {
        let service = home.start_with(&["--cors-origins", given]).await;
        let page = service.admin().with("Origin", origin);
        let answer = page.begin("/api/roles").await;
        assert_eq!(answer.headers()["access-control-allow-origin"], allowed);
        service.stop().await.ok();
    }
}

#[tokio::test]
async fn trusted_proxies_is_a_list_in_flag_environment_and_file() {
    let home = Home::new().await;
    let (believed, peer) = ("198.51.100.7", "127.0.0.1");
    assert_eq!(client_ip_in_the_audit_log(home.steward(&[])).await, peer);
    for (args, expected) in [
        (&["--trusted-proxies", "127.0.0.1"][..], believed),
        (&["--trusted-proxies", "::1,127.0.0.0/8"], believed),
        (
            &["--trusted-proxies", "::1", "--trusted-proxies", "127.0.0.1"],
            believed,
        ),
        (&["--trusted-proxies", "::1,10.0.0.0/8"], peer),
    ] {
        assert_eq!(
            client_ip_in_the_audit_log(home.steward(args)).await,
            expected,
            "{args:?}"
        );
    }
    let call = home.steward(&[]);
    let call = call.env("STEWARD_TRUSTED_PROXIES", "10.0.0.0/8,127.0.0.1");
    assert_eq!(client_ip_in_the_audit_log(call).await, believed);
    for (file, expected) in [
        ("trusted-proxies = \"10.0.0.0/8,127.0.0.1\"", believed),
        (
            "trusted-proxies = [\"10.0.0.0/8\", \"127.0.0.1\"]",
            believed,
        ),
        ("trusted-proxies = [\"10.0.0.0/8\"]", peer),
        ("trusted-proxies = []", peer),
    ] {
        home.write("steward.toml", file);
        assert_eq!(
            client_ip_in_the_audit_log(home.steward(&[])).await,
            expected,
            "{file}"
        );
    }
    home.write("steward.toml", "trusted-proxies = [\"127.0.0.1\"]");
    let call = home.steward(&["--trusted-proxies", "10.0.0.0/8"]);
    assert_eq!(
        client_ip_in_the_audit_log(call).await,
        peer,
        "a flag takes the place of the list"
    );
}

#[tokio::test]
async fn a_default_rate_limit_gives_429() {
    let home = Home::new().await;
    let service = home.start_with(&["--requests-per-second", "1"]).await;
    let admin = service.admin();
    admin.get("/api/status").await.ok();
    // However slow the machine is, some request comes within a second of the previous one.
    let refused = within(async {
        loop {
            let answer = admin.get("/api/status").await;
            if answer.status != 200 {
                return answer;
            }
        }
    });
    assert_eq!(refused.await.expect(429)["code"], "rate_limited");
    service.stop().await.ok();
}

#[tokio::test]
async fn with_docs_off_the_docs_are_404() {
    let home = Home::new().await;
    for (args, status) in [(&[][..], 200), (&["--docs", "off"], 404)] {
        let service = home.start_with(args).await;
        for path in ["/docs", "/openapi.json", "/openapi-3.0.json"] {
            assert_eq!(service.anonymous().get(path).await.status, status);
        }
        service.stop().await.ok();
    }
}

#[tokio::test]
async fn another_config_file_can_be_named() {
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
async fn an_invalid_config_file_is_refused() {
    let home = Home::new().await;
    for (text, words) in [
        ("lisen = \"127.0.0.1:0\"", "there is no option called lisen"),
        ("[server]\nport = 1", "there is no option called server"),
        ("config = \"x.toml\"", "there is no option called config"),
        ("help = \"yes\"", "there is no option called help"),
        ("listen = 127.0.0.1:8080", "strings must be quoted"),
        ("\ndata-dir = /srv/steward", "strings must be quoted"),
        ("listen = true", "listen must be a string or a number"),
        ("listen = [\"a\"]", "listen must be a string or a number"),
        ("max-body = 1.5", "max-body must be a string or a number"),
        (
            "trusted-proxies = true",
            "trusted-proxies must be a string or a list of strings",
        ),
        (
            "trusted-proxies = [[\"::1\"]]",
            "trusted-proxies must be a string or a list of strings",
        ),
    ] {
        home.write("steward.toml", text);
        let ended = home.bare(&[]).end().await;
        ended.misused(&["steward.toml: line ", words]);
        assert!(!ended.stderr.contains("Usage"), "{ended:?}");
    }
    home.write("steward.toml", "listen = \n");
    home.bare(&[]).end().await.misused(&["steward.toml: "]);
    assert!(!home.data().exists(), "nothing is made for such a call");
}

#[tokio::test]
async fn an_invalid_value_is_refused_with_its_flag_variable_or_line() {
    let home = Home::new().await;
    for (option, bad) in [
        ("listen", "localhost"),
        ("listen", "127.0.0.1:65536"),
        ("listen", "example.com:80"),
        ("metrics-listen", "nowhere"),
        ("database-connections", "1"),
        ("docs", "maybe"),
        ("console", "maybe"),
        ("server-query", "maybe"),
        ("query-interval", "0"),
        ("query-timeout", "49"),
        ("query-concurrency", "0"),
        ("server-networks", "10.0.0.0/33"),
        ("history-days", "0"),
        ("history-hourly-days", "0"),
        ("audit-days", "0"),
        ("session-days", "0"),
        ("max-body", "plenty"),
        ("max-connections", "0"),
        ("max-connections-per-address", "0"),
        ("request-timeout", "soon"),
        ("requests-per-second", "0"),
        ("requests-per-second", "10001"),
        ("trusted-proxies", "localhost"),
        ("trusted-proxies", "10.0.0.0/33"),
        ("cors-origins", "panel.example.org"),
        ("cors-origins", "https://panel.example.org/"),
        ("hsts-seconds", "63072001"),
        ("send-timeout", "0"),
        ("response-timeout", "0"),
        ("log-format", "xml"),
        ("log-level", "loud"),
    ] {
        let flag = format!("--{option}");
        let ended = home.bare(&[&flag, bad]).end().await;
        ended.misused(&[&flag, bad]);

        let variable = format!("STEWARD_{}", option.replace('-', "_").to_uppercase());
        let call = home.bare(&[]).env(&variable, bad);
        call.end().await.misused(&[&format!("'{variable}'"), bad]);

        home.write("steward.toml", &format!("# no\n{option} = \"{bad}\""));
        let ended = home.bare(&[]).end().await;
        ended.misused(&[&format!("'{option} in line 2 of steward.toml'"), bad]);
        std::fs::remove_file(home.folder().join("steward.toml")).expect("removed");
    }
    assert!(!home.data().exists(), "nothing is made for such a call");
}

#[tokio::test]
async fn of_several_invalid_values_the_one_that_counts_is_named() {
    let home = Home::new().await;
    home.write("steward.toml", "max-body = \"from file\"");
    let call = |args: &[&str]| home.bare(args).env("STEWARD_MAX_BODY", "from variable");
    for args in [&[][..], &["key", "list"]] {
        let ended = call(args).end().await;
        ended.misused(&["'from variable'", "'STEWARD_MAX_BODY'"]);
        let flag = [args, &["--max-body", "from flag"]].concat();
        let ended = call(&flag).end().await;
        ended.misused(&["'from flag'", "'--max-body <BYTES>'"]);
    }
    let ended = home.bare(&["key", "list"]).end().await;
    ended.misused(&["'from file'", "'max-body in line 1 of steward.toml'"]);
}

#[tokio::test]
async fn an_empty_variable_counts_as_absent() {
    let home = Home::new().await;
    let key = home.write("key.txt", ADMIN_KEY);
    // Otherwise the log warns about it.
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(key, private).expect("the mode is set");
    home.write("steward.toml", "log-level = \"warn\"");
    let call = home
        .steward(&[])
        .env("STEWARD_LOG_LEVEL", "")
        .env("STEWARD_CONFIG", "")
        .env("STEWARD_METRICS_LISTEN", "")
        .env("STEWARD_TRUSTED_PROXIES", "")
        .env("STEWARD_ADMIN_KEY", "")
        .env("STEWARD_ADMIN_KEY_FILE", "key.txt")
        .env("STEWARD_DATABASE_URL_FILE", "")
        .env("STEWARD_UNKNOWN", "");
    let service = call.serve().await;
    service.admin().get("/api/status").await.ok();
    let ended = service.stop().await;
    assert_eq!(ended.stderr, "", "the level is that of the file");
}

#[tokio::test]
async fn an_unknown_variable_is_warned_of() {
    let home = Home::new().await;
    let call = |args| home.steward(args).env("STEWARD_LISTN", "127.0.0.1:1");
    let call_with_key = call(&[]).env("STEWARD_ADMIN_KEY", ADMIN_KEY);
    let mut service = call_with_key.serve().await;
    let line = service
        .logged(|line| line["variable"] == "STEWARD_LISTN")
        .await;
    assert_eq!(line["level"], "WARN");
    service.stop().await.ok();

    let ended = call(&["key", "list"]).end().await;
    ended.ok();
    let sentence = "steward: the variable STEWARD_LISTN sets no option; see `steward --help`";
    assert_eq!(ended.stderr, format!("{sentence}\n"));
}

#[tokio::test]
async fn an_option_that_needs_another_finds_it_in_the_file_too() {
    let home = Home::new().await;
    for (file, words) in [
        ("backup-every = 24", "--backup-every needs --backup-dir"),
        ("tls-cert = \"x.crt\"", "both --tls-cert and --tls-key"),
    ] {
        home.write("steward.toml", file);
        home.bare(&[]).end().await.misused(&[words]);
    }
    home.write("steward.toml", "backup-dir = \"backups\"");
    let service = home.start_with(&["--backup-every", "24"]).await;
    service.stop().await.ok();
    assert!(home.folder().join("backups").exists());
}

#[tokio::test]
async fn a_named_config_file_must_exist() {
    let home = Home::new().await;
    let ended = home.bare(&["--config", "absent.toml"]).end().await;
    ended.misused(&["absent.toml: "]);
    let call = home.bare(&[]).env("STEWARD_CONFIG", "absent.toml");
    call.end().await.misused(&["absent.toml: "]);
}

#[tokio::test]
async fn a_session_expires_after_the_configured_days() {
    let home = Home::new().await;
    let service = home.start().await;
    let user = json!({
        "username": "anna", "email": "anna@example.com", "password": "battery staple",
    });
    service.admin().post("/api/users", user).await.created();
    let sign_in = json!({
        "login": "anna", "password": "battery staple", "device_name": "Phone",
        "user_agent": "Lynx",
    });
    let made = service.admin().post("/api/sessions", sign_in).await;
    let token = json!({ "token": made.created()["session_token"] });
    service.stop().await.ok();
    let ten_days_ago = "UPDATE user_sessions SET last_active = last_active - 10 * 86400";
    let database = home.database().await;
    database.run_sql(ten_days_ago).await.expect("another time");
    drop(database);

    for (days, status) in [("11", 200), ("10", 422)] {
        let service = home.start_with(&["--session-days", days]).await;
        let path = "/api/sessions/verify";
        let answer = service.admin().post(path, token.clone()).await;
        assert_eq!(answer.status, status, "{days} days: {}", answer.text);
        service.stop().await.ok();
    }
}
