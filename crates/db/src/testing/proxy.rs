//! A TCP proxy in front of a PostgreSQL server, which can lose connections and answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// Forwards connections, unless one of its methods says otherwise.
pub struct Proxy {
    pub(super) url: String,
    orders: Arc<Orders>,
}

#[derive(Default)]
struct Orders {
    /// The number of connections accepted so far.
    accepted: AtomicU64,
    /// Connections below this number are silent.
    silent: AtomicU64,
    loses_commit: AtomicBool,
    /// The delay of answers to connections that listen for notifications, in milliseconds.
    listener_delay: AtomicU64,
}

impl Proxy {
    /// Starts a proxy for `url`, which has a host and a port.
    pub(super) async fn start(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").expect("a URL");
        let (user, rest) = rest.split_once('@').expect("a user");
        let (server, database) = rest.split_once('/').expect("a database");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let orders = Arc::new(Orders::default());
        tokio::spawn(accept(listener, server.to_owned(), Arc::clone(&orders)));
        Self {
            url: format!("{scheme}://{user}@{address}/{database}"),
            orders,
        }
    }

    /// Stops forwarding on existing connections, and leaves them open. New ones are served.
    pub fn silence_existing(&self) {
        let accepted = self.orders.accepted.load(Ordering::SeqCst);
        self.orders.silent.store(accepted, Ordering::SeqCst);
    }

    /// Stops forwarding on all connections, now and later.
    pub fn silence(&self) {
        self.orders.silent.store(u64::MAX, Ordering::SeqCst);
    }

    /// Forwards the next `COMMIT`, then closes its connection instead of forwarding the answer.
    pub fn lose_next_answer_to_commit(&self) {
        self.orders.loses_commit.store(true, Ordering::SeqCst);
    }

    /// Forwards notifications, and all other answers on connections that listen for them, this much
    /// later.
    pub fn delay_notifications(&self, delay: Duration) {
        let millis = u64::try_from(delay.as_millis()).expect("a short delay");
        self.orders.listener_delay.store(millis, Ordering::SeqCst);
    }
}

async fn accept(listener: TcpListener, server: String, orders: Arc<Orders>) {
    while let Ok((client, _)) = listener.accept().await {
        let number = orders.accepted.fetch_add(1, Ordering::SeqCst);
        let Ok(server) = TcpStream::connect(&server).await else {
            continue;
        };
        let _ = client.set_nodelay(true);
        let _ = server.set_nodelay(true);
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let requests = Direction {
            number,
            orders: Arc::clone(&orders),
            is_lost: Arc::default(),
            is_listener: Arc::default(),
            is_request: true,
        };
        let answers = Direction {
            is_request: false,
            ..requests.clone()
        };
        tokio::spawn(requests.forward(from_client, to_server));
        tokio::spawn(answers.forward(from_server, to_client));
    }
}

#[derive(Clone)]
struct Direction {
    number: u64,
    orders: Arc<Orders>,
    /// Whether the next answer will be lost.
    is_lost: Arc<AtomicBool>,
    /// Whether the client listens for notifications.
    is_listener: Arc<AtomicBool>,
    is_request: bool,
}

impl Direction {
    async fn forward(self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let Ok(length @ 1..) = from.read(&mut buffer).await else {
                return;
            };
            if self.number < self.orders.silent.load(Ordering::SeqCst) {
                // Keep both sockets open.
                std::future::pending::<()>().await;
            }
            let message = &buffer[..length];
            if self.is_request && contains(message, b"LISTEN ") {
                self.is_listener.store(true, Ordering::SeqCst);
            }
            if self.is_request && contains(message, b"COMMIT\0") {
                let is_lost = self.orders.loses_commit.swap(false, Ordering::SeqCst);
                self.is_lost.store(is_lost, Ordering::SeqCst);
            }
            if !self.is_request && self.is_lost.load(Ordering::SeqCst) {
                return;
            }
            if !self.is_request && self.is_listener.load(Ordering::SeqCst) {
                let millis = self.orders.listener_delay.load(Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(millis)).await;
            }
            if to.write_all(message).await.is_err() {
                return;
            }
        }
    }
}

fn contains(message: &[u8], text: &[u8]) -> bool {
    message.windows(text.len()).any(|part| part == text)
}
