//! An RCON server for tests, well-behaved or not. It listens on loopback only.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::packet::{ANSWER, AUTH, AUTH_ANSWER, COMMAND, Decoder, Packet};

/// The behaviour of the test server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    /// Like Valve's servers: answers in packets of 4 KiB, echoes the end marker and sends one more
    /// packet after it.
    #[default]
    Valve,
    /// Does not listen: the port is closed.
    Refuses,
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
    /// Accepts the password, receives the command and never answers.
    SilentAfterLogin,
    /// Receives the command, then closes the connection without an answer.
    ClosesAfterCommand,
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

/// An RCON server that runs until it is dropped.
pub struct Server {
    address: SocketAddr,
    behaviour: watch::Sender<Behaviour>,
    commands: watch::Receiver<Vec<String>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Answers `echo TEXT` with the text, `fill N` with N bytes, and anything else with an empty
    /// text.
    pub async fn start(password: &str, behaviour: Behaviour) -> io::Result<Self> {
        Self::start_on((Ipv4Addr::LOCALHOST, 0).into(), password, behaviour).await
    }

    /// Like [`start`](Self::start), at this address. Port 0 picks one.
    pub async fn start_on(
        address: SocketAddr,
        password: &str,
        behaviour: Behaviour,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (behaviour, behaves) = watch::channel(behaviour);
        let (record, commands) = watch::channel(Vec::new());
        let task = tokio::spawn(listen(listener, address, behaves, password.into(), record));
        Ok(Self {
            address,
            behaviour,
            commands,
            task,
        })
    }

    /// Changes the behaviour on connections that are accepted from now on. Those that are open keep
    /// theirs.
    pub fn behave(&self, behaviour: Behaviour) {
        self.behaviour.send_replace(behaviour);
    }

    /// Closes the port. If it is only dropped, the port closes a moment later.
    pub async fn stop(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// All commands received so far, in order.
    pub fn commands(&self) -> Vec<String> {
        self.commands.borrow().clone()
    }

    /// Tells when more commands are received.
    pub fn received(&self) -> watch::Receiver<Vec<String>> {
        self.commands.clone()
    }

    /// Waits until this many commands have been received.
    pub async fn wait_for_commands(&self, count: usize) {
        let mut commands = self.received();
        // The sender lives as long as the server.
        let _ = commands.wait_for(|received| received.len() >= count).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Accepts connections, and closes the port while the server is to refuse them.
async fn listen(
    listener: TcpListener,
    address: SocketAddr,
    mut behaves: watch::Receiver<Behaviour>,
    password: String,
    record: watch::Sender<Vec<String>>,
) {
    let mut listener = Some(listener);
    loop {
        let behaviour = *behaves.borrow_and_update();
        if behaviour == Behaviour::Refuses {
            listener = None;
        }
        while listener.is_none() && behaviour != Behaviour::Refuses {
            listener = TcpListener::bind(address).await.ok();
            if listener.is_none() {
                // Another program has the port for a moment.
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        tokio::select! {
            changed = behaves.changed() => if changed.is_err() {
                return;
            },
            accepted = accept(listener.as_ref()) => {
                let Ok(stream) = accepted else {
                    return;
                };
                let connection = Connection {
                    stream,
                    decoder: Decoder::default(),
                    behaviour,
                    password: password.clone(),
                    commands: record.clone(),
                };
                // The task ends when the client disconnects.
                tokio::spawn(connection.serve());
            }
        }
    }
}

/// The next connection. A closed port gets none.
async fn accept(listener: Option<&TcpListener>) -> io::Result<TcpStream> {
    match listener {
        Some(listener) => listener.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

struct Connection {
    stream: TcpStream,
    decoder: Decoder,
    behaviour: Behaviour,
    password: String,
    commands: watch::Sender<Vec<String>>,
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
                (_, COMMAND) => self.answer(&packet).await?,
                (Behaviour::NoEndMarker | Behaviour::SilentAfterLogin, _) => {}
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
        self.commands.send_modify(|commands| commands.push(command));
        match self.behaviour {
            Behaviour::SilentAfterLogin => return Ok(()),
            Behaviour::ClosesAfterCommand => return Err(io::ErrorKind::ConnectionAborted.into()),
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
