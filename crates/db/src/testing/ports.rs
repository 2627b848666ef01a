//! Ports of this machine for servers of tests.

use std::net::{TcpListener, UdpSocket};
use std::sync::atomic::{AtomicU32, Ordering};

/// A port on which nothing listens, for TCP and UDP. The system never chooses it for a connection or a
/// listener, so it stays free until it is used.
pub fn free_port() -> u16 {
    /// Below the ports that Linux and others choose from.
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 12_000;
    static TRIED: AtomicU32 = AtomicU32::new(0);
    for _ in 0..COUNT {
        // Test programs that run at the same time begin at different ports.
        let tried = TRIED.fetch_add(1, Ordering::Relaxed);
        let port = FIRST + (std::process::id().wrapping_mul(97).wrapping_add(tried)) % COUNT;
        let address = ("127.0.0.1", u16::try_from(port).expect("a small number"));
        if TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok() {
            return address.1;
        }
    }
    panic!("all ports are in use");
}
