//! Text that other programs would interpret: spreadsheets, Discord, browsers, consoles of game
//! servers. `tests/program/hostile_strings.rs` sends the same text to the log and to pages.

use platform::webhooks::{queue, sender};
use rcon::testing::Behaviour;
use serde_json::{Value, json};

use crate::support::payments::{order, shop};
use crate::support::receiver::Receiver;
use crate::support::{Answer, Client, TestApp, server_with_console, sign_in};

fn hostile_strings() -> Vec<String> {
    let text = include_str!("../../../../../tests/hostile-strings.json");
    serde_json::from_str(text).expect("a list of strings")
}

/// Sends a value that may be refused, but nothing worse.
async fn is_taken(answer: Answer) -> bool {
    assert!(
        [200, 201, 422].contains(&answer.status),
        "neither taken nor refused: {answer:?}"
    );
    let kind = answer.header("content-type");
    assert_eq!(kind, "application/json", "{answer:?}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    answer.status < 300
}

/// The text as Discord shows it. Every special character must have a backslash before it.
fn shown_by_discord(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let is_escape = c == '\\';
        assert!(
            !"*_~`|>[]()<@#-:".contains(c),
            "{c} is not escaped in {text:?}"
        );
        shown.push(if is_escape {
            chars.next().expect("a character")
        } else {
            c
        });
    }
    shown
}

/// Whether a spreadsheet would run a part of this cell.
fn has_formula(cell: &str) -> bool {
    let is_number = |part: &str| part.parse::<f64>().is_ok();
    let mut parts = cell.split([';', '\t', '\r', '\n']);
    parts.any(|part| {
        part.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && !is_number(part)
    })
}

/// The cells of one column.
fn column(csv: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let columns = reader.headers().expect("a head").clone();
    let index = columns.iter().position(|column| column == name);
    let index = index.expect(name);
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| row[index].to_owned()).collect()
}

/// Cells have an apostrophe before each formula and are otherwise as they were stored.
fn assert_cells(csv: &str, name: &str, stored: &[String]) {
    let plain = |text: &str| text.replace('\'', "");
    let cells = column(csv, name);
    for cell in &cells {
        assert!(!has_formula(cell), "{cell:?}");
    }
    for text in stored {
        let is_there = cells.iter().any(|cell| plain(cell) == plain(text));
        assert!(is_there, "{text:?} is not in {cells:?}");
    }
}

async fn export(admin: &Client, path: &str) -> String {
    let answer = admin.get(path).await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").starts_with("text/csv"));
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    answer.text
}

#[service_test]
async fn hostile_strings_are_data_for_discord_spreadsheets_consoles_and_browsers() {
    let app: TestApp = shop().await;
    let admin = app.admin();
    let receiver = Receiver::start().await;
    let body = json!({ "url": receiver.url(), "format": "discord" });
    admin.post("/api/webhooks", body).await.created();
    let (console, server) = server_with_console(&admin, Behaviour::Valve).await;
    let (mut roles, mut users, mut payments, mut commands) = (vec![], vec![], vec![], vec![]);
    for (number, text) in hostile_strings().into_iter().enumerate() {
        let role = json!({ "name": text, "description": text });
        if is_taken(admin.post("/api/roles", role).await).await {
            roles.push(text.clone());
        }
        let user = json!({
            "username": text, "email": format!("{number}@example.com"),
            "password": "battery staple",
        });
        let made = admin.post("/api/users", user).await;
        let user = made.json()["user"].clone();
        if is_taken(made).await {
            let id = &user["id"];
            // Composed, if it had combining characters.
            users.push(user["username"].as_str().expect("a name").to_owned());
            let block = json!({ "reason": text });
            is_taken(admin.post(&format!("/api/users/{id}/block"), block).await).await;
        }
        is_taken(admin.post("/api/api-keys", json!({ "name": text })).await).await;
        let page = json!({ "title": text, "slug": format!("p{number}"), "content": text });
        is_taken(admin.post("/api/cms-pages", page).await).await;
        let made = admin.post("/api/payment-invoices", order(json!(1))).await;
        let path = format!(
            "/api/payment-invoices/{}/status",
            made.created()["payment_invoice"]["id"]
        );
        let paid = json!({ "is_paid": true, "transaction_id": text });
        if is_taken(admin.put(&path, paid).await).await {
            payments.push(text.clone());
        }
        let command = json!({ "command": text });
        let path = format!("/api/servers/{server}/rcon");
        if is_taken(admin.post(&path, command).await).await {
            commands.push(text.clone());
        }
        let mut login = sign_in(&text);
        login["password"] = json!("wrong password");
        login["device_name"] = json!(text);
        login["user_agent"] = json!(text);
        let answer = admin.post("/api/sessions", login).await;
        assert!([422, 429].contains(&answer.status), "{answer:?}");
        app.advance(60);
    }
    assert!(roles.len() > 30 && users.len() > 30 && payments.len() > 30);

    // Each command arrives as one, and none has a second line.
    assert_eq!(console.commands(), commands);
    assert!(
        commands
            .iter()
            .all(|command| !command.contains(['\r', '\n', '\0']))
    );

    while app
        .number("SELECT COUNT(*) FROM webhook_deliveries WHERE state = 'pending'")
        .await
        > 0
        || receiver.count() == 0
    {
        queue::once(&app.app.webhooks).await.expect("queued");
        sender::once(&app.app.webhooks).await.expect("sent");
    }
    let mut shown = Vec::new();
    for request in receiver.requests() {
        let message = request.json();
        assert_eq!(message["allowed_mentions"], json!({ "parse": [] }));
        let embed = &message["embeds"][0];
        let description = embed["description"].as_str().expect("text");
        shown_by_discord(&description.replace('_', ""));
        for field in embed["fields"].as_array().expect("a list") {
            shown_by_discord(field["name"].as_str().expect("text"));
            let value = field["value"].as_str().expect("text");
            shown.push(shown_by_discord(value));
        }
    }
    for text in roles.iter().chain(&users) {
        assert!(shown.contains(text), "{text:?}");
    }

    assert_cells(
        &export(&admin, "/api/users/export").await,
        "username",
        &users,
    );
    let invoices = export(&admin, "/api/payment-invoices/export").await;
    assert_cells(&invoices, "transaction_id", &payments);
    let log = export(&admin, "/api/audit-log/export").await;
    for name in ["before", "after"] {
        for cell in column(&log, name) {
            serde_json::from_str::<Value>(&cell).expect("JSON");
            assert!(!has_formula(&cell), "{cell}");
        }
    }
    for page in ["/", "/docs", "/api"] {
        let html = app.anonymous().get(page).await.text;
        for text in roles.iter().filter(|text| text.contains('<')) {
            assert!(!html.contains(text), "{page}: {text:?}");
        }
    }
}
