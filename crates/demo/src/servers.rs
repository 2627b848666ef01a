//! The game servers.

use serde_json::json;

use super::catalogue::{GAMES, REGIONS};
use super::event_times::EventTimes;
use super::input::input;
use super::plan::{COMMUNITY_DAYS, Part, Plan};
use db::Progress;
use game_servers::servers;
use kernel::Result;
use kernel::write::Edit;

/// The number of addresses that share a port before the next port is used.
const ADDRESSES: u32 = 254;
const FIRST_PORT: u32 = 27_015;

/// Creates servers on loopback addresses, where [`games`](super::games) can answer for them. The
/// service contacts them only if `--server-networks` names that network. Returns their ids.
pub async fn make(edit: &mut Edit, plan: &Plan, progress: &mut impl Progress) -> Result<Vec<i64>> {
    let mut rng = plan.rng(Part::Servers);
    let opened = plan.days_before_end(COMMUNITY_DAYS);
    let event_times = EventTimes::new(opened, COMMUNITY_DAYS, plan.servers.into());
    progress.begin("servers", plan.servers.into());
    let mut ids = Vec::new();
    for number in 0..plan.servers {
        let (game, kinds) = match number {
            0 => &GAMES[0],
            _ => rng.pick(GAMES),
        };
        let (region, kind) = (rng.pick(REGIONS), rng.pick(kinds));
        edit.set_now(event_times.moment(number.into(), &mut rng));
        let new = json!({
            "name": format!("[{region}] {kind} #{}", number + 1),
            "ip": format!("127.0.0.{}", number % ADDRESSES + 1),
            "port": FIRST_PORT + number / ADDRESSES,
            "enabled": true,
            "game": game,
            "rcon_password": rng.letters(16),
        });
        let server = servers::create(edit, input(&new)?).await?.into_part();
        ids.push(server.id);
        progress.advance(1);
    }
    Ok(ids)
}
