//! The servers of a cluster, and the search for the one that accepts writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio_postgres::config::LoadBalanceHosts;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};

use super::tls::Tls;
use crate::version::new_generation;

type TlsStream = <Tls as MakeTlsConnect<Socket>>::Stream;

/// Tries the servers in turn. A server that does not answer must leave time for the next, not only
/// while the socket connects, so tokio-postgres gets one host at a time.
#[derive(Clone)]
pub(super) struct Servers(Arc<State>);

struct State {
    servers: Vec<Config>,
    tls: Tls,
    /// The server of the last connection, which is tried first.
    last: AtomicUsize,
    time_each: Duration,
}

impl Servers {
    /// `time` is the limit for all servers together.
    pub fn new(servers: Vec<Config>, tls: Tls, time: Duration) -> Self {
        let share = time / u32::try_from(servers.len()).unwrap_or(u32::MAX);
        let chosen = servers[0].get_connect_timeout().copied();
        Self(Arc::new(State {
            time_each: chosen.map_or(share, |chosen| chosen.min(share)),
            servers,
            tls,
            last: AtomicUsize::new(0),
        }))
    }

    pub fn tls(&self) -> Tls {
        self.0.tls.clone()
    }

    /// The last server has no separate time limit; the caller has one.
    pub async fn connect(
        &self,
    ) -> Result<(Client, Connection<Socket, TlsStream>), tokio_postgres::Error> {
        let state = &*self.0;
        let count = state.servers.len();
        let first = self.first();
        for i in 0..count - 1 {
            let index = (first + i) % count;
            let connect = state.servers[index].connect(self.tls());
            match tokio::time::timeout(state.time_each, connect).await {
                Ok(Ok(connected)) => return Ok(self.remember(index, connected)),
                Ok(Err(error)) => tracing::debug!(?error, index, "skipped a server"),
                Err(_) => tracing::debug!(index, "a server did not answer"),
            }
        }
        let index = (first + count - 1) % count;
        let connected = state.servers[index].connect(self.tls()).await?;
        Ok(self.remember(index, connected))
    }

    fn remember<T>(&self, index: usize, connected: T) -> T {
        self.0.last.store(index, Ordering::Relaxed);
        connected
    }

    fn first(&self) -> usize {
        let random = LoadBalanceHosts::Random;
        if self.0.servers[0].get_load_balance_hosts() == random {
            new_generation() as usize % self.0.servers.len()
        } else {
            self.0.last.load(Ordering::Relaxed)
        }
    }
}
