//! Operation of `/api/servers/{id}/history`.

use serde::Serialize;

use super::{ChartRange, HistoryQuery, Sums};
use crate::servers::{self, history};
use kernel::Result;
use kernel::auth::permission::ServersRead;
use kernel::http::Caller;
use kernel::http::path::Id;
use kernel::http::query::Query;
use kernel::http::reply::Done;
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;

#[derive(Serialize, JsonSchema)]
struct ServerHistoryReply {
    from: Timestamp,
    to: Timestamp,
    /// The length of a point in seconds.
    step: i64,
    history: Vec<ServerHistoryPoint>,
}

/// A point of a chart. Player counts are null if the server did not answer or was not queried.
#[derive(Serialize, JsonSchema)]
struct ServerHistoryPoint {
    /// The start of the point, which is one step long.
    at: Timestamp,
    /// The average of all answers, to two decimal places.
    players_avg: Option<f64>,
    players_max: Option<i64>,
    /// The capacity; the largest if it has changed.
    max_players: Option<i64>,
    /// How many times the server was queried.
    samples: i64,
    /// How many times it answered.
    reachable: i64,
}

impl ServerHistoryPoint {
    fn new(at: i64, sums: &Sums) -> Self {
        let answered = |number: i64| (sums.reachable > 0).then_some(number);
        let average = sums.players_sum as f64 / sums.reachable as f64;
        Self {
            at: Timestamp::from_unix(at),
            players_avg: (sums.reachable > 0).then(|| (average * 100.0).round() / 100.0),
            players_max: answered(sums.players_max),
            max_players: answered(sums.max_players),
            samples: sums.samples,
            reachable: sums.reachable,
        }
    }
}

async fn show(
    caller: Caller<ServersRead>,
    id: Id,
    Query(query): Query<HistoryQuery>,
) -> Result<Done<ServerHistoryReply>> {
    let range = ChartRange::new(&query, caller.now())?;
    let mut read = caller.read_alone().await?;
    servers::get(&mut read, id.0).await?;
    let points = history::read(&mut read, id.0, &range).await?;
    let points = points.iter().enumerate();
    Done::new(&ServerHistoryReply {
        from: Timestamp::from_unix(range.from),
        to: Timestamp::from_unix(range.to),
        step: range.step,
        history: points
            .map(|(i, sums)| ServerHistoryPoint::new(range.start(i), sums))
            .collect(),
    })
}

pub fn routes() -> ApiRouter<servers::State> {
    ApiRouter::new()
        .api_route(
            "/api/servers/{id}/history",
            get_with(
                show,
                named("getServerHistory", "Show the player history of a server"),
            ),
        )
        .with_path_items(|item| item.tag("Servers"))
}
