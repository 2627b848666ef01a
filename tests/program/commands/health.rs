use db::testing::Authority;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::Home;

#[tokio::test]
async fn health_succeeds_while_the_service_is_ready_and_fails_afterwards() {
    let home = Home::new().await;
    let service = home.start().await;
    let address = service.address.clone();
    let ended = home.run(&["health", "--listen", &address]).await;
    assert_eq!(ended.ok(), "ready\n");
    service.stop().await.ok();
    let ended = home.run(&["health", "--listen", &address]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let words = format!("the service at http://{address} is not ready: Connection refused");
    assert!(ended.stderr.contains(&words), "{ended:?}");
}

#[tokio::test]
async fn health_asks_over_https_if_the_service_has_a_certificate() {
    let home = Home::new().await;
    Authority::new("Own")
        .issue("steward.example.com")
        .write(home.folder(), "tls");
    let tls = ["--tls-cert", "tls.crt", "--tls-key", "tls.key"];
    let service = home.start_with(&tls).await;
    let words = [&["health", "--listen", &service.address][..], &tls].concat();
    assert_eq!(home.run(&words).await.ok(), "ready\n");
    let ended = home.run(&words[..3]).await;
    assert_eq!(ended.code, Some(1), "plain HTTP is no answer: {ended:?}");
    service.stop().await.ok();
}

#[tokio::test]
async fn health_fails_if_the_service_is_not_ready() {
    let home = Home::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let answer = async {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut head = [0; 11];
        stream.read_exact(&mut head).await.expect("a request");
        assert_eq!(&head, b"GET /readyz");
        let reply = b"HTTP/1.1 503 Service Unavailable\r\n\r\n";
        stream.write_all(reply).await.expect("written");
    };
    let words = ["health", "--listen", &address];
    let (ended, ()) = tokio::join!(home.run(&words), answer);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("/readyz answers 503"), "{ended:?}");
    let ended = home.run(&["health", "--listen", "127.0.0.1:0"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("--listen has no port"), "{ended:?}");
}
