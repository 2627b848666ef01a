//! Lists are read through indexes, however long they are. The plans are those of the statements
//! that the service itself runs.

use crate::support::TestApp;
use crate::support::payments::{numbers, shop};

const USERS: i64 = 10_000;
const INVOICES: i64 = 100_000;

/// Many users and invoices, few of which match the filters.
async fn filled() -> TestApp {
    let app = shop().await;
    let db = &app.core().db;
    let (users, invoices) = (numbers(&app, USERS), numbers(&app, INVOICES));
    for sql in [
        "INSERT INTO roles (name, description, color) VALUES ('Guard', '', '#808080');
         INSERT INTO payment_gateways (key, name, enabled, created_at)
         VALUES ('stripe', '', TRUE, 0), ('rare', '', TRUE, 0);
         INSERT INTO promo_codes (code, code_folded, type, value, for_roles_only, active,
                                  usages_count, created_at)
         VALUES ('SPRING', 'spring', 'amount', 1, FALSE, TRUE, 0, 0)"
            .to_owned(),
        format!(
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                status, blocked_until, created_at, updated_at)
             SELECT 'User' || n, 'user' || n, 'user' || n, 'user' || n, '',
                    CASE WHEN n % 1000 = 0 THEN 'pending' WHEN n % 100 = 5 THEN 'blocked'
                    ELSE 'active' END,
                    CASE WHEN n % 100 = 5 THEN n * 200000 END, n / 3, 0
             FROM {users}"
        ),
        "INSERT INTO user_roles (user_id, role_id) SELECT id, 1 FROM users WHERE id % 1000 = 1"
            .to_owned(),
        format!(
            "INSERT INTO payment_invoices (user_id, gateway_id, amount, original_amount,
                                           promo_code_id, currency_id, is_paid, failed_at,
                                           failed_reason, created_at)
             SELECT n % 100 + 1, CASE WHEN n % 1000 = 0 THEN 2 ELSE 1 END, n * 7919 % 100003, n,
                    CASE WHEN n % 1000 = 1 THEN 1 END, 1, n % 100 > 1,
                    CASE WHEN n % 100 = 1 THEN 1 END, '', n / 3
             FROM {invoices}"
        ),
    ] {
        db.run_sql(&sql).await.expect("rows are made");
    }
    if db.on_postgres() {
        // Autovacuum does this sooner or later.
        db.run_sql("ANALYZE").await.expect("statistics");
    }
    app
}

/// A list, and what its statement must contain.
struct Wanted<'a> {
    table: &'a str,
    query: String,
    condition: String,
    order: String,
    /// Written as SQL.
    params: Vec<&'a str>,
}

impl Wanted<'_> {
    /// The engine's query plan for the list.
    async fn plan(&self, app: &TestApp) -> String {
        let path = match self.table {
            "users u" => "/api/users",
            _ => "/api/payment-invoices",
        };
        let query = &self.query;
        app.admin().get(&format!("{path}?{query}")).await.ok();
        let built = app.core().db.statements();
        let is_it = |sql: &&&str| {
            let from = format!("FROM {}", self.table);
            let Some((_, conditions)) = sql.split_once(&from) else {
                return false;
            };
            let (given, order) = conditions.split_once(" ORDER BY ").unwrap_or_default();
            let (_, given) = given.split_once(" WHERE ").unwrap_or_default();
            given == self.condition && order.starts_with(&format!("{} LIMIT ", self.order))
        };
        let found: Vec<_> = built.iter().filter(is_it).collect();
        assert_eq!(found.len(), 1, "{query}: {built:#?}");
        let mut params = self.params.clone();
        params.extend(["21", "0"]);
        let plan = app.core().db.plan(found[0], &params).await;
        plan.unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    async fn assert_uses_index(&self, app: &TestApp) -> String {
        let plan = self.plan(app).await;
        for scan in ["Seq Scan on payment_invoices", "Seq Scan on users"] {
            assert!(!plan.contains(scan), "{}\n{plan}", self.query);
        }
        plan
    }

    /// The list itself is not sorted; other parts of the plan may be.
    async fn assert_no_sort(&self, app: &TestApp) {
        let plan = self.assert_uses_index(app).await;
        for sort in ["USE TEMP B-TREE", "Sort Key: i.", "Sort Key: u."] {
            assert!(!plan.contains(sort), "{}\n{plan}", self.query);
        }
    }
}

#[service_test(filled())]
async fn every_sort_and_every_filter_uses_an_index(app: TestApp) {
    assert_sorts(&app).await;
    assert_filters(&app).await;
}

/// On the first page, and deep inside.
async fn assert_sorts(app: &TestApp) {
    for (table, key, columns, mark) in [
        ("payment_invoices i", "id", "i.id", "70000"),
        (
            "payment_invoices i",
            "created_at",
            "i.created_at, i.id",
            "20000.60000",
        ),
        ("payment_invoices i", "amount", "i.amount, i.id", "50000.1"),
        ("users u", "id", "u.id", "7000"),
        ("users u", "username", "u.username_folded", "user7"),
        ("users u", "created_at", "u.created_at, u.id", "2000.6000"),
    ] {
        let quoted = format!("'{mark}'");
        let params: Vec<&str> = match key {
            "username" => vec![&quoted],
            _ => mark.split('.').collect(),
        };
        for (sign, beyond) in [("", ">"), ("-", "<")] {
            let sort = format!("{sign}{key}");
            let order = match sign {
                "" => columns.to_owned(),
                _ => columns.replace(',', " DESC,") + " DESC",
            };
            let first = Wanted {
                table,
                query: format!("sort={sort}"),
                condition: String::new(),
                order: order.clone(),
                params: Vec::new(),
            };
            first.assert_no_sort(app).await;
            let places = if params.len() == 1 { "$1" } else { "$1, $2" };
            let deep = Wanted {
                table,
                query: format!("sort={sort}&after={sort}:{mark}"),
                condition: format!("({columns}) {beyond} ({places})"),
                order,
                params: params.clone(),
            };
            deep.assert_no_sort(app).await;
        }
    }
}

async fn assert_filters(app: &TestApp) {
    let gateway = "i.gateway_id = (SELECT id FROM payment_gateways WHERE key = $1)";
    let promo = "i.promo_code_id = (SELECT id FROM promo_codes WHERE code_folded = $1)";
    for (query, condition, param) in [
        ("is_paid=false", "i.is_paid = $1", Some("FALSE")),
        ("user_id=7", "i.user_id = $1", Some("7")),
        ("gateway=rare", gateway, Some("'rare'")),
        ("currency_id=2", "i.currency_id = $1", Some("2")),
        ("status=paid", "i.is_paid = $1", Some("TRUE")),
        (
            "status=pending",
            "i.failed_at IS NULL AND NOT i.is_paid",
            None,
        ),
        (
            "status=failed",
            "i.failed_at IS NOT NULL AND NOT i.is_paid",
            None,
        ),
        ("created_from=1970-01-01", "i.created_at >= $1", Some("0")),
        ("created_to=1970-01-01", "i.created_at <= $1", Some("86399")),
        ("promo_code=Spring", promo, Some("'spring'")),
    ] {
        let wanted = |query: String, condition: String, order: &str| Wanted {
            table: "payment_invoices i",
            query,
            condition,
            order: order.into(),
            params: param.into_iter().collect(),
        };
        let newest = "i.created_at DESC, i.id DESC";
        let by_time = wanted(query.into(), condition.into(), newest);
        by_time.assert_no_sort(app).await;
        // PostgreSQL knows from its statistics that few rows match, and sorts them.
        let is_sorted =
            app.core().db.on_postgres() || ["user_id=7", "promo_code=Spring"].contains(&query);
        if !is_sorted {
            let query = format!("{query}&sort=amount");
            let aside = format!("/*no index*/{condition}");
            wanted(query, aside, "i.amount, i.id")
                .assert_no_sort(app)
                .await;
        }
    }
    let role = "EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id AND r.role_id = $1 \
                AND r.expires_at > $2)";
    let by_role = "r.role_id = $1 AND r.expires_at > $2";
    for (query, condition, order, params) in [
        ("status=pending", "u.status = $1", "u.id", vec!["'pending'"]),
        (
            "status=pending&sort=username",
            "/*no index*/u.status = $1",
            "u.username_folded",
            vec!["'pending'"],
        ),
        ("role_id=1", by_role, "r.user_id", vec!["1", "1772366400"]),
        (
            "role_id=1&sort=username",
            role,
            "u.username_folded",
            vec!["1", "1772366400"],
        ),
    ] {
        let wanted = Wanted {
            table: "users u",
            query: query.into(),
            condition: condition.into(),
            order: order.into(),
            params,
        };
        if !app.core().db.on_postgres() || !query.contains("sort") {
            wanted.assert_no_sort(app).await;
        }
    }
    for (sort, order) in [
        ("blocked_until", "u.blocked_until, u.id"),
        ("-blocked_until", "u.blocked_until DESC, u.id DESC"),
    ] {
        let wanted = Wanted {
            table: "users u",
            query: format!("status=blocked&sort={sort}"),
            condition: "u.blocked_until > $1".into(),
            order: order.into(),
            params: vec!["1772366400"],
        };
        wanted.assert_no_sort(app).await;
    }
    let blocked = "u.status = 'blocked' AND NOT u.blocked_until <= $1";
    let active = "/*no index*/u.status IN ('active', 'blocked') \
                  AND (/*no index*/u.status = 'active' OR u.blocked_until <= $1)";
    for (query, condition, order) in [
        ("status=blocked", blocked.to_owned(), "u.id"),
        (
            "status=blocked&sort=username",
            format!("/*no index*/{blocked}"),
            "u.username_folded",
        ),
        ("status=active", active.to_owned(), "u.id"),
        (
            "status=active&sort=username",
            active.to_owned(),
            "u.username_folded",
        ),
    ] {
        let wanted = Wanted {
            table: "users u",
            query: query.into(),
            condition,
            order: order.into(),
            params: vec!["1772366400"],
        };
        if !app.core().db.on_postgres() {
            wanted.assert_no_sort(app).await;
        } else if !query.contains("sort") {
            wanted.assert_uses_index(app).await;
        }
    }
}
