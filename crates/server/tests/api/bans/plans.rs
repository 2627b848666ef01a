//! Lists of bans are read through indexes, however many bans there are.

use crate::support::TestApp;
use crate::support::payments::numbers;

/// Mostly active bans without an end; few are mutes, few have expired, few are lifted.
async fn fill(app: &TestApp) {
    let bans = numbers(app, 5_000);
    let sql = format!(
        "INSERT INTO bans (kind, steam_account, player_name, server_ids, reason, note, evidence,
                           created_at, expires_at, by_name, lifted_at)
         SELECT CASE n % 500 WHEN 3 THEN 'mute' ELSE 'ban' END, n, '', '', 'x', '', '[]', n,
                CASE n % 500 WHEN 1 THEN 1 ELSE 9223372036854775807 END, 'x',
                CASE n % 500 WHEN 2 THEN 1 END
         FROM {bans}"
    );
    app.core().db.run_sql(&sql).await.expect("rows are made");
    if app.core().db.on_postgres() {
        // Autovacuum does this sooner or later.
        app.core().db.run_sql("ANALYZE").await.expect("statistics");
    }
}

#[service_test]
async fn bans_of_a_state_are_listed_and_counted_through_indexes(app: TestApp) {
    fill(&app).await;
    let expired = "expires_at <= $1 AND lifted_at IS NULL AND kind IN \
                   ('ban', 'mute', 'gag', 'silence')";
    for (query, condition, params, index) in [
        (
            "state=lifted",
            "lifted_at IS NOT NULL",
            &[][..],
            "bans_lifted",
        ),
        (
            "state=lifted&kind=mute",
            "kind = $1 AND lifted_at IS NOT NULL",
            &["'mute'"],
            "bans_lifted_kind",
        ),
        ("state=expired", expired, &["1772366400"], "bans_expiry"),
        (
            "state=active&kind=mute",
            "kind = $1 AND expires_at > $2 AND lifted_at IS NULL",
            &["'mute'", "1772366400"],
            "bans_expiry",
        ),
    ] {
        app.admin().get(&format!("/api/bans?{query}")).await.ok();
        let statements = app.core().db.statements();
        let is_it = |sql: &&&str| {
            let end = sql
                .split_once(" FROM bans WHERE ")
                .or(sql.split_once("\n    FROM bans WHERE "));
            end.is_some_and(|(_, end)| {
                end.starts_with(condition)
                    && [" ORDER BY", " LIMIT"]
                        .iter()
                        .any(|next| end[condition.len()..].starts_with(next))
            })
        };
        let found: Vec<_> = statements.iter().filter(is_it).collect();
        assert_eq!(found.len(), 2, "{query}: {statements:#?}");
        for sql in found {
            let limited = [params, &["21"]].concat();
            let plan = app.core().db.plan(sql, &limited).await;
            let plan = plan.unwrap_or_else(|error| panic!("{query}: {error}"));
            // PostgreSQL knows from its statistics which of the indexes that fit skips most.
            let is_read = match app.core().db.on_postgres() {
                true => !plan.contains("Seq Scan") && !plan.contains("bans_pkey"),
                false => plan.contains(index),
            };
            assert!(is_read, "{query}: {sql}\n{plan}");
        }
    }
}

#[service_test]
async fn few_bans_by_time_are_listed_newest_first_page_by_page(app: TestApp) {
    fill(&app).await;
    let admin = app.admin();
    let ids = |list: &serde_json::Value| -> Vec<i64> {
        let bans = list["bans"].as_array().expect("a list").iter();
        bans.map(|ban| ban["id"].as_i64().expect("an id")).collect()
    };
    // n is 501, 1001 and so on, and the first row has n = 2.
    let expired: Vec<i64> = (1..10).rev().map(|k| 500 * k).collect();
    let all = admin.get("/api/bans?state=expired").await.ok();
    assert_eq!(ids(&all), expired);
    let first = admin.get("/api/bans?state=expired&per_page=4").await.ok();
    assert_eq!(ids(&first), expired[..4]);
    let path = format!("/api/bans?state=expired&per_page=4&after={}", expired[3]);
    let second = admin.get(&path).await.ok();
    assert_eq!(ids(&second), expired[4..8]);
    let early = admin.get("/api/bans?to=1970-01-01T00:00:04Z").await.ok();
    assert_eq!(ids(&early), [3, 2, 1]);
}
