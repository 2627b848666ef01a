use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::support::{Answer, Client, NOON, Rng, TestApp, at_once};

const STATUSES: [&str; 4] = ["active", "blocked", "pending", "on_leave"];
/// The ids of roles that may exist, and one that never did.
const ROLES: [i64; 5] = [1, 2, 3, 4, 99];

async fn community() -> TestApp {
    let app = TestApp::start().await;
    for name in ["Guard", "Cook", "Smith", "Bard"] {
        app.admin().create_role(name).await;
    }
    for id in 1..=30 {
        let sql = format!(
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                status, created_at, updated_at)
             VALUES ('u{id}', 'e{id}', 'u{id}', 'e{id}', '', 'active', 0, 0)"
        );
        app.core().db.run_sql(&sql).await.expect("a user");
    }
    app
}

/// A time that the tests pass.
fn later_time() -> String {
    kernel::types::Timestamp::from_unix(NOON + 100).to_string()
}

/// A random write that changes the totals, or is refused.
async fn step(admin: Client, mut rng: Rng) -> Answer {
    let id = 1 + rng.below(34);
    let path = format!("/api/users/{id}");
    let roles: Vec<u64> = (1..=4).filter(|_| rng.below(2) == 0).collect();
    let terms = rng.one_of(&[json!({}), json!({ "until": later_time() })]);
    match rng.below(24) {
        0..4 => {
            let status = json!({ "status": rng.one_of(&STATUSES) });
            admin.put(&path, status).await
        }
        4..8 => admin.post(&format!("{path}/block"), terms).await,
        8..10 => admin.post_empty(&format!("{path}/unblock")).await,
        10..14 => {
            let roles = json!({ "role_ids": roles });
            admin.put(&format!("{path}/roles"), roles).await
        }
        14..18 => {
            let ids: Vec<u64> = (1..=30).filter(|_| rng.below(5) == 0).collect();
            let (name, value) = rng.one_of(&[
                ("block", terms),
                ("unblock", json!(true)),
                ("add_roles", json!(roles)),
                ("remove_roles", json!(roles)),
            ]);
            let body = json!({ "ids": ids, name: value });
            admin.post("/api/users/bulk", body).await
        }
        18 => admin.delete(&path).await,
        19..23 => {
            let role = rng.one_of(&ROLES);
            let end = rng.one_of(&[json!({}), json!({ "expires_at": later_time() })]);
            admin.put(&format!("{path}/roles/{role}"), end).await
        }
        _ => {
            let name = format!("new{}", rng.below(1_000_000_000));
            let mut person = crate::support::new_user(&name);
            person["role_ids"] = json!(roles);
            admin.post("/api/users", person).await
        }
    }
}

async fn assert_totals(app: &TestApp, what: &str) {
    let mut read = app.core().db.read().await.expect("a connection");
    let now = app.core().clock.now().unix();
    let people: Vec<(i64, String)> = read
        .query(
            "SELECT u.id, u.status, b.id, b.until, u.blocked_until FROM users u
             LEFT JOIN user_blocks b ON b.user_id = u.id AND b.lifted_at IS NULL",
            &[],
            |row| {
                let status: String = row.get(1)?;
                let has_block = row.get::<Option<i64>>(2)?.is_some();
                let until: Option<i64> = row.get(3)?;
                if status == "blocked" {
                    assert!(has_block, "{what}: no open block in the history");
                    let blocked_until: Option<i64> = row.get(4)?;
                    assert_eq!(blocked_until, until.or(Some(i64::MAX)), "{what}");
                }
                let is_over = until.is_some_and(|until| until <= now);
                let status = if status == "blocked" && is_over {
                    "active".into()
                } else {
                    status
                };
                Ok((row.get(0)?, status))
            },
        )
        .await
        .expect("all users");
    let held: BTreeSet<(i64, i64)> = read
        .query(
            "SELECT role_id, user_id FROM user_roles WHERE expires_at > $1",
            db::params![now],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await
        .expect("all roles")
        .into_iter()
        .collect();
    let mut counted: BTreeMap<i64, i64> = BTreeMap::new();
    for (id, _) in &people {
        *counted.entry(id >> 12).or_default() += 1;
    }
    let mut buckets: BTreeMap<i64, i64> = read
        .query(
            "SELECT bucket, CAST(SUM(count) AS BIGINT) FROM user_buckets GROUP BY bucket",
            &[],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await
        .expect("all buckets")
        .into_iter()
        .collect();
    buckets.retain(|_, count| *count != 0);
    assert_eq!(buckets, counted, "{what}");
    drop(read);
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    for role in ROLES.into_iter().map(Some).chain([None]) {
        for status in STATUSES.into_iter().map(Some).chain([None]) {
            let query: Vec<String> = [
                role.map(|role| format!("role_id={role}")),
                status.map(|status| format!("status={status}")),
                Some("per_page=1".into()),
            ]
            .into_iter()
            .flatten()
            .collect();
            let is_it = |(id, of): &&(i64, String)| {
                role.is_none_or(|role| held.contains(&(role, *id)))
                    && status.is_none_or(|status| of == status)
            };
            expected.insert(query.join("&"), people.iter().filter(is_it).count());
        }
    }
    for (query, count) in expected {
        let answer = app.admin().get(&format!("/api/users?{query}")).await;
        answer.ok();
        assert_eq!(
            answer.header("x-total-count"),
            count.to_string(),
            "{what}: {query}"
        );
    }
}

fn assert_answered(answer: &Answer) {
    assert!([200, 201, 404, 422].contains(&answer.status), "{answer:?}");
}

#[service_test(community())]
async fn totals_equal_a_recount_after_every_write(app: TestApp) {
    assert_totals(&app, "at first").await;
    for round in 0..12 {
        for number in 0..8 {
            assert_answered(&step(app.admin(), Rng::new(round * 100 + number)).await);
        }
        if round == 6 {
            app.advance(200);
        }
        if round == 9 {
            app.admin().delete("/api/roles/4").await.ok();
        }
        assert_totals(&app, &format!("round {round}")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn totals_equal_a_recount_after_concurrent_writes() {
    let app = community().await;
    for round in 0..6 {
        let steps = (0..40).map(|number| step(app.admin(), Rng::new(round * 1000 + number)));
        let mut steps: Vec<_> = steps.map(|step| Box::pin(step) as Step).collect();
        if round == 3 {
            app.advance(200);
        }
        if round == 4 {
            let admin = app.admin();
            steps.push(Box::pin(async move { admin.delete("/api/roles/4").await }));
        }
        for answer in at_once(steps).await {
            assert_answered(&answer);
        }
        assert_totals(&app, &format!("round {round}")).await;
    }
}

type Step = std::pin::Pin<Box<dyn Future<Output = Answer> + Send>>;

#[service_test(community())]
async fn a_refused_change_is_not_counted(app: TestApp) {
    let failing = "INSERT INTO users (username, email, username_folded, email_folded,
                                      password_hash, status, created_at, updated_at)
                   SELECT 'x', 'x', 'x', 'x', '', 'active', 0, 0 FROM users";
    app.app
        .kernel
        .core
        .db
        .run_sql(failing)
        .await
        .expect_err("a name twice");
    let taken = crate::support::new_user("u1");
    assert_eq!(app.admin().post("/api/users", taken).await.status, 422);
    assert_totals(&app, "after what was refused").await;
}
