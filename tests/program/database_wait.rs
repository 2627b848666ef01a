//! At the start the service waits for a database server that cannot be reached yet.

use std::io::copy;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use db::testing::free_port;

use crate::support::{ADMIN_KEY, Home};

fn forward(from: TcpStream, to: TcpStream) {
    let both = [
        (from.try_clone(), to.try_clone()),
        (to.try_clone(), from.try_clone()),
    ];
    for (from, to) in both {
        let (mut from, mut to) = (from.expect("a socket"), to.expect("a socket"));
        std::thread::spawn(move || {
            let _ = copy(&mut from, &mut to);
            let _ = to.shutdown(std::net::Shutdown::Both);
        });
    }
}

#[tokio::test]
async fn the_start_waits_for_its_database_and_says_so() {
    let home = Home::new().await;
    if !home.on_postgres() {
        return;
    }
    let url = home.database_url();
    let (before, rest) = url.split_once('@').expect("a user");
    let (server, name) = rest.split_once('/').expect("a database");
    let port = free_port();
    let elsewhere = format!("{before}@127.0.0.1:{port}/{name}");
    let mut program = home
        .bare(&["--listen", "127.0.0.1:0", "--log-format", "json"])
        .env("STEWARD_DATABASE_URL", &elsewhere)
        .env("STEWARD_ADMIN_KEY", ADMIN_KEY)
        .spawn();
    let waiting = |text: &str| text.contains("waiting for the database at").then_some(());
    program.wait_for_stderr(waiting).await;

    let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port");
    let server = server.to_owned();
    std::thread::spawn(move || {
        while let Ok((client, _)) = listener.accept() {
            forward(client, TcpStream::connect(&server).expect("the server"));
        }
    });
    let program = program.ready().await;
    let answer = program.admin().get("/api/status").await;
    assert_eq!(answer.status, 200);
    program.stop().await.ok();
}

#[tokio::test]
async fn the_start_fails_when_database_wait_is_over() {
    let home = Home::new().await;
    let url = format!("postgres://steward@127.0.0.1:{}/steward", free_port());
    let started = Instant::now();
    let args = ["--database-url", &url, "--database-wait", "1"];
    let ended = home.bare(&args).end().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.stderr.contains("waiting for the database at"),
        "{ended:?}"
    );
    assert!(ended.stderr.contains("cannot be reached"), "{ended:?}");
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn an_unknown_database_or_role_fails_at_once() {
    let home = Home::new().await;
    if !home.on_postgres() {
        return;
    }
    let url = home.database_url();
    let (_, name) = url.rsplit_once('/').expect("a database");
    let unknown = [
        url.replace(name, "no_such_database"),
        url.replace("steward@", "no_such_role@"),
    ];
    for url in unknown {
        let ended = home.bare(&["--database-url", &url]).end().await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains("refused the connection"), "{ended:?}");
        assert!(!ended.stderr.contains("waiting"), "{ended:?}");
    }
}
