//! The game servers.

use serde_json::json;

use super::catalogue::{GAMES, REGIONS};
use super::event_times::EventTimes;
use super::{COMMUNITY_DAYS, Part, Plan, Progress, input};
use kernel::Result;
use kernel::write::Edit;
use server::servers;

/// How many addresses are used with one port before the next port.
const ADDRESSES: u32 = 254;
const FIRST_PORT: u32 = 27_015;

/// Creates servers that are never queried: they are disabled, and their addresses are loopback
/// addresses.
pub async fn make(edit: &mut Edit, plan: &Plan, progress: &mut impl Progress) -> Result<()> {
    let mut rng = plan.rng(Part::Servers);
    let opened = plan.days_before_end(COMMUNITY_DAYS);
    let event_times = EventTimes::new(opened, COMMUNITY_DAYS, plan.servers.into());
    progress.begin("servers", plan.servers.into());
    for number in 0..plan.servers {
        let (game, kinds) = rng.pick(GAMES);
        let (region, kind) = (rng.pick(REGIONS), rng.pick(kinds));
        edit.set_now(event_times.moment(number.into(), &mut rng));
        let new = json!({
            "name": format!("[{region}] {kind} #{}", number + 1),
            "ip": format!("127.0.0.{}", number % ADDRESSES + 1),
            "port": FIRST_PORT + number / ADDRESSES,
            "enabled": false,
            "game": game,
            "rcon_password": rng.letters(16),
        });
        servers::create(edit, input(&new)?).await?.into_part();
        progress.advance(1);
    }
    Ok(())
}
