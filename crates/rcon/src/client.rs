use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};

use crate::packet::{ANSWER, AUTH, AUTH_ANSWER, COMMAND, Decoder, Malformed, Packet};

const LOGIN_ID: i32 = 1;
const COMMAND_ID: i32 = 2;
/// The id of an empty packet sent after the command. The server echoes it after the whole answer,
/// which marks the end of an answer of any number of packets.
const END_ID: i32 = 3;

/// How long to wait for an answer before the end marker is sent anyway: some games do not answer a
/// command without output.
const FIRST_PACKET_WAIT: Duration = Duration::from_millis(500);
/// How long after its last packet an answer counts as complete: some games do not echo the end
/// marker.
const NEXT_PACKET_WAIT: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The limit of the whole exchange, including connecting.
    pub time: Duration,
    /// The limit of an answer in bytes. The rest is truncated.
    pub answer: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub text: Vec<u8>,
    /// Whether the answer exceeded the limit and was truncated.
    pub truncated: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no connection: {0}")]
    NoConnection(#[source] io::Error),
    #[error("the password is wrong")]
    WrongPassword,
    #[error("the server closed the connection")]
    Closed,
    #[error("the server took too long")]
    TimedOut,
    #[error("the server does not speak RCON: {0}")]
    NotRcon(&'static str),
}

impl From<Malformed> for Error {
    fn from(_: Malformed) -> Self {
        Self::NotRcon("a packet has an impossible size")
    }
}

/// An error, and whether the command was sent.
#[derive(Debug)]
pub struct Failed {
    pub error: Error,
    /// Whether the command was sent. The server may then have run it despite the error.
    pub sent: bool,
}

/// Signs in at `address`, runs `command` and returns the server's answer.
pub async fn run(
    address: SocketAddr,
    password: &[u8],
    command: &str,
    limits: Limits,
) -> Result<Answer, Failed> {
    let deadline = Instant::now() + limits.time;
    let before = |error| Failed { error, sent: false };
    let mut session = Session::open(address, deadline).await.map_err(before)?;
    let signing_in = within(deadline, session.sign_in(password));
    signing_in.await.map_err(before)?;
    let running = within(deadline, session.run(command, limits.answer));
    running.await.map_err(|error| Failed { error, sent: true })
}

async fn within<T>(
    deadline: Instant,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let done = timeout_at(deadline, work).await;
    done.unwrap_or(Err(Error::TimedOut))
}

struct Session {
    stream: TcpStream,
    decoder: Decoder,
}

impl Session {
    /// Connects. A timeout is reported like a closed port: `NoConnection`.
    async fn open(address: SocketAddr, deadline: Instant) -> Result<Self, Error> {
        let connecting = timeout_at(deadline, TcpStream::connect(address)).await;
        let stream = connecting.unwrap_or(Err(io::ErrorKind::TimedOut.into()));
        Ok(Self {
            stream: stream.map_err(Error::NoConnection)?,
            decoder: Decoder::default(),
        })
    }

    async fn sign_in(&mut self, password: &[u8]) -> Result<(), Error> {
        self.send(LOGIN_ID, AUTH, password).await?;
        loop {
            let Some(packet) = self.receive(None).await? else {
                continue;
            };
            match (packet.kind, packet.id) {
                (AUTH_ANSWER, LOGIN_ID) => return Ok(()),
                (AUTH_ANSWER, -1) => return Err(Error::WrongPassword),
                // Valve's servers send an empty answer before the result.
                (ANSWER, _) => {}
                _ => return Err(Error::NotRcon("unexpected answer to the password")),
            }
        }
    }

    async fn run(&mut self, command: &str, max_answer: usize) -> Result<Answer, Error> {
        self.send(COMMAND_ID, COMMAND, command.as_bytes()).await?;
        let mut text = Vec::new();
        let mut end_requested = false;
        let mut answered = false;
        loop {
            let wait = match (end_requested, answered) {
                (false, _) => Some(FIRST_PACKET_WAIT),
                (true, true) => Some(NEXT_PACKET_WAIT),
                (true, false) => None,
            };
            let packet = match self.receive(wait).await {
                Err(Error::Closed) if answered && self.decoder.is_empty() => break,
                received => received?,
            };
            match packet {
                None if end_requested && self.decoder.is_empty() => break,
                None => self.request_end(&mut end_requested).await,
                Some(packet) if (packet.id, packet.kind) == (COMMAND_ID, ANSWER) => {
                    answered = true;
                    text.extend_from_slice(&packet.text);
                    if text.len() > max_answer {
                        text.truncate(max_answer);
                        return Ok(Answer {
                            text,
                            truncated: true,
                        });
                    }
                    // Not sent earlier: some games accept a second packet only after their answer.
                    self.request_end(&mut end_requested).await;
                }
                Some(packet) if packet.id == END_ID => break,
                // Some games also send unrelated console output.
                Some(_) => {}
            }
        }
        Ok(Answer {
            text,
            truncated: false,
        })
    }

    async fn request_end(&mut self, requested: &mut bool) {
        if !*requested {
            *requested = true;
            // If the server has closed the connection, its answer may still be readable.
            let _ = self.send(END_ID, ANSWER, b"").await;
        }
    }

    async fn send(&mut self, id: i32, kind: i32, text: &[u8]) -> Result<(), Error> {
        let packet = Packet::new(id, kind, text).encode();
        let sent = self.stream.write_all(&packet).await;
        sent.map_err(|_| Error::Closed)
    }

    /// Returns the next packet, or `None` if no byte has arrived within `wait`.
    async fn receive(&mut self, wait: Option<Duration>) -> Result<Option<Packet>, Error> {
        loop {
            if let Some(packet) = self.decoder.next_packet()? {
                return Ok(Some(packet));
            }
            let read = self.stream.read_buf(self.decoder.buffer());
            let read = match wait {
                Some(wait) => match timeout(wait, read).await {
                    Ok(read) => read,
                    Err(_) => return Ok(None),
                },
                None => read.await,
            };
            match read {
                Ok(0) | Err(_) => return Err(Error::Closed),
                Ok(_) => {}
            }
        }
    }
}
