//! `steward copy` over random small databases, from SQLite to PostgreSQL and back: both ends are
//! equal, table by table and row by row.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{ADMIN_KEY, Client, Home, Program, number};

/// Compares two SQLite files with Python's own SQLite, so that nothing of ours compares itself.
/// Prints the tables that differ. Each copy adds its own audit entry, and derived tables keep rows
/// that no longer count anything.
const COMPARE: &str = r#"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("ATTACH ? AS other", (sys.argv[2],))
tables = [name for name, in db.execute(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'user_search%'")]
rows = 0
for table in tables:
    if table in ("changes", "instances", "schema_migrations", "sqlite_stat1"):
        continue
    kept = {"audit_log": "action <> 'backups.restore'", "sqlite_sequence": "name <> 'audit_log'"}
    columns = [column for _, column, *_ in db.execute(f"PRAGMA table_info({table})")]
    kept = "count <> 0" if "count" in columns else kept.get(table, "TRUE")
    sides = [list(db.execute(f"SELECT * FROM {side}.{table} WHERE {kept}"))
             for side in ("main", "other")]
    first, second = (sorted(map(repr, side)) for side in sides)
    rows += len(first)
    if first != second:
        print(table, [row for row in first if row not in second][:3],
              [row for row in second if row not in first][:3])
print("compared", len(tables), "tables and", rows, "rows", file=sys.stderr)
"#;

/// A small generator, so that a failure can be repeated by its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    /// Text that databases could store differently.
    fn text(&mut self) -> String {
        const PARTS: [&str; 12] = [
            "a", "Z", " ", "'", "\"", "\\", "%_", "é", "ß", "字", "🎮", "--",
        ];
        let mut text = format!("t{}", self.below(1_000_000));
        for _ in 0..self.below(12) {
            text += PARTS[self.below(PARTS.len() as u64) as usize];
        }
        text + "."
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_databases_are_equal_after_a_copy_to_postgresql_and_back() {
    let seeds = number("STEWARD_TEST_COPIES_SEED", 1);
    for seed in seeds..seeds + number("STEWARD_TEST_COPIES", 2) {
        println!("seed {seed}");
        // The future of a whole round is large.
        Box::pin(copy_there_and_back(seed)).await;
    }
}

async fn copy_there_and_back(seed: u64) {
    let home = Home::new().await;
    if !home.on_postgres() {
        // It needs both engines.
        return;
    }
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    fill(&home, &mut random, seed).await;
    let file = |name: &str| home.folder().join(name);
    let (first, last) = (file("first/steward.db"), file("last.db"));
    let postgres = home.database_url();
    let url = |path: &Path| format!("sqlite:{}", path.display());
    for (from, to) in [(url(&first), postgres.clone()), (postgres, url(&last))] {
        home.run(&["copy", "--from", &from, "--to", &to]).await.ok();
    }
    let compared = Command::new("python3")
        .args(["-c", COMPARE])
        .args([&first, &last])
        .output()
        .expect("python3 is installed");
    let differences = String::from_utf8_lossy(&compared.stdout);
    let summary = String::from_utf8_lossy(&compared.stderr);
    assert!(compared.status.success(), "{summary}");
    assert_eq!(differences, "", "seed {seed}");
    println!("{summary}");
}

/// A database with demo data of random size, and with random writes by a client.
async fn fill(home: &Home, random: &mut Random, seed: u64) {
    let folder = ["--data-dir", "first"];
    let numbers = [
        ("--users", random.below(40) + 3),
        ("--invoices", random.below(60)),
        ("--servers", random.below(5) + 1),
        ("--roles", random.below(6) + 1),
        ("--pages", random.below(6) + 1),
        ("--navigation", random.below(8) + 1),
        ("--seed", seed),
    ];
    let mut demo: Vec<String> = vec!["demo".into(), "--until".into(), "2026-03-01".into()];
    for (flag, number) in numbers {
        demo.extend([flag.into(), number.to_string()]);
    }
    let demo: Vec<&str> = demo.iter().map(String::as_str).collect();
    home.bare(&[&demo[..], &folder].concat()).end().await.ok();
    let serve = ["--listen", "127.0.0.1:0", "--server-query", "off"];
    let service = home.bare(&[&folder[..], &serve].concat());
    let service = service.env("STEWARD_ADMIN_KEY", ADMIN_KEY).serve().await;
    for _ in 0..30 {
        write(&service, random).await;
    }
    service.stop().await.ok();
}

/// One random write. It may be refused: the databases have to be equal in any case.
async fn write(service: &Program, random: &mut Random) {
    let admin = service.admin();
    let id = random.below(8) + 1;
    let text = random.text();
    match random.below(10) {
        0 => post(&admin, "/api/roles", json!({ "name": text })).await,
        1 => {
            let body = json!({ "name": text, "ip": "203.0.113.7", "port": 27015, "game": "cs2",
                               "rcon_password": random.text() });
            post(&admin, "/api/servers", body).await;
        }
        2 => {
            let name = format!("user{}", random.below(1_000_000));
            let body = json!({ "username": name, "email": format!("{name}@example.org"),
                               "password": "battery staple" });
            post(&admin, "/api/users", body).await;
        }
        3 => {
            let body = json!({ "title": text, "slug": format!("s{}", random.below(1_000_000)),
                               "content": random.text() });
            post(&admin, "/api/cms-pages", body).await;
        }
        4 => {
            let keyed = admin.with("Idempotency-Key", &format!("k{}", random.below(1_000_000)));
            post(&keyed, "/api/api-keys", json!({ "name": text })).await;
        }
        5 => {
            let body = json!({ "user_id": id, "gateway": "stripe", "currency_id": 1,
                               "amount": random.below(1_000_000) as f64 / 10_000.0 });
            post(&admin, "/api/payment-invoices", body).await;
        }
        6 => {
            post(
                &admin,
                &format!("/api/users/{id}/block"),
                json!({ "reason": text }),
            )
            .await
        }
        7 => drop(admin.delete(&format!("/api/roles/{id}")).await),
        8 => {
            post(
                &admin,
                "/api/navbar-items",
                json!({ "title": text, "parent_id": id }),
            )
            .await
        }
        _ => {
            let body = json!({ "name": text });
            admin.put(&format!("/api/servers/{id}"), body).await;
        }
    }
}

async fn post(client: &Client, path: &str, body: Value) {
    let answer = client.post(path, body).await;
    assert!(answer.status < 500, "{path}: {}", answer.text);
}
