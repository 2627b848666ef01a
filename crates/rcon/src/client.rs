use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};

use crate::packet::{ANSWER, AUTH, AUTH_ANSWER, COMMAND, Decoder, Malformed, Packet};

const LOGIN: i32 = 1;
const ASKED: i32 = 2;
/// Sent after the command and given back after its answer, however many packets that takes.
const END: i32 = 3;

/// How long a command may stay silent before the end is asked for all the same: some games
/// answer nothing where there is nothing to say.
const SILENCE: Duration = Duration::from_millis(500);
/// How long after the last of an answer it counts as whole: some games do not give the end back.
const QUIET: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For all of it, from connecting on.
    pub time: Duration,
    /// How many bytes of an answer are kept.
    pub answer: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub text: Vec<u8>,
    /// Whether there was more than the limit allows.
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

/// Why there is no answer, and how far it got.
#[derive(Debug)]
pub struct Failed {
    pub error: Error,
    /// Whether the server may have carried the command out all the same.
    pub sent: bool,
}

/// Signs in at `address`, runs `command` and returns what the server says to it.
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
    let asking = within(deadline, session.ask(command, limits.answer));
    asking.await.map_err(|error| Failed { error, sent: true })
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
    /// An address where nothing answers is as good as one where nobody listens.
    async fn open(address: SocketAddr, deadline: Instant) -> Result<Self, Error> {
        let connecting = timeout_at(deadline, TcpStream::connect(address)).await;
        let stream = connecting.unwrap_or(Err(io::ErrorKind::TimedOut.into()));
        Ok(Self {
            stream: stream.map_err(Error::NoConnection)?,
            decoder: Decoder::default(),
        })
    }

    async fn sign_in(&mut self, password: &[u8]) -> Result<(), Error> {
        self.send(LOGIN, AUTH, password).await?;
        loop {
            let Some(packet) = self.receive(None).await? else {
                continue;
            };
            match (packet.kind, packet.id) {
                (AUTH_ANSWER, LOGIN) => return Ok(()),
                (AUTH_ANSWER, -1) => return Err(Error::WrongPassword),
                // Valve's servers send an empty answer ahead of the verdict.
                (ANSWER, _) => {}
                _ => return Err(Error::NotRcon("the password got another kind of answer")),
            }
        }
    }

    async fn ask(&mut self, command: &str, most: usize) -> Result<Answer, Error> {
        self.send(ASKED, COMMAND, command.as_bytes()).await?;
        let mut text = Vec::new();
        let mut end_asked = false;
        let mut answered = false;
        loop {
            let patience = match (end_asked, answered) {
                (false, _) => Some(SILENCE),
                (true, true) => Some(QUIET),
                (true, false) => None,
            };
            let packet = match self.receive(patience).await {
                Err(Error::Closed) if answered && self.decoder.is_empty() => break,
                received => received?,
            };
            match packet {
                None if end_asked && self.decoder.is_empty() => break,
                None => self.ask_for_end(&mut end_asked).await,
                Some(packet) if (packet.id, packet.kind) == (ASKED, ANSWER) => {
                    answered = true;
                    text.extend_from_slice(&packet.text);
                    if text.len() > most {
                        text.truncate(most);
                        return Ok(Answer {
                            text,
                            truncated: true,
                        });
                    }
                    // Only now: some games take no second packet before they answered the first.
                    self.ask_for_end(&mut end_asked).await;
                }
                Some(packet) if packet.id == END => break,
                // Some games send what others say on the console, too.
                Some(_) => {}
            }
        }
        Ok(Answer {
            text,
            truncated: false,
        })
    }

    async fn ask_for_end(&mut self, asked: &mut bool) {
        if !*asked {
            *asked = true;
            // Whoever has closed the connection by now may still have answered.
            let _ = self.send(END, ANSWER, b"").await;
        }
    }

    async fn send(&mut self, id: i32, kind: i32, text: &[u8]) -> Result<(), Error> {
        let packet = Packet::new(id, kind, text).encode();
        let sent = self.stream.write_all(&packet).await;
        sent.map_err(|_| Error::Closed)
    }

    /// The next packet; `None` when nothing at all has arrived for so long.
    async fn receive(&mut self, patience: Option<Duration>) -> Result<Option<Packet>, Error> {
        loop {
            if let Some(packet) = self.decoder.packet()? {
                return Ok(Some(packet));
            }
            let read = self.stream.read_buf(self.decoder.buffer());
            let read = match patience {
                Some(patience) => match timeout(patience, read).await {
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
