//! Acknowledged writes are durable, even if the program is killed right after.

use std::collections::{BTreeMap, BTreeSet};

use db::testing::free_port;
use reqwest::Method;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::{ADMIN_KEY, Answer, Client, Home, Roles, number, stored_roles, within};

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
    let found = stored_roles(&home.database().await).await;
    for (id, name) in acknowledged {
        assert_eq!(found[&id], name);
    }
}

#[tokio::test]
async fn a_kill_during_writes_loses_no_acknowledged_write_and_doubles_none() {
    let kills = number("STEWARD_TEST_SERVICE_KILLS", 5) as usize;
    let writes = number("STEWARD_TEST_SERVICE_WRITES", 250) as usize;
    let home = Home::new().await;
    let mut writers: Vec<Writer> = (0..8).map(Writer::new).collect();
    for round in 0..kills {
        let service = home.start().await;
        let (count, mut counted) = watch::channel(0);
        let mut running = JoinSet::new();
        for writer in writers {
            running.spawn(writer.write_until_killed(service.admin(), count.clone()));
        }
        // At a different time in each round, while all writers are writing.
        let enough = writes.div_ceil(kills) + 13 * round % 60;
        within(counted.wait_for(|count| *count >= enough))
            .await
            .expect("writers go on");
        service.kill();
        writers = within(running.join_all()).await;
        // Some of many rounds are enough: each check reads everything.
        if round.is_multiple_of(kills.div_ceil(10)) || round + 1 == kills {
            home.start().await.stop().await.ok();
            check(&stored_roles(&home.database().await).await, &writers);
        }
    }
    let acknowledged: usize = writers.iter().map(|writer| writer.acknowledged.len()).sum();
    assert!(acknowledged >= writes, "{acknowledged}");
    println!("{acknowledged} acknowledged writes, {kills} kills");
}

/// Every acknowledged write is there, and nothing that was never requested.
fn check(found: &Roles, writers: &[Writer]) {
    let acknowledged = writers.iter().flat_map(|writer| &writer.acknowledged);
    let mut requested: BTreeSet<&str> = BTreeSet::new();
    for (id, name) in acknowledged {
        assert_eq!(found.get(id), Some(name), "role {id} was acknowledged");
        requested.insert(name);
    }
    for writer in writers {
        requested.extend(writer.unanswered.iter().map(String::as_str));
    }
    for name in found.values() {
        assert!(
            requested.contains(name.as_str()),
            "{name} was never requested"
        );
    }
}

/// A client that creates roles, through all rounds.
struct Writer {
    label: usize,
    /// Whether it sends an `Idempotency-Key`, and repeats a request that was not answered.
    repeats: bool,
    requests: usize,
    acknowledged: BTreeMap<i64, String>,
    /// Requests that may or may not have been carried out.
    unanswered: Vec<String>,
}

impl Writer {
    fn new(label: usize) -> Self {
        Self {
            label,
            repeats: label.is_multiple_of(2),
            requests: 0,
            acknowledged: BTreeMap::new(),
            unanswered: Vec::new(),
        }
    }

    async fn write_until_killed(mut self, admin: Client, count: watch::Sender<usize>) -> Self {
        let mut repeated = self.unanswered.pop_if(|_| self.repeats);
        loop {
            let name = repeated.take().unwrap_or_else(|| {
                self.requests += 1;
                format!("{}/{}", self.label, self.requests)
            });
            let client = match self.repeats {
                true => admin.with("Idempotency-Key", &name),
                false => admin.clone(),
            };
            let Ok(answer) = create(&client, &name).await else {
                self.unanswered.push(name);
                return self;
            };
            let id = answer.created()["role"]["id"].as_i64().expect("an id");
            self.acknowledged.insert(id, name);
            count.send_modify(|count| *count += 1);
        }
    }
}

#[tokio::test]
async fn one_idempotency_key_creates_one_row_despite_a_kill() {
    // Killed before the first answer, right after it, and in the middle of them.
    for answers in [0, 1, 20] {
        let home = Home::new().await;
        // Not a port of the system's choice, which a client that comes back could get for itself.
        let address = format!("127.0.0.1:{}", free_port());
        let service = home.start_with(&["--listen", &address]).await;
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
