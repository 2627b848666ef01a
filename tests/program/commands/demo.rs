//! `steward demo`: fills a database with generated data.

use std::collections::{BTreeMap, HashSet};

use db::params;
use serde_json::{Value, json};

use crate::support::{Client, Home, Program};

/// A small amount of everything.
const SMALL: &[&str] = &[
    "demo",
    "--users",
    "500",
    "--invoices",
    "900",
    "--servers",
    "5",
    "--roles",
    "13",
    "--pages",
    "21",
    "--navigation",
    "40",
    "--promo-codes",
    "9",
    "--until",
    "2026-03-01",
];

async fn filled(home: &Home, seed: &str) -> Program {
    home.run(&[SMALL, &["--seed", seed]].concat()).await.ok();
    home.start().await
}

/// The lines of an export.
async fn export(admin: &Client, path: &str) -> Vec<Value> {
    let answer = admin.get(&format!("{path}?format=ndjson")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let lines = answer.text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The exact amount in ten-thousandths.
fn parts(amount: &Value) -> i64 {
    let text = amount.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{fraction:0<4}").parse().expect("a number")
}

fn day(moment: &Value) -> &str {
    &moment.as_str().expect("a moment")[..10]
}

#[tokio::test]
async fn demo_fills_an_empty_database_and_refuses_a_second_run() {
    let home = Home::new().await;
    let ended = home.run(SMALL).await;
    let output = ended.ok();
    for line in [
        "13  roles",
        "5  servers",
        "21  pages",
        "40  navigation items",
        "3  currencies",
        "4  payment gateways",
        "9  promo codes",
        "4  products",
        "40  grants",
        "60  bans",
        "500  users",
        "900  invoices",
    ] {
        assert!(output.lines().any(|it| it.trim() == line), "{output}");
    }
    let service = home.start().await;
    let admin = service.admin();
    for (path, list, many) in [
        ("/api/roles", "roles", 13),
        ("/api/servers", "servers", 5),
        ("/api/cms-pages", "pages", 21),
        ("/api/navbar-items", "navbar_items", 40),
        ("/api/currencies", "currencies", 3),
        ("/api/payment-gateways", "payment_gateways", 4),
        ("/api/promo-codes", "promo_codes", 9),
        ("/api/products", "products", 4),
    ] {
        let found = admin.get(&format!("{path}?per_page=100&limit=100")).await;
        let found = found.ok()[list].as_array().map(Vec::len);
        assert_eq!(found, Some(many), "{path}");
    }
    for state in ["pending", "done", "attention", "cancelled", "revoked"] {
        let found = admin.get(&format!("/api/grants?state={state}")).await.ok();
        let found = found["grants"].as_array().expect("a list").len();
        assert!(found > 0, "{state}");
    }
    // The demo sends nothing to Discord.
    let discord = admin.get("/api/discord").await.ok();
    assert_eq!(discord["discord"]["state"], "disabled");
    let members = admin.get("/api/discord/members").await.ok();
    assert!(!members["members"].as_array().expect("a list").is_empty());
    for state in ["active", "expired", "lifted"] {
        let found = admin.get(&format!("/api/bans?state={state}")).await.ok();
        let found = found["bans"].as_array().expect("a list").len();
        assert!(found > 0, "{state}");
    }
    let bans = admin.get("/api/bans?per_page=100").await.ok();
    let bans = bans["bans"].as_array().expect("a list");
    assert!(
        bans.iter()
            .all(|ban| ban["issued_by"]["kind"] == "operator"),
        "{bans:?}"
    );
    let of_users = bans.iter().filter(|ban| !ban["user_id"].is_null());
    assert!((1..30).contains(&of_users.count()), "{bans:?}");
    assert_eq!(export(&admin, "/api/users/export").await.len(), 500);
    let invoices = export(&admin, "/api/payment-invoices/export").await;
    assert_eq!(invoices.len(), 900);

    let log = admin.get("/api/audit-log?per_page=100").await.ok();
    let of_demo: Vec<&Value> = log["audit_log"]
        .as_array()
        .expect("entries")
        .iter()
        .filter(|entry| entry["action"] != "api_keys.create")
        .filter(|entry| entry["action"] != "operators.invite")
        .filter(|entry| !entry["action"].to_string().contains(".export"))
        // The roles of the demo end in the past.
        .filter(|entry| entry["action"] != "users.role_expired")
        .collect();
    assert_eq!(of_demo.len(), 1, "{log}");
    assert_eq!(of_demo[0]["action"], "demo.fill");
    assert_eq!(of_demo[0]["key_name"], "command line");
    assert_eq!(of_demo[0]["after"]["users"], 500);

    home.run(SMALL).await.failed(
        "the database is not empty: it has users (500), roles (13), servers (5), pages (21), \
         navigation items (40), currencies (3), payment gateways (4), promo codes (9), products (4), \
         invoices (900), bans (60); name an empty one, or a new one, with --data-dir or --database-url",
    );
    for state in ["active", "expired", "lifted"] {
        let found = admin.get(&format!("/api/bans?state={state}")).await.ok();
        let found = found["bans"].as_array().expect("a list").len();
        assert!(found > 0, "{state}");
    }
    assert_eq!(export(&admin, "/api/users/export").await.len(), 500);

    // New rows get the next ids.
    let user = json!({ "username": "new", "email": "n@example.com", "password": "long enough" });
    let user = admin.post("/api/users", user).await.created();
    assert_eq!(user["user"]["id"], 501);
    let invoice = json!({ "user_id": 1, "gateway": "card", "amount": 10, "currency_id": 1 });
    let invoice = admin.post("/api/payment-invoices", invoice).await.created();
    assert_eq!(invoice["payment_invoice"]["id"], 901);
}

#[tokio::test]
async fn totals_of_demo_data_equal_a_recount() {
    let home = Home::new().await;
    let service = filled(&home, "1").await;
    let admin = service.admin();
    let invoices = export(&admin, "/api/payment-invoices/export").await;
    let mut of_state: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    let mut of_day: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    let mut of_code: BTreeMap<i64, i64> = BTreeMap::new();
    let failed = admin.get("/api/payment-invoices/export?status=failed&format=ndjson");
    let failed = failed.await.text.lines().count();
    for invoice in &invoices {
        let state = match invoice["is_paid"].as_bool() {
            Some(true) => "completed",
            _ => "open",
        };
        for (sum, count) in [
            of_state.entry(state).or_default(),
            of_day.entry(day(&invoice["created_at"])).or_default(),
        ] {
            *sum += parts(&invoice["amount"]);
            *count += 1;
        }
        if let Some(id) = invoice["promo_code_id"].as_i64() {
            *of_code.entry(id).or_default() += 1;
            assert!(parts(&invoice["amount"]) < parts(&invoice["original_amount"]));
        }
        assert!(parts(&invoice["amount"]) > 0, "{invoice}");
    }
    let stats = admin.get("/api/payment-invoices/stats").await.ok()["stats"].clone();
    let (sum, count) = of_state["completed"];
    assert_eq!(parts(&stats["completed_amount"]), sum, "{stats}");
    assert_eq!(stats["completed_count"], count, "{stats}");
    let open = parts(&stats["pending_amount"]) + parts(&stats["failed_amount"]);
    assert_eq!(open, of_state["open"].0);
    assert_eq!(stats["failed_count"], failed);
    assert!(failed > 0 && of_state["open"].1 > failed as i64 && count > 600);

    let days = stats["by_day"].as_array().expect("days");
    let days: BTreeMap<&str, (i64, i64)> = days
        .iter()
        .map(|entry| {
            let count = entry["count"].as_i64().expect("a count");
            (day(&entry["date"]), (parts(&entry["amount"]), count))
        })
        .collect();
    assert_eq!(days, of_day);

    let codes = admin.get("/api/promo-codes").await.ok();
    assert!(of_code.values().sum::<i64>() > 10, "{of_code:?}");
    for code in codes["promo_codes"].as_array().expect("codes") {
        let uses = of_code.get(&code["id"].as_i64().expect("an id"));
        assert_eq!(code["usages_count"], *uses.unwrap_or(&0), "{code}");
    }
}

#[tokio::test]
async fn demo_data_contains_no_real_addresses() {
    // 2026-03-01, in seconds.
    const FIRST_OF_MARCH: i64 = 1_772_323_200;
    let home = Home::new().await;
    let service = filled(&home, "1").await;
    let admin = service.admin();
    let users = export(&admin, "/api/users/export").await;
    let mut names = HashSet::new();
    let mut statuses: BTreeMap<&str, usize> = BTreeMap::new();
    for user in &users {
        let email = user["email"].as_str().expect("an address");
        let (_, domain) = email.split_once('@').expect("an address");
        assert!(["example.com", "example.net", "example.org"].contains(&domain));
        assert!(names.insert(user["username"].as_str().expect("a name").to_lowercase()));
        *statuses
            .entry(user["status"].as_str().expect("a status"))
            .or_default() += 1;
        assert!(day(&user["created_at"]) < "2026-03-01", "{user}");
    }
    assert!(statuses["active"] > 400, "{statuses:?}");
    assert!(
        ["inactive", "pending", "blocked"]
            .iter()
            .all(|status| statuses.contains_key(status)),
        "{statuses:?}"
    );
    let database = home.database().await;
    let mut read = database.read().await.expect("a reader");
    let expired: i64 = read
        .query_one(
            "SELECT COUNT(*) FROM user_blocks WHERE until < $1",
            params![FIRST_OF_MARCH],
            |row| row.get(0),
        )
        .await
        .expect("blocks");
    assert!(expired > 0, "some blocks have expired");

    let servers = admin.get("/api/servers").await.ok();
    for server in servers["servers"].as_array().expect("servers") {
        let ip = server["ip"].as_str().expect("an address");
        assert!(ip.starts_with("127.0.0."), "{server}");
        assert_eq!(server["enabled"], true);
    }
    assert_eq!(servers["servers"][0]["game"], "cs2");
    let menu = admin.get("/api/navbar-items?per_page=100").await.ok();
    let menu = menu["navbar_items"].as_array().expect("items");
    let below = menu
        .iter()
        .filter(|item| !item["parent_id"].is_null())
        .count();
    assert!(below > 20, "{menu:?}");
    let links = menu.iter().filter_map(|item| item["url"].as_str());
    for link in links.filter(|link| link.contains(':')) {
        assert!(link.contains("example.org"), "{link}");
    }
}

#[tokio::test]
async fn all_users_have_the_printed_password() {
    let home = Home::new().await;
    let ended = home
        .run(&["demo", "--users", "20", "--invoices", "0"])
        .await;
    let last = ended.ok().lines().last().expect("a sentence");
    let password = last
        .strip_prefix("All users have the password ")
        .and_then(|rest| rest.strip_suffix('.'))
        .expect("the password");
    let service = home.start().await;
    let admin = service.admin();
    let users = export(&admin, "/api/users/export").await;
    let active = users.iter().filter(|user| user["status"] == "active");
    for user in active.take(2) {
        let login = json!({
            "login": user["username"],
            "password": password,
            "device_name": "Test",
            "user_agent": "test",
        });
        admin.post("/api/sessions", login).await.created();
    }
}

#[tokio::test]
async fn game_servers_have_a_history_up_to_now() {
    let home = Home::new().await;
    let small = ["demo", "--users", "0", "--invoices", "0", "--servers", "2"];
    home.run(&small).await.ok();
    let service = home.start().await;
    for id in [1, 2] {
        let path = format!("/api/servers/{id}/history");
        let history = service.admin().get(&path).await.ok();
        let points = history["history"].as_array().expect("points").iter();
        let answers = points.filter_map(|point| point["reachable"].as_i64());
        // Twelve an hour, over the last 24 hours.
        let answers: i64 = answers.sum();
        assert!((280..=289).contains(&answers), "{answers}");
    }
}

#[tokio::test]
async fn the_same_seed_gives_the_same_data_and_another_does_not() {
    let seen = async |seed| {
        let home = Home::new().await;
        let service = filled(&home, seed).await;
        let admin = service.admin();
        let mut seen = Vec::new();
        for path in [
            "/api/users/export",
            "/api/payment-invoices/export",
            "/api/payment-invoices/stats",
            "/api/roles/2",
            "/api/roles?per_page=100",
            "/api/servers/3",
            // By the hour, since samples become hours in the background.
            "/api/servers/3/history?from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z",
            "/api/cms-pages?per_page=100",
            "/api/cms-pages/20",
            "/api/cms-pages/3/blocks",
            "/api/navbar-items?per_page=100",
            "/api/navbar-items/7",
            "/api/currencies",
            "/api/payment-gateways",
            "/api/promo-codes",
            "/api/users/2",
            "/api/users/17/devices",
            "/api/users/23/social-networks",
            "/api/users/40/blocks",
        ] {
            let answer = admin.get(path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            seen.push((path, answer.text));
        }
        seen
    };
    let first = seen("1").await;
    assert_eq!(first, seen("1").await);
    let other = seen("2").await;
    for place in 0..2 {
        assert_ne!(first[place], other[place]);
    }
}

#[tokio::test]
async fn a_killed_run_leaves_nothing() {
    let home = Home::new().await;
    let long = ["demo", "--users", "5000000", "--invoices", "0"];
    let mut program = home.steward(&long).spawn();
    let begun = |text: &str| text.contains("users: ").then_some(());
    program.wait_for_stderr(begun).await;
    program.kill();
    home.run(SMALL).await.ok();
}

#[tokio::test]
async fn a_database_that_is_not_empty_is_refused() {
    let home = Home::new().await;
    let service = home.start().await;
    let role = json!({ "name": "Moderator" });
    service.admin().post("/api/roles", role).await.created();
    home.run(&["demo"]).await.failed(
        "the database is not empty: it has roles (1); name an empty one, or a new one, with \
         --data-dir or --database-url",
    );
    // A key alone does not count as data, and a service may run at the same time.
    service.admin().delete("/api/roles/1").await.ok();
    home.run(SMALL).await.ok();
    let users = export(&service.admin(), "/api/users/export").await;
    assert_eq!(users.len(), 500);
}

#[tokio::test]
async fn invalid_options_are_refused_before_anything_is_created() {
    let home = Home::new().await;
    home.run(&["demo", "--users", "0"])
        .await
        .failed("invoices need users: request at least one user, or no invoices");
    for late in ["9999-01-01", "1999-12-31"] {
        let ended = home.run(&["demo", "--until", late]).await;
        assert_eq!(ended.code, Some(1));
        let sentence = "steward: the last day must be between 2000-01-01 and today, ";
        assert!(ended.stderr.starts_with(sentence), "{ended:?}");
    }
    for (option, value, words) in [
        (
            "--users",
            "many",
            "it must be a whole number of at most 100000000",
        ),
        ("--users", "-1", "unexpected argument"),
        (
            "--invoices",
            "9999999999",
            "it must be a whole number of at most 1000000000",
        ),
        ("--until", "tomorrow", "must be a date such as 2026-03-01"),
        ("--seed", "x", "it must be a whole number"),
    ] {
        let ended = home.run(&["demo", option, value]).await;
        ended.misused(&[words]);
    }
    assert!(!home.data().exists(), "nothing is made for such a call");

    let none = [
        "--users",
        "--invoices",
        "--servers",
        "--roles",
        "--pages",
        "--navigation",
    ];
    let none: Vec<&str> = none.iter().flat_map(|option| [*option, "0"]).collect();
    home.run(&[&["demo"], &none[..]].concat()).await.ok();
}
