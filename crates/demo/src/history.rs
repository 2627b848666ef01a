//! The history of the game servers: their players over the last days.

use db::Progress;
use game_servers::servers::history::{self, Sample};
use kernel::Result;
use kernel::types::time::MINUTE;
use kernel::types::{Day, Timestamp};
use kernel::write::Edit;

use super::plan::Plan;
use super::population::{max_players, players};

const DAYS: i64 = 7;
/// The seconds between samples: the step of the chart of a day, which draws gaps as single points.
const INTERVAL: i64 = 5 * MINUTE;
/// Only so many servers have a history: a demo may have a million of them.
pub const SERVERS: usize = 50;

/// Adds the samples of a week. They reach to the present if the other data reach to this day, so
/// that the charts of the last hours are filled.
pub async fn make(
    edit: &mut Edit,
    plan: &Plan,
    now: Timestamp,
    server_ids: &[i64],
    progress: &mut impl Progress,
) -> Result<()> {
    let end = match plan.until == Day::of(now) {
        true => now.unix(),
        false => plan.end().unix(),
    };
    let first = plan.days_before_end(DAYS).unix();
    let server_ids = &server_ids[..server_ids.len().min(SERVERS)];
    let moments = (first..end).step_by(INTERVAL as usize);
    progress.begin("samples of each server", moments.clone().count() as u64);
    for at in moments {
        let sample = |id: &i64| {
            let sample = Sample {
                at,
                players: Some(players(*id, at)),
                max_players: max_players(*id),
            };
            (*id, sample)
        };
        let samples: Vec<(i64, Sample)> = server_ids.iter().map(sample).collect();
        history::record(edit, &samples).await?;
        progress.advance(1);
    }
    Ok(())
}
