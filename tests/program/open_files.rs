//! Connections and the limit of open files.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{ADMIN_KEY, Home, Program, within};

const REQUEST: &[u8] = b"GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n";
/// Without a key, and with a connection.
const ANSWERED: &str = "HTTP/1.1 401 Unauthorized";

/// Sends a request and returns the first line of the answer; an empty one if there is none.
async fn status_line(stream: &mut TcpStream) -> String {
    let mut answer = [0; 1024];
    let sent = stream.write_all(REQUEST).await;
    let read = within(stream.read(&mut answer)).await;
    let size = sent.and(read).unwrap_or(0);
    let text = String::from_utf8_lossy(&answer[..size]).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

async fn connect(service: &Program) -> TcpStream {
    let stream = within(TcpStream::connect(&service.address)).await;
    stream.expect("a connection")
}

#[tokio::test]
async fn the_soft_limit_of_open_files_is_raised_to_the_hard_one() {
    let home = Home::new().await;
    let call = home.steward(&[]).env("STEWARD_ADMIN_KEY", ADMIN_KEY);
    let service = call.with_open_files(256, 1000).serve().await;
    assert_eq!(service.open_files_limit(), 1000);
    service.stop().await.ok();
}

#[tokio::test]
async fn with_few_open_files_a_connection_above_the_limit_gets_503_and_does_not_hang() {
    let home = Home::new().await;
    // The open files allow fewer connections than the options.
    let args = ["--max-connections-per-address", "100000"];
    let call = home.steward(&args).env("STEWARD_ADMIN_KEY", ADMIN_KEY);
    let mut service = call.with_open_files(256, 256).serve().await;
    let warning = service
        .logged(|line| line["level"] == "WARN" && line["open_files"] == 256)
        .await;
    let connections = warning["connections"].as_u64().expect("a number") as usize;
    assert_eq!(warning["wanted"], 1024);

    let mut held = Vec::new();
    for _ in 0..connections {
        let mut stream = connect(&service).await;
        assert_eq!(status_line(&mut stream).await, ANSWERED);
        held.push(stream);
    }
    for _ in 0..20 {
        let mut stream = connect(&service).await;
        let line = status_line(&mut stream).await;
        assert_eq!(line, "HTTP/1.1 503 Service Unavailable");
    }
    // Open connections are still served, even if the request needs the database.
    let request = format!(
        "GET /api/roles HTTP/1.1\r\nHost: x\r\nX-API-Key: {ADMIN_KEY}\r\n\
         Connection: close\r\n\r\n"
    );
    let mut stream = held.pop().expect("a connection");
    stream.write_all(request.as_bytes()).await.expect("open");
    let mut answer = String::new();
    within(stream.read_to_string(&mut answer))
        .await
        .expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");

    drop(held);
    let free = async {
        while status_line(&mut connect(&service).await).await != ANSWERED {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within(free).await;
    service.stop().await.ok();
}

#[tokio::test]
async fn too_few_open_files_are_refused_at_the_start() {
    let home = Home::new().await;
    let ended = home.steward(&[]).with_open_files(100, 100).end().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("LimitNOFILE="), "{ended:?}");
}
