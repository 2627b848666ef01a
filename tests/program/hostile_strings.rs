//! Text that terminals, readers of logs and browsers would interpret. The tests of the API have the
//! same text in fields.

use reqwest::header::HeaderValue;
use serde_json::{Value, json};

use crate::support::Home;

/// Every byte as a % code.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test]
async fn hostile_strings_are_data_for_the_log_and_for_pages() {
    let strings: Vec<String> =
        serde_json::from_str(include_str!("../hostile-strings.json")).expect("a list of strings");
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    let mut sent = 0;
    for text in &strings {
        let part = encoded(text);
        let mut caller = service.anonymous();
        // Others cannot be sent in a header at all.
        if HeaderValue::from_str(text).is_ok() {
            for name in [
                "User-Agent",
                "X-Request-Id",
                "traceparent",
                "X-Forwarded-For",
            ] {
                caller = caller.with(name, text);
            }
        }
        for path in [
            format!("/nowhere/{part}"),
            format!("/console/{part}"),
            format!("/docs?{part}={part}"),
            format!("/?q={part}"),
        ] {
            let answer = caller.get(&path).await;
            sent += 1;
            // A page is the same for everybody; an error repeats nothing.
            if text.contains('<') {
                assert!(!answer.text.contains(text), "{path}: {text:?}");
            }
        }
        for (path, body) in [
            ("/api/roles", json!({ "name": text, "description": text })),
            (
                "/api/sessions",
                json!({
                    "login": text, "password": "wrong password", "device_name": text,
                    "user_agent": text,
                }),
            ),
            ("/api/api-keys", json!({ "name": text })),
        ] {
            admin.post(path, body).await;
            sent += 1;
        }
    }
    let ended = service.stop().await;
    ended.ok();
    let log = ended.log();
    assert_eq!(log.len(), ended.stderr.lines().count(), "all of it is JSON");
    let requests = log.iter().filter(|line| line["target"] == "request");
    // Redirects are followed.
    assert!(requests.count() >= sent, "one line for each request");
    let forged = |line: &&Value| line["message"] == "forged";
    assert_eq!(log.iter().find(forged), None);
    let control = |c: char| c.is_control() && c != '\n';
    let bad = ended.stderr.lines().find(|line| line.contains(control));
    assert_eq!(bad, None, "a terminal would interpret it");
}
