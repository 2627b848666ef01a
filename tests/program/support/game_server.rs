use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rcon::testing::{Behaviour, Server};
use serde_json::{Value, json};
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::task::JoinHandle;

const PASSWORD: &str = "hunter2";

/// A game server on loopback that accepts RCON and answers queries. It goes down and comes back on
/// demand.
pub struct GameServer {
    ip: Ipv4Addr,
    query_port: u16,
    console: Server,
    is_up: Arc<AtomicBool>,
    queries: JoinHandle<()>,
}

impl Drop for GameServer {
    fn drop(&mut self) {
        self.queries.abort();
    }
}

impl GameServer {
    /// At 127.0.0.`number`.
    pub async fn start(number: u8) -> Self {
        let ip = Ipv4Addr::new(127, 0, 0, number);
        let console = Server::start_on((ip, 0).into(), PASSWORD, Behaviour::Valve).await;
        let socket = UdpSocket::bind((ip, 0)).await.expect("a port");
        let query_port = socket.local_addr().expect("an address").port();
        let is_up = Arc::new(AtomicBool::new(true));
        let queries = tokio::spawn(answer_queries(socket, Arc::clone(&is_up)));
        Self {
            ip,
            query_port,
            console: console.expect("a port"),
            is_up,
            queries,
        }
    }

    /// The body that creates it.
    pub fn body(&self) -> Value {
        json!({
            "name": "Game", "ip": self.ip.to_string(), "port": self.console.address().port(),
            "query_port": self.query_port, "game": "cs2", "rcon_password": PASSWORD,
        })
    }

    /// Changes how the console treats new connections. Only a server that is up answers queries.
    pub fn behave(&self, behaviour: Behaviour) {
        self.console.behave(behaviour);
        self.is_up
            .store(behaviour == Behaviour::Valve, Ordering::SeqCst);
    }

    pub fn is_up(&self) -> bool {
        self.is_up.load(Ordering::SeqCst)
    }

    /// All commands that the console has received, in order.
    pub fn commands(&self) -> Vec<String> {
        self.console.commands()
    }

    /// Tells when the console receives more commands.
    pub fn received(&self) -> watch::Receiver<Vec<String>> {
        self.console.received()
    }

    pub async fn wait_for_commands(&self, count: usize) {
        self.console.wait_for_commands(count).await;
    }
}

async fn answer_queries(socket: UdpSocket, is_up: Arc<AtomicBool>) {
    let mut question = [0; 2048];
    while let Ok((_, peer)) = socket.recv_from(&mut question).await {
        if !is_up.load(Ordering::SeqCst) {
            continue;
        }
        let answer: &[u8] = match question[4] {
            b'T' => {
                b"\xff\xff\xff\xffI\x11Game\0de_dust2\0cs2\0CS2\0\xda\x02\0\x0c\0dl\0\x011.40\0\0"
            }
            // An empty list of players.
            _ => b"\xff\xff\xff\xffD\0",
        };
        let _ = socket.send_to(answer, peer).await;
    }
}
