//! Visits people who are due, in the background. One instance at a time does so.

use std::sync::Arc;
use std::time::Duration;

use db::Conn;
use futures_util::future::BoxFuture;

use super::visit::{self, Outcome};
use super::{Member, Wanted, store, wanted};
use crate::guild::connection::{LINE, QUEUE, REPAIR, State, connected, disable, open_token};
use crate::guild::resource::{Connection, Mapping, MemberState, Problem, Snowflake};
use crate::guild::{mappings, repair, store as connections};
use kernel::queue::{self, Lease, Queue, Stop, Work};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::write::Edit;
use kernel::{Core, Result};

/// Visits people who are due until the service stops, and returns when the outcomes are stored.
pub fn run(state: State) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        queue::run(Arc::new(state.clone())).await;
        if let Err(error) = end_lease(&state).await {
            tracing::warn!(%error, "other instances send requests to Discord only after a minute");
        }
    })
}

/// Visits everybody who is due, and returns when the outcomes are stored.
pub async fn once(state: &State) -> Result<()> {
    queue::once(Arc::new(state.clone())).await
}

async fn end_lease(state: &State) -> Result<()> {
    let mut edit = Edit::maintenance(&state.kernel.core).await?;
    connections::end_lease(&mut edit, &state.sender).await?;
    edit.commit_as_system(&[]).await
}

impl Work for State {
    fn queue(&self) -> &'static Queue {
        &QUEUE
    }

    fn core(&self) -> &Core {
        &self.kernel.core
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn open_lines<'a>(
        &'a self,
        conn: &'a mut Conn,
        lines: Vec<i64>,
        now: i64,
    ) -> BoxFuture<'a, Result<Vec<i64>>> {
        Box::pin(async move {
            let is_open = connections::is_open(conn, &self.sender, now).await?;
            Ok(if is_open { lines } else { Vec::new() })
        })
    }

    fn work_on(&self, _: i64) -> BoxFuture<'_, Result<Option<Duration>>> {
        Box::pin(work_on_next(self))
    }
}

/// The work that is due next, leased to this instance.
enum Next {
    Person(Claim),
    Repair(Lease),
}

/// A person who is visited.
struct Claim {
    lease: Lease,
    id: Snowflake,
    /// The number of changes that the visit takes into account.
    changes: i64,
    wanted: Wanted,
    connection: Connection,
    token: Secret<String>,
    pairs: Vec<Mapping>,
}

async fn work_on_next(state: &State) -> Result<Option<Duration>> {
    if state.stop.is_stopping() {
        return Ok(None);
    }
    match claim(state).await? {
        Some(Next::Person(claim)) => make_visit(state, claim).await?,
        Some(Next::Repair(lease)) => repair::advance(state, &lease).await?,
        None => return Ok(None),
    }
    Ok(Some(Duration::ZERO))
}

/// Leases what is due next. Every transaction locks the connection, then a person, then a row of the
/// queue.
async fn claim(state: &State) -> Result<Option<Next>> {
    let core = &state.kernel.core;
    let mut edit = Edit::maintenance(core).await?;
    let now = queue::now(core);
    if !connections::take_lease(&mut edit, &state.sender, now).await? {
        return Ok(None);
    }
    let Some(item) = QUEUE.next_due(&mut edit, LINE, now).await? else {
        return Ok(None);
    };
    let member = store::lock_and_find(&mut edit, item).await?;
    let lease = QUEUE.lease(&mut edit, LINE, now, 1).await?;
    if lease.items != [item] {
        return Ok(None);
    }
    let next = match (item, member) {
        (REPAIR, _) => Next::Repair(lease),
        (_, Some(member)) => {
            let connection = connected(&mut edit).await?;
            let token = open_token(&mut edit, &connection).await?;
            let pairs = mappings::list(&mut edit).await?;
            let now = core.expiry_now();
            let id = member.discord_id;
            let trusted = connection.trust_links;
            let mut found = wanted(&mut edit, now, trusted, &pairs, &[id]).await?;
            Next::Person(Claim {
                lease,
                id,
                changes: member.changes,
                wanted: found.remove(&id).unwrap_or_default(),
                connection,
                token,
                pairs,
            })
        }
        (_, None) => {
            // They were forgotten meanwhile.
            QUEUE.remove(&mut edit, LINE, &[item]).await?;
            edit.commit_as_system(&[]).await?;
            return Ok(None);
        }
    };
    edit.commit_as_system(&[]).await?;
    Ok(Some(next))
}

async fn make_visit(state: &State, claim: Claim) -> Result<()> {
    let Claim {
        lease,
        id,
        changes,
        wanted,
        connection,
        token,
        pairs,
    } = claim;
    let bot = state.api.bot(&token, connection.guild_id.0);
    let mut refused = Vec::new();
    let outcome = visit::visit(&bot, id, &wanted, &pairs, &mut refused).await;
    let visited = Visited {
        lease,
        id,
        changes,
        wanted,
        connection,
        refused,
    };
    settle(state, visited, outcome).await
}

/// A person who was visited.
struct Visited {
    lease: Lease,
    id: Snowflake,
    changes: i64,
    wanted: Wanted,
    connection: Connection,
    /// Roles that Discord does not let the bot give.
    refused: Vec<(Snowflake, Problem)>,
}

/// Stores the outcome of a visit.
async fn settle(state: &State, visited: Visited, outcome: Outcome) -> Result<()> {
    let Visited {
        lease,
        id,
        changes,
        wanted,
        connection: asked,
        refused,
    } = visited;
    let core = &state.kernel.core;
    let now = queue::now(core);
    let mut edit = Edit::maintenance(core).await?;
    let Some(mut connection) = connections::lock_and_find(&mut edit).await? else {
        return Ok(());
    };
    let member = store::lock_and_find(&mut edit, id.0).await?;
    if QUEUE.release(&mut edit, &lease, &[id.0], now).await? != [id.0] {
        return Ok(());
    }
    if !connection.active || !connection.is_same_bot(&asked) {
        // What the former bot met says nothing of this one.
        return edit.commit_as_system(&[]).await;
    }
    for (role, problem) in refused {
        mappings::set_problem(&mut edit, role, Some(problem)).await?;
        if connection.problem.is_none() {
            connection.problem = Some(problem);
            connections::put(&mut edit, &connection).await?;
        }
    }
    let counted = match &outcome {
        Outcome::Done => "done",
        Outcome::NotAMember => "not_a_member",
        Outcome::Refused(_) => "refused",
        Outcome::Limited(_) => "limited",
        Outcome::Unfinished => "unfinished",
        Outcome::Failed(_) => "failed",
    };
    let labels = [("outcome", counted)];
    let counter = core
        .metrics
        .counter("steward_discord_visits_total", &labels);
    let mut entries = Vec::new();
    match outcome {
        Outcome::Refused(problem) => {
            entries = disable(&mut edit, problem).await?.into_entries();
        }
        Outcome::Limited(pause) => connections::pause(&mut edit, now + pause).await?,
        Outcome::Unfinished => {}
        outcome => {
            // After a change meanwhile, they are due again.
            if let Some(mut member) = member.filter(|member| member.changes == changes) {
                match apply(&mut member, &wanted, outcome, now) {
                    After::Rest => {
                        store::update(&mut edit, &member).await?;
                        QUEUE.remove(&mut edit, LINE, &[id.0]).await?;
                    }
                    After::At(at) => {
                        store::update(&mut edit, &member).await?;
                        QUEUE.schedule(&mut edit, LINE, id.0, at).await?;
                    }
                    After::Forget => {
                        store::delete(&mut edit, &[id.0]).await?;
                        QUEUE.remove(&mut edit, LINE, &[id.0]).await?;
                    }
                }
            }
        }
    }
    edit.commit_as_system(&entries).await?;
    counter.increment(1);
    Ok(())
}

/// The next visit after one.
enum After {
    Rest,
    /// Due at this time in milliseconds.
    At(i64),
    /// They belong to nobody and have nothing.
    Forget,
}

/// The state of a member after a visit.
fn apply(member: &mut Member, wanted: &Wanted, outcome: Outcome, now: i64) -> After {
    member.user_id = wanted.user_id;
    let reached = match outcome {
        Outcome::Done => MemberState::Ok,
        Outcome::NotAMember => MemberState::NotAMember,
        Outcome::Failed(sentence) => {
            let delay = queue::retry_delay(member.attempts);
            member.attempts += 1;
            member.error = Some(sentence);
            let (state, after) = match delay {
                Some(delay) => (MemberState::Pending, After::At(now + delay)),
                None => (MemberState::Failed, After::Rest),
            };
            member.state = state;
            return after;
        }
        Outcome::Refused(_) | Outcome::Limited(_) | Outcome::Unfinished => return After::Rest,
    };
    member.state = reached;
    member.error = None;
    member.attempts = 0;
    member.synced_at = Some(Timestamp::from_unix(now.div_euclid(1000)));
    match (wanted.user_id, wanted.until) {
        (None, _) => After::Forget,
        (Some(_), Some(until)) => After::At(until.unix().saturating_mul(1000)),
        (Some(_), None) => After::Rest,
    }
}
