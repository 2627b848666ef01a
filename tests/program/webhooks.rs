//! Webhooks of the whole program, to a receiver in Python that verifies every request.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::support::{Client, Home, number, within};

/// Long enough for the lease of a killed instance to expire, and for a retry.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs until it is dropped.
struct Receiver {
    process: Child,
    port: u16,
    secret: PathBuf,
    output: PathBuf,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Receiver {
    fn start(folder: &Path) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = root.join("target/python/bin/python");
        let (secret, output) = (folder.join("secret"), folder.join("received"));
        let mut process = Command::new(python)
            .arg(root.join("tests/webhooks/receive.py"))
            .args([&secret, &output])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python test tools: run scripts/setup test");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        Self {
            process,
            port: line.trim().parse().expect("a port"),
            secret,
            output,
        }
    }

    /// Creates a webhook on every new role, and tells the receiver its secret.
    async fn subscribe(&self, admin: &Client) -> i64 {
        let url = format!("http://127.0.0.1:{}/", self.port);
        let body = json!({ "url": url, "events": ["roles.create"] });
        let made = admin.post("/api/webhooks", body).await.created();
        let webhook = &made["webhook"];
        let secret = webhook["secret"].as_str().expect("a secret");
        std::fs::write(&self.secret, secret).expect("written");
        webhook["id"].as_i64().expect("an id")
    }

    /// The names of the roles that arrived, each with the ids of its messages. Asserts that every
    /// request was valid.
    fn received(&self) -> BTreeMap<String, Vec<String>> {
        let text = std::fs::read_to_string(&self.output).expect("readable");
        let mut received: BTreeMap<String, Vec<String>> = BTreeMap::new();
        // The last line may be half written.
        let lines = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        for line in lines {
            let line: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(line.get("error"), None, "{line}");
            let event = &line["event"];
            assert_eq!(event["type"], "roles.create");
            let name = event["data"]["after"]["name"].as_str().expect("a name");
            let id = line["id"].as_str().expect("an id").to_owned();
            received.entry(name.to_owned()).or_default().push(id);
        }
        received
    }

    /// Waits for events of these roles, as long as more of them arrive.
    async fn wait_for(&self, names: &BTreeSet<String>) -> BTreeMap<String, Vec<String>> {
        let mut arrived = 0;
        let mut end = Instant::now() + PATIENCE;
        loop {
            let started = Instant::now();
            let received = self.received();
            if received.len() > arrived {
                arrived = received.len();
                end = Instant::now() + PATIENCE;
            }
            let mut missing = names.iter().filter(|name| !received.contains_key(*name));
            let Some(first) = missing.next() else {
                return received;
            };
            let others = missing.count();
            assert!(
                Instant::now() < end,
                "{first} and {others} others did not arrive"
            );
            // Reading a long list takes time that the service needs for sending.
            tokio::time::sleep(Duration::from_millis(100) + started.elapsed()).await;
        }
    }
}

/// Creates roles until the service is killed. Returns the names that were acknowledged.
async fn write_until_killed(
    admin: Client,
    label: String,
    count: watch::Sender<usize>,
) -> BTreeSet<String> {
    let mut acknowledged = BTreeSet::new();
    for i in 0.. {
        let name = format!("{label}/{i}");
        let body = json!({ "name": name }).to_string();
        let Ok(answer) = admin.attempt(Method::POST, "/api/roles", Some(body)).await else {
            break;
        };
        answer.created();
        acknowledged.insert(name);
        count.send_modify(|count| *count += 1);
    }
    acknowledged
}

#[tokio::test]
async fn a_kill_while_webhooks_are_sent_loses_no_event() {
    let kills = number("STEWARD_TEST_WEBHOOK_KILLS", 5) as usize;
    let home = Home::new().await;
    let receiver = Receiver::start(home.folder());
    let service = home.start().await;
    let webhook = receiver.subscribe(&service.admin()).await;
    service.kill();

    let mut acknowledged = BTreeSet::new();
    for round in 0..kills {
        let service = home.start().await;
        let (count, mut counted) = watch::channel(0);
        let mut writers = JoinSet::new();
        for writer in 0..4 {
            let label = format!("{round}/{writer}");
            writers.spawn(write_until_killed(service.admin(), label, count.clone()));
        }
        // At a different moment in each round: before, while and after events are queued and sent.
        let enough = 10 + 17 * round % 50;
        within(counted.wait_for(|count| *count >= enough))
            .await
            .expect("writers go on");
        tokio::time::sleep(Duration::from_millis(97 * round as u64 % 500)).await;
        service.kill();
        for names in within(writers.join_all()).await {
            acknowledged.extend(names);
        }
    }
    let service = home.start().await;
    let received = receiver.wait_for(&acknowledged).await;
    for (name, ids) in &received {
        assert!(ids.iter().all(|id| *id == ids[0]), "{name}: {ids:?}");
    }
    let sent: usize = received.values().map(Vec::len).sum();
    let repeated = sent - received.len();
    println!(
        "{} events, {kills} kills, {repeated} sent again",
        received.len()
    );
    assert!(acknowledged.len() >= 10 * kills);
    // The service stops in order, and what it has sent is stored.
    let path = format!("/api/webhooks/{webhook}/deliveries?state=failed");
    let failed = service.admin().get(&path).await.ok();
    assert_eq!(failed["deliveries"], json!([]));
    service.stop().await.ok();
}

#[tokio::test]
async fn a_stop_and_a_start_send_nothing_twice() {
    let home = Home::new().await;
    let receiver = Receiver::start(home.folder());
    let service = home.start().await;
    receiver.subscribe(&service.admin()).await;
    service.stop().await.ok();
    let mut names = BTreeSet::new();
    for round in 0..3 {
        let service = home.start().await;
        for i in 0..40 {
            let name = format!("{round}/{i}");
            let admin = service.admin();
            let body = json!({ "name": name });
            admin.post("/api/roles", body).await.created();
            names.insert(name);
        }
        // In the middle of sending.
        tokio::time::sleep(Duration::from_millis(100 * round)).await;
        service.stop().await.ok();
    }
    let _service = home.start().await;
    let received = receiver.wait_for(&names).await;
    let times: BTreeSet<usize> = received.values().map(Vec::len).collect();
    assert_eq!(times, BTreeSet::from([1]), "{received:?}");
}
