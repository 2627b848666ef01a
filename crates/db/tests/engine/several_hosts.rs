//! Several PostgreSQL servers in one URL. SQLite has no servers.

use std::time::{Duration, Instant};

use db::testing::PostgresServer;
use db::{Db, Error, Options, Result};
use futures_util::future::join_all;

use crate::support::{create, eventually, put, stored, within};

/// Shared by the servers of a URL, and enough for each of them on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

async fn write(db: &Db, id: i64) -> Result<()> {
    let mut tx = db.begin().await?;
    put(&mut tx, id).await?;
    tx.commit().await
}

fn url(ports: &[u16]) -> String {
    let hosts: Vec<_> = ports.iter().map(|p| format!("127.0.0.1:{p}")).collect();
    let hosts = hosts.join(",");
    format!("postgres://steward@{hosts}/postgres?target_session_attrs=read-write")
}

async fn open(url: &str, timeout: Duration) -> Result<Db> {
    let options = Options {
        timeout,
        ..Options::default()
    };
    Db::open(&url.parse()?, &options).await
}

/// A server that accepts connections and never answers, until it is dropped.
async fn silent_server() -> (tokio::net::TcpListener, u16) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

/// Two servers with the same table, of which the second is read-only.
fn primary_and_read_only() -> Option<[PostgresServer; 2]> {
    let mut first = PostgresServer::create()?;
    let mut second = PostgresServer::create()?;
    set_read_only(&second, true);
    first.start();
    second.start();
    Some([first, second])
}

fn set_read_only(server: &PostgresServer, is_read_only: bool) {
    server.configure(&format!("default_transaction_read_only = {is_read_only}"));
}

async fn create_items(server: &PostgresServer) {
    let options = "options=-c%20default_transaction_read_only%3Doff";
    let url = format!("{}?{options}", server.url());
    let db = open(&url, TIMEOUT).await;
    let db = db.expect("the server answers");
    db.migrate(0).await.expect("the schema is created");
    create(&db, "CREATE TABLE items (id ID PRIMARY KEY)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_go_to_the_new_primary_when_the_old_one_becomes_read_only_or_dies() {
    let Some([mut first, mut second]) = primary_and_read_only() else {
        return;
    };
    create_items(&first).await;
    create_items(&second).await;
    // One host refuses connections, and one does not answer.
    let (_silent, silent) = silent_server().await;
    let hosts = url(&[1, silent, second.port(), first.port()]);
    let db = within(open(&hosts, TIMEOUT)).await;
    let db = db.expect("one of them is a primary");
    // Open many connections, each of which could fail once.
    let held = within(join_all((0..8).map(|_| db.begin()))).await;
    let mut in_use = held.into_iter().next().expect("one").expect("begun");
    within(write(&db, 1)).await.expect("written");
    let is_known = || db.changes("roles").expect("readable").is_some();
    eventually("the channel is up", is_known).await;

    set_read_only(&first, true);
    set_read_only(&second, false);
    first.reload();
    second.reload();
    // The server accepts writes until it has reloaded its configuration.
    let mut id = 2;
    let error = loop {
        match within(write(&db, id)).await {
            Ok(()) => id += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::NotWritable(_)), "{error:?}");
    in_use.execute("SELECT 1", &[]).await.expect("still open");
    drop(in_use);
    for outcome in within(join_all((100..120).map(|id| write(&db, id)))).await {
        outcome.expect("written by the new primary");
    }
    assert_eq!(stored(&db).await, (100..120).collect::<Vec<_>>());
    eventually("the channel leads to the new primary", is_known).await;
    let mut tx = within(db.begin()).await.expect("begun");
    tx.announce("roles").await.expect("announced");
    within(tx.commit()).await.expect("committed");
    eventually("its announcements arrive", || {
        let version = db.changes("roles").expect("readable");
        version.is_some_and(|version| version.counter() == 1)
    })
    .await;

    set_read_only(&first, false);
    first.reload();
    second.kill();
    let started = Instant::now();
    while let Err(error) = write(&db, 200).await {
        let may_pass = matches!(
            error,
            Error::Unreachable(_) | Error::OutcomeUnknown(_) | Error::NotWritable(_) | Error::Busy
        );
        assert!(may_pass, "{error:?}");
        assert!(started.elapsed() < Duration::from_secs(60), "{error:?}");
    }
    assert!(stored(&db).await.contains(&1), "by the first server again");
    first.stop();
    let error = write(&db, 300).await.expect_err("there is no server");
    assert!(
        matches!(error, Error::Unreachable(_)),
        "surely not written: {error:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_that_accepts_writes_nothing_opens() {
    let Some([mut first, second]) = primary_and_read_only() else {
        return;
    };
    first.kill();
    let hosts = url(&[first.port(), second.port()]);
    let error = open(&hosts, TIMEOUT).await.err();
    let error = error.expect("no primary");
    assert!(matches!(error, Error::Unreachable(_)), "{error:?}");
    let (_silent, silent) = silent_server().await;
    let error = open(&url(&[silent]), Duration::from_secs(1)).await.err();
    let error = error.expect("no answer");
    assert!(matches!(error, Error::Unreachable(_)), "{error:?}");
    // Several hosts imply read-write by default.
    let any = hosts.replace("=read-write", "=any");
    within(open(&any, TIMEOUT)).await.expect("any server");
}

/// The server waits for the standby without a time limit. Only this side gives up.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_no_standby_confirms_is_outcome_unknown() {
    let Some(mut server) = PostgresServer::create() else {
        return;
    };
    server.start();
    let db = open(&server.url(), Duration::from_secs(5)).await;
    let db = db.expect("the server answers");
    create(&db, "CREATE TABLE items (id ID PRIMARY KEY)").await;
    server.configure("synchronous_standby_names = 'standby'");
    server.reload();
    let mut id = 0;
    let started = Instant::now();
    let outcome = loop {
        id += 1;
        let outcome = within(write(&db, id)).await;
        // The server needs no standby until it has reloaded its configuration.
        if outcome.is_err() || started.elapsed() > Duration::from_secs(30) {
            break outcome;
        }
    };
    assert!(
        matches!(outcome, Err(Error::OutcomeUnknown(_))),
        "{outcome:?}"
    );
    server.configure("synchronous_standby_names = ''");
    server.reload();
    // One whose answer was late is written already.
    let mut next = id;
    within(async {
        loop {
            next += 1;
            if write(&db, next).await.is_ok() {
                break;
            }
        }
    })
    .await;
    // In this test it was written.
    assert!(stored(&db).await.contains(&id));
}
