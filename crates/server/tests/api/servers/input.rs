//! Input rules of servers.

use serde_json::{Value, json};

use super::{create, new, new_with};
use crate::support::{Client, TestApp};

const ADDRESS: &str = "must be an IPv4 or IPv6 address";
const PORT: &str = "must be an integer from 1 to 65535";
const GAME: &str = "must be 1 to 50 letters, digits, _, - or .";
const PASSWORD: &str = "must be 1 to 255 bytes long";
const CONTROL: &str = "must not contain control characters";

/// Asserts that a field accepts `good` and refuses each of `bad` with its error, on create and
/// update.
async fn assert_accepts_and_refuses(field: &str, good: &[Value], bad: &[(Value, &str)]) {
    let app = TestApp::start().await;
    let admin = app.admin();
    create(&admin, new()).await;
    for value in good {
        let body = new_with(&json!({ field: value }));
        let created = create(&admin, body).await;
        let updated = admin.put("/api/servers/1", json!({ field: value })).await;
        let updated = updated.ok()["server"].take();
        for server in [created, updated] {
            if field != "rcon_password" {
                assert_eq!(server[field].as_f64(), value.as_f64(), "{value}");
                assert_eq!(server[field].as_str(), value.as_str(), "{value}");
            }
        }
    }
    let before = admin.get("/api/servers/1").await.text;
    for (value, sentence) in bad {
        let fault = [(field, *sentence)];
        let body = new_with(&json!({ field: value }));
        admin.post("/api/servers", body).await.invalid(&fault);
        let body = json!({ field: value });
        admin.put("/api/servers/1", body).await.invalid(&fault);
    }
    assert_eq!(admin.get("/api/servers/1").await.text, before);
    let total = admin.get("/api/servers").await.ok();
    assert_eq!(
        total["servers"].as_array().map(Vec::len),
        Some(good.len() + 1)
    );
}

#[service_test]
async fn a_name_is_any_text_without_control_characters_that_is_not_blank() {
    let length = "must be 1 to 255 characters long";
    let good = [
        json!("x"),
        json!("🦀".repeat(255)),
        json!("  around  "),
        json!("Ünïcödé, combining e\u{301} and precomposed é"),
        json!("עברית العربية \u{202e}txet"),
        json!("日本語 한국어 ไทย हिन्दी Ελληνικά кириллица"),
        json!("👩‍👩‍👧‍👦 🏳️‍🌈 \u{feff}"),
        json!("b\\e\"f'; DROP TABLE servers; --"),
    ];
    let bad = [
        (json!(""), length),
        (json!("x".repeat(256)), length),
        (json!(" \t\u{2003}"), "must not be blank"),
        (json!("a\0b"), "must not contain the NUL character"),
        (json!("a\nb"), "must not contain control characters"),
        (json!(7), "must be a string"),
        (json!(null), "must not be null"),
    ];
    assert_accepts_and_refuses("name", &good, &bad).await;
}

#[service_test]
async fn an_ip_that_is_not_ipv4_or_ipv6_gives_422() {
    let good = [
        json!("0.0.0.0"),
        json!("255.255.255.255"),
        json!("::"),
        json!("2001:DB8:0:0:0:0:0:1"),
        json!("::ffff:127.0.0.1"),
    ];
    let bad = [
        "",
        " ",
        "localhost",
        "256.0.0.1",
        "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4",
        "1.2.3.4 ",
        "1.2.3.4\n",
        "1.2.3.4:80",
        "::1::2",
        "[::1]",
        "fe80::1%eth0",
        "12345::",
        "１.2.3.4",
    ];
    let mut bad: Vec<(Value, &str)> = bad.map(|text| (json!(text), ADDRESS)).into();
    bad.push((json!(16_909_060), "must be a string"));
    bad.push((json!(null), "must not be null"));
    assert_accepts_and_refuses("ip", &good, &bad).await;
}

#[service_test]
async fn a_port_outside_1_to_65535_gives_422() {
    let good = [json!(1), json!(65535), json!(27015.0)];
    let bad = [
        (json!(0), PORT),
        (json!(-1), PORT),
        (json!(65536), PORT),
        (json!(1.5), PORT),
        (json!("27015"), PORT),
        (json!(true), PORT),
        (json!(1e300), PORT),
        (json!([27015]), PORT),
        (json!(null), "must not be null"),
    ];
    assert_accepts_and_refuses("port", &good, &bad).await;
}

#[service_test]
async fn a_game_that_is_not_a_plain_word_gives_422() {
    let good = [
        json!("cs2"),
        json!("csgo"),
        json!("x"),
        json!("A-b_c.9"),
        json!("x".repeat(50)),
    ];
    let bad = [
        (json!(""), GAME),
        (json!("x".repeat(51)), GAME),
        (json!("counter strike"), GAME),
        (json!("cs2\n"), GAME),
        (json!("jeu/é"), GAME),
        (json!(2), "must be a string"),
        (json!(null), "must not be null"),
    ];
    assert_accepts_and_refuses("game", &good, &bad).await;
}

#[service_test]
async fn the_limit_of_a_password_counts_bytes() {
    let good = [
        json!(" "),
        json!("x"),
        json!("x".repeat(255)),
        json!("é".repeat(127)),
        json!("🦀".repeat(63)),
    ];
    let bad = [
        (json!(""), PASSWORD),
        (json!("x".repeat(256)), PASSWORD),
        (json!("é".repeat(128)), PASSWORD),
        (json!("🦀".repeat(64)), PASSWORD),
        (json!("a\0b"), "must not contain the NUL character"),
        (json!("\r\nquit\r\n"), CONTROL),
        (json!("a\tb"), CONTROL),
        (json!("a\u{7f}"), CONTROL),
        (json!("a\u{85}"), CONTROL),
        (json!(12345), "must be a string"),
        (json!(null), "must not be null"),
    ];
    assert_accepts_and_refuses("rcon_password", &good, &bad).await;
}

#[service_test]
async fn enabled_is_true_by_default(admin: Client) {
    for (given, enabled) in [
        (json!({}), true),
        (json!({ "enabled": null }), true),
        (json!({ "enabled": true }), true),
        (json!({ "enabled": false }), false),
    ] {
        let server = create(&admin, new_with(&given)).await;
        assert_eq!(server["enabled"], enabled, "{given}");
    }
    let fault = [("enabled", "must be true or false")];
    for like in [json!(1), json!("true"), json!([])] {
        let body = json!({ "enabled": like });
        let answer = admin.post("/api/servers", new_with(&body)).await;
        answer.invalid(&fault);
        admin.put("/api/servers/1", body).await.invalid(&fault);
    }
    let answer = admin
        .put("/api/servers/1", json!({ "enabled": null }))
        .await;
    answer.invalid(&[("enabled", "must not be null")]);
}

#[service_test]
async fn all_faults_of_a_server_are_in_one_422(admin: Client) {
    let required = ["name", "ip", "port", "game", "rcon_password"];
    let missing = required.map(|field| (field, "is required"));
    let body = json!({});
    admin.post("/api/servers", body).await.invalid(&missing);

    let wrong = json!({
        "name": "", "ip": "here", "port": 0, "enabled": 1, "game": "?", "rcon_password": "",
    });
    let faults = [
        ("name", "must be 1 to 255 characters long"),
        ("ip", ADDRESS),
        ("port", PORT),
        ("enabled", "must be true or false"),
        ("game", GAME),
        ("rcon_password", PASSWORD),
    ];
    let answer = admin.post("/api/servers", wrong.clone()).await;
    answer.invalid(&faults);
    create(&admin, new()).await;
    admin.put("/api/servers/1", wrong).await.invalid(&faults);
}
