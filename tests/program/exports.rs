//! Large exports, and clients that read slowly or not at all.

use std::time::Duration;

use db::{Db, params};
use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::{ADMIN_KEY, Home, Program, within};

const EXPORT: &str = "/api/payment-invoices/export";
/// How much more memory than when idle the service may use.
const MORE: u64 = 64 << 20;

/// Inserts invoices 1 to `count`, three in each second, each with a string of this length.
async fn fill(db: &Db, service: &Program, count: usize, length: usize) {
    let currency = json!({ "code": "EUR", "minimum_value": 0, "exchange_rate": 1 });
    let made = service.admin().post("/api/currencies", currency).await;
    made.created();
    let (start, numbers) = if db.on_postgres() {
        let numbers = format!("generate_series(1, {count}) AS numbers (n)");
        ("SET LOCAL statement_timeout = 0", numbers)
    } else {
        let numbers = format!(
            "(WITH RECURSIVE numbers (n) AS
                 (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
              SELECT n FROM numbers)"
        );
        ("", numbers)
    };
    let text = "x".repeat(length);
    let sql = format!(
        "{start};
         INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                            status, created_at, updated_at)
         VALUES ('anna', 'anna', 'anna', 'anna', '', 'active', 0, 0);
         INSERT INTO payment_gateways (key, name, enabled, created_at)
         VALUES ('stripe', 'stripe', TRUE, 0);
         INSERT INTO payment_invoices (user_id, gateway_id, transaction_id, amount,
                                       original_amount, currency_id, is_paid, paid_at,
                                       failed_reason, created_at)
         SELECT 1, 1, '{text}', n, n, 1, TRUE, 1700000000 + n, '', 1600000000 + n / 3
         FROM {numbers}"
    );
    db.run_sql(&sql).await.expect("invoices are made");
}

/// The invoices that have arrived so far.
struct Arrived {
    seen: Vec<bool>,
    rest: String,
}

impl Arrived {
    fn of(count: usize) -> Self {
        Self {
            seen: vec![false; count],
            rest: String::new(),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.rest
            .push_str(std::str::from_utf8(bytes).expect("ASCII"));
        let end = self.rest.rfind('\n').map_or(0, |end| end + 1);
        let rest = self.rest.split_off(end);
        for line in std::mem::replace(&mut self.rest, rest).lines() {
            let id = line.strip_prefix("{\"id\":").unwrap_or(line);
            let id = id.split(',').next().unwrap_or_default();
            if id == "id" {
                continue;
            }
            let id: usize = id.parse().unwrap_or_else(|_| panic!("{line}"));
            let before = std::mem::replace(&mut self.seen[id - 1], true);
            assert!(!before, "{id} came twice");
        }
    }

    fn all(&self) -> bool {
        self.rest.is_empty() && self.seen.iter().all(|seen| *seen)
    }
}

/// Asserts that exports larger than the allowed memory arrive complete.
async fn assert_streams(count: usize, length: usize) {
    assert!((count * length) as u64 > MORE);
    let home = Home::new().await;
    let service = home.start().await;
    fill(&home.database().await, &service, count, length).await;
    let admin = service.admin();
    for _ in 0..10 {
        admin.get("/api/payment-invoices?per_page=1").await.ok();
    }
    let idle = service.resident_memory();
    for format in ["csv", "ndjson"] {
        let mut most = 0;
        let mut arrived = Arrived::of(count);
        let mut export = admin.begin(&format!("{EXPORT}?format={format}")).await;
        while let Some(chunk) = export.chunk().await.expect("it goes on") {
            arrived.take(&chunk);
            most = most.max(service.resident_memory());
        }
        assert!(arrived.all(), "every invoice arrives as {format}");
        assert!(most < idle + MORE, "{format}: {idle} bytes became {most}");
    }

    let packing = admin.with("Accept-Encoding", "gzip");
    let mut export = packing.begin(EXPORT).await;
    assert_eq!(export.headers()["content-encoding"], "gzip");
    let (mut most, mut end) = (0, Vec::new());
    while let Some(chunk) = export.chunk().await.expect("it goes on") {
        end.extend(chunk);
        end.drain(..end.len().saturating_sub(4));
        most = most.max(service.resident_memory());
    }
    // gzip ends with the length of the uncompressed data.
    let length_packed = u32::from_le_bytes(end.try_into().expect("an end"));
    assert!(length_packed as usize > count * length, "{length_packed}");
    assert!(most < idle + MORE, "packed: {idle} bytes became {most}");
}

#[tokio::test]
async fn an_export_larger_than_the_allowed_memory_arrives_complete() {
    assert_streams(20_000, 4000).await;
}

#[tokio::test]
#[ignore = "takes minutes unless the program is built for release"]
async fn a_million_invoices_arrive_complete() {
    assert_streams(1_000_000, 80).await;
}

/// Requests an export over a connection with a small receive buffer.
async fn start_export(service: &Program) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(8 << 10).expect("a small one");
    let address = service.address.parse().expect("an address");
    let mut stream = socket.connect(address).await.expect("a connection");
    let head = format!(
        "GET {EXPORT} HTTP/1.1\r\nhost: steward\r\nx-api-key: {ADMIN_KEY}\r\n\
         connection: close\r\n\r\n"
    );
    let sent = stream.write_all(head.as_bytes()).await;
    sent.expect("the request goes out");
    let mut status = [0; 15];
    within(stream.read_exact(&mut status))
        .await
        .expect("an answer");
    assert_eq!(&status, b"HTTP/1.1 200 OK");
    stream
}

/// Everything that still arrives. A reset is an end, too.
async fn rest(mut stream: TcpStream) -> Vec<u8> {
    let mut rest = Vec::new();
    let _ = within(stream.read_to_end(&mut rest)).await;
    rest
}

/// Starts with these options, after it was filled without them.
async fn start_filled(home: &Home, options: &[&str], invoices: usize) -> Program {
    let service = home.start().await;
    fill(&home.database().await, &service, invoices, 1000).await;
    service.stop().await.ok();
    home.start_with(options).await
}

#[tokio::test]
async fn a_slow_reader_gets_the_whole_export() {
    let home = Home::new().await;
    // The timeout applies until a response begins.
    let options = ["--request-timeout", "10"];
    let service = start_filled(&home, &options, 30_000).await;
    let stream = start_export(&service).await;
    tokio::time::sleep(Duration::from_secs(12)).await;
    let rest = rest(stream).await;
    assert!(rest.ends_with(b"\r\n0\r\n\r\n"), "it has an end");
    let text = String::from_utf8(rest).expect("UTF-8");
    assert_eq!(text.matches(",EUR,").count(), 30_000);
}

#[tokio::test]
async fn a_client_that_stops_reading_blocks_nothing_and_is_disconnected() {
    let home = Home::new().await;
    let options = ["--send-timeout", "5", "--max-connections", "1"];
    let service = start_filled(&home, &options, 30_000).await;
    let db = home.database().await;
    let stream = start_export(&service).await;
    // The only connection slot is taken, and the service cannot send its response.
    assert_eq!(service.anonymous().get("/api/status").await.status, 503);
    assert_no_open_transaction(&db).await;

    let free = async {
        while service.anonymous().get("/api/status").await.status != 401 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within(free).await;
    let rest = rest(stream).await;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "it has no end");
    assert!(rest.len() < 25_000_000, "{}", rest.len());
}

#[tokio::test]
async fn clients_that_stop_reading_hold_no_database_connection() {
    let home = Home::new().await;
    let service = home.start_with(&["--database-connections", "2"]).await;
    let db = home.database().await;
    fill(&db, &service, 30_000, 1000).await;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(within(start_export(&service)).await);
    }
    // SQLite opens more readers when needed, so only this check would notice there.
    assert_no_open_transaction(&db).await;
    let admin = service.admin();
    within(admin.get("/api/payment-invoices")).await.ok();
    let role = json!({ "name": "Guard" });
    within(admin.post("/api/roles", role)).await.created();
}

/// Asserts that no transaction is open in the database.
async fn assert_no_open_transaction(db: &Db) {
    let quiet = async {
        let mut read = db.read().await.expect("a reader");
        while !is_idle(db, &mut read).await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within(quiet).await;
    db.run_sql("UPDATE payment_invoices SET failed_reason = 'x' WHERE id = 1")
        .await
        .expect("others write");
}

async fn is_idle(db: &Db, read: &mut db::Conn) -> bool {
    if db.on_postgres() {
        let sql = "SELECT COUNT(*) FROM pg_stat_activity
                   WHERE datname = current_database() AND xact_start IS NOT NULL
                     AND pid <> pg_backend_pid()";
        read.query_one(sql, params![], |row| row.get::<i64>(0))
            .await
            .expect("an answer")
            == 0
    } else {
        // The checkpoint completes only when no reader needs the log.
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        read.query_one(sql, params![], |row| row.get::<i64>(0))
            .await
            .is_ok_and(|busy| busy == 0)
    }
}

/// How many read statements the service has run.
async fn reads(service: &Program) -> u64 {
    let metrics = service.anonymous().get("/metrics").await.text;
    let mut counts = metrics
        .lines()
        .filter(|line| line.starts_with("steward_db_seconds_count{operation=\"read\""))
        .filter_map(|line| line.split(' ').nth(1)?.parse().ok());
    counts.next().expect("a count")
}

#[tokio::test]
async fn head_of_an_export_does_not_read_its_rows() {
    let home = Home::new().await;
    let service = home.start().await;
    fill(&home.database().await, &service, 10_000, 10).await;
    let admin = service.admin();
    let before = reads(&service).await;
    admin.get(EXPORT).await;
    let between = reads(&service).await;
    assert!(between >= before + 20, "{before}, {between}");
    // The fewest of many, since jobs in the background read too, and more of them the slower the
    // machine is.
    let mut fewest = u64::MAX;
    for _ in 0..50 {
        let before = reads(&service).await;
        let head = admin.attempt(Method::HEAD, EXPORT, None).await;
        assert_eq!(head.expect("an answer").status, 200);
        fewest = fewest.min(reads(&service).await - before);
    }
    assert!(fewest < 5, "{fewest}");
}

#[tokio::test]
async fn an_export_that_fails_midway_is_visibly_incomplete() {
    let home = Home::new().await;
    let mut service = home.start_with(&["--log-format", "json"]).await;
    let db = home.database().await;
    fill(&db, &service, 30_000, 1000).await;
    for format in ["csv", "ndjson"] {
        let admin = service.admin().with("X-Request-Id", format);
        let mut export = admin.begin(&format!("{EXPORT}?format={format}")).await;
        assert_eq!(export.status(), 200);
        export.chunk().await.expect("it begins");
        db.run_sql("ALTER TABLE payment_invoices RENAME TO elsewhere")
            .await
            .expect("the table is renamed");
        let failed = loop {
            match within(export.chunk()).await {
                Ok(Some(_)) => {}
                Ok(None) => break false,
                Err(_) => break true,
            }
        };
        assert!(failed, "{format}: it looked whole");
        let line = service.logged(|line| {
            line["message"] == "export aborted" && line["client_request_id"] == format
        });
        assert_eq!(line.await["level"], "ERROR");

        // Before the response begins, a failure is a plain 500.
        let expected = "internal_error";
        assert_eq!(admin.get(EXPORT).await.expect(500)["code"], expected);
        db.run_sql("ALTER TABLE elsewhere RENAME TO payment_invoices")
            .await
            .expect("the table is back");
    }
}
