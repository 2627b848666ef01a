//! Instances behind a load balancer are restarted one after the other, and no client notices.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use db::testing::free_port;
use reqwest::Method;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::support::{ADMIN_KEY, Client, Home, Program, number, within};

/// Much longer than the load balancer takes to notice.
const DRAIN: [&str; 2] = ["--drain-seconds", "10"];
const CLIENTS: usize = 16;

/// haproxy, which is killed when dropped.
struct Balancer(Child);

impl Drop for Balancer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// It neither retries a request nor sends it to another instance, so that clients see every error.
fn start_balancer(home: &Home, port: u16, instances: &[&Program]) -> Balancer {
    let mut servers = String::new();
    for (i, instance) in instances.iter().enumerate() {
        servers += &format!("    server instance{i} {} check\n", instance.address);
    }
    let config = home.write(
        "haproxy.cfg",
        &format!(
            "global\n    maxconn 256\n\
             defaults\n    mode http\n    retries 0\n    timeout connect 10s\n    \
             timeout client 60s\n    timeout server 60s\n    timeout check 10s\n\
             frontend api\n    bind 127.0.0.1:{port}\n    default_backend instances\n\
             backend instances\n    balance roundrobin\n    option httpchk GET /readyz\n    \
             http-check expect status 200\n    default-server inter 200ms fall 1 rise 1\n{servers}"
        ),
    );
    let haproxy = Command::new("/usr/sbin/haproxy")
        .arg("-f")
        .arg(config)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Balancer(haproxy.expect("haproxy is installed"))
}

/// Requests at a fixed rate, a fifth of them writes, until it is stopped.
struct Load {
    stop: Arc<Semaphore>,
    running: tokio::task::JoinHandle<()>,
    answered: Arc<AtomicU64>,
    failed: Arc<Mutex<Vec<String>>>,
}

impl Load {
    fn start(client: Client, per_second: u64) -> Self {
        let stop = Arc::new(Semaphore::new(CLIENTS));
        let answered = Arc::new(AtomicU64::new(0));
        let failed = Arc::new(Mutex::new(Vec::new()));
        let running = tokio::spawn(send(
            client,
            per_second,
            Arc::clone(&stop),
            Arc::clone(&answered),
            Arc::clone(&failed),
        ));
        Self {
            stop,
            running,
            answered,
            failed,
        }
    }

    /// Waits for this many more answers.
    async fn more(&self, answers: u64) {
        let enough = self.answered.load(Ordering::Relaxed) + answers;
        within(async {
            while self.answered.load(Ordering::Relaxed) < enough {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
    }

    /// How many requests were answered, and what failed.
    async fn end(self) -> (u64, Vec<String>) {
        self.stop.close();
        self.running.await.expect("the load runs to its end");
        let failed = self.failed.lock().expect("no sender panics").clone();
        (self.answered.load(Ordering::Relaxed), failed)
    }
}

async fn send(
    client: Client,
    per_second: u64,
    permits: Arc<Semaphore>,
    answered: Arc<AtomicU64>,
    failed: Arc<Mutex<Vec<String>>>,
) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / per_second as u32);
    let mut requests = JoinSet::new();
    for number in 0.. {
        ticks.tick().await;
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            break;
        };
        let (client, answered, failed) = (client.clone(), answered.clone(), failed.clone());
        requests.spawn(async move {
            let (method, path, body, expected) = match number % 5 {
                0 => {
                    let body = json!({ "name": format!("Role {number}") }).to_string();
                    (Method::POST, "/api/roles", Some(body), 201)
                }
                _ => (Method::GET, "/api/roles?per_page=20", None, 200),
            };
            let outcome = client.attempt(method, path, body).await;
            answered.fetch_add(1, Ordering::Relaxed);
            let fault = match outcome {
                Ok(answer) if answer.status == expected => None,
                Ok(answer) => Some(format!("{}: {}", answer.status, answer.text)),
                Err(error) => Some(format!("{error:?}")),
            };
            if let Some(fault) = fault {
                failed.lock().expect("no sender panics").push(fault);
            }
            drop(permit);
        });
        while requests.try_join_next().is_some() {}
    }
    requests.join_all().await;
}

async fn start(home: &Home, address: &str) -> Program {
    let listen = ["--listen", address];
    home.start_with(&[&DRAIN[..], &listen].concat()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_behind_a_load_balancer_fails_no_request() {
    let home = Home::new().await;
    if !home.on_postgres() {
        // Two instances need a database server.
        return;
    }
    let per_second = number("STEWARD_TEST_REQUESTS_PER_SECOND", 50);
    let mut instances = Vec::new();
    for _ in 0..2 {
        instances.push(start(&home, "127.0.0.1:0").await);
    }
    let port = free_port();
    let balancer = start_balancer(&home, port, &instances.iter().collect::<Vec<_>>());
    let client = Client::new(&format!("127.0.0.1:{port}"), Some(ADMIN_KEY));
    within(async {
        loop {
            let attempt = client.attempt(Method::GET, "/readyz", None).await;
            if attempt.is_ok_and(|answer| answer.status == 200) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;

    let load = Load::start(client, per_second);
    load.more(per_second).await;
    for _ in 0..instances.len() {
        let oldest = instances.remove(0);
        let address = oldest.address.clone();
        oldest.stop().await.ok();
        let again = start(&home, &address).await;
        serves_requests(&again).await;
        instances.push(again);
    }
    load.more(per_second).await;
    let (answered, failed) = load.end().await;
    drop(balancer);
    assert_eq!(failed, [""; 0], "of {answered} requests");
}

/// Resolves when the load balancer sends it requests again.
async fn serves_requests(instance: &Program) {
    within(async {
        loop {
            let metrics = instance.anonymous().get("/metrics").await;
            let served = "steward_http_requests_total{method=\"GET\",route=\"/api/roles\"";
            if metrics.text.contains(served) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}
