//! The consoles of the simulated game servers: they speak RCON, accept any password, and repeat
//! each command.

use std::io;
use std::sync::Arc;

use rcon::{ANSWER, AUTH, AUTH_ANSWER, COMMAND, Decoder, Packet};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Further connections to one console wait.
const MAX_CONNECTIONS: usize = 16;

/// Accepts connections, for ever.
pub async fn serve(listener: TcpListener) {
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Ok(permit) = Arc::clone(&free).acquire_owned().await {
        // An error is of one connection, which is gone.
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        tokio::spawn(async move {
            // It ends when the client disconnects or sends something else than RCON.
            let _ = answer(stream).await;
            drop(permit);
        });
    }
}

async fn answer(mut stream: TcpStream) -> io::Result<()> {
    let mut decoder = Decoder::default();
    loop {
        let Some(packet) = decoder.next_packet().map_err(io::Error::other)? else {
            if stream.read_buf(decoder.buffer()).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let answers = match packet.kind {
            AUTH => vec![(ANSWER, Vec::new()), (AUTH_ANSWER, Vec::new())],
            COMMAND => {
                let command = String::from_utf8_lossy(&packet.text);
                vec![(ANSWER, format!("(simulated) {command}").into_bytes())]
            }
            // Clients send a packet of another kind to learn where an answer ends: Valve's servers
            // repeat it.
            _ => vec![(ANSWER, Vec::new())],
        };
        for (kind, text) in answers {
            let answer = Packet::new(packet.id, kind, &text);
            stream.write_all(&answer.encode()).await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_simulated_console_repeats_the_command() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let task = tokio::spawn(serve(listener));
        for command in ["status", "kickid 1 \"banned\""] {
            let limits = rcon::Limits {
                time: Duration::from_secs(10),
                answer: 1024,
            };
            let answer = rcon::run(address, b"any", command, limits).await;
            let text = answer.expect("an answer").text;
            assert_eq!(text, format!("(simulated) {command}").into_bytes());
        }
        task.abort();
    }
}
