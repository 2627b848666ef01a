use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

use crate::report::{Failure, MAX_ANSWER};

/// The largest possible datagram.
const MAX_DATAGRAM: usize = 64 << 10;
/// More than any answer needs. After the first request we only send in reply to a packet, so this
/// also limits the number of packets that a server can make us send.
const MAX_RECEIVED: usize = 300;

/// An exchange of datagrams with one address, until a deadline.
pub struct UdpExchange {
    transport: Transport,
    deadline: Instant,
    buffer: Vec<u8>,
    sent_at: Option<Instant>,
    latency: Option<Duration>,
    datagrams_left: usize,
    bytes_left: usize,
}

enum Transport {
    Socket(UdpSocket),
    /// Scripted answers, the next one last.
    #[cfg(feature = "scripted")]
    Script(Vec<Vec<u8>>),
}

impl Transport {
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

impl UdpExchange {
    /// Connects the socket, so that the operating system drops datagrams from other addresses and
    /// reports a closed port.
    pub async fn connect(address: SocketAddr, deadline: Instant) -> Result<Self, Failure> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(any).await.map_err(failure_from_io)?;
        socket.connect(address).await.map_err(failure_from_io)?;
        Ok(Self::new(Transport::Socket(socket), deadline))
    }

    /// Discards sent packets, and receives the given answers.
    #[cfg(feature = "scripted")]
    pub fn scripted(mut answers: Vec<Vec<u8>>, deadline: Instant) -> Self {
        answers.reverse();
        Self::new(Transport::Script(answers), deadline)
    }

    fn new(transport: Transport, deadline: Instant) -> Self {
        Self {
            transport,
            deadline,
            buffer: vec![0; MAX_DATAGRAM],
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
        let sent = timeout_at(self.deadline, self.transport.send(datagram)).await;
        sent.map_err(|_| Failure::Timeout)?.map_err(failure_from_io)
    }

    pub async fn receive(&mut self) -> Result<&[u8], Failure> {
        if self.datagrams_left == 0 {
            return Err(Failure::Protocol);
        }
        let receiving = timeout_at(self.deadline, self.transport.receive(&mut self.buffer));
        let size = receiving.await.map_err(|_| Failure::Timeout)?;
        let size = size.map_err(failure_from_io)?;
        self.latency = self
            .latency
            .or_else(|| self.sent_at.map(|sent_at| sent_at.elapsed()));
        self.datagrams_left -= 1;
        self.bytes_left = self.bytes_left.checked_sub(size).ok_or(Failure::Protocol)?;
        Ok(&self.buffer[..size])
    }
}

pub fn failure_from_io(error: std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => Failure::Timeout,
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData => Failure::Protocol,
        _ => Failure::Refused,
    }
}
