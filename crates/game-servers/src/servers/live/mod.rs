//! The live status of game servers: queried in the background, stored, and shown at once.
//!
//! [`poller`] queries servers that are due, [`querier`] runs queries, [`answers`] stores their
//! results, [`schedule`] decides when a server is due again, [`gauges`] shows the status in
//! `/metrics`, [`games`] lists the protocol of each game. The protocols themselves are in the crate
//! `game_query`.

mod answers;
mod failure;
pub mod games;
pub mod gauges;
pub mod http;
pub mod poller;
mod querier;
mod schedule;
mod settings;
mod status;
mod store;

use db::Conn;

use self::querier::Endpoint;
pub use self::querier::Querier;
use self::schedule::now;
pub use self::settings::Settings;
pub use self::status::LiveStatus;
pub use game_query::Player;

use crate::servers::{self, Server, State};
use kernel::auth::Actor;
use kernel::write::Edit;
use kernel::{Error, Result};

/// Creates the live status of a new server. If the server is enabled, it is due at once.
pub async fn create(edit: &mut Edit, server: &Server) -> Result<()> {
    let next = server.enabled.then(|| now(edit.core()));
    Ok(store::insert(edit, server.id, next).await?)
}

/// Clears the live status if the server's endpoint has changed or it was enabled or disabled. The
/// answer of a running query is then dropped.
pub async fn reset_if_changed(edit: &mut Edit, before: &Server, after: &Server) -> Result<()> {
    let relevant = |server: &Server| {
        let Server {
            ip,
            port,
            query_port,
            game,
            enabled,
            ..
        } = server.clone();
        (ip, port, query_port, game, enabled)
    };
    if relevant(before) == relevant(after) {
        return Ok(());
    }
    let next = after.enabled.then(|| now(edit.core()));
    Ok(store::reset(edit, after.id, next).await?)
}

/// The stored live status of a server.
pub async fn get(state: &State, conn: &mut Conn, server: &Server) -> Result<LiveStatus> {
    if !state.live.settings().enabled || !server.enabled {
        return Ok(LiveStatus::disabled());
    }
    Ok(store::find(conn, server.id).await?.unwrap_or_default())
}

/// Queries a server now and returns its new live status. Logs the caller and the address.
pub async fn query(state: &State, id: i64, actor: &Actor) -> Result<LiveStatus> {
    loop {
        let mut read = state.kernel.core.db.read().await?;
        // Read the epoch first: if the server changes between the two reads, the answer is dropped
        // and the loop retries. In the other order, it would be stored for the wrong address.
        let epoch = store::epoch(&mut read, id).await?;
        let server = servers::get(&mut read, id).await?;
        drop(read);
        if !state.live.settings().enabled || !server.enabled {
            return Ok(LiveStatus::disabled());
        }
        let endpoint = epoch.and_then(|epoch| Endpoint::new(&server, epoch));
        let endpoint = endpoint.ok_or_else(|| Error::internal("a server without a live status"))?;
        tracing::info!(
            request_id = actor.request_id,
            key_id = actor.key_id,
            server_id = id,
            address = %endpoint.address,
            "querying a game server on request"
        );
        // `None` means that the server was changed during the query.
        if let Some(status) = querier::query_for_request(state, endpoint).await? {
            return Ok(status);
        }
    }
}
