//! `steward import flute`: a community from dumps that a real MariaDB has made.

mod batches;
mod hostile;
mod kills;
mod rules;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Ended, Home, Program};

const SMALL: &str = "small.sql";
const PHPMYADMIN: &str = "small-phpmyadmin.sql";
const DUPLICATES: &str = "case-duplicates.sql";
const REPORT: &[&str] = &["--report", "report.json"];
/// What the small dumps cannot be imported without.
const CHOICES: &[&str] = &["--balances", "left-out", "--currency", "RUB"];

/// The path of a dump.
fn dump(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flute");
    folder.join(name).to_str().expect("a path").to_owned()
}

async fn import(home: &Home, name: &str, args: &[&str]) -> Ended {
    let path = match name.contains('/') {
        true => name.to_owned(),
        false => dump(name),
    };
    home.run(&[&["import", "flute", &path], args].concat())
        .await
}

/// The report that `--report report.json` has written, which is removed.
fn report(home: &Home) -> Value {
    let path = home.folder().join("report.json");
    let mode = std::fs::metadata(&path).expect("a report").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).expect("a report");
    std::fs::remove_file(&path).expect("removed");
    serde_json::from_str(&text).expect("JSON")
}

/// Why the rows of a table are changed or left out, as `id reason`.
fn notes(report: &Value, table: &str) -> Vec<String> {
    let rows = report["rows"].as_array().expect("a list").iter();
    let rows = rows.filter(|row| row["table"] == format!("flute_{table}"));
    let rows = rows.map(|row| {
        let reason = row["reason"].as_str().expect("a reason");
        format!("{} {reason}", row["id"])
    });
    rows.collect()
}

/// The rows of a table that were read, written, changed and left out.
fn counts(report: &Value, table: &str) -> [u64; 4] {
    let counts = &report["tables"][format!("flute_{table}")];
    ["read", "written", "changed", "left_out"].map(|name| {
        counts[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{table}: {counts}"))
    })
}

async fn sign_in(service: &Program, login: &str, password: &str) -> u16 {
    let body = json!({ "login": login, "password": password, "device_name": "Phone",
                       "user_agent": "Mozilla/5.0" });
    service.admin().post("/api/sessions", body).await.status
}

/// Everything that the API shows of a community.
async fn shown(service: &Program) -> Vec<Value> {
    let admin = service.admin();
    let mut shown = Vec::new();
    for path in [
        "/api/users?per_page=100",
        "/api/roles?include=color,members",
        "/api/servers",
        "/api/cms-pages",
        "/api/navbar-items?per_page=100",
        "/api/currencies?limit=100",
        "/api/payment-gateways?per_page=100",
        "/api/promo-codes?per_page=100",
        "/api/payment-invoices?per_page=100&page=1",
        "/api/payment-invoices?per_page=100&page=2",
        "/api/payment-invoices/stats",
    ] {
        let answer = admin.get(path).await;
        shown.push(answer.ok());
    }
    shown
}

#[tokio::test]
async fn both_forms_of_a_dump_give_the_same_community_plain_and_compressed() {
    let mut first = None;
    for name in [SMALL, PHPMYADMIN] {
        for compression in [None, Some("gzip"), Some("zstd")] {
            let home = Home::new().await;
            let path = match compression {
                None => dump(name),
                Some(program) => compressed(&home, name, program),
            };
            let ended = import(&home, &path, &[CHOICES, REPORT].concat()).await;
            assert!(ended.ok().contains("Everything was written."), "{ended:?}");
            let report = report(&home);
            // Impossible dates become the time of the import.
            let of_31 = notes(&report, "users")
                .into_iter()
                .find(|note| note.starts_with("31 "));
            let of_31 = of_31.expect("a note");
            let now = of_31.rsplit(' ').next().expect("a time");
            let service = home.start().await;
            let shown = shown(&service).await.into_iter();
            let shown: Vec<String> = shown
                .map(|body| body.to_string().replace(now, "now"))
                .collect();
            service.stop().await.ok();
            let (of_first, tables) = first.get_or_insert((shown.clone(), report["tables"].clone()));
            let what = format!("{name} {compression:?}");
            assert_eq!(report["tables"], *tables, "{what}");
            for (one, other) in of_first.iter().zip(&shown) {
                assert_eq!(one, other, "{what}");
            }
        }
    }
}

/// A dump as gzip or zstd, with a name that does not tell.
fn compressed(home: &Home, name: &str, program: &str) -> String {
    let path = home.folder().join("dump");
    match program {
        "gzip" => {
            let file = std::fs::File::create(&path).expect("a file");
            let ended = std::process::Command::new("gzip")
                .args(["--stdout", &dump(name)])
                .stdout(file)
                .status();
            assert!(ended.expect("gzip runs").success());
        }
        _ => {
            let text = std::fs::read(dump(name)).expect("a dump");
            let packed = zstd::encode_all(&*text, 3).expect("compressed");
            std::fs::write(&path, packed).expect("written");
        }
    }
    path.to_str().expect("a path").to_owned()
}

#[tokio::test]
async fn every_row_of_every_table_is_counted() {
    let home = Home::new().await;
    let args = [CHOICES, REPORT, &["--left-out", "rest"]].concat();
    import(&home, SMALL, &args).await.ok();
    let report = report(&home);
    for (table, expected) in [
        ("users", [62, 60, 0, 2]),
        ("roles", [6, 6, 0, 0]),
        ("currencies", [3, 3, 0, 0]),
        ("payment_gateways", [4, 4, 0, 0]),
        ("servers", [8, 6, 0, 2]),
        ("pages", [10, 10, 0, 0]),
        ("navbar_items", [15, 13, 0, 2]),
        ("payment_invoices", [200, 198, 0, 2]),
        ("promo_codes", [10, 10, 10, 0]),
        ("api_keys", [5, 3, 3, 2]),
        ("balance_histories", [136, 0, 0, 136]),
        ("remember_tokens", [20, 0, 0, 20]),
        ("page_permissions", [3, 0, 0, 3]),
    ] {
        let [read, written, changed, left_out] = counts(&report, table);
        assert_eq!(
            [read, written, left_out],
            [expected[0], expected[1], expected[3]],
            "{table}"
        );
        if expected[2] > 0 {
            assert_eq!(changed, expected[2], "{table}");
        }
    }
    let tables = report["tables"].as_object().expect("tables");
    let mut read = 0;
    for (table, counts) in tables {
        let number = |name: &str| counts[name].as_u64().expect("a number");
        assert_eq!(
            number("read"),
            number("written") + number("left_out"),
            "{table}"
        );
        read += number("read");
        // Each row that is left out is a line of its file.
        let file = home.folder().join(format!("rest/{table}.ndjson"));
        let lines = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(lines.lines().count() as u64, number("left_out"), "{table}");
        for line in lines.lines() {
            let row: Value = serde_json::from_str(line).expect("JSON");
            assert!(row.is_object(), "{table}: {line}");
        }
        if !lines.is_empty() {
            let mode = std::fs::metadata(&file)
                .expect("a file")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600, "{table}");
        }
    }
    // Of 1007 rows, five each are of two other programs.
    assert_eq!(read, 997);
    assert_eq!(report["other_tables"], json!(["other_files", "vip_users"]));
    let text = report.to_string();
    for secret in ["$2y$", "$argon2", "S3cr3t", "Zx9QmT4vB7", "p@ss"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn a_dry_run_prints_the_same_report_and_changes_no_byte() {
    let home = Home::new().await;
    home.start().await.stop().await.ok();
    let before = home.file_bytes().await;
    let dry = [CHOICES, REPORT, &["--dry-run"]].concat();
    let ended = import(&home, SMALL, &dry).await;
    assert!(
        ended
            .ok()
            .contains("This was a dry run: nothing was written."),
        "{ended:?}"
    );
    let of_dry_run = report(&home);
    assert_eq!(home.file_bytes().await, before);
    let service = home.start().await;
    let users = service.admin().get("/api/users").await;
    assert_eq!(users.header("x-total-count"), "0");
    service.stop().await.ok();

    let args = [CHOICES, REPORT].concat();
    import(&home, SMALL, &args).await.ok();
    let of_import = report(&home);
    assert_eq!(of_dry_run["tables"], of_import["tables"]);
    assert_eq!(of_dry_run["paid_invoices"], of_import["paid_invoices"]);
    assert_eq!(
        of_dry_run["rows"].as_array().map(Vec::len),
        of_import["rows"].as_array().map(Vec::len)
    );
}

#[tokio::test]
async fn a_dry_run_needs_no_database() {
    let home = Home::new().await;
    let dry = [CHOICES, &["--dry-run"]].concat();
    import(&home, SMALL, &dry).await.ok();
    assert!(!home.data().exists());
}

#[tokio::test]
async fn balances_stop_the_import_after_the_report() {
    let home = Home::new().await;
    let args = [REPORT, &["--currency", "RUB"]].concat();
    let ended = import(&home, SMALL, &args).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("17 users have a balance, in sum 100001655.49"),
        "{ended:?}"
    );
    assert!(
        ended
            .stderr
            .contains("--balances left-out; nothing was written"),
        "{ended:?}"
    );
    let report = report(&home);
    assert_eq!(
        report["balances"],
        json!({ "users": 17, "sum": "100001655.49" })
    );
    let service = home.start().await;
    let users = service.admin().get("/api/users").await;
    assert_eq!(users.header("x-total-count"), "0");
}

#[tokio::test]
async fn old_passwords_sign_in_and_are_replaced() {
    let home = Home::new().await;
    import(&home, SMALL, CHOICES).await.ok();
    let service = home.start().await;
    for (login, password) in [
        ("moderator", "moderator-pass"),
        ("Иван_Петров", "пароль-Ёлка-42"),
        ("backslash", "it's \"quoted\" \\ back"),
        ("argon", "argon2id-default"),
        ("argon2", "аргон-два-🔑"),
        ("legacy2a", "legacy-2a-pass"),
        ("cheap", "cheap-cost-4"),
        (
            "longpw",
            "01234567890123456789012345678901234567890123456789012345678901234567890123456789",
        ),
    ] {
        for _ in 0..2 {
            assert_eq!(sign_in(&service, login, password).await, 201, "{login}");
        }
    }
    assert_eq!(sign_in(&service, "moderator", "moderator-past").await, 422);
    assert_eq!(sign_in(&service, "emptypw", " ").await, 422);
    assert_eq!(sign_in(&service, "md5pw", "md5-pass").await, 422);
    // Nobody becomes an operator.
    let operators = service.admin().get("/api/operators").await.ok();
    assert_eq!(operators["operators"], json!([]));
    let log = service
        .admin()
        .get("/api/audit-log?action=import.flute")
        .await
        .ok();
    let entries = log["audit_log"].as_array().expect("a list");
    assert_eq!(entries.len(), 1, "{log}");
    assert_eq!(entries[0]["after"]["tables"]["flute_users"]["written"], 60);
}

#[tokio::test]
async fn new_rows_get_ids_after_those_of_the_dump() {
    let home = Home::new().await;
    import(&home, SMALL, CHOICES).await.ok();
    let service = home.start().await;
    let admin = service.admin();
    let user = json!({ "username": "new", "email": "new@example.org", "password": "12345678" });
    let made = admin.post("/api/users", user).await.created();
    assert_eq!(made["user"]["id"], 100_501);
    let role = admin
        .post("/api/roles", json!({ "name": "New" }))
        .await
        .created();
    assert_eq!(role["role"]["id"], 7);
    let keys = admin.get("/api/api-keys").await.ok();
    let keys = keys["api_keys"].as_array().expect("keys").clone();
    let imported: Vec<&Value> = keys.iter().filter(|key| key["name"] != "admin").collect();
    assert_eq!(imported.len(), 3, "{keys:?}");
    assert!(
        imported.iter().all(|key| key["active"] == false),
        "{keys:?}"
    );
}

#[tokio::test]
async fn a_database_that_is_used_or_has_rows_is_refused() {
    let home = Home::new().await;
    let service = home.start().await;
    service.admin().get("/api/users").await.ok();
    let ended = import(&home, SMALL, CHOICES).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("stop it first"), "{ended:?}");
    let role = json!({ "name": "New" });
    service.admin().post("/api/roles", role).await.created();
    service.stop().await.ok();
    let ended = import(&home, SMALL, CHOICES).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("the database is not empty: it has rows in"),
        "{ended:?}"
    );
}

#[tokio::test]
async fn what_differs_in_case_only_stays_with_the_lowest_id() {
    let home = Home::new().await;
    import(&home, DUPLICATES, REPORT).await.ok();
    let report = report(&home);
    let service = home.start().await;
    let admin = service.admin();
    let users = admin.get("/api/users?per_page=100").await.ok();
    let users: Vec<(i64, &str, &str)> = users["users"]
        .as_array()
        .expect("users")
        .iter()
        .map(|user| {
            let text = |name: &str| user[name].as_str().expect("a text");
            (
                user["id"].as_i64().expect("an id"),
                text("username"),
                text("email"),
            )
        })
        .collect();
    assert_eq!(
        users,
        [
            (1, "admin", "admin@example.org"),
            (2, "Admin-2", "user-2@no-email.invalid"),
            (3, "ADMIN-3", "user-3@no-email.invalid"),
            (4, "Ёлка", "yolka@example.org"),
            (5, "ёлка-5", "user-5@no-email.invalid"),
            (6, "Елка", "user-6@no-email.invalid"),
            (7, "straße", "user-7@no-email.invalid"),
            (8, "strasse", "user-8@no-email.invalid"),
            (9, "admin-9", "user-9@no-email.invalid"),
            (10, "İstanbul", "user-10@no-email.invalid"),
            (11, "istanbul", "user-11@no-email.invalid"),
        ]
    );
    assert_eq!(
        notes(&report, "user_social_networks")[..2],
        [
            "null left out: the columns url, name, hidden, additional, for which there is no place",
            "2 left out: user 1 has the same profile",
        ]
    );
    let codes = admin.get("/api/promo-codes").await.ok();
    let codes = codes["promo_codes"].as_array().expect("codes").iter();
    let codes: Vec<&str> = codes
        .map(|code| code["code"].as_str().expect("a code"))
        .collect();
    assert_eq!(codes, ["SALE", "sale-2", "Sale-3"]);
    assert_eq!(sign_in(&service, "admin-2", "player-pass-02").await, 201);
    assert_eq!(sign_in(&service, "admin", "player-pass-02").await, 422);
}
