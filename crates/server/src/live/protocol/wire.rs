use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

use super::MAX_ANSWER;
use crate::live::report::Failure;

/// The largest datagram there can be.
const DATAGRAM: usize = 64 << 10;
/// More than any answer needs; each packet of ours is an answer to one of theirs, so this also
/// bounds what a server can make us send.
const MAX_RECEIVED: usize = 300;

/// Datagrams to one address and back, up to a deadline.
pub struct Wire {
    socket: UdpSocket,
    deadline: Instant,
    buffer: Vec<u8>,
    sent_at: Option<Instant>,
    latency: Option<Duration>,
    datagrams_left: usize,
    bytes_left: usize,
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
        Ok(Self {
            socket,
            deadline,
            buffer: vec![0; DATAGRAM],
            sent_at: None,
            latency: None,
            datagrams_left: MAX_RECEIVED,
            bytes_left: MAX_ANSWER,
        })
    }

    pub fn latency(&self) -> Option<Duration> {
        self.latency
    }

    pub async fn send(&mut self, datagram: &[u8]) -> Result<(), Failure> {
        self.sent_at.get_or_insert_with(Instant::now);
        self.socket.send(datagram).await.map_err(failure)?;
        Ok(())
    }

    pub async fn receive(&mut self) -> Result<&[u8], Failure> {
        if self.datagrams_left == 0 {
            return Err(Failure::Protocol);
        }
        let receiving = timeout_at(self.deadline, self.socket.recv(&mut self.buffer));
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
