//! A game server's RCON for tests, well-behaved or not. It listens on loopback only.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::packet::{ANSWER, AUTH, AUTH_ANSWER, COMMAND, Decoder, Packet};

/// How a server behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manners {
    /// As Valve's servers do: answers in packets of 4 KiB, the end given back with one more.
    #[default]
    Valve,
    /// As Minecraft does: what it does not know it calls unknown, under the id it was sent with.
    Minecraft,
    /// Never gives the end back.
    NoEnd,
    /// Says nothing to a command that has no output.
    Quiet,
    /// Everything it writes comes a byte at a time.
    Pieces,
    /// Closes the connection at once.
    HangsUp,
    /// Takes everything and never says a word.
    Silent,
    /// Signs in, and then never says a word.
    SilentLater,
    /// Answers with what is not RCON.
    Garbage,
    /// Closes the connection in the midst of its answer, and of a packet.
    Truncates,
    /// Sends its answer in one packet, however large.
    OnePacket,
    /// A byte now and then, for ever.
    Drips,
    /// Answers without end.
    Endless,
}

/// Listens until it is dropped.
pub struct Server {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// What it answers: `echo TEXT` gives the text, `fill N` gives N bytes, anything else
    /// nothing.
    pub async fn start(password: &str, manners: Manners) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let heard = Arc::default();
        let (password, record) = (password.to_owned(), Arc::clone(&heard));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let connection = Connection {
                    stream,
                    decoder: Decoder::default(),
                    manners,
                    password: password.clone(),
                    heard: Arc::clone(&record),
                };
                // It ends when the client goes away.
                tokio::spawn(connection.serve());
            }
        });
        Ok(Self {
            address,
            heard,
            task,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every command so far, in order.
    pub fn heard(&self) -> Vec<String> {
        let heard = self.heard.lock();
        heard.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Connection {
    stream: TcpStream,
    decoder: Decoder,
    manners: Manners,
    password: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Connection {
    async fn serve(mut self) -> io::Result<()> {
        if self.manners == Manners::HangsUp {
            return Ok(());
        }
        let mut signed_in = false;
        loop {
            let packet = self.receive().await?;
            match (self.manners, packet.kind) {
                (Manners::Silent, _) => {}
                (Manners::Garbage, _) => {
                    let page = b"HTTP/1.1 400 Bad Request\r\n\r\n";
                    self.stream.write_all(page).await?;
                }
                (Manners::Drips, _) => self.drip().await?,
                (_, AUTH) => {
                    signed_in = packet.text == self.password.as_bytes();
                    if self.manners != Manners::Minecraft {
                        self.send(packet.id, ANSWER, b"").await?;
                    }
                    let id = if signed_in { packet.id } else { -1 };
                    self.send(id, AUTH_ANSWER, b"").await?;
                }
                _ if !signed_in => return Ok(()),
                (Manners::SilentLater, _) => {}
                (_, COMMAND) => self.answer(&packet).await?,
                (Manners::NoEnd, _) => {}
                (Manners::Minecraft, kind) => {
                    let text = format!("Unknown request {kind:x}");
                    self.send(packet.id, ANSWER, text.as_bytes()).await?;
                }
                _ => {
                    self.send(packet.id, ANSWER, b"").await?;
                    self.send(packet.id, ANSWER, b"\0\x01\0\0").await?;
                }
            }
        }
    }

    async fn answer(&mut self, packet: &Packet) -> io::Result<()> {
        let command = String::from_utf8_lossy(&packet.text).into_owned();
        let answer = match command.split_once(' ') {
            Some(("echo", text)) => text.to_owned(),
            Some(("fill", size)) => "0123456789abcdef".repeat(size.parse().unwrap_or(0) / 16),
            _ => String::new(),
        };
        let heard = self.heard.lock();
        heard.unwrap_or_else(PoisonError::into_inner).push(command);
        match self.manners {
            Manners::Quiet if answer.is_empty() => return Ok(()),
            Manners::Truncates => {
                self.send(packet.id, ANSWER, b"the first part").await?;
                let next = Packet::new(packet.id, ANSWER, answer.as_bytes()).encode();
                self.stream.write_all(&next[..next.len() / 2]).await?;
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            Manners::OnePacket => return self.send(packet.id, ANSWER, answer.as_bytes()).await,
            Manners::Endless => loop {
                self.send(packet.id, ANSWER, &[b'x'; 4086]).await?;
            },
            _ => {}
        }
        if answer.is_empty() {
            return self.send(packet.id, ANSWER, b"").await;
        }
        let largest = if self.manners == Manners::Minecraft {
            4096
        } else {
            4086
        };
        for part in answer.as_bytes().chunks(largest) {
            self.send(packet.id, ANSWER, part).await?;
        }
        Ok(())
    }

    async fn drip(&mut self) -> io::Result<()> {
        for byte in Packet::new(1, ANSWER, &[b'x'; 4086]).encode() {
            self.stream.write_all(&[byte]).await?;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    async fn send(&mut self, id: i32, kind: i32, text: &[u8]) -> io::Result<()> {
        let packet = Packet::new(id, kind, text).encode();
        if self.manners != Manners::Pieces {
            return self.stream.write_all(&packet).await;
        }
        self.stream.set_nodelay(true)?;
        for byte in packet {
            self.stream.write_all(&[byte]).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    async fn receive(&mut self) -> io::Result<Packet> {
        loop {
            match self.decoder.packet() {
                Ok(None) => {}
                Ok(Some(packet)) => return Ok(packet),
                Err(_) => return Err(io::ErrorKind::InvalidData.into()),
            }
            if self.stream.read_buf(self.decoder.buffer()).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}
