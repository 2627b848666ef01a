//! Acknowledged writes are durable, even if the program is killed right after.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::{ADMIN_KEY, Answer, Client, Home, within};

/// The name of a role, and how many audit entries record its creation.
type Written = BTreeMap<i64, (String, i64)>;

/// All roles, each with the number of its audit entries. Asserts that every role has exactly one
/// entry and every entry its role.
async fn written(home: &Home) -> Written {
    let db = home.database().await;
    let mut read = db.read().await.expect("a reader");
    let roles = read.query(
        "SELECT roles.id, roles.name,
                (SELECT COUNT(*) FROM audit_log
                 WHERE action = 'roles.create' AND resource_id = roles.id)
         FROM roles",
        &[],
        |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))),
    );
    let roles: Written = roles.await.expect("roles").into_iter().collect();
    let entries = read.query(
        "SELECT resource_id FROM audit_log WHERE action = 'roles.create'",
        &[],
        |row| row.get::<i64>(0),
    );
    for id in entries.await.expect("entries") {
        assert!(roles.contains_key(&id), "an entry without its role: {id}");
    }
    for (id, (name, entries)) in &roles {
        assert_eq!(*entries, 1, "entries of role {id}, {name}");
    }
    roles
}

async fn create(client: &Client, name: &str) -> reqwest::Result<Answer> {
    let body = json!({ "name": name }).to_string();
    client.attempt(Method::POST, "/api/roles", Some(body)).await
}

#[tokio::test]
async fn concurrent_writes_survive_a_kill_right_after_the_last_answer() {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    let mut writers = JoinSet::new();
    for i in 0..200 {
        let admin = admin.clone();
        writers.spawn(async move {
            let name = format!("Role {i}");
            let answer = create(&admin, &name).await.expect("an answer");
            let id = answer.created()["role"]["id"].as_i64().expect("an id");
            (id, name)
        });
    }
    let acknowledged = within(writers.join_all()).await;
    service.kill();

    let again = home.start().await;
    let roles = again.admin().get("/api/roles").await.ok();
    assert_eq!(roles["roles"].as_array().map(Vec::len), Some(200));
    let found = written(&home).await;
    for (id, name) in acknowledged {
        assert_eq!(found[&id].0, name);
    }
}

#[tokio::test]
async fn a_kill_during_writes_loses_no_acknowledged_write_and_leaves_none_half_done() {
    let home = Home::new().await;
    let mut acknowledged = BTreeMap::new();
    let mut tried = BTreeSet::new();
    for round in 0..5 {
        let service = home.start().await;
        let (count, mut counted) = watch::channel(0);
        let mut writers = JoinSet::new();
        for writer in 0..8 {
            let (admin, count) = (service.admin(), count.clone());
            writers.spawn(write_until_killed(
                admin,
                format!("{round}/{writer}"),
                count,
            ));
        }
        // At a different time in each round, while all writers are writing.
        let enough = 20 + 13 * round;
        within(counted.wait_for(|count| *count >= enough))
            .await
            .expect("writers go on");
        service.kill();
        for (answered, unanswered) in within(writers.join_all()).await {
            tried.extend(answered.values().cloned());
            tried.insert(unanswered);
            acknowledged.extend(answered);
        }

        home.start().await.stop().await.ok();
        let found = written(&home).await;
        for (id, name) in &acknowledged {
            let kept = found.get(id).map(|(name, _)| name);
            assert_eq!(
                kept,
                Some(name),
                "round {round}: role {id} was acknowledged"
            );
        }
        let mut names = BTreeSet::new();
        for (name, _) in found.into_values() {
            assert!(tried.contains(&name), "{name} was never requested");
            assert!(names.insert(name.clone()), "{name} is there twice");
        }
    }
    assert!(acknowledged.len() > 5 * 20);
}

/// Writes until the service is killed. Returns the acknowledged writes and the first unanswered
/// one.
async fn write_until_killed(
    admin: Client,
    writer: String,
    count: watch::Sender<usize>,
) -> (BTreeMap<i64, String>, String) {
    let mut acknowledged = BTreeMap::new();
    loop {
        let name = format!("{writer}/{}", acknowledged.len());
        let Ok(answer) = create(&admin, &name).await else {
            return (acknowledged, name);
        };
        let id = answer.created()["role"]["id"].as_i64().expect("an id");
        acknowledged.insert(id, name);
        count.send_modify(|count| *count += 1);
    }
}

#[tokio::test]
async fn one_idempotency_key_creates_one_row_despite_a_kill() {
    // Killed before the first answer, right after it, and in the middle of them.
    for answers in [0, 1, 20] {
        let home = Home::new().await;
        let service = home.start().await;
        let address = service.address.clone();
        let (count, mut counted) = watch::channel(0);
        let mut clients = JoinSet::new();
        for _ in 0..50 {
            let client = Client::new(&address, Some(ADMIN_KEY)).with("Idempotency-Key", "once");
            clients.spawn(retry_until_answered(client, count.clone()));
        }
        within(counted.wait_for(|count| *count >= answers))
            .await
            .expect("clients go on");
        service.kill();

        // Clients retry the same address.
        let again = home.start_with(&["--listen", &address]).await;
        let answers = within(clients.join_all()).await;
        let first = answers[0].created();
        for answer in &answers {
            assert_eq!(answer.created(), first);
        }
        let keys = again.admin().get("/api/api-keys").await.ok();
        let keys = keys["api_keys"].as_array().expect("a list").clone();
        let made: Vec<_> = keys.iter().filter(|key| key["name"] == "Once").collect();
        assert_eq!(made.len(), 1, "{keys:?}");
        assert_eq!(made[0]["id"], first["api_key"]["id"]);

        let value = first["api_key"]["key"].as_str().expect("a value");
        let holder = again.holder(value);
        holder.get("/api/permissions").await.ok();
        let log = again.admin();
        let log = log.get("/api/audit-log?action=api_keys.create").await.ok();
        // The other entry is for the admin's own key.
        assert_eq!(log["audit_log"].as_array().map(Vec::len), Some(2));
    }
}

/// Retries the same request until it is answered.
async fn retry_until_answered(client: Client, count: watch::Sender<usize>) -> Answer {
    let body = json!({ "name": "Once" }).to_string();
    loop {
        let attempt = client.attempt(Method::POST, "/api/api-keys", Some(body.clone()));
        if let Ok(answer) = attempt.await {
            count.send_modify(|count| *count += 1);
            return answer;
        }
        tokio::task::yield_now().await;
    }
}
