use std::process::Command;

use crate::support::{ADMIN_KEY, Home};

#[tokio::test]
async fn completions_have_every_command_and_no_value_of_the_environment() {
    let home = Home::new().await;
    home.write("steward.toml", "data-dir = \"/a/private/place\"");
    for shell in ["bash", "zsh", "fish"] {
        let call = home.bare(&["completions", shell]);
        let ended = call.env("STEWARD_ADMIN_KEY", ADMIN_KEY).end().await;
        let script = ended.ok();
        for word in ["serve", "operator", "rcon", "query-interval", "promo-codes"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
        for private in [ADMIN_KEY, "/a/private"] {
            assert!(!script.contains(private), "{shell}: {private}");
        }
    }
    home.bare(&["completions", "sh"])
        .end()
        .await
        .misused(&["'sh'", "bash"]);
}

#[tokio::test]
async fn bash_completes_commands_options_and_values() {
    let home = Home::new().await;
    let script = home.bare(&["completions", "bash"]).end().await;
    home.write("steward.bash", script.ok());
    for (words, expected) in [
        ("steward op", "operator openapi"),
        ("steward key re", "revoke"),
        ("steward key list --js", "--json"),
        ("steward demo --promo", "--promo-codes"),
        ("steward --log-level de", "debug"),
    ] {
        let complete = format!(
            "source ./steward.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _steward steward \"${{COMP_WORDS[COMP_CWORD]}}\" \
             \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; echo ${{COMPREPLY[@]}}"
        );
        let shell = Command::new("bash")
            .args(["--norc", "-c", &complete])
            .current_dir(home.folder())
            .output()
            .expect("bash runs");
        let completed = String::from_utf8(shell.stdout).expect("text");
        let mut completed: Vec<&str> = completed.split_whitespace().collect();
        let mut expected: Vec<&str> = expected.split_whitespace().collect();
        completed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(completed, expected, "{words}");
    }
}
