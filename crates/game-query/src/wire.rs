use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

use super::MAX_ANSWER;
use crate::report::Failure;

/// The largest datagram there can be.
const DATAGRAM: usize = 64 << 10;
/// More than any answer needs; each packet of ours is an answer to one of theirs, so this also
/// bounds what a server can make us send.
const MAX_RECEIVED: usize = 300;

/// Datagrams to one address and back, up to a deadline.
pub struct Wire {
    link: Link,
    deadline: Instant,
    buffer: Vec<u8>,
    sent_at: Option<Instant>,
    latency: Option<Duration>,
    datagrams_left: usize,
    bytes_left: usize,
}

enum Link {
    Socket(UdpSocket),
    /// Answers that were made up, the next one last.
    #[cfg(feature = "scripted")]
    Script(Vec<Vec<u8>>),
}

impl Link {
    async fn send(&self, datagram: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Socket(socket) => socket.send(datagram).await.map(drop),
            #[cfg(feature = "scripted")]
            Self::Script(_) => Ok(()),
        }
    }

    async fn receive(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Socket(socket) => socket.recv(buffer).await,
            #[cfg(feature = "scripted")]
            Self::Script(answers) => {
                let answer = answers.pop().ok_or(ErrorKind::TimedOut)?;
                let size = answer.len().min(buffer.len());
                buffer[..size].copy_from_slice(&answer[..size]);
                Ok(size)
            }
        }
    }
}

impl Wire {
    /// The system drops what comes from anywhere else, and reports where nobody listens.
    pub async fn connect(address: SocketAddr, deadline: Instant) -> Result<Self, Failure> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any).await.map_err(failure)?;
        socket.connect(address).await.map_err(failure)?;
        Ok(Self::new(Link::Socket(socket), deadline))
    }

    /// To nowhere, and back from a script.
    #[cfg(feature = "scripted")]
    pub fn scripted(mut answers: Vec<Vec<u8>>, deadline: Instant) -> Self {
        answers.reverse();
        Self::new(Link::Script(answers), deadline)
    }

    fn new(link: Link, deadline: Instant) -> Self {
        Self {
            link,
            deadline,
            buffer: vec![0; DATAGRAM],
            sent_at: None,
            latency: None,
            datagrams_left: MAX_RECEIVED,
            bytes_left: MAX_ANSWER,
        }
    }

    pub fn latency(&self) -> Option<Duration> {
        self.latency
    }

    pub async fn send(&mut self, datagram: &[u8]) -> Result<(), Failure> {
        self.sent_at.get_or_insert_with(Instant::now);
        let sent = timeout_at(self.deadline, self.link.send(datagram)).await;
        sent.map_err(|_| Failure::Timeout)?.map_err(failure)
    }

    pub async fn receive(&mut self) -> Result<&[u8], Failure> {
        if self.datagrams_left == 0 {
            return Err(Failure::Protocol);
        }
        let receiving = timeout_at(self.deadline, self.link.receive(&mut self.buffer));
        let size = receiving.await.map_err(|_| Failure::Timeout)?;
        let size = size.map_err(failure)?;
        self.latency = self
            .latency
            .or_else(|| self.sent_at.map(|sent_at| sent_at.elapsed()));
        self.datagrams_left -= 1;
        self.bytes_left = self.bytes_left.checked_sub(size).ok_or(Failure::Protocol)?;
        Ok(&self.buffer[..size])
    }
}

pub fn failure(error: std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => Failure::Timeout,
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData => Failure::Protocol,
        _ => Failure::Refused,
    }
}
