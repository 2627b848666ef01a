//! Exports have the contents of lists, in another format.

use http_body_util::BodyExt;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use server::routes::{PublicPaths, router};

use crate::support::payments::{currency, order, order_with, promo, shop};
use crate::support::walk::walk;
use crate::support::{Answer, Client, TestApp};

const INVOICES: &str = "/api/payment-invoices";
const USERS: &str = "/api/users";

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let value = headers.get(name).unwrap_or_else(|| panic!("no {name}"));
    value.to_str().expect("a readable header")
}

/// Invoices and users of every kind, some with names that spreadsheets would run as formulas.
async fn filled() -> TestApp {
    let app = shop().await;
    let admin = app.admin();
    currency(&admin, "USD").await;
    promo(
        &app,
        json!({ "code": "=SPRING", "type": "percentage", "value": 33.3333 }),
    )
    .await;
    for body in [
        order(json!(0.0001)),
        order(json!(1_000_000_000_000_u64)),
        order_with("=spring", json!(99.99)),
        order(json!(12.5)),
    ] {
        admin.post(INVOICES, body).await.created();
        app.advance(1);
    }
    let transactions = ["=HYPERLINK(\"http://x\",\"y\")", "-5", "a,b \"c\"\r\nd"];
    for (id, transaction) in (1..).zip(transactions) {
        let path = format!("{INVOICES}/{id}/status");
        let body = json!({ "is_paid": id != 2, "transaction_id": transaction });
        admin.put(&path, body).await.ok();
    }
    let names = ["=1+1", "+49 30 1", "@all", "-7", "Жёлудь, \"der\"", "plain"];
    for (number, name) in names.into_iter().enumerate() {
        let body = json!({
            "username": name,
            "email": format!("{number}@example.com"),
            "password": "battery staple",
        });
        admin.post(USERS, body).await.created();
    }
    admin.post_empty("/api/users/3/block").await.ok();
    app
}

/// The expected cell for this value of the list.
fn cell(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => return String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => return other.to_string(),
    };
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if begins && text.parse::<f64>().is_err() {
        format!("'{text}")
    } else {
        text
    }
}

#[service_test(filled())]
async fn a_csv_export_has_the_values_of_the_list(admin: Client) {
    let columns = "id,user_id,gateway,transaction_id,amount,original_amount,promo_code_id,\
                   promo_code,currency_id,currency,is_paid,paid_at,created_at";
    for (list, name, columns, file) in [
        (
            INVOICES,
            "payment_invoices",
            columns,
            "payment-invoices.csv",
        ),
        (
            USERS,
            "users",
            "id,username,email,created_at,status",
            "users.csv",
        ),
    ] {
        let status = if list == USERS {
            "status=active"
        } else {
            "status=paid"
        };
        for query in ["", "sort=-id", "sort=created_at&status=pending", status] {
            let listed = walk(&admin, &format!("{list}?{query}"), name).await;
            let answer = admin.get(&format!("{list}/export?{query}")).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            let expected = "text/csv; charset=utf-8; header=present";
            assert_eq!(answer.header("content-type"), expected);
            let disposition = format!("attachment; filename=\"{file}\"");
            assert_eq!(answer.header("content-disposition"), disposition);
            assert!(answer.text.starts_with(&format!("{columns}\r\n")));
            assert!(answer.text.ends_with("\r\n"));

            let mut reader = csv::Reader::from_reader(answer.text.as_bytes());
            let heads = reader.headers().expect("a head").clone();
            let rows: Vec<csv::StringRecord> =
                reader.records().map(|row| row.expect("a row")).collect();
            assert_eq!(rows.len(), listed.len(), "{list}?{query}");
            for (row, item) in rows.iter().zip(&listed) {
                for (head, found) in heads.iter().zip(row) {
                    assert_eq!(found, cell(item.get(head)), "{head} of {item}");
                }
                for field in item.as_object().expect("an object").keys() {
                    assert!(
                        heads.iter().any(|head| head == field),
                        "no column for {field}"
                    );
                }
            }
        }
    }
    let answer = admin.get(&format!("{INVOICES}/export?sort=id")).await;
    let mut lines = answer.text.lines().skip(1);
    assert_eq!(
        lines.next(),
        Some(
            "1,1,stripe,\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\",0.0001,0.0001,,,1,EUR,true,\
             2026-03-01T12:00:04Z,2026-03-01T12:00:00Z"
        )
    );
    assert_eq!(
        lines.next(),
        Some("2,1,stripe,-5,1000000000000,1000000000000,,,1,EUR,false,,2026-03-01T12:00:01Z")
    );
    assert!(
        answer.text.contains(",66.66,99.99,1,'=SPRING,1,EUR,"),
        "{}",
        answer.text
    );
}

#[service_test(filled())]
async fn an_ndjson_export_has_the_exact_bytes_of_the_list(admin: Client) {
    for (list, name, file) in [
        (INVOICES, "payment_invoices", "payment-invoices.ndjson"),
        (USERS, "users", "users.ndjson"),
    ] {
        let status = if list == USERS {
            "&status=active"
        } else {
            "&status=paid"
        };
        for query in ["", "&sort=-created_at", status] {
            let answer = admin
                .get(&format!("{list}/export?format=ndjson{query}"))
                .await;
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(answer.header("content-type"), "application/x-ndjson");
            let disposition = format!("attachment; filename=\"{file}\"");
            assert_eq!(answer.header("content-disposition"), disposition);
            // Not only equal values: the same digits in the same order.
            let whole = admin.get(&format!("{list}?per_page=100{query}")).await;
            let joined = answer.text.lines().collect::<Vec<_>>().join(",");
            let expected = format!("\"{name}\":[{joined}]");
            assert!(
                whole.text.contains(&expected),
                "{expected} in {}",
                whole.text
            );
            assert!(answer.text.is_empty() || answer.text.ends_with('\n'));
        }
    }
}

#[service_test]
async fn an_export_without_rows_is_valid(admin: Client) {
    for list in [INVOICES, USERS] {
        let csv = admin.get(&format!("{list}/export")).await;
        assert_eq!((csv.status, csv.text.matches("\r\n").count()), (200, 1));
        let ndjson = admin.get(&format!("{list}/export?format=ndjson")).await;
        assert_eq!((ndjson.status, ndjson.text.as_str()), (200, ""));
    }
}

#[service_test(filled())]
async fn the_format_comes_from_the_query_or_else_from_accept_406(admin: Client) {
    let form = |answer: &Answer| {
        answer
            .header("content-type")
            .split(';')
            .next()
            .map(str::to_owned)
    };
    let (csv, ndjson) = ("text/csv", "application/x-ndjson");
    for list in [INVOICES, USERS] {
        let path = format!("{list}/export");
        for (accept, expected) in [
            ("*/*", csv),
            ("text/csv", csv),
            ("application/x-ndjson", ndjson),
            (
                "text/html, application/x-ndjson;q=0.8, text/csv;q=0.7",
                ndjson,
            ),
        ] {
            let answer = admin.with("Accept", accept).get(&path).await;
            assert_eq!(form(&answer).as_deref(), Some(expected), "{accept}");
        }
        for accept in ["application/json", "text/csv;q=0", "image/*"] {
            let client = admin.with("Accept", accept);
            let body = client.get(&path).await.error(406, "not_acceptable");
            assert_eq!(
                body["message"],
                "This is available as text/csv or application/x-ndjson only. Change the header Accept."
            );
            // A format in the query wins over Accept, and input errors come first.
            for (named, expected) in [("csv", csv), ("ndjson", ndjson)] {
                let answer = client.get(&format!("{path}?format={named}")).await;
                assert_eq!(form(&answer).as_deref(), Some(expected));
            }
            let wrong = client.get(&format!("{path}?format=xml")).await;
            wrong.invalid(&[("format", "must be csv or ndjson")]);
        }
        let strict = admin.with("Prefer", "handling=strict");
        let unknown = "is not a field of this request";
        let answer = strict
            .get(&format!("{path}?page=1&per_page=2&after=3"))
            .await;
        answer.invalid(&[("page", unknown), ("per_page", unknown), ("after", unknown)]);
    }
}

async fn with_many() -> TestApp {
    let app = shop().await;
    let numbers = if app.core().db.on_postgres() {
        "generate_series(1, 10000) AS numbers (n)"
    } else {
        "(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
          SELECT n FROM numbers)"
    };
    let sql = format!(
        "INSERT INTO payment_gateways (key, name, enabled, created_at)
         VALUES ('stripe', 'stripe', TRUE, 0);
         INSERT INTO payment_invoices (user_id, gateway_id, amount, original_amount, currency_id,
                                       is_paid, failed_reason, created_at)
         SELECT 1, 1, n, n, 1, FALSE, '', n / 7 FROM {numbers}"
    );
    app.core().db.run_sql(&sql).await.expect("invoices");
    app
}

#[service_test(with_many())]
async fn head_of_an_export_has_its_headers_without_rows(admin: Client) {
    let path = format!("{INVOICES}/export");
    let whole = admin.get(&path).await;
    let head = admin.send(Method::HEAD, &path, None).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    for name in ["content-type", "content-disposition"] {
        assert_eq!(head.header(name), whole.header(name));
    }
    assert!(!head.has_header("content-length"), "{head:?}");
    assert_eq!(whole.text.lines().count(), 10_001);

    let wrong = format!("{path}?format=xml");
    assert_eq!(admin.send(Method::HEAD, &wrong, None).await.status, 422);
    let picky = admin.with("Accept", "image/png");
    assert_eq!(picky.send(Method::HEAD, &path, None).await.status, 406);
}

#[service_test(with_many())]
async fn an_export_is_compressed_on_accept_encoding(app: TestApp, admin: Client) {
    for format in ["csv", "ndjson"] {
        let path = format!("{INVOICES}/export?format={format}");
        let plain = admin.get(&path).await;
        let call = reqwest::Client::new()
            .get(format!("{}{path}", app.address))
            .header("X-API-Key", app.admin_key())
            .header("Accept-Encoding", "gzip");
        let response = call.send().await.expect("a response");
        assert_eq!(header(response.headers(), "content-encoding"), "gzip");
        assert_eq!(
            header(response.headers(), "content-type"),
            plain.header("content-type")
        );
        let packed = response.bytes().await.expect("a body");
        assert!(packed.len() < plain.text.len() / 2);
        // gzip ends with the checksum and the length of the uncompressed data.
        let (_, sum) = packed.split_at(packed.len() - 8);
        assert_eq!(
            sum[..4],
            crc32fast::hash(plain.text.as_bytes()).to_le_bytes()
        );
        assert_eq!(sum[4..], (plain.text.len() as u32).to_le_bytes());

        // Streams are compressed with gzip only.
        for (accepted, expected) in [("gzip, br, zstd", Some("gzip")), ("br, zstd", None)] {
            let call = reqwest::Client::new()
                .get(format!("{}{path}", app.address))
                .header("X-API-Key", app.admin_key())
                .header("Accept-Encoding", accepted);
            let response = call.send().await.expect("a response");
            let encoding = response.headers().get("content-encoding");
            let encoding = encoding.map(|encoding| encoding.to_str().expect("text"));
            assert_eq!(encoding, expected, "{accepted}");
        }
    }
}

#[service_test(shop())]
async fn a_key_revoked_during_an_export_gets_no_more_rows(app: TestApp, admin: Client) {
    let many = "INSERT INTO payment_invoices (user_id, gateway_id, amount, original_amount,
                    currency_id, is_paid, failed_reason, created_at)
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                SELECT 1, 1, 10000, 10000, 1, FALSE, '', i FROM n";
    admin.post(INVOICES, order(json!(1))).await.created();
    app.core().db.run_sql(many).await.expect("invoices");
    for revoke in ["permissions", "delete", "regenerate", "rotate"] {
        let made = admin
            .post("/api/api-keys", json!({ "name": "Exporter" }))
            .await;
        let key = made.created()["api_key"].clone();
        let path = format!("/api/api-keys/{}", key["id"]);
        let granted = json!({ "permission_ids": [16] });
        let permissions = format!("{path}/permissions");
        admin.put(&permissions, granted).await.ok();
        let request = axum::http::Request::get(format!("{INVOICES}/export"))
            .header("Host", "localhost")
            .header("X-API-Key", key["key"].as_str().expect("a value"))
            .body(axum::body::Body::empty())
            .expect("a request");
        let router = router(&app.app, PublicPaths::ALL);
        let answer = tower::ServiceExt::oneshot(router, request);
        let answer = answer.await.expect("an answer");
        assert_eq!(answer.status(), 200);
        let mut body = answer.into_body();
        let first = body.frame().await.expect("a batch");
        assert!(first.is_ok());
        match revoke {
            "permissions" => {
                let body = json!({ "permission_ids": [15] });
                admin.put(&permissions, body).await
            }
            // The key stays; the value that began the export does not.
            "regenerate" => admin.post_empty(&format!("{path}/regenerate")).await,
            "rotate" => {
                let body = json!({ "overlap_seconds": 0 });
                admin.post(&format!("{path}/rotate"), body).await
            }
            _ => admin.delete(&path).await,
        }
        .ok();
        let next = body.frame().await.expect("an end");
        assert!(next.is_err(), "{revoke}: it went on");
    }
}
