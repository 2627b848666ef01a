use crate::support::Home;

#[tokio::test]
async fn help_names_the_environment_variable_of_every_option() {
    let home = Home::new().await;
    for args in [&["--help"][..], &["help"]] {
        let ended = home.bare(args).end().await;
        let text = ended.ok();
        let options: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("--"))
            .map(|line| line.split(' ').next().unwrap_or(line))
            .collect();
        assert!(options.len() > 10, "{text}");
        for option in options {
            let variable = option.replace('-', "_").to_uppercase();
            let named = format!("[env: STEWARD_{variable}");
            assert!(text.contains(&named), "no {named} in {text}");
        }
        for command in [
            "serve", "key", "operator", "server", "secret", "demo", "openapi", "check",
        ] {
            let listed = text
                .lines()
                .any(|line| line.starts_with(&format!("  {command} ")));
            assert!(listed, "no {command} in {text}");
        }
        assert_eq!(ended.stderr, "");
    }
}

const COMMANDS: [&[&str]; 11] = [
    &["serve"],
    &["key", "create"],
    &["key", "list"],
    &["operator", "add"],
    &["server", "rcon"],
    &["secret", "reset"],
    &["backup"],
    &["restore"],
    &["copy"],
    &["import", "bans"],
    &["demo"],
];

#[tokio::test]
async fn the_options_of_a_command_come_before_the_common_ones() {
    let home = Home::new().await;
    for command in COMMANDS {
        for flag in ["-h", "--help"] {
            let ended = home.bare(&[command, &[flag]].concat()).end().await;
            let text = ended.ok();
            let own = text.find("\nOptions:\n").expect("options of its own");
            let common = text.find("\nCommon options:\n").expect("common options");
            assert!(own < common, "{text}");
            let own = &text[own..common];
            assert!(own.contains("-h, --help"), "{text}");
            assert!(!own.contains("STEWARD_"), "{text}");
            let all = text.contains("--query-interval");
            assert_eq!(all, flag == "--help", "{text}");
        }
    }
    let ended = home.bare(&["demo", "-h"]).end().await;
    let text = ended.ok();
    let options = text.find("Options:").expect("options");
    assert!(
        text[options..].starts_with("Options:\n      --users"),
        "{text}"
    );
}

#[tokio::test]
async fn short_help_fits_a_screen() {
    let home = Home::new().await;
    for command in [&[][..]].into_iter().chain(COMMANDS) {
        let ended = home.bare(&[command, &["-h"]].concat()).end().await;
        let lines = ended.ok().lines().count();
        assert!(lines <= 40, "{command:?}: {lines} lines");
        for option in ["--config", "--listen", "--data-dir", "--database-url"] {
            assert!(ended.stdout.contains(option), "no {option} in {ended:?}");
        }
    }
}

#[tokio::test]
async fn help_prints_no_secret() {
    let home = Home::new().await;
    let url = "postgres://steward:hunter2@127.0.0.1/community";
    let key = "a-very-secret-admin-key";
    let secrets = format!("admin-key = \"{key}\"\ndatabase-url = \"{url}\"\n");
    for (file, environment) in [("", true), (&secrets, false), (&secrets, true)] {
        home.write("steward.toml", file);
        for args in [&["--help"][..], &["-h"], &["key", "list", "--help"]] {
            let mut call = home.bare(args);
            if environment {
                call = call
                    .env("STEWARD_ADMIN_KEY", key)
                    .env("STEWARD_DATABASE_URL", url);
            }
            let ended = call.end().await;
            let text = ended.ok();
            assert!(text.contains("Usage: steward"), "{text}");
            assert!(!text.contains(key), "{args:?}: {text}");
            assert!(!text.contains("hunter2"), "{args:?}: {text}");
        }
    }
}

#[tokio::test]
async fn an_option_error_does_not_print_secrets() {
    let home = Home::new().await;
    let secret = "postgres://steward:hunter2@host:port/community";
    let call = home.bare(&[]).env("STEWARD_DATABASE_URL", secret);
    let ended = call.end().await;
    ended.misused(&["STEWARD_DATABASE_URL"]);
    assert!(!ended.stderr.contains("hunter2"), "{ended:?}");

    let flag = home.bare(&["--database-url", "mysql://steward:hunter2@host/db"]);
    let ended = flag.end().await;
    ended.misused(&["--database-url", "starts with sqlite: or postgres://"]);
    assert!(!ended.stderr.contains("hunter2"), "{ended:?}");

    home.write("steward.toml", &format!("database-url = \"{secret}\""));
    let ended = home.bare(&[]).end().await;
    ended.misused(&["database-url in line 1 of steward.toml"]);
    assert!(!ended.stderr.contains("hunter2"), "{ended:?}");

    home.write(
        "steward.toml",
        "# keys\nadmin-key = \"a-very-secret-admin-key\n",
    );
    let ended = home.bare(&[]).end().await;
    ended.misused(&["steward.toml: line 2: "]);
    assert!(!ended.stderr.contains("very-secret"), "{ended:?}");
}

#[tokio::test]
async fn the_version_is_that_of_the_package() {
    let home = Home::new().await;
    let ended = home.bare(&["--version"]).end().await;
    let version = format!("steward {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(ended.ok(), version);
}

#[tokio::test]
async fn an_unknown_command_or_flag_is_refused() {
    let home = Home::new().await;
    home.bare(&["sevre"]).end().await.misused(&["sevre"]);
    home.bare(&["--sevre"]).end().await.misused(&["--sevre"]);
    home.bare(&["key", "steal"]).end().await.misused(&["steal"]);
    home.bare(&["key"])
        .end()
        .await
        .misused(&["Usage: steward key"]);
    assert!(!home.data().exists(), "nothing is made for such a call");
}

#[tokio::test]
async fn serve_is_also_a_command() {
    let home = Home::new().await;
    let service = home.start_with(&["serve"]).await;
    service.admin().get("/api/status").await.ok();
    service.stop().await.ok();
}
