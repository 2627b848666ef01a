//! The live status of game servers in `/metrics`. It is read in the background, so that scraping
//! needs no database.

use std::sync::Arc;

use super::store::{self, Watched};
use crate::servers::State;
use kernel::Result;
use kernel::metrics::{Kind, MetricText};

/// Servers beyond this number have no metrics: each takes memory here and in Prometheus.
const MOST_SERVERS: i64 = 1000;

/// Updates the live status that `/metrics` shows.
pub async fn update(state: &State) -> Result<()> {
    let mut read = state.kernel.core.db.read_alone().await?;
    let (watched, reachable) = store::count(&mut read).await?;
    let servers = store::watched(&mut read, MOST_SERVERS).await?;
    drop(read);
    state
        .kernel
        .core
        .metrics
        .gauge("steward_servers_watched")
        .set(watched as f64);
    state
        .kernel
        .core
        .metrics
        .gauge("steward_servers_reachable")
        .set(reachable as f64);
    *state.live.gauges.lock() = Arc::new(text(&servers));
    Ok(())
}

/// A server that did not answer has no player count, so that graphs show a gap.
fn text(servers: &[Watched]) -> MetricText {
    let mut text = MetricText::default();
    let labelled: Vec<(String, &Watched)> = servers
        .iter()
        .map(|server| (server.id.to_string(), server))
        .collect();
    let mut add = |name, description, value: fn(&Watched) -> Option<i64>| {
        text.begin(name, Kind::Gauge, description);
        for (id, server) in &labelled {
            if let Some(value) = value(server) {
                let labels = [("server_id", id.as_str()), ("server", &server.name)];
                text.add(name, &labels, value);
            }
        }
    };
    add(
        "steward_server_reachable",
        "Whether a game server answered its last query: 1 or 0.",
        |server| Some(server.reachable.into()),
    );
    add(
        "steward_server_players",
        "Players on a game server that answered its last query.",
        |server| server.reachable.then_some(server.players_online),
    );
    add(
        "steward_server_max_players",
        "The capacity of a game server that answered its last query.",
        |server| server.reachable.then_some(server.max_players),
    );
    text
}
