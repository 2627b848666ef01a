//! Shows the steps of grants that are not finished in `/metrics`.

use std::sync::Arc;
use std::time::Duration;

use super::store;
use kernel::queue::Stop;
use kernel::{Core, Kernel, Result};

/// How often the gauges are updated.
const INTERVAL: Duration = Duration::from_secs(10);

/// Counts open steps every few seconds, until the service stops.
pub async fn keep_updating(kernel: Kernel, stop: Arc<Stop>) {
    while !stop.is_stopping() {
        if let Err(error) = update(&kernel.core).await {
            tracing::warn!(%error, "the steps of grants could not be counted; retrying");
        }
        stop.pause(INTERVAL).await;
    }
}

pub async fn update(core: &Core) -> Result<()> {
    let mut read = core.db.read_alone().await?;
    let counts = store::open_states(&mut read).await?;
    let oldest = store::oldest_pending(&mut read).await?;
    drop(read);
    for state in ["pending", "sending", "failed", "uncertain"] {
        let count = counts.iter().find(|(name, _)| name == state);
        let count = count.map_or(0, |(_, count)| *count);
        let gauge = core
            .metrics
            .labelled_gauge("steward_grant_steps", &[("state", state)]);
        gauge.set(count as f64);
    }
    let age = oldest.map_or(0, |since| core.clock.now().unix() - since.unix());
    let gauge = core.metrics.gauge("steward_grant_oldest_pending_seconds");
    gauge.set(age.max(0) as f64);
    Ok(())
}
