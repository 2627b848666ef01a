//! Game servers for tests, on loopback: they speak A2S and misbehave on demand.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How a server answers queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Answers at once.
    Plain,
    /// Answers at once, with a name that holds no control characters.
    Tidy,
    /// Demands a challenge first.
    Challenge,
    /// Demands challenges forever.
    EndlessChallenge,
    /// Answers in several small packets.
    Split,
    /// In several packets, the last one first and one of them twice.
    SplitInDisorder,
    /// In one packet, compressed.
    Compressed,
    /// In several packets of a compressed answer.
    SplitCompressed,
    /// In one packet that claims to decompress to gigabytes.
    DecompressionBomb,
    Garbage,
    Empty,
    Truncated,
    /// Answers from another address.
    WrongAddress,
    Silent,
    /// Answers with 1 MiB.
    Huge,
    /// Sends small packets with pauses.
    Slow,
    /// Answers, but not with the list of players.
    WithoutPlayers,
}

/// Runs until it is dropped.
pub struct GameServer {
    pub address: SocketAddr,
    received: Arc<AtomicUsize>,
    players: Arc<AtomicU64>,
    held: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Drop for GameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The name, score and time of a player.
fn player(number: u64) -> (String, i32, f32) {
    (format!("Player {number}"), number as i32 * 3 - 1, 61.5)
}

impl GameServer {
    pub async fn start(behaviour: Behaviour) -> Self {
        Self::start_at(Ipv4Addr::LOCALHOST, behaviour).await
    }

    pub async fn start_at(ip: Ipv4Addr, behaviour: Behaviour) -> Self {
        let started = Self::start_on((ip, 0).into(), behaviour).await;
        started.expect("a free port")
    }

    /// At exactly this address, if it is free.
    pub async fn start_on(address: SocketAddr, behaviour: Behaviour) -> Option<Self> {
        let socket = UdpSocket::bind(address).await.ok()?;
        let address = socket.local_addr().expect("an address");
        let received = Arc::new(AtomicUsize::new(0));
        let players = Arc::new(AtomicU64::new(3));
        let (held, is_held) = watch::channel(false);
        let game = Game {
            socket,
            behaviour,
            players: Arc::clone(&players),
            is_held,
        };
        let task = tokio::spawn(game.serve(Arc::clone(&received)));
        Some(Self {
            address,
            received,
            players,
            held,
            task,
        })
    }

    /// How many packets arrived.
    pub fn received(&self) -> usize {
        self.received.load(Ordering::SeqCst)
    }

    pub fn has_players(&self, count: u64) {
        self.players.store(count, Ordering::SeqCst);
    }

    /// Answers nothing until `release`.
    pub fn hold(&self) {
        self.held.send_replace(true);
    }

    pub fn release(&self) {
        self.held.send_replace(false);
    }

    /// Whether it answers a query at this moment.
    pub async fn answers(&self) -> bool {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let socket = socket.expect("a free port");
        let question = b"\xff\xff\xff\xffTSource Engine Query\0";
        let _ = socket.send_to(question, self.address).await;
        let mut answer = [0; 2048];
        let answering = socket.recv_from(&mut answer);
        let answered = tokio::time::timeout(Duration::from_millis(100), answering).await;
        answered.is_ok()
    }

    /// The body that creates it.
    pub fn body(&self) -> Value {
        json!({
            "name": "Test", "ip": self.address.ip().to_string(), "port": self.address.port(),
            "game": "cs2", "rcon_password": "hunter2",
        })
    }
}

struct Game {
    socket: UdpSocket,
    behaviour: Behaviour,
    players: Arc<AtomicU64>,
    is_held: watch::Receiver<bool>,
}

const CHALLENGE: [u8; 4] = [1, 2, 3, 4];

impl Game {
    async fn serve(mut self, received: Arc<AtomicUsize>) {
        let mut buffer = [0; 2048];
        loop {
            let Ok((size, peer)) = self.socket.recv_from(&mut buffer).await else {
                continue;
            };
            received.fetch_add(1, Ordering::SeqCst);
            let _ = self.is_held.wait_for(|held| !held).await;
            self.answer(&buffer[..size], peer).await;
        }
    }

    async fn answer(&self, question: &[u8], peer: SocketAddr) {
        let answer = match question.get(4) {
            Some(b'T') => self.info(),
            Some(b'U') if self.behaviour == Behaviour::WithoutPlayers => return,
            Some(b'U') if !question.ends_with(&CHALLENGE) => challenge(),
            Some(b'U') => self.list(),
            _ => return,
        };
        let say = async |packet: &[u8]| drop(self.socket.send_to(packet, peer).await);
        let is_info = question.get(4) == Some(&b'T');
        match self.behaviour {
            Behaviour::Plain | Behaviour::Tidy | Behaviour::WithoutPlayers => say(&answer).await,
            Behaviour::Challenge if is_info && !question.ends_with(&CHALLENGE) => {
                say(&challenge()).await;
            }
            Behaviour::Challenge => say(&answer).await,
            Behaviour::EndlessChallenge => say(&challenge()).await,
            Behaviour::Split => {
                for part in split(&answer, 9, 40) {
                    say(&part).await;
                }
            }
            Behaviour::SplitInDisorder => {
                let parts = split(&answer, 9, 10);
                say(&parts[parts.len() / 2]).await;
                for part in parts.iter().rev() {
                    say(part).await;
                }
            }
            Behaviour::Compressed => {
                say(&split(&compress(&answer), COMPRESSED, 60_000)[0]).await;
            }
            Behaviour::SplitCompressed => {
                for part in split(&compress(&answer), COMPRESSED, 30) {
                    say(&part).await;
                }
            }
            Behaviour::DecompressionBomb => {
                let mut bomb = compress(&answer);
                bomb[..4].copy_from_slice(&u32::MAX.to_le_bytes());
                say(&split(&bomb, COMPRESSED, 60_000)[0]).await;
            }
            Behaviour::Garbage => say(b"HTTP/1.1 400 Bad Request\r\n\r\n").await,
            Behaviour::Empty => say(b"").await,
            Behaviour::Truncated => say(&answer[..12]).await,
            Behaviour::WrongAddress => {
                let other = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await;
                let _ = other.expect("a free port").send_to(&answer, peer).await;
            }
            Behaviour::Silent => {}
            Behaviour::Huge => {
                for part in split(&answer, 9, 4084) {
                    say(&part).await;
                    // Loopback drops packets that the receiver has no room for.
                    tokio::time::sleep(Duration::from_millis(3)).await;
                }
            }
            Behaviour::Slow => {
                let small = answer.len() / 12 + 1;
                for part in split(&answer, 9, small) {
                    say(&part).await;
                    tokio::time::sleep(Duration::from_millis(250)).await;
                }
            }
        }
    }

    fn info(&self) -> Vec<u8> {
        let players = self.players.load(Ordering::SeqCst) as u8;
        let mut info = b"\xff\xff\xff\xffI\x11".to_vec();
        let name = match self.behaviour {
            Behaviour::Tidy => "Dust II",
            _ => "Test\u{1b}[31m server",
        };
        for text in [name, "de_dust2", "csgo", "Counter-Strike 2"] {
            info.extend(text.as_bytes());
            info.push(0);
        }
        info.extend([0xda, 0x02, players, 12, 0, b'd', b'l', 0, 1]);
        info.extend(b"1.40.1\0\0");
        if self.behaviour == Behaviour::Huge {
            info.resize(1 << 20, 0);
        }
        info
    }

    fn list(&self) -> Vec<u8> {
        let count = self.players.load(Ordering::SeqCst);
        let mut list = b"\xff\xff\xff\xffD".to_vec();
        list.push(count as u8);
        for number in 0..count {
            let (name, score, seconds) = player(number);
            list.push(0);
            list.extend(name.as_bytes());
            list.push(0);
            list.extend(score.to_le_bytes());
            list.extend(seconds.to_le_bytes());
        }
        list
    }
}

fn challenge() -> Vec<u8> {
    [b"\xff\xff\xff\xffA", &CHALLENGE[..]].concat()
}

/// The highest bit marks compression; python-a2s reads another bit, so both are set.
const COMPRESSED: u32 = 1 << 31 | 1 << 15 | 7;

/// At most 255 packets, so the first packet of a long answer is longer.
fn split(answer: &[u8], id: u32, size: usize) -> Vec<Vec<u8>> {
    let (first, rest) = answer.split_at(
        size.max(answer.len().saturating_sub(254 * size))
            .min(answer.len()),
    );
    let parts: Vec<&[u8]> = std::iter::once(first).chain(rest.chunks(size)).collect();
    let numbered = parts.iter().enumerate().map(|(number, part)| {
        let mut packet = b"\xfe\xff\xff\xff".to_vec();
        packet.extend(id.to_le_bytes());
        packet.extend([parts.len() as u8, number as u8]);
        packet.extend((size as u16).to_le_bytes());
        packet.extend(*part);
        packet
    });
    numbered.collect()
}

/// Preceded by the size and the checksum.
fn compress(answer: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = bzip2::read::BzEncoder::new(answer, bzip2::Compression::best());
    std::io::Read::read_to_end(&mut encoder, &mut packed).expect("it is compressed");
    let size = (answer.len() as u32).to_le_bytes();
    let checksum = crc32fast::hash(answer).to_le_bytes();
    [&size[..], &checksum, &packed].concat()
}
