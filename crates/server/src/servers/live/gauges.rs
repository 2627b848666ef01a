//! The live status of game servers in `/metrics`. It is read in the background, so that `/metrics`
//! needs no database, and many who read it cost no more than one.

use std::sync::Arc;

use metrics::gauge;

use super::store;
use crate::app::App;
use kernel::Result;
use kernel::metrics::{Kind, MetricText};

/// Metrics of further servers are left out: each takes memory here and in Prometheus.
const MOST_SERVERS: i64 = 1000;

/// A server that is queried.
pub struct Watched {
    pub id: i64,
    pub name: String,
    pub reachable: bool,
    pub players_online: i64,
    pub max_players: i64,
}

/// Reads what `/metrics` shows from now on.
pub async fn update(app: &App) -> Result<()> {
    let mut read = app.db.read_alone().await?;
    let (watched, reachable) = store::count(&mut read).await?;
    let servers = store::watched(&mut read, MOST_SERVERS).await?;
    drop(read);
    gauge!("steward_servers_watched").set(watched as f64);
    gauge!("steward_servers_reachable").set(reachable as f64);
    *app.live.gauges.lock() = Arc::new(text(&servers));
    Ok(())
}

/// A server that did not answer has no players: a graph is to show a gap, not an empty server.
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
        "How many players a game server that answered its last query has room for.",
        |server| server.reachable.then_some(server.max_players),
    );
    text
}
