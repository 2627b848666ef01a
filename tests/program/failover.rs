//! The PostgreSQL primary is killed under load, and its synchronous standby takes over. The servers
//! and the URL are set up as docs/operations.md describes. SQLite has no standby.
//!
//! `STEWARD_FAILOVERS` and `STEWARD_FAILOVER_WRITES` make it longer: how many failovers, and how many
//! acknowledged writes before each. `STEWARD_FAILOVER_SECONDS` is the most from the promotion of the
//! standby to the first write; on a busy machine it is more than on a quiet one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use db::testing::{Authority, PostgresServer};
use db::{Db, Options};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::{ADMIN_KEY, Call, Client, Program, stored_roles};

const WRITERS: usize = 8;
/// How long the standby is cut off before the primary is killed.
const OUTAGE: Duration = Duration::from_millis(300);
const RETRY: Duration = Duration::from_millis(20);
/// How long anything else may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn setting(name: &str, default: usize) -> usize {
    let value = std::env::var(name).ok();
    value.map_or(default, |value| value.parse().expect("a number"))
}

/// A primary, a synchronous standby, and the authority of their certificates.
struct Cluster {
    primary: PostgresServer,
    standby: PostgresServer,
    files: TempDir,
}

impl Cluster {
    /// `None` unless the tests run on PostgreSQL.
    async fn start() -> Option<Self> {
        let mut primary = PostgresServer::create()?;
        let authority = Authority::new("Private");
        let identity = authority.issue("127.0.0.1");
        primary.configure("ssl = on");
        primary.write("server.crt", &identity.certificate);
        primary.write("server.key", &identity.key);
        primary.start();
        let files = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(files.path().join("ca.crt"), authority.certificate()).expect("written");
        let mut cluster = Self {
            standby: primary.new_standby("standby"),
            primary,
            files,
        };
        cluster.follow().await;
        Some(cluster)
    }

    /// The URL that docs/operations.md recommends.
    fn url(&self) -> String {
        let (one, two) = (self.primary.port(), self.standby.port());
        let roots = self.files.path().join("ca.crt");
        format!(
            "postgres://steward@127.0.0.1:{one},127.0.0.1:{two}/postgres\
             ?target_session_attrs=read-write&sslmode=verify-full&sslrootcert={}",
            roots.display()
        )
    }

    async fn database(&self) -> Db {
        let url = self.url().parse().expect("a valid address");
        let db = Db::open(&url, &Options::default()).await;
        db.expect("the primary answers")
    }

    /// Starts the standby and waits until commits wait for it.
    async fn follow(&mut self) {
        // It came with the copy of the primary, and would stop all writes after a promotion.
        self.standby.configure("synchronous_standby_names = ''");
        self.standby.start();
        self.primary.configure("synchronous_standby_names = '*'");
        self.primary.reload();
        let db = self.database().await;
        let sql = "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        until("the standby is synchronous", async || {
            let mut read = db.read().await.expect("a reader");
            let count = read.query_one(sql, &[], |row| row.get::<i64>(0)).await;
            count.expect("readable") == 1
        })
        .await;
    }

    /// The process of the standby that receives what the primary has written.
    async fn receiver(&self) -> i64 {
        let url = self.standby.url().parse().expect("a valid address");
        let standby = Db::open(&url, &Options::default()).await;
        let mut read = standby.expect("it answers").read().await.expect("a reader");
        let sql = "SELECT pid::BIGINT FROM pg_stat_wal_receiver";
        let pid = read.query_one(sql, &[], |row| row.get(0)).await;
        pid.expect("it receives")
    }

    /// Cuts the standby off, kills the primary and promotes the standby. Returns the time of the
    /// promotion.
    async fn fail_over(&mut self) -> Instant {
        // Commits that the standby does not receive would be lost.
        let receiver = self.receiver().await;
        signal(receiver, "STOP");
        tokio::time::sleep(OUTAGE).await;
        self.primary.kill();
        // It ends before it reads what has arrived.
        signal(receiver, "TERM");
        signal(receiver, "CONT");
        self.standby.promote();
        let promoted = Instant::now();
        std::mem::swap(&mut self.primary, &mut self.standby);
        promoted
    }

    /// Brings the killed primary back as the standby of the new one.
    async fn rejoin(&mut self) {
        self.primary.copy_to(&self.standby, "standby");
        self.follow().await;
    }
}

fn signal(process: i64, name: &str) {
    let kill = format!("kill -{name} {process}");
    let sent = std::process::Command::new("sh")
        .args(["-c", &kill])
        .status();
    assert!(sent.expect("a shell").success());
}

async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !done().await {
        assert!(Instant::now() < end, "not in time: {what}");
        tokio::time::sleep(RETRY).await;
    }
}

/// The writes of one writer.
#[derive(Default)]
struct Written {
    /// The names of roles, by id.
    acknowledged: BTreeMap<i64, String>,
    /// Answers that asked for a retry, by code.
    retried: BTreeMap<String, usize>,
}

/// Creates roles, each with its own `Idempotency-Key`, until it is told to stop. Retries each until
/// it is created.
async fn write(
    admin: Client,
    writer: usize,
    count: watch::Sender<usize>,
    stop: watch::Receiver<bool>,
) -> Written {
    let mut written = Written::default();
    for number in 0.. {
        if *stop.borrow() {
            break;
        }
        let name = format!("{writer}/{number}");
        let client = admin.with("Idempotency-Key", &name);
        let body = json!({ "name": name }).to_string();
        loop {
            let attempt = client.attempt(Method::POST, "/api/roles", Some(body.clone()));
            let answer = attempt.await.expect("the service answers");
            if answer.status == 201 {
                let id = answer.created()["role"]["id"].as_i64().expect("an id");
                written.acknowledged.insert(id, name);
                break;
            }
            let code = retry_code(&answer.expect(503));
            *written.retried.entry(code).or_default() += 1;
            tokio::time::sleep(RETRY).await;
        }
        count.send_modify(|count| *count += 1);
    }
    written
}

/// The code of an answer that tells a client to retry.
fn retry_code(answer: &Value) -> String {
    let code = answer["code"].as_str().expect("a code");
    assert!(
        ["unavailable", "busy", "outcome_unknown"].contains(&code),
        "{answer}"
    );
    code.to_owned()
}

/// Waits for this many more writes. Slow ones are fine, as long as there are some.
async fn wait_for(counted: &mut watch::Receiver<usize>, more: usize) {
    let enough = *counted.borrow_and_update() + more;
    while *counted.borrow_and_update() < enough {
        let next = tokio::time::timeout(PATIENCE, counted.changed()).await;
        next.expect("in time").expect("writers go on");
    }
}

async fn start_service(cluster: &Cluster) -> Program {
    Call::new(cluster.files.path(), &["--listen", "127.0.0.1:0"])
        .env("STEWARD_DATABASE_URL", &cluster.url())
        .env("STEWARD_ADMIN_KEY", ADMIN_KEY)
        .env("STEWARD_SERVER_QUERY", "off")
        .serve()
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_loses_and_doubles_no_write_and_writes_go_on_within_10_seconds() {
    let Some(mut cluster) = Cluster::start().await else {
        return;
    };
    let service = start_service(&cluster).await;
    let (count, mut counted) = watch::channel(0);
    let (stop, stopped) = watch::channel(false);
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (count, stopped) = (count.clone(), stopped.clone());
        writers.spawn(write(service.admin(), writer, count, stopped));
    }
    // So that waiting ends if all writers do.
    drop(count);
    let failovers = setting("STEWARD_FAILOVERS", 1);
    let writes = setting("STEWARD_FAILOVER_WRITES", 200);
    let seconds = setting("STEWARD_FAILOVER_SECONDS", 60) as u64;
    let most = Duration::from_secs(seconds);
    let mut slowest = Duration::ZERO;
    for failover in 1..=failovers {
        wait_for(&mut counted, writes).await;
        let promoted = cluster.fail_over().await;
        wait_for(&mut counted, 1).await;
        let first_write = promoted.elapsed();
        assert!(first_write < most, "failover {failover}: {first_write:?}");
        slowest = slowest.max(first_write);
        println!("failover {failover}: the first write came after {first_write:?}");
        cluster.rejoin().await;
    }
    // The rejoined standby confirms these.
    wait_for(&mut counted, WRITERS).await;
    stop.send_replace(true);
    let written = tokio::time::timeout(PATIENCE, writers.join_all()).await;
    let written = written.expect("in time");
    service.stop().await.ok();

    let acknowledged = check(&cluster.database().await, &written).await;
    let mut retried = BTreeMap::<_, usize>::new();
    for (code, count) in written.iter().flat_map(|written| &written.retried) {
        *retried.entry(code).or_default() += count;
    }
    println!(
        "{failovers} failovers, {acknowledged} acknowledged writes, none lost, none doubled; \
         the first write at most {slowest:?} after the promotion; retried {retried:?}"
    );
}

/// Asserts that every acknowledged role is there, and every role once, with one audit entry. Returns
/// how many there are.
async fn check(db: &Db, written: &[Written]) -> usize {
    let roles = stored_roles(db).await;
    let acknowledged = written.iter().flat_map(|written| &written.acknowledged);
    let mut count = 0;
    for (id, name) in acknowledged {
        assert_eq!(roles.get(id), Some(name), "role {id} was acknowledged");
        count += 1;
    }
    assert_eq!(count, roles.len(), "roles that no client knows of");
    count
}
