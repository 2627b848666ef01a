//! Standard error is a pipe that is not read, as with a log collector that hangs.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{ADMIN_KEY, Client, Home, program_path, within};

const CLIENTS: usize = 8;
const REQUESTS_PER_CLIENT: usize = 1000;
const PAUSE: Duration = Duration::from_millis(100);

/// The longest id that is allowed, so that fewer requests fill the queue.
const LONG_ID: &str = "stalled.stalled.stalled.stalled.stalled.stalled.stalled.stalled.";

#[tokio::test]
async fn requests_are_answered_while_standard_error_is_not_read_and_logged_again_afterwards() {
    let home = Home::new().await;
    let mut service = Service::start(&home);
    let admin = Client::new(&service.address, Some(ADMIN_KEY));
    send_requests(&admin.with("X-Request-Id", LONG_ID)).await;

    let metrics = within(admin.get("/metrics")).await.text;
    let dropped = dropped_lines(&metrics);
    assert!(dropped > 0, "{metrics}");
    let mut sent = (CLIENTS * REQUESTS_PER_CLIENT) as u64 + 1;

    let mut log = service.read_stderr();
    let mut lines: Vec<Value> = Vec::new();
    let last = admin.with("X-Request-Id", "after-the-stall");
    // Repeated, since the line is dropped while the queue is still full.
    while !lines
        .iter()
        .any(|line| line["client_request_id"] == "after-the-stall")
    {
        within(last.get("/api/status")).await.ok();
        sent += 1;
        while let Ok(line) = timeout(PAUSE, log.recv()).await {
            lines.push(line.expect("the service runs"));
        }
    }
    service.terminate();
    while let Some(line) = within(log.recv()).await {
        lines.push(line);
    }
    assert!(service.exits_successfully().await);

    let requests = lines.iter().filter(|line| line["target"] == "request");
    let logged = requests.count() as u64;
    let warnings = lines.iter().filter(|line| line["level"] == "WARN");
    let warned: u64 = warnings.filter_map(|line| line["lines"].as_u64()).sum();
    assert!(warned >= dropped, "warned of {warned} of {dropped}");
    assert_eq!(logged + warned, sent, "each is logged or counted");
    let message = lines.last().map(|line| &line["message"]);
    assert_eq!(message, Some(&Value::from("stopped")));
}

#[tokio::test]
async fn sigterm_stops_the_service_while_standard_error_is_not_read() {
    let home = Home::new().await;
    let mut service = Service::start(&home);
    let admin = Client::new(&service.address, Some(ADMIN_KEY));
    send_requests(&admin.with("X-Request-Id", LONG_ID)).await;
    service.terminate();
    assert!(service.exits_successfully().await);
}

async fn send_requests(client: &Client) {
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let client = client.clone();
        clients.spawn(async move {
            for _ in 0..REQUESTS_PER_CLIENT {
                within(client.get("/api/status")).await.ok();
            }
        });
    }
    clients.join_all().await;
}

fn dropped_lines(metrics: &str) -> u64 {
    let mut lines = metrics.lines();
    let value = lines.find_map(|line| line.strip_prefix("steward_log_lines_dropped_total "));
    value.expect("the metric").parse().expect("a number")
}

/// The service, with a standard error that is read only on request.
struct Service {
    process: Child,
    address: String,
    stderr: Option<ChildStderr>,
}

impl Service {
    fn start(home: &Home) -> Self {
        let mut command = Command::new(program_path());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("STEWARD_") {
                command.env_remove(name);
            }
        }
        let mut process = command
            .current_dir(home.folder())
            .env("STEWARD_LISTEN", "127.0.0.1:0")
            .env("STEWARD_SERVER_QUERY", "off")
            .env("STEWARD_ADMIN_KEY", ADMIN_KEY)
            .env("STEWARD_DATABASE_URL", home.database_url())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let stdout = BufReader::new(process.stdout.take().expect("a pipe"));
        let line = stdout.lines().next().expect("a line").expect("text");
        let address = line.strip_prefix("listening on http://");
        Self {
            address: address.expect("the address").to_owned(),
            stderr: process.stderr.take(),
            process,
        }
    }

    fn read_stderr(&mut self) -> mpsc::UnboundedReceiver<Value> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let stderr = self.stderr.take().expect("not read yet");
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).expect("whole lines of JSON");
                let _ = sender.send(line);
            }
        });
        receiver
    }

    fn terminate(&self) {
        let kill = format!("kill -TERM {}", self.process.id());
        let sent = Command::new("sh").args(["-c", &kill]).status();
        assert!(sent.expect("a shell").success());
    }

    async fn exits_successfully(&mut self) -> bool {
        let started = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().expect("a child") {
                return status.success();
            }
            assert!(started.elapsed().as_secs() < 120, "it still runs");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
