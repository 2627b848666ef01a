//! Deliveries: the plugin steps that a plugin on a game server fetches and confirms.
//!
//! A plugin remembers the ids that it has delivered. So taking a step back is a delivery with an id
//! of its own: the id is twice that of the step, plus 1 for taking back.

pub mod http;

use db::Conn;

use super::taking_back::{begin_undo, is_taken_back, step_of};
use super::{DeliveryFailure, Grant, GrantStep, StepKind, StepState, save_step, store};
use game_servers::servers;
use kernel::types::SteamId;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result};

/// How many deliveries one request returns.
const MOST: i64 = 100;
const FAILED: &str = "The plugin could not deliver it.";

/// One pending plugin step.
#[derive(Debug)]
pub struct Delivery {
    pub grant: Grant,
    pub step: GrantStep,
}

impl GrantStep {
    /// The id of the delivery that a plugin step waits for.
    pub fn delivery_id(&self) -> i64 {
        2 * self.id + i64::from(self.undoing)
    }
}

/// The pending deliveries for a server, oldest first.
pub async fn pending(
    conn: &mut Conn,
    server_id: i64,
    steam_id: Option<SteamId>,
) -> Result<Vec<Delivery>> {
    let found = store::deliveries(conn, server_id, steam_id, MOST).await?;
    let mut ids: Vec<i64> = found.iter().map(|(grant_id, _)| *grant_id).collect();
    ids.dedup();
    let grants = store::find_many(conn, &ids).await?;
    let delivery = |(grant_id, step_id): (i64, i64)| {
        let grant = grants.iter().find(|grant| grant.id == grant_id)?.clone();
        let step = grant.steps.iter().find(|step| step.id == step_id)?.clone();
        Some(Delivery { grant, step })
    };
    Ok(found.into_iter().filter_map(delivery).collect())
}

/// The grant of a delivery for this server, to change it, and the id of the step.
pub async fn target(
    edit: &mut Edit,
    server_id: i64,
    delivery_id: i64,
) -> Result<(Target<Grant>, i64)> {
    const MISSING: Error = Error::NotFound("delivery");
    servers::target(edit, server_id).await?;
    let step_id = delivery_id / 2;
    let grant_id = store::grant_of_step(edit, step_id).await?.ok_or(MISSING)?;
    store::lock(edit, grant_id).await?;
    let grant = store::find(edit, grant_id).await?.ok_or(MISSING)?;
    let is_delivery = |step: &GrantStep| {
        let is_own = step.id == step_id && step.server_id == Some(server_id);
        is_own && step.kind == StepKind::Plugin && delivery_id <= step.delivery_id()
    };
    if !grant.steps.iter().any(is_delivery) {
        return Err(MISSING);
    }
    // Plugins do not know the tag of a grant: `If-Match` is that of the server.
    Ok((edit.part(Some(grant))?, step_id))
}

/// Confirms a delivery. A second time changes nothing.
pub async fn confirm(
    edit: &mut Edit,
    before: Target<Grant>,
    step_id: i64,
    delivery_id: i64,
) -> Result<Change<()>> {
    let mut grant = before.clone();
    let taken_back = is_taken_back(&grant);
    let now = edit.now();
    let step = step_of(&mut grant, step_id)?;
    // Of an earlier delivery, the confirmation changes nothing.
    if delivery_id == step.delivery_id() {
        // A cancelled one was fetched before.
        if let StepState::Pending | StepState::Failed | StepState::Cancelled = step.state {
            step.finish(now);
            if taken_back && step.state == StepState::Done {
                begin_undo(edit, &before, step).await?;
            }
        }
    }
    finish(edit, "deliver", &before, grant, step_id).await
}

/// Reports that a plugin could not deliver.
pub async fn fail(
    edit: &mut Edit,
    before: Target<Grant>,
    step_id: i64,
    delivery_id: i64,
    failure: Option<DeliveryFailure>,
) -> Result<Change<()>> {
    let mut grant = before.clone();
    let reason = failure.and_then(|failure| failure.reason);
    let reason = reason.map(|reason| reason.into_string());
    let reason = reason.filter(|reason| !reason.is_empty());
    let step = step_of(&mut grant, step_id)?;
    if delivery_id == step.delivery_id() && step.state == StepState::Pending {
        step.fail(reason.as_deref().unwrap_or(FAILED));
    }
    finish(edit, "fail_delivery", &before, grant, step_id).await
}

async fn finish(
    edit: &mut Edit,
    verb: &str,
    before: &Target<Grant>,
    mut grant: Grant,
    step_id: i64,
) -> Result<Change<()>> {
    let progress = save_step(edit, before.state, &mut grant, step_id).await?;
    Ok(Change::of_part(verb, before, &**before, &grant, ()).followed_by(progress))
}
