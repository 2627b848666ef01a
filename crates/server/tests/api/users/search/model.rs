//! Search compared with a list in memory: order, pages, totals and cached totals.

use serde_json::{Value, json};

use super::encoded;
use crate::support::{Client, Rng, TestApp};

const MANY: i64 = 900;

struct Person {
    id: i64,
    name: String,
    email: String,
}

/// Many users, most of whom share a part of their email.
async fn many_users() -> (TestApp, Vec<Person>) {
    let app = TestApp::start().await;
    let mut rng = Rng::new(5);
    let mut people = Vec::new();
    for id in 1..=MANY {
        let first = rng.one_of(&["anna", "max", "dragon", "жанна", "wolf"]);
        let domain = rng.one_of(&["mail.example", "mail.example", "mail.example", "post.test"]);
        let name = match id {
            70 => "mail".to_owned(),
            _ => format!("{first}{id}"),
        };
        people.push(Person {
            id,
            email: match id {
                500 => "mail.example@example.org".into(),
                _ => format!("{first}{id}@{domain}"),
            },
            name,
        });
    }
    let rows: Vec<String> = people
        .iter()
        .map(|Person { name, email, .. }| {
            format!("('{name}', '{email}', '{name}', '{email}', '', 'active', 0, 0)")
        })
        .collect();
    let sql = format!(
        "INSERT INTO users (username, email, username_folded, email_folded, password_hash,
                            status, created_at, updated_at) VALUES {}",
        rows.join(", ")
    );
    app.core().db.run_sql(&sql).await.expect("users");
    (app, people)
}

async fn assert_search(admin: &Client, people: &[Person], q: &str) {
    let mut expected: Vec<&Person> = people
        .iter()
        .filter(|person| person.name.contains(q) || person.email.contains(q))
        .collect();
    expected.sort_by_key(|person| (person.name != q && person.email != q, person.id));
    let expected: Vec<i64> = expected.iter().map(|person| person.id).collect();
    for per_page in [1, 7, 100] {
        let last = expected.len().div_ceil(per_page).max(1);
        for page in [1, 2, last / 2 + 1, last, last + 1] {
            let path = format!(
                "/api/users/search?q={}&per_page={per_page}&page={page}",
                encoded(q)
            );
            let answer = admin.get(&path).await;
            let users = answer.ok()["users"].as_array().expect("a list").clone();
            let ids: Vec<i64> = users
                .iter()
                .filter_map(|user| user["id"].as_i64())
                .collect();
            let part = expected.chunks(per_page).nth(page - 1).unwrap_or_default();
            assert_eq!(ids, part, "{q}: {path}");
            let total = expected.len().to_string();
            assert_eq!(answer.header("x-total-count"), total, "{q}: {path}");
        }
    }
}

const TEXTS: [&str; 9] = [
    "mail",
    "mai",
    "mail.example",
    "anna",
    "жанна",
    "dragon1",
    "mail.example@example.org",
    "wolf77",
    "nobody",
];

#[service_test]
async fn search_agrees_with_a_list_in_memory() {
    let (app, people) = many_users().await;
    for _ in 0..2 {
        for q in TEXTS {
            assert_search(&app.admin(), &people, q).await;
        }
    }
}

async fn add(app: &TestApp, people: &mut Vec<Person>, id: i64) {
    let (name, email) = (format!("late{id}"), format!("late{id}@mail.example"));
    let overriding = if app.core().db.on_postgres() {
        "OVERRIDING SYSTEM VALUE"
    } else {
        ""
    };
    let sql = format!(
        "INSERT INTO users (id, username, email, username_folded, email_folded, password_hash,
                            status, created_at, updated_at) {overriding}
         VALUES ({id}, '{name}', '{email}', '{name}', '{email}', '', 'active', 0, 0)"
    );
    app.core().db.run_sql(&sql).await.expect("a user");
    people.push(Person { id, name, email });
}

#[service_test]
async fn a_cached_total_is_never_stale() {
    let (app, mut people) = many_users().await;
    let second = app.second_instance().await;
    let other = second.holder(app.admin_key());
    let everywhere = async |people: &[Person]| {
        for q in ["mail", "mai", "mail.example", "late"] {
            assert_search(&app.admin(), people, q).await;
            assert_search(&other, people, q).await;
        }
    };
    everywhere(&people).await;
    add(&app, &mut people, 2000).await;
    everywhere(&people).await;
    // It may be committed after a row with a higher id.
    add(&app, &mut people, 1500).await;
    everywhere(&people).await;
    add(&app, &mut people, 2001).await;
    add(&app, &mut people, 2002).await;
    everywhere(&people).await;

    let renamed = json!({ "username": "plain", "email": "plain@elsewhere.test" });
    other.put("/api/users/2001", renamed).await.ok();
    let person = people.iter_mut().find(|person| person.id == 2001);
    let person = person.expect("one of them");
    (person.name, person.email) = ("plain".into(), "plain@elsewhere.test".into());
    everywhere(&people).await;

    // One is deleted and one created: the number stays the same.
    other.delete("/api/users/2002").await.ok();
    people.retain(|person| person.id != 2002);
    add(&app, &mut people, 2003).await;
    everywhere(&people).await;
    other.delete("/api/users/2003").await.ok();
    people.retain(|person| person.id != 2003);
    everywhere(&people).await;

    let body = json!({ "status": "pending" });
    let pending: Value = other.put("/api/users/2000", body).await.ok();
    assert_eq!(pending["user"]["status"], "pending");
    everywhere(&people).await;
}

/// A cached result may contain a user who has just been renamed.
#[service_test]
async fn a_search_never_shows_a_user_who_no_longer_matches() {
    let (app, people) = many_users().await;
    let text = "mail.example";
    let one = people.iter().find(|person| person.email.contains(text));
    let one = one.expect("most have it");
    let path = format!("/api/users/{}", one.id);
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let renaming = async {
        let admin = app.admin();
        for _ in 0..60 {
            let plain = json!({ "username": "plain", "email": "plain@elsewhere.test" });
            admin.put(&path, plain).await.ok();
            let back = json!({ "username": &one.name, "email": &one.email });
            admin.put(&path, back).await.ok();
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    };
    let searching = async || {
        let admin = app.admin();
        while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
            let found = admin.get("/api/users/search?q=mail.example").await.ok();
            for user in found["users"].as_array().expect("a list") {
                let has = |field: &str| user[field].as_str().is_some_and(|has| has.contains(text));
                assert!(has("username") || has("email"), "{user}");
            }
        }
    };
    tokio::join!(renaming, searching(), searching(), searching());
}
