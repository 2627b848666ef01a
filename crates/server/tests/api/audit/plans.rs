//! No filter of the audit log scans or sorts the whole log. The plans are those of the statements
//! that the service itself runs.

use crate::support::TestApp;
use crate::support::payments::numbers;

const ENTRIES: i64 = 20_000;

/// The column that the list is read by, and its value as SQL.
type Filter = (&'static str, &'static str);

async fn filled() -> TestApp {
    let app = TestApp::start().await;
    let db = &app.core().db;
    let numbers = numbers(&app, ENTRIES);
    let sql = format!(
        "INSERT INTO audit_log (at, key_id, key_name, request_id, action, resource, resource_id,
                                before, after, user_id, about_user_id)
         SELECT n, n % 5, '', '', CASE WHEN n % 5000 = 0 THEN 'roles.rare' ELSE 'roles.update' END,
                CASE WHEN n % 1000 = 0 THEN 'pages' ELSE 'roles' END, n % 2000, '{{}}', '{{}}',
                CASE WHEN n % 3 = 0 THEN n % 5 END, CASE WHEN n % 2 = 0 THEN n % 1000 END
         FROM {numbers}"
    );
    db.run_sql(&sql).await.expect("entries");
    if db.on_postgres() {
        // Autovacuum does this sooner or later.
        db.run_sql("ANALYZE").await.expect("statistics");
    }
    app
}

#[service_test(filled())]
async fn no_filter_of_the_audit_log_scans_or_sorts_the_whole_log(app: TestApp) {
    let cases: [(&str, Option<Filter>); 13] = [
        ("", None),
        ("resource_id=7", Some(("resource_id", "7"))),
        ("key_id=3", Some(("key_id", "3"))),
        ("user_id=3", Some(("user_id", "3"))),
        ("about_user_id=8", Some(("about_user_id", "8"))),
        ("action=roles.rare", Some(("action", "'roles.rare'"))),
        ("resource=pages", Some(("resource", "'pages'"))),
        // With several filters, the one that usually matches the fewest entries is used.
        ("resource=roles&resource_id=7", Some(("resource_id", "7"))),
        ("action=roles.rare&key_id=3", Some(("key_id", "3"))),
        ("resource=roles&user_id=3", Some(("user_id", "3"))),
        ("user_id=3&about_user_id=8", Some(("about_user_id", "8"))),
        ("resource=pages&key_id=3", Some(("key_id", "3"))),
        (
            "resource=roles&action=roles.rare",
            Some(("action", "'roles.rare'")),
        ),
    ];
    for (query, filter) in cases {
        // A range of time and a cursor are the bounds of the same statement.
        for more in [
            "",
            "&from=1970-01-01T05:00:00Z",
            "&to=1970-01-01T01:00:00Z&after=12000",
        ] {
            let path = format!("/api/audit-log?{query}{more}");
            let answer = app.admin().get(&path).await;
            assert_eq!(answer.status, 200, "{query}: {}", answer.text);
        }
        let row = |columns: &str| match filter {
            Some((column, _)) => format!("({column}, {columns})"),
            None => format!("({columns})"),
        };
        let has_range = format!("{} >= (", row("at"));
        let has_end = format!("{} < (", row("at, id"));
        // The other filters of the query.
        let others: Vec<&str> = query.split('&').filter(|name| !name.is_empty()).collect();
        let others = others.iter().filter_map(|name| name.split_once('='));
        let others: Vec<_> = others
            .filter(|(name, _)| filter.is_some_and(|(column, _)| column != *name))
            .collect();
        let is_partial = |(column, _): Filter| column.ends_with("user_id");
        let of_partial_index = usize::from(filter.is_some_and(is_partial));
        let statements = app.core().db.statements().into_iter();
        let built: Vec<&'static str> = statements
            .filter(|sql| sql.contains("FROM audit_log"))
            .filter(|sql| sql.contains(&has_range) && sql.contains(&has_end))
            .filter(|sql| sql.matches(" AND ").count() == 1 + others.len() + of_partial_index)
            .filter(|sql| {
                others
                    .iter()
                    .all(|(name, _)| sql.contains(&format!("{name} = $")))
            })
            .collect();
        assert_eq!(built.len(), 3, "{query}: sizes, entries, total: {built:#?}");
        let mut params: Vec<String> = Vec::new();
        params.extend(others.iter().map(|(name, value)| match *name {
            "key_id" | "user_id" => (*value).to_owned(),
            _ => format!("'{value}'"),
        }));
        let value = || filter.map(|(_, value)| value.to_owned());
        params.extend(value());
        params.push("0".into());
        params.extend(value());
        params.extend(["12000", "12000", "21"].map(String::from));
        let params: Vec<&str> = params.iter().map(String::as_str).collect();
        for sql in built {
            let plan = app.core().db.plan(sql, &params).await.expect(sql);
            assert_plan(&app, query, filter, &others, &plan);
        }
    }
}

fn assert_plan(
    app: &TestApp,
    query: &str,
    filter: Option<Filter>,
    others: &[(&str, &str)],
    plan: &str,
) {
    for bad in ["Seq Scan", "TEMP B-TREE", "Sort", "Bitmap"] {
        assert!(!plan.contains(bad), "{query}: {plan}");
    }
    let index = match filter {
        Some(("key_id", _)) => "audit_log_key_at",
        Some((column, _)) => &format!("audit_log_{column}_at"),
        None => "audit_log_at",
    };
    assert!(plan.contains(&format!("{index} ")), "{query}: {plan}");
    if app.core().db.on_postgres() {
        // A filter of what the index found, other than the second filter of the query.
        assert_eq!(
            plan.contains("Filter:"),
            !others.is_empty(),
            "{query}: {plan}"
        );
    } else {
        assert!(plan.contains("SEARCH audit_log"), "{query}: {plan}");
    }
}
