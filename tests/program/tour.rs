//! The commands of docs/tour.md and of the README print what stands there.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{ADMIN_KEY, Home, program_path};

/// The script at the end of the tour.
const SCRIPT: &str = "examples/community.sh";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).expect(name)
}

/// All fenced blocks with this language, joined.
fn blocks(text: &str, language: &str) -> String {
    let mut joined = String::new();
    let mut open: Option<&str> = None;
    for line in text.lines() {
        match (open, line.strip_prefix("```")) {
            (None, found) => open = found,
            (Some(_), Some(_)) => open = None,
            (Some(of), None) if of == language => {
                joined.push_str(line);
                joined.push('\n');
            }
            (Some(_), None) => {}
        }
    }
    joined
}

/// Without what differs from run to run: ids of requests, times, and an entity tag on a line.
fn comparable(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        for field in ["\"request_id\":\"", "\"at\":\"", "_at\":\"", "\"date\":\""] {
            let parts = line.split(field).enumerate();
            let parts = parts.map(|(number, part)| match part.split_once('"') {
                Some((_, rest)) if number > 0 => format!("\"{rest}"),
                _ => part.to_owned(),
            });
            line = parts.collect::<Vec<_>>().join(field);
        }
        if line.starts_with('"') {
            line = "an entity tag".to_owned();
        }
        lines.push(line);
    }
    lines
}

/// Asserts that a command printed these lines.
#[track_caller]
fn assert_printed(printed: &str, expected: &str) {
    let (printed, expected) = (comparable(printed), comparable(expected));
    let pairs = printed.iter().zip(&expected);
    let different: Vec<_> = pairs.filter(|(one, other)| one != other).collect();
    assert!(different.is_empty(), "printed, expected: {different:#?}");
    assert_eq!(printed.len(), expected.len(), "{printed:#?}");
}

/// Runs the commands of a text and compares what they print with the text.
async fn follow(text: &str) {
    let home = Home::new().await;
    let mut service = home.steward(&[]).serve().await;
    let key = service.first_key().await;
    let folder = home.folder().join("target/release");
    std::fs::create_dir_all(&folder).expect("a folder");
    symlink(program_path(), folder.join("steward")).expect("a link");

    let is_setting = |line: &&str| line.starts_with("KEY=") || line.starts_with("URL=");
    let commands = blocks(text, "sh");
    assert_eq!(commands.lines().filter(is_setting).count(), 2);
    let commands: Vec<&str> = commands.lines().filter(|it| !is_setting(it)).collect();
    let script = format!("exec 2>&1\n{}", commands.join("\n"));
    let ran = home.steward(&[]).in_shell(&script);
    let ran = ran.env("KEY", &key);
    let ran = ran.env("URL", &format!("http://{}", service.address));
    let printed = ran.end().await;
    assert_printed(printed.ok(), &blocks(text, ""));
}

#[tokio::test]
async fn the_commands_of_the_tour_print_what_it_says() {
    let tour = read("docs/tour.md");
    let (before_the_script, _) = tour.split_once("[examples]").expect("the end of the tour");
    follow(before_the_script).await;
}

#[tokio::test]
async fn the_calls_in_the_readme_print_what_it_says() {
    let readme = read("README.md");
    let (_, section) = readme.split_once("\n## Call it\n").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("the next section");
    follow(section).await;
}

#[tokio::test]
async fn the_script_of_the_tour_creates_a_community_over_http() {
    let home = Home::new().await;
    let service = home.start().await;
    let ran = Command::new("sh")
        .arg(root().join(SCRIPT))
        .env("KEY", ADMIN_KEY)
        .env("URL", format!("http://{}", service.address))
        .stdin(Stdio::null())
        .output()
        .expect("sh runs");
    let output = String::from_utf8_lossy(&ran.stdout);
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{output}{errors}");

    let tour = read("docs/tour.md");
    let (_, end) = tour.split_once("[examples]").expect("the end of the tour");
    assert!(blocks(end, "sh").contains(SCRIPT));
    assert_printed(&output, &blocks(end, ""));

    let last = output.lines().last().expect("statistics");
    let stats: Value = serde_json::from_str(last).expect("JSON");
    let stats = &stats["stats"];
    assert_eq!(stats["completed_amount"].to_string(), "17.99");
    assert_eq!(stats["failed_amount"].to_string(), "5");
    assert_eq!(stats["pending_amount"].to_string(), "7.5");

    let admin = service.admin();
    for (path, list, many) in [
        ("/api/roles", "roles", 3),
        ("/api/users", "users", 3),
        ("/api/users/1/social-networks", "social_networks", 1),
        ("/api/cms-pages", "pages", 2),
        ("/api/cms-pages/1/blocks", "blocks", 2),
        ("/api/navbar-items", "navbar_items", 4),
        ("/api/currencies", "currencies", 2),
        ("/api/promo-codes", "promo_codes", 1),
        ("/api/payment-invoices", "payment_invoices", 3),
    ] {
        let found = admin.get(path).await.ok();
        assert_eq!(found[list].as_array().map(Vec::len), Some(many), "{path}");
    }
}
