//! Filters and sorts of the list of users, compared with a list in memory.

use serde_json::{Value, json};

use crate::support::walk::{id, items, next, walk};
use crate::support::{Client, NOON, Rng, TestApp};

const LIST: &str = "/api/users";

struct Person {
    id: i64,
    folded: String,
    /// As it is stored.
    status: &'static str,
    /// When the block ends; the inner `None` is a permanent block.
    block: Option<Option<i64>>,
    has_role: bool,
    created_at: i64,
}

impl Person {
    fn status(&self, now: i64) -> &'static str {
        let is_over = |until: Option<i64>| until.is_some_and(|until| until <= now);
        match (self.status, self.block) {
            ("blocked", Some(until)) if !is_over(until) => "blocked",
            ("blocked", _) => "active",
            (other, _) => other,
        }
    }
}

/// Users of every kind; some are blocked until a time that the test passes.
async fn filled(rng: &mut Rng) -> (TestApp, Client, Vec<Person>) {
    let app = TestApp::start().await;
    let admin = app.admin();
    for name in ["Guard", "Cook"] {
        admin.create_role(name).await;
    }
    let db = &app.core().db;
    let mut people = Vec::new();
    for id in 1..=70 {
        let name = rng.one_of(&["anna", "Anna", "ЖЁЛУДЬ", "zoë", "Z", "a.b:c", "a%&+ =", "ß"]);
        let name = format!("{name}{}", rng.below(1000) * 100 + id as u64);
        let folded = name.to_lowercase();
        let block = match rng.below(4) {
            0 => Some(None),
            1 => Some(Some(NOON + 100)),
            2 => Some(Some(NOON - 100)),
            _ => None,
        };
        let status = match block {
            Some(_) => "blocked",
            None => rng.one_of(&["active", "pending", "on_leave"]),
        };
        let created_at = rng.below(8) as i64;
        let has_role = rng.below(3) == 0;
        let blocked_until = match block {
            Some(until) => until.unwrap_or(i64::MAX).to_string(),
            None => "NULL".into(),
        };
        let mut sql = format!(
            "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                                status, blocked_until, created_at, updated_at)
             VALUES ('{name}', '{id}@example.org', '{folded}', '{id}@example.org', '',
                     '{status}', {blocked_until}, {created_at}, 0);
             INSERT INTO user_blocks (user_id, reason, until, blocked_at, lifted_at, by_name)
             VALUES ({id}, 'long ago', NULL, 0, 1, '');"
        );
        if let Some(until) = block {
            let until = until.map_or("NULL".into(), |until| until.to_string());
            sql += &format!(
                "INSERT INTO user_blocks (user_id, reason, until, blocked_at, by_name)
                 VALUES ({id}, '', {until}, 0, '');"
            );
        }
        if has_role {
            sql += &format!("INSERT INTO user_roles (user_id, role_id) VALUES ({id}, 1);");
        }
        db.run_sql(&sql).await.expect("a user");
        people.push(Person {
            id,
            folded,
            status,
            block,
            has_role,
            created_at,
        });
    }
    (app, admin, people)
}

#[service_test]
async fn random_filters_and_sorts_of_users_agree_with_a_recount() {
    let mut rng = Rng::new(15);
    let (app, admin, people) = filled(&mut rng).await;
    let mut now = NOON;
    for round in 0..300 {
        // To the second at which blocks expire.
        match round {
            70 => app.advance(99),
            140 => app.advance(1),
            _ => {}
        }
        now += match round {
            70 => 99,
            140 => 1,
            _ => 0,
        };
        let mut queries = Vec::new();
        let status = rng.one_of(&[
            None,
            Some("active"),
            Some("blocked"),
            Some("pending"),
            Some("on_leave"),
            Some("nobody"),
        ]);
        queries.extend(status.map(|status| format!("status={status}")));
        let role = rng.one_of(&[None, None, Some(1), Some(2), Some(99)]);
        queries.extend(role.map(|role| format!("role_id={role}")));
        let mut expected: Vec<&Person> = people.iter().collect();
        expected.retain(|person| {
            status.is_none_or(|status| person.status(now) == status)
                && role.is_none_or(|role| role == 1 && person.has_role)
        });
        let sort = rng.one_of(&[
            "",
            "id",
            "-id",
            "username",
            "-username",
            "created_at",
            "-created_at",
            "blocked_until",
            "-blocked_until",
        ]);
        if sort.ends_with("blocked_until") && status != Some("blocked") {
            let path = format!("{LIST}?{}&sort={sort}", queries.join("&"));
            let answer = admin.get(&path).await;
            answer.invalid(&[("status", "must be blocked")]);
            continue;
        }
        match sort.trim_start_matches('-') {
            "username" => expected.sort_by_key(|person| person.folded.clone()),
            "created_at" => expected.sort_by_key(|person| (person.created_at, person.id)),
            // Blocks without an end are last.
            "blocked_until" => expected.sort_by_key(|person| {
                let end = person.block.flatten().unwrap_or(i64::MAX);
                (end, person.id)
            }),
            _ => expected.sort_by_key(|person| person.id),
        }
        if sort.starts_with('-') {
            expected.reverse();
        }
        if !sort.is_empty() {
            queries.push(format!("sort={sort}"));
        }
        let expected: Vec<(i64, &str)> = expected
            .iter()
            .map(|person| (person.id, person.status(now)))
            .collect();

        let per_page = rng.one_of(&[6, 25, 100]);
        queries.push(format!("per_page={per_page}"));
        let path = format!("{LIST}?{}", queries.join("&"));
        let walked = walk(&admin, &path, "users").await;
        let shown = |user: &Value| (id(user), user["status"].as_str().map(str::to_owned));
        let shown: Vec<_> = walked.iter().map(shown).collect();
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(id, status)| (id, Some(status.to_owned())))
            .collect();
        assert_eq!(shown, expected, "{path}");

        let page = admin.get(&format!("{path}&page=2")).await;
        let second: Vec<i64> = items(&page, "users").iter().map(id).collect();
        let of_page = expected.chunks(per_page).nth(1).unwrap_or_default();
        let of_page: Vec<i64> = of_page.iter().map(|(id, _)| *id).collect();
        assert_eq!(second, of_page, "{path}");
    }
}

#[service_test]
async fn an_expired_block_changes_the_list_without_a_write(app: TestApp, admin: Client) {
    app.user("anna").await;
    let until = json!({ "until": "2026-03-01T12:01:00Z" });
    admin.post("/api/users/1/block", until).await.ok();
    let totals = async || {
        let of = async |status: &str| {
            let answer = admin.get(&format!("{LIST}?status={status}")).await;
            assert_eq!(
                items(&answer, "users").len().to_string(),
                answer.header("x-total-count")
            );
            answer.header("x-total-count").to_owned()
        };
        [of("active").await, of("blocked").await]
    };
    assert_eq!(totals().await, ["0", "1"]);
    app.advance(59);
    assert_eq!(totals().await, ["0", "1"]);
    app.advance(1);
    assert_eq!(totals().await, ["1", "0"]);
}

#[service_test]
async fn all_query_faults_of_the_user_list_are_in_one_422(admin: Client) {
    for path in [LIST, "/api/users/export"] {
        let answer = admin
            .get(&format!("{path}?status=Not%20one&role_id=x&sort=email"))
            .await;
        answer.invalid(&[
            ("status", "must be 1 to 32 of a-z, 0-9, _ and -"),
            ("role_id", "must be an integer of at least 1"),
            (
                "sort",
                "must be one of id, username, created_at, blocked_until, with - in front for descending",
            ),
        ]);
    }
}

#[service_test]
async fn a_cursor_of_another_sort_of_users_gives_422(app: TestApp, admin: Client) {
    for name in ["anna", "bert", "carl"] {
        app.user(name).await;
    }
    let sorts = [
        "id",
        "-id",
        "username",
        "-username",
        "created_at",
        "-created_at",
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
    }
    let answer = admin.get(&format!("{LIST}?after=created_at:1")).await;
    answer.invalid(&[("after", "must come from a Link header")]);
}

#[service_test]
async fn blocked_users_are_listed_and_exported_by_the_end_of_their_block(app: TestApp) {
    let admin = app.admin();
    for (name, until) in [
        ("anna", json!(null)),
        ("bert", json!("2026-03-03T00:00:00Z")),
        ("carl", json!("2026-03-02T00:00:00Z")),
        ("dora", json!("2026-03-01T12:00:01Z")),
    ] {
        let path = format!("/api/users/{}/block", app.user(name).await);
        admin.post(&path, json!({ "until": until })).await.ok();
    }
    app.user("emil").await;
    app.advance(1);
    let query = "status=blocked&sort=blocked_until&per_page=1";
    let walked = walk(&admin, &format!("{LIST}?{query}"), "users").await;
    assert_eq!(walked.iter().map(id).collect::<Vec<_>>(), [3, 2, 1]);
    let query = "status=blocked&sort=-blocked_until&format=csv";
    let export = admin.get(&format!("/api/users/export?{query}")).await;
    let names = export
        .text
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1));
    assert_eq!(
        names.collect::<Vec<_>>(),
        [Some("anna"), Some("bert"), Some("carl")]
    );
    for path in [LIST, "/api/users/export"] {
        for status in ["", "&status=active"] {
            let answer = admin
                .get(&format!("{path}?sort=blocked_until{status}"))
                .await;
            answer.invalid(&[("status", "must be blocked")]);
        }
    }
}
