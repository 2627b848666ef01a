use serde_json::json;

use super::catalogue::{GAMES, REGIONS};
use super::rhythm::Rhythm;
use super::{COMMUNITY_DAYS, Part, Plan, Progress, input};
use kernel::Result;
use kernel::write::Edit;
use server::servers;

/// How many addresses of one network are used before the next port is.
const ADDRESSES: u32 = 254;
const FIRST_PORT: u32 = 27_015;

/// Servers that nobody asks anything: they are switched off, and their addresses lead nowhere
/// but to the machine itself.
pub async fn make(edit: &mut Edit, plan: &Plan, progress: &mut impl Progress) -> Result<()> {
    let mut dice = plan.dice(Part::Servers);
    let opened = plan.days_before_end(COMMUNITY_DAYS);
    let rhythm = Rhythm::new(opened, COMMUNITY_DAYS, plan.servers.into());
    progress.begin("servers", plan.servers.into());
    for number in 0..plan.servers {
        let (game, kinds) = dice.pick(GAMES);
        let (region, kind) = (dice.pick(REGIONS), dice.pick(kinds));
        edit.set_now(rhythm.moment(number.into(), &mut dice));
        let new = json!({
            "name": format!("[{region}] {kind} #{}", number + 1),
            "ip": format!("127.0.0.{}", number % ADDRESSES + 1),
            "port": FIRST_PORT + number / ADDRESSES,
            "enabled": false,
            "game": game,
            "rcon_password": dice.letters(16),
        });
        servers::create(edit, input(&new)?).await?.into_part();
        progress.advance(1);
    }
    Ok(())
}
