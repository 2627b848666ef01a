//! Filters and sorts of the list of invoices, compared with a list in memory.

use serde_json::json;

use crate::support::payments::{
    currency, invoice, order, pay, promo, rebuild_derived_data, shop, user,
};
use crate::support::walk::{id, items, next, walk};
use crate::support::{Client, Rng, TestApp};

const LIST: &str = "/api/payment-invoices";
const DAY: i64 = 86_400;

struct Row {
    id: i64,
    user_id: i64,
    gateway: &'static str,
    currency_id: i64,
    promo_code: Option<&'static str>,
    amount: i64,
    is_paid: bool,
    has_failed: bool,
    created_at: i64,
}

/// Rows as the service would have written them over the years, many with equal values.
async fn filled(rng: &mut Rng) -> (TestApp, Client, Vec<Row>) {
    let app = shop().await;
    let admin = app.admin();
    user(&app, "bert").await;
    currency(&admin, "USD").await;
    for code in ["SPRING", "Осень"] {
        promo(&app, json!({ "code": code, "type": "amount", "value": 1 })).await;
    }
    let db = &app.core().db;
    db.run_sql(
        "INSERT INTO payment_gateways (key, name, enabled, created_at)
         VALUES ('stripe', '', TRUE, 0), ('Stripe', '', TRUE, 0), ('pay.pal', '', TRUE, 0)",
    )
    .await
    .expect("gateways");
    let mut rows = Vec::new();
    for id in 1..=90 {
        let row = Row {
            id,
            user_id: rng.one_of(&[1, 1, 2]),
            gateway: rng.one_of(&["stripe", "Stripe", "pay.pal"]),
            currency_id: rng.one_of(&[1, 2]),
            promo_code: rng.one_of(&[None, None, Some("SPRING"), Some("Осень")]),
            amount: rng.below(6) as i64 * 25_001,
            is_paid: rng.below(2) == 0,
            has_failed: rng.below(2) == 0,
            created_at: rng.below(5) as i64 * DAY + rng.below(3) as i64 - 1,
        };
        let gateway_id = match row.gateway {
            "stripe" => 1,
            "Stripe" => 2,
            _ => 3,
        };
        let promo_code_id = match row.promo_code {
            None => "NULL",
            Some("SPRING") => "1",
            Some(_) => "2",
        };
        let Row {
            user_id,
            currency_id,
            amount,
            is_paid,
            created_at,
            ..
        } = row;
        let failed_at = if row.has_failed { "7" } else { "NULL" };
        let sql = format!(
            "INSERT INTO payment_invoices (user_id, gateway_id, amount, original_amount,
                                           promo_code_id, currency_id, is_paid, failed_at,
                                           failed_reason, created_at)
             VALUES ({user_id}, {gateway_id}, {amount}, {amount}, {promo_code_id},
                     {currency_id}, {is_paid}, {failed_at}, '', {created_at})"
        );
        db.run_sql(&sql).await.expect("an invoice");
        rows.push(row);
    }
    rebuild_derived_data(&app).await;
    (app, admin, rows)
}

type Condition = Box<dyn Fn(&Row) -> bool>;

/// A filter as a query parameter, and the same as a predicate.
fn filter(rng: &mut Rng) -> (String, Condition) {
    match rng.below(8) {
        0 => {
            let wanted = rng.below(2) == 0;
            (
                format!("is_paid={wanted}"),
                Box::new(move |row| row.is_paid == wanted),
            )
        }
        1 => {
            let wanted = rng.one_of(&[1, 2, 3]);
            (
                format!("user_id={wanted}"),
                Box::new(move |row| row.user_id == wanted),
            )
        }
        2 => {
            let wanted = rng.one_of(&["stripe", "Stripe", "pay.pal", "unknown"]);
            (
                format!("gateway={wanted}"),
                Box::new(move |row| row.gateway == wanted),
            )
        }
        3 => {
            let wanted = rng.one_of(&[1, 2, 3]);
            (
                format!("currency_id={wanted}"),
                Box::new(move |row| row.currency_id == wanted),
            )
        }
        4 => {
            let (name, means): (_, fn(&Row) -> bool) = rng.one_of(&[
                ("paid", (|row| row.is_paid) as fn(&Row) -> bool),
                ("failed", |row| !row.is_paid && row.has_failed),
                ("pending", |row| !row.is_paid && !row.has_failed),
            ]);
            (format!("status={name}"), Box::new(means))
        }
        5 => {
            let (text, first) = rng.one_of(&[
                ("1970-01-02", DAY),
                ("1970-01-01", 0),
                ("1970-01-03T00:00:01Z", 2 * DAY + 1),
                ("1970-01-03T02:00:00%2B02:00", 2 * DAY),
            ]);
            (
                format!("created_from={text}"),
                Box::new(move |row| row.created_at >= first),
            )
        }
        6 => {
            let (text, last) = rng.one_of(&[
                ("1970-01-03", 3 * DAY - 1),
                ("1970-01-04", 4 * DAY - 1),
                ("1970-01-04T00:00:00.9Z", 3 * DAY),
                ("1970-01-05T00:00:00Z", 4 * DAY),
            ]);
            (
                format!("created_to={text}"),
                Box::new(move |row| row.created_at <= last),
            )
        }
        _ => {
            let (text, code) = rng.one_of(&[
                ("spring", "SPRING"),
                ("SpRiNg", "SPRING"),
                ("%D0%9E%D0%A1%D0%95%D0%9D%D0%AC", "Осень"),
                ("winter", "WINTER"),
            ]);
            (
                format!("promo_code={text}"),
                Box::new(move |row| row.promo_code == Some(code)),
            )
        }
    }
}

#[service_test]
async fn random_filters_and_sorts_of_invoices_agree_with_a_recount() {
    let mut rng = Rng::new(14);
    let (_app, admin, rows) = filled(&mut rng).await;
    let mut found_something = 0;
    for _ in 0..250 {
        let mut queries = Vec::new();
        let mut conditions = Vec::new();
        for _ in 0..rng.below(4) {
            let (query, condition) = filter(&mut rng);
            // The last of repeated parameters counts.
            let name = query
                .split('=')
                .next()
                .map(str::to_owned)
                .unwrap_or_default();
            let taken = |known: &String| known.starts_with(&format!("{name}="));
            if !queries.iter().any(taken) {
                queries.push(query);
                conditions.push(condition);
            }
        }
        let mut expected: Vec<&Row> = rows.iter().collect();
        expected.retain(|row| conditions.iter().all(|condition| condition(row)));
        let sort = rng.one_of(&[
            "",
            "id",
            "-id",
            "created_at",
            "-created_at",
            "amount",
            "-amount",
        ]);
        match sort.trim_start_matches('-') {
            "id" => expected.sort_by_key(|row| row.id),
            "amount" => expected.sort_by_key(|row| (row.amount, row.id)),
            _ => expected.sort_by_key(|row| (row.created_at, row.id)),
        }
        if sort.is_empty() || sort.starts_with('-') {
            expected.reverse();
        }
        if !sort.is_empty() {
            queries.push(format!("sort={sort}"));
        }
        let expected: Vec<i64> = expected.iter().map(|row| row.id).collect();
        found_something += usize::from(!expected.is_empty() && expected.len() < rows.len());

        let per_page = rng.one_of(&[7, 30, 100]);
        queries.push(format!("per_page={per_page}"));
        let path = format!("{LIST}?{}", queries.join("&"));
        let walked = walk(&admin, &path, "payment_invoices").await;
        assert_eq!(
            walked.iter().map(id).collect::<Vec<_>>(),
            expected,
            "{path}"
        );

        let page = admin.get(&format!("{path}&page=2")).await;
        let pages: Vec<&[i64]> = expected.chunks(per_page).collect();
        let shown: Vec<i64> = items(&page, "payment_invoices").iter().map(id).collect();
        assert_eq!(shown, pages.get(1).copied().unwrap_or_default(), "{path}");
        let last = pages.len().max(1);
        assert_eq!(
            page.ok()["pagination"],
            json!({ "total": expected.len(), "per_page": per_page, "current_page": 2, "last_page": last }),
            "{path}"
        );
    }
    assert!(found_something > 80, "the filters tell invoices apart");
}

#[service_test(shop())]
async fn a_failed_invoice_that_is_paid_later_is_listed_as_paid(admin: Client) {
    invoice(&admin, order(json!(1))).await;
    let ids = async |status: &str| {
        let answer = admin.get(&format!("{LIST}?status={status}")).await;
        items(&answer, "payment_invoices").len()
    };
    let shown = async || [ids("paid").await, ids("pending").await, ids("failed").await];
    assert_eq!(shown().await, [0, 1, 0]);
    admin.post_empty(&format!("{LIST}/1/fail")).await.ok();
    assert_eq!(shown().await, [0, 0, 1]);
    pay(&admin, &json!(1)).await.ok();
    assert_eq!(shown().await, [1, 0, 0]);
    let unpaid = json!({ "is_paid": false });
    admin.put(&format!("{LIST}/1/status"), unpaid).await.ok();
    assert_eq!(shown().await, [0, 1, 0]);
}

#[service_test(shop())]
async fn all_query_faults_of_the_invoice_list_are_in_one_422(admin: Client) {
    for path in [LIST, "/api/payment-invoices/export"] {
        let query = "gateway=a%20b&currency_id=0&status=open&created_from=today\
                     &created_to=2026-02-30&promo_code=&sort=name&is_paid=2";
        let bound = "must be a date such as 2026-03-01, or a moment in ISO 8601 such as \
                     2026-03-01T12:00:00Z";
        admin.get(&format!("{path}?{query}")).await.invalid(&[
            ("is_paid", "must be true or false"),
            ("gateway", "must be 1 to 64 letters, digits, _, - or ."),
            ("currency_id", "must be an integer of at least 1"),
            ("status", "must be paid, pending or failed"),
            ("created_from", bound),
            ("created_to", bound),
            ("promo_code", "must be 1 to 50 characters long"),
            (
                "sort",
                "must be one of id, created_at, amount, with - in front for descending",
            ),
        ]);
        for (from, to) in [
            ("2026-03-02", "2026-03-01"),
            ("2026-03-01T00:00:01Z", "2026-03-01T00:00:00Z"),
            ("2026-03-02T00:00:00Z", "2026-03-01"),
        ] {
            let query = format!("created_from={from}&created_to={to}");
            let answer = admin.get(&format!("{path}?{query}")).await;
            answer.invalid(&[("created_from", "must not be after created_to")]);
        }
        for (from, to) in [
            ("2026-03-01", "2026-03-01"),
            ("2026-03-01T23:59:59Z", "2026-03-01"),
            ("2026-03-01", "2026-03-01T00:00:00Z"),
        ] {
            let query = format!("created_from={from}&created_to={to}");
            let answer = admin.get(&format!("{path}?{query}")).await;
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        let strict = admin.with("Prefer", "handling=strict");
        let unknown = "is not a field of this request";
        let answer = strict.get(&format!("{path}?status=paid&state=paid")).await;
        answer.invalid(&[("state", unknown)]);
    }
}

#[service_test(shop())]
async fn a_cursor_of_another_sort_of_invoices_gives_422(admin: Client) {
    for amount in 1..=3 {
        invoice(&admin, order(json!(amount))).await;
    }
    let sorts = [
        "id",
        "-id",
        "created_at",
        "-created_at",
        "amount",
        "-amount",
    ];
    for from in sorts {
        let first = admin.get(&format!("{LIST}?sort={from}&per_page=1")).await;
        let next = next(&first).expect("there are more");
        admin.get(&next).await.ok();
        let query = next.split('?').nth(1).unwrap_or_default();
        let after = query.split('&').find(|part| part.starts_with("after="));
        let after = after.expect("a cursor");
        for to in sorts.into_iter().filter(|to| *to != from) {
            let answer = admin.get(&format!("{LIST}?sort={to}&{after}")).await;
            let sentence = "must come from a Link header under the same sort";
            answer.invalid(&[("after", sentence)]);
        }
        if from != "-created_at" {
            let both = format!("{LIST}?{after}&created_from=2026-03-02&created_to=2026-03-01");
            admin.get(&both).await.invalid(&[
                ("created_from", "must not be after created_to"),
                ("after", "must come from a Link header under the same sort"),
            ]);
        }
    }
    for odd in [
        "amount:",
        "amount:1",
        "amount:x.1",
        "size:1.1",
        "1",
        "x",
        "-created_at:1",
    ] {
        let answer = admin.get(&format!("{LIST}?after={odd}")).await;
        answer.invalid(&[("after", "must come from a Link header")]);
    }
}
