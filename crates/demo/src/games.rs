//! Simulated game servers: they answer live queries (A2S) and console commands (RCON) for the
//! servers of the demo data, on loopback addresses only.

use std::io;
use std::net::SocketAddr;

use game_servers::servers::Server;
use kernel::types::Clock;
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;

use super::catalogue::MAPS;
use super::consoles;
use super::population::{STEP, max_players, players};
use super::rng::Rng;
use super::words::{ADJECTIVES, NOUNS};

/// More servers than this are not simulated: each has a socket.
pub const MOST: usize = 500;

const REQUEST_AT: usize = 4;
/// Both requests begin with four bytes of 255 and their kind.
const INFO_REQUEST: u8 = b'T';
const PLAYERS_REQUEST: u8 = b'U';

/// The sockets that answer for a server.
pub struct Simulated {
    queries: Queries,
    console: TcpListener,
}

impl Simulated {
    /// Listens at the server's address, which must be one of loopback.
    pub async fn open(server: Server, clock: Clock) -> io::Result<Self> {
        let address = server.address().map_err(io::Error::other)?;
        if !address.ip().is_loopback() {
            let reason = "only servers on loopback addresses are simulated";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let socket = UdpSocket::bind(address).await?;
        Ok(Self {
            queries: Queries {
                socket,
                server,
                clock,
            },
            console: TcpListener::bind(address).await?,
        })
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.queries.socket.local_addr()
    }
}

/// Answers live queries.
struct Queries {
    socket: UdpSocket,
    server: Server,
    clock: Clock,
}

impl Queries {
    async fn answer(self) {
        let mut request = [0; 64];
        loop {
            // Errors are those of earlier answers that nobody waited for.
            let Ok((size, peer)) = self.socket.recv_from(&mut request).await else {
                continue;
            };
            let answer = match request[..size].get(REQUEST_AT) {
                Some(&INFO_REQUEST) => self.info(),
                Some(&PLAYERS_REQUEST) => self.players(),
                _ => continue,
            };
            let _ = self.socket.send_to(&answer, peer).await;
        }
    }

    fn count(&self) -> u8 {
        let count = players(self.server.id, self.clock.now().unix());
        u8::try_from(count).unwrap_or(u8::MAX)
    }

    fn info(&self) -> Vec<u8> {
        let game = self.server.game.as_str();
        let maps = MAPS.iter().find(|(known, _)| *known == game);
        let maps = maps.map_or(&["harbour"][..], |(_, maps)| maps);
        // A map lasts a few steps.
        let round = self.clock.now().unix() / (4 * STEP);
        let map = Rng::new(self.server.id.cast_unsigned(), round.cast_unsigned()).pick(maps);
        let mut info = b"\xff\xff\xff\xffI\x11".to_vec();
        for text in [self.server.name.as_str(), map, game, game] {
            info.extend(text.as_bytes());
            info.push(0);
        }
        let max = u8::try_from(max_players(self.server.id)).unwrap_or(u8::MAX);
        // The app id, players, places, bots, a dedicated server on Linux, no password, secured.
        info.extend([0, 0, self.count(), max, 0, b'd', b'l', 0, 1]);
        info.extend(b"1.0\0\0");
        info
    }

    fn players(&self) -> Vec<u8> {
        let now = self.clock.now().unix();
        let count = self.count();
        let mut list = b"\xff\xff\xff\xffD".to_vec();
        list.push(count);
        for number in 0..count {
            let mut rng = Rng::new(self.server.id.cast_unsigned(), u64::from(number) + 1);
            let name = format!("{}{}", rng.pick(ADJECTIVES), rng.pick(NOUNS));
            let score = i32::try_from(rng.below(40)).unwrap_or_default();
            let seconds = (now % 3600 + rng.between(60, 7200)) as f32;
            list.push(0);
            list.extend(name.as_bytes());
            list.push(0);
            list.extend(score.to_le_bytes());
            list.extend(seconds.to_le_bytes());
        }
        list
    }
}

/// Answers for all these servers, for ever.
pub async fn serve(servers: Vec<Simulated>) {
    let mut tasks = JoinSet::new();
    for Simulated { queries, console } in servers {
        tasks.spawn(queries.answer());
        tasks.spawn(consoles::serve(console));
    }
    while tasks.join_next().await.is_some() {}
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use game_query::Protocol;
    use game_servers::servers::{Address, Game};
    use kernel::secret::Secret;
    use kernel::types::Timestamp;

    use super::*;

    fn server(ip: &str) -> Server {
        let now = Timestamp::from_unix(1_772_366_400);
        Server {
            id: 1,
            name: "[EU] Retakes #1".to_owned(),
            ip: Address::from_stored(ip.to_owned()),
            port: 0,
            enabled: true,
            game: Game::from_stored("cs2".to_owned()),
            query_port: None,
            rcon_password: Secret::new(Vec::new()),
            created_at: now,
            updated_at: now,
        }
    }

    #[tokio::test]
    async fn a_simulated_server_answers_with_the_players_of_the_moment() {
        let at = 1_772_366_400 + 20 * 3600;
        let clock = Clock::manual(Timestamp::from_unix(at));
        let simulated = Simulated::open(server("127.0.0.1"), clock).await;
        let simulated = simulated.expect("a free port");
        let address = simulated.address().expect("an address");
        let task = tokio::spawn(serve(vec![simulated]));
        let timeout = Duration::from_secs(10);
        let report = game_query::query(Protocol::Valve, address, timeout).await;
        let report = report.answer.expect("an answer");
        task.abort();
        assert_eq!(report.players_online, players(1, at));
        assert_eq!(report.max_players, max_players(1));
        assert_eq!(report.players.len() as i64, players(1, at));
        assert_eq!(report.name.as_deref(), Some("[EU] Retakes #1"));
        assert!(report.map.starts_with("de_"), "{}", report.map);
    }

    #[tokio::test]
    async fn a_server_elsewhere_is_not_simulated() {
        let refused = Simulated::open(server("192.0.2.1"), Clock::System).await;
        let kind = refused.map(|_| ()).map_err(|error| error.kind());
        assert_eq!(kind, Err(io::ErrorKind::InvalidInput));
    }
}
