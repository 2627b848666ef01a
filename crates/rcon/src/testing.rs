//! An RCON server for tests, well-behaved or not. It listens on loopback only.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::packet::{ANSWER, AUTH, AUTH_ANSWER, COMMAND, Decoder, Packet};

/// How the test server behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    /// Like Valve's servers: answers in packets of 4 KiB, echoes the end marker and sends one more
    /// packet after it.
    #[default]
    Valve,
    /// Like Minecraft: answers a packet of an unknown kind with "Unknown request", under its id.
    Minecraft,
    /// Never echoes the end marker.
    NoEndMarker,
    /// Does not answer a command without output.
    NoEmptyAnswer,
    /// Writes one byte at a time.
    ByteByByte,
    /// Closes the connection immediately.
    ClosesAtOnce,
    /// Never answers.
    Silent,
    /// Accepts the password, then never answers.
    SilentAfterLogin,
    /// Answers with something that is not RCON.
    NotRcon,
    /// Closes the connection in the middle of a packet of its answer.
    ClosesMidAnswer,
    /// Sends its answer in one packet of any size.
    OnePacket,
    /// Sends one byte every 50 milliseconds.
    Slow,
    /// Sends an endless answer.
    Endless,
}

/// Listens until it is dropped.
pub struct Server {
    address: SocketAddr,
    commands: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Answers `echo TEXT` with the text, `fill N` with N bytes, and anything else with an empty
    /// text.
    pub async fn start(password: &str, behaviour: Behaviour) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let commands = Arc::default();
        let (password, record) = (password.to_owned(), Arc::clone(&commands));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let connection = Connection {
                    stream,
                    decoder: Decoder::default(),
                    behaviour,
                    password: password.clone(),
                    commands: Arc::clone(&record),
                };
                // Ends when the client disconnects.
                tokio::spawn(connection.serve());
            }
        });
        Ok(Self {
            address,
            commands,
            task,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// All commands received so far, in order.
    pub fn commands(&self) -> Vec<String> {
        let commands = self.commands.lock();
        commands.unwrap_or_else(PoisonError::into_inner).clone()
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
    behaviour: Behaviour,
    password: String,
    commands: Arc<Mutex<Vec<String>>>,
}

impl Connection {
    async fn serve(mut self) -> io::Result<()> {
        if self.behaviour == Behaviour::ClosesAtOnce {
            return Ok(());
        }
        let mut signed_in = false;
        loop {
            let packet = self.receive().await?;
            match (self.behaviour, packet.kind) {
                (Behaviour::Silent, _) => {}
                (Behaviour::NotRcon, _) => {
                    let reply = b"HTTP/1.1 400 Bad Request\r\n\r\n";
                    self.stream.write_all(reply).await?;
                }
                (Behaviour::Slow, _) => self.send_slowly().await?,
                (_, AUTH) => {
                    signed_in = packet.text == self.password.as_bytes();
                    if self.behaviour != Behaviour::Minecraft {
                        self.send(packet.id, ANSWER, b"").await?;
                    }
                    let id = if signed_in { packet.id } else { -1 };
                    self.send(id, AUTH_ANSWER, b"").await?;
                }
                _ if !signed_in => return Ok(()),
                (Behaviour::SilentAfterLogin, _) => {}
                (_, COMMAND) => self.answer(&packet).await?,
                (Behaviour::NoEndMarker, _) => {}
                (Behaviour::Minecraft, kind) => {
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
        let commands = self.commands.lock();
        commands
            .unwrap_or_else(PoisonError::into_inner)
            .push(command);
        match self.behaviour {
            Behaviour::NoEmptyAnswer if answer.is_empty() => return Ok(()),
            Behaviour::ClosesMidAnswer => {
                self.send(packet.id, ANSWER, b"the first part").await?;
                let next = Packet::new(packet.id, ANSWER, answer.as_bytes()).encode();
                self.stream.write_all(&next[..next.len() / 2]).await?;
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            Behaviour::OnePacket => return self.send(packet.id, ANSWER, answer.as_bytes()).await,
            Behaviour::Endless => loop {
                self.send(packet.id, ANSWER, &[b'x'; 4086]).await?;
            },
            _ => {}
        }
        if answer.is_empty() {
            return self.send(packet.id, ANSWER, b"").await;
        }
        let largest = if self.behaviour == Behaviour::Minecraft {
            4096
        } else {
            4086
        };
        for part in answer.as_bytes().chunks(largest) {
            self.send(packet.id, ANSWER, part).await?;
        }
        Ok(())
    }

    async fn send_slowly(&mut self) -> io::Result<()> {
        for byte in Packet::new(1, ANSWER, &[b'x'; 4086]).encode() {
            self.stream.write_all(&[byte]).await?;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    async fn send(&mut self, id: i32, kind: i32, text: &[u8]) -> io::Result<()> {
        let packet = Packet::new(id, kind, text).encode();
        if self.behaviour != Behaviour::ByteByByte {
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
            match self.decoder.next_packet() {
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
