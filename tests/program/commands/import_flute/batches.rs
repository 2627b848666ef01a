//! Dumps with more rows than a batch has: rows are written in batches of a thousand, and nothing
//! of that may show.

use serde_json::{Value, json};

use super::{DUPLICATES, REPORT, counts, dump, import, notes, report};
use crate::support::{Home, Program};

/// More than two batches.
const USERS: i64 = 2_500;
const FIRST_USER: i64 = 100;
const INVOICES: i64 = 2_500;

/// A statement that inserts rows.
fn insert(table: &str, columns: &str, rows: impl IntoIterator<Item = String>) -> String {
    let rows: Vec<String> = rows.into_iter().map(|row| format!("({row})")).collect();
    let rows = rows.join(",\n");
    format!("INSERT INTO `flute_{table}` ({columns}) VALUES\n{rows};\n")
}

const USER_COLUMNS: &str = "id,login,name,email,password,verified,is_temporary,deleted_at,\
                            created_at,updated_at,balance";

fn user(id: i64, login: &str) -> String {
    format!(
        "{id},'{login}','N','{login}@example.org',NULL,1,0,NULL,'2025-03-01 10:00:00',NULL,0.00"
    )
}

/// Users, each with a role.
fn users() -> String {
    let ids = FIRST_USER..FIRST_USER + USERS;
    let users = ids.clone().map(|id| match id {
        // In one batch, and from one batch to another.
        120 | 150 => user(id, "Twin"),
        180 | 2_300 => user(id, "far"),
        _ => user(id, &format!("p{id}")),
    });
    // The lowest id comes last, and takes the name of a user who is written already.
    let users = users.chain([user(50, "P200")]);
    let roles = ids.map(|id| format!("{id},{id},2"));
    insert("users", USER_COLUMNS, users) + &insert("user_roles", "id,user_id,role_id", roles)
}

const INVOICE_COLUMNS: &str = "id,user_id,gateway,transaction_id,amount,original_amount,\
                               promoCode_id,currency_id,is_paid,paid_at,created_at";

/// An invoice of 1.25. Those with an odd id are paid, a day later. Every third has a promo code.
fn invoice(id: i64, user_id: i64, gateway: &str) -> String {
    let amount = if id == 1_500 { "-1" } else { "1.25" };
    let promo = match id % 3 {
        0 => (1 + id / 3 % 3).to_string(),
        _ => "NULL".to_owned(),
    };
    let day = 1 + id % 25;
    let (is_paid, paid_at) = match id % 2 {
        1 => (1, format!("'2025-04-{:02} 12:00:00'", day + 1)),
        _ => (0, "NULL".to_owned()),
    };
    format!(
        "{id},{user_id},'{gateway}','t{id}',1.25,{amount},{promo},1,{is_paid},{paid_at},\
         '2025-04-{day:02} 12:00:00'"
    )
}

fn invoices() -> impl Iterator<Item = String> {
    (1..=INVOICES).map(|id| {
        let user_id = match id {
            // The last of a batch and the first of the next.
            1_000 | 1_001 => 9_999,
            _ => FIRST_USER + id % 100,
        };
        invoice(
            id,
            user_id,
            if id < 1_700 { "early" } else { "late gateway" },
        )
    })
}

/// Imports the dump of few rows with these statements at its end.
async fn import_with(home: &Home, statements: &str, args: &[&str]) -> crate::support::Ended {
    let text = std::fs::read_to_string(dump(DUPLICATES)).expect("a dump");
    let (rows, end) = text.rsplit_once("-- Dump completed").expect("an end");
    let path = home.write(
        "dump.sql",
        &format!("{rows}{statements}-- Dump completed{end}"),
    );
    import(home, path.to_str().expect("a path"), args).await
}

async fn imported(statements: &str) -> (Home, Value, Program) {
    let home = Home::new().await;
    import_with(&home, statements, REPORT).await.ok();
    let report = report(&home);
    let service = home.start().await;
    (home, report, service)
}

/// The notes that name a row.
fn of_rows(report: &Value, table: &str) -> Vec<String> {
    let mut notes = notes(report, table);
    notes.retain(|note| !note.starts_with("null "));
    notes
}

#[tokio::test]
async fn names_are_unique_within_a_batch_and_beyond() {
    let (_home, report, service) = imported(&users()).await;
    let of_users = of_rows(&report, "users");
    let of_new: Vec<&String> = of_users
        .iter()
        .filter(|note| note.contains("username, so"))
        .collect();
    let expected = [
        "150 changed: user 120 has the username, so it is Twin-150",
        // Reported before the rows of the batch that user 50 is in.
        "200 changed: user 50 has the username, so it is P200-200",
        "2300 changed: user 180 has the username, so it is far-2300",
    ];
    assert_eq!(of_new[of_new.len() - 3..], expected);
    let admin = service.admin();
    let users = admin.get("/api/users").await;
    assert_eq!(
        users.header("x-total-count"),
        (11 + USERS + 1).to_string(),
        "the totals that triggers keep"
    );
    for (id, name) in [
        (50, "P200"),
        (120, "Twin"),
        (150, "Twin-150"),
        (200, "P200-200"),
        (2_300, "far-2300"),
    ] {
        let user = admin.get(&format!("/api/users/{id}")).await.ok();
        assert_eq!(user["user"]["username"], name);
    }
    let roles = admin.get("/api/roles?include=members").await.ok();
    let roles = roles["roles"].as_array().expect("roles");
    let role = roles.iter().find(|role| role["id"] == 2);
    // The dump of few rows gives the role to its 11 users.
    assert_eq!(role.expect("a role")["members"], 11 + USERS);
}

#[tokio::test]
async fn invoices_are_left_out_in_order_and_counted_once() {
    let statements = users() + &insert("payment_invoices", INVOICE_COLUMNS, invoices());
    let (_home, report, service) = imported(&statements).await;
    assert_eq!(
        of_rows(&report, "payment_invoices")
            .into_iter()
            .filter(|note| note.contains("left out"))
            .collect::<Vec<_>>(),
        [
            // A row that is wrong in itself is reported before its batch is written.
            "1000 left out: user 9999 is not taken over",
            "1500 left out: the amount is negative",
            "1001 left out: user 9999 is not taken over",
        ]
    );
    assert_eq!(
        counts(&report, "payment_invoices"),
        [2_500, 2_497, 2_497 - 1_699 + 3, 3]
    );
    let admin = service.admin();
    let invoices = admin.get("/api/payment-invoices").await;
    assert_eq!(invoices.header("x-total-count"), "2497");

    let path = "/api/payment-invoices/stats?group_by=currency,paid_day";
    let stats = &admin.get(path).await.ok()["stats"];
    // Of the paid ones, 1001 is left out; of the others, 1000 and 1500.
    for (field, value) in [
        ("total_count", json!(2_497)),
        ("total_amount", json!(3_121.25)),
        ("completed_count", json!(1_249)),
        ("completed_amount", json!(1_561.25)),
        ("pending_count", json!(1_248)),
        ("pending_amount", json!(1_560)),
    ] {
        assert_eq!(stats[field], value, "{field}");
    }
    let by_gateway = stats["by_gateway"].as_array().expect("gateways").iter();
    let by_gateway: Vec<(&str, i64)> = by_gateway
        .map(|one| {
            let name = one["gateway_name"].as_str().expect("a name");
            (name, one["count"].as_i64().expect("a number"))
        })
        .collect();
    assert_eq!(by_gateway, [("early", 1_696), ("late_gateway", 801)]);
    let count_on = |list: &str, date: &str| {
        let days = stats[list].as_array().expect("days").iter();
        let mut days = days.filter(|day| day["date"] == date);
        days.next().expect("a day")["count"].clone()
    };
    // Days of a month with 25 of them: 1000 and 1500 were on the first, 1001 on the second.
    assert_eq!(count_on("by_day", "2025-04-01"), 98);
    assert_eq!(count_on("by_day", "2025-04-02"), 99);
    assert_eq!(count_on("by_day", "2025-04-03"), 100);
    assert_eq!(count_on("by_paid_day", "2025-04-03"), 49);
    assert_eq!(count_on("by_paid_day", "2025-04-04"), 50);
    assert_eq!(
        stats["by_paid_day"].as_array().map(Vec::len),
        Some(25),
        "{stats}"
    );

    let codes = admin.get("/api/promo-codes").await.ok();
    let codes = codes["promo_codes"].as_array().expect("codes").iter();
    let used: Vec<(i64, i64)> = codes
        .map(|code| {
            let id = code["id"].as_i64().expect("an id");
            (id, code["usages_count"].as_i64().expect("a number"))
        })
        .collect();
    let mut expected = [(1, 0), (2, 0), (3, 0)];
    for id in (3..=INVOICES)
        .step_by(3)
        .filter(|id| ![1_001, 1_500].contains(id))
    {
        expected[(id / 3 % 3) as usize].1 += 1;
    }
    assert_eq!(used, expected);
}

#[tokio::test]
async fn invoices_may_be_of_more_days_than_are_counted_at_once() {
    // A day of creation and one of payment each, where 20,000 are counted at once.
    const DAYS: i64 = 10_600;
    let rows = (1..=DAYS).map(|id| {
        let (year, month, day) = (1_980 + id / 336, 1 + id / 28 % 12, 1 + id % 28);
        let date = format!("'{year}-{month:02}-{day:02} 12:00:00'");
        format!("{id},1,'early','',1,2.5,1,1,1,{date},{date}")
    });
    let (_home, report, service) =
        imported(&insert("payment_invoices", INVOICE_COLUMNS, rows)).await;
    assert_eq!(counts(&report, "payment_invoices")[..2], [10_600, 10_600]);
    let admin = service.admin();
    let path = "/api/payment-invoices/stats?group_by=paid_day";
    let stats = &admin.get(path).await.ok()["stats"];
    assert_eq!(stats["completed_count"], DAYS);
    assert_eq!(stats["completed_amount"], 26_500);
    for list in ["by_day", "by_paid_day"] {
        let days = stats[list].as_array().expect("days");
        assert_eq!(days.len() as i64, DAYS, "{list}");
        assert!(days.iter().all(|day| day["count"] == 1), "{list}");
    }
    let codes = admin.get("/api/promo-codes").await.ok();
    assert_eq!(codes["promo_codes"][0]["usages_count"], DAYS);
}

#[tokio::test]
async fn blocks_and_devices_of_a_user_may_fill_several_batches() {
    let columns = "id,user_id,blockedBy_id,reason,blocked_from,blocked_until,is_active";
    // Each ends later than the one before but the last two, so the one before them is in force.
    let blocks = (1..=2_102).map(|id| {
        let year = match id {
            2_101 | 2_102 => 2_099,
            _ => 2_100 + id / 12,
        };
        let month = 1 + id % 12;
        format!("{id},101,1,'r{id}','2025-03-01 10:00:00','{year}-{month:02}-01 00:00:00',1")
    });
    let others = [
        "3001,102,1,'for ever','2025-03-01 10:00:00',NULL,1".to_owned(),
        "3002,103,1,'lifted','2025-03-01 10:00:00',NULL,0".to_owned(),
    ];
    let blocks = insert("user_blocks", columns, blocks.chain(others));
    let columns = "id,user_id,device_details,ip,created_at,last_used_at";
    let devices = (1..=1_200).map(|id| {
        format!(
            "{id},104,'agent {id}','192.0.2.1','2025-03-01 10:{:02}:{:02}',NULL",
            id / 60,
            id % 60
        )
    });
    let devices = insert("user_devices", columns, devices);
    let (_home, report, service) = imported(&(users() + &blocks + &devices)).await;
    let admin = service.admin();
    let user = |id: i64| {
        let admin = admin.clone();
        async move {
            let path = format!("/api/users/{id}?include=block");
            admin.get(&path).await.ok()["user"].clone()
        }
    };
    let of_101 = user(101).await;
    assert_eq!(of_101["status"], "blocked");
    assert_eq!(of_101["block"]["reason"], "r2100");
    assert_eq!(of_101["block"]["until"], "2275-01-01T00:00:00Z");
    let of_102 = user(102).await;
    assert_eq!(
        (&of_102["status"], &of_102["block"]["until"]),
        (&json!("blocked"), &Value::Null)
    );
    assert_eq!(user(103).await["status"], "active");
    let blocked = admin.get("/api/users?status=blocked").await;
    assert_eq!(blocked.header("x-total-count"), "2");
    assert_eq!(counts(&report, "user_blocks")[..2], [2_104, 2_104]);

    assert_eq!(counts(&report, "user_devices"), [1_200, 100, 0, 1_100]);
    let left_out = of_rows(&report, "user_devices").into_iter();
    let expected =
        (1..=1_100).map(|id| format!("{id} left out: it is not one of the 100 newest of the user"));
    assert!(left_out.eq(expected));
    let devices = admin.get("/api/users/104/devices").await.ok();
    assert_eq!(devices["devices"].as_array().map(Vec::len), Some(100));
}

#[tokio::test]
async fn a_steam_account_moves_to_a_lower_user_of_a_later_batch() {
    let columns = "id,user_id,socialNetwork_id,value,linked_at";
    let profile = |id: i64, user_id: i64, account: i64| {
        let steam = 76_561_197_960_265_728 + account;
        format!("{id},{user_id},1,'{steam}','2025-03-01 10:00:00'")
    };
    let row = |id: i64| match id {
        // In one batch, and from the first batch to the third.
        501 => profile(id, 600, 20_000),
        502 => profile(id, 599, 20_000),
        503 => profile(id, 601, 20_000),
        504 => profile(id, 603, 30_000),
        2_204 => profile(id, 602, 30_000),
        _ => profile(id, FIRST_USER + id - 1, 100_000 + id),
    };
    // User 599 would have two profiles otherwise.
    let ids = (10..=2_204).filter(|id| *id != 500);
    let links = insert("user_social_networks", columns, ids.map(row));
    let (_home, report, service) = imported(&(users() + &links)).await;
    let of_steam = of_rows(&report, "user_social_networks");
    let same: Vec<&String> = of_steam
        .iter()
        .filter(|note| note.contains("has the same profile"))
        .collect();
    assert_eq!(
        same[same.len() - 3..],
        [
            "501 left out: user 599 has the same profile",
            "503 left out: user 599 has the same profile",
            "504 left out: user 602 has the same profile",
        ]
    );
    let admin = service.admin();
    for (user_id, links) in [(599, 1), (600, 0), (601, 0), (602, 1), (603, 0)] {
        let path = format!("/api/users/{user_id}/social-networks");
        let found = admin.get(&path).await.ok();
        let found = found["social_networks"].as_array().expect("links");
        assert_eq!(found.len(), links, "{user_id}: {found:?}");
    }
}

#[tokio::test]
async fn one_row_that_cannot_be_stored_undoes_all_batches() {
    for (what, statement) in [
        (
            "an invoice twice in one batch",
            insert(
                "payment_invoices",
                INVOICE_COLUMNS,
                invoices().chain([invoice(2_400, 100, "early")]),
            ),
        ),
        (
            "an invoice twice in two batches",
            insert(
                "payment_invoices",
                INVOICE_COLUMNS,
                invoices().chain([invoice(1, 100, "early")]),
            ),
        ),
        (
            "a user twice",
            insert("users", USER_COLUMNS, [user(2_599, "other")]),
        ),
    ] {
        let home = Home::new().await;
        let ended = import_with(&home, &(users() + &statement), REPORT).await;
        assert_eq!(ended.code, Some(1), "{what}: {ended:?}");
        assert_eq!(ended.stdout, "", "{what}");
        assert!(!home.folder().join("report.json").exists(), "{what}");
        let service = home.start().await;
        for path in ["/api/users", "/api/payment-invoices", "/api/promo-codes"] {
            let found = service.admin().get(path).await;
            assert_eq!(found.header("x-total-count"), "0", "{what}: {path}");
        }
    }
}
