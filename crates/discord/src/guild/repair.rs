//! Compares everybody with what they should have, once a night and when the connection changes.
//!
//! It only finds out who is due; the visits do the rest. A repair is made in steps, each a turn of
//! the queue, so that a restart continues it and visits go on meanwhile.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use db::Conn;

use super::api::{Bot, Failure, GuildMember, PAGE};
use super::connection::{LINE, QUEUE, REPAIR, State, begin_repair, find};
use super::members::{self, Difference, Member, Wanted};
use super::resource::{Connection, Mapping, MemberState, Repair, RepairStep, Snowflake};
use super::{check, store};
use kernel::queue::{self, Lease};
use kernel::types::random;
use kernel::types::time::{DAY, HOUR};
use kernel::write::{Change, Edit, Target};
use kernel::{Error, ErrorCode, Result};

/// How many rows one step reads.
const BATCH: i64 = 1_000;
/// Without the intent, members are read one by one, five a second.
const ONE_BY_ONE_BATCH: i64 = 100;
const ONE_BY_ONE_MILLIS: i64 = 200;
/// The delay after Discord did not answer.
const RETRY_MILLIS: i64 = 60_000;
/// The hour of the day, in UTC, from which it begins.
const NIGHT: i64 = 3;
/// How many differences a dry run shows.
const MOST_SHOWN: usize = 1_000;
/// How long a dry run asks Discord, less than the time limit of a request.
const PATIENCE: Duration = Duration::from_secs(20);

/// The changes that a repair would make for one person.
#[derive(Clone, Debug)]
pub struct Planned {
    pub discord_id: Snowflake,
    pub user_id: Option<i64>,
    pub add: Vec<Snowflake>,
    pub remove: Vec<Snowflake>,
}

/// The outcome of a dry run.
#[derive(Debug, Default)]
pub struct Preview {
    /// At most [`MOST_SHOWN`].
    pub changes: Vec<Planned>,
    pub total: usize,
}

/// Begins a repair by hand.
pub async fn start(edit: &mut Edit, before: Target<Connection>) -> Result<Change<Connection>> {
    begin_repair(edit, before.clone()).await?;
    let after = before.clone();
    Ok(Change::updated("repair", &before, after))
}

/// Makes the step that is due.
pub async fn advance(state: &State, lease: &Lease) -> Result<()> {
    let core = &state.kernel.core;
    let mut edit = Edit::maintenance(core).await?;
    let Some(connection) = find(&mut edit).await? else {
        return Ok(());
    };
    drop(edit);
    let repair = connection.repair.unwrap_or(Repair::BEGINNING);
    let next = match repair.step {
        RepairStep::Check => match check::run(state).await {
            Ok(_) => Next::of(RepairStep::Identities),
            Err(Error::ProviderUnavailable) => Next::later(repair, RETRY_MILLIS),
            Err(error) => return Err(error),
        },
        RepairStep::Identities | RepairStep::Links => collect(state, repair).await?,
        RepairStep::Listing => compare_next(state, repair).await?,
        RepairStep::OneByOne => visit_next(state, repair).await?,
    };
    finish_step(state, lease, repair, next).await
}

/// The step after another one.
struct Next {
    /// `None` after the last one.
    repair: Option<Repair>,
    /// The delay in milliseconds.
    delay: i64,
}

impl Next {
    const END: Self = Self {
        repair: None,
        delay: 0,
    };

    fn of(step: RepairStep) -> Self {
        Self::later(Repair { step, after: 0 }, 0)
    }

    fn later(repair: Repair, delay: i64) -> Self {
        let repair = Some(repair);
        Self { repair, delay }
    }
}

/// Stores what comes next, unless a repair has begun anew meanwhile.
async fn finish_step(state: &State, lease: &Lease, done: Repair, next: Next) -> Result<()> {
    let core = &state.kernel.core;
    let mut edit = Edit::maintenance(core).await?;
    let Some(connection) = store::lock_and_find(&mut edit).await? else {
        return Ok(());
    };
    let now = queue::now(core);
    if QUEUE.release(&mut edit, lease, &[REPAIR], now).await? != [REPAIR] {
        return Ok(());
    }
    let stored = connection.repair.unwrap_or(Repair::BEGINNING);
    let is_same = stored.step == done.step && stored.after == done.after;
    if is_same {
        let at = match next.repair {
            Some(_) => now + next.delay,
            None => next_night(now),
        };
        let connection = Connection {
            repair: next.repair,
            ..connection
        };
        store::put(&mut edit, &connection).await?;
        QUEUE.schedule(&mut edit, LINE, REPAIR, at).await?;
    }
    edit.commit_as_system(&[]).await
}

/// Gets to know the next profiles.
async fn collect(state: &State, repair: Repair) -> Result<Next> {
    let mut edit = Edit::maintenance(&state.kernel.core).await?;
    let Some(connection) = store::lock_and_find(&mut edit).await? else {
        return Ok(Next::END);
    };
    let trusts_links = connection.trust_links;
    let (profiles, last) = match repair.step {
        RepairStep::Links => members::links_after(&mut edit, repair.after, BATCH).await?,
        _ => members::identities_after(&mut edit, repair.after, BATCH).await?,
    };
    members::add(&mut edit, profiles).await?;
    edit.commit_as_system(&[]).await?;
    Ok(match (last, repair.step) {
        (Some(after), step) => Next::later(Repair { step, after }, 0),
        (None, RepairStep::Identities) if trusts_links => Next::of(RepairStep::Links),
        (None, _) => Next::of(RepairStep::Listing),
    })
}

/// Lists the next members, and marks those who differ.
async fn compare_next(state: &State, repair: Repair) -> Result<Next> {
    let (connection, token, pairs) = match check::read(state).await {
        Err(Error::ProviderUnavailable) => return Ok(Next::later(repair, RETRY_MILLIS)),
        read => read?,
    };
    let bot = state.api.bot(&token, connection.guild_id.0);
    let listed = match bot.members(repair.after, PAGE).await {
        Ok(listed) => listed,
        Err(Failure::Forbidden(_)) => return Ok(Next::of(RepairStep::OneByOne)),
        Err(Failure::Limited(pause)) => {
            check::keep_pause(state, pause).await?;
            return Ok(Next::later(repair, 0));
        }
        Err(Failure::Unavailable(reason)) => {
            tracing::warn!(
                reason,
                "the members at Discord could not be listed; retrying"
            );
            return Ok(Next::later(repair, RETRY_MILLIS));
        }
        // The check finds out what is wrong.
        Err(Failure::TokenRefused | Failure::NotFound(_)) => {
            return Ok(Next::later(Repair::BEGINNING, RETRY_MILLIS));
        }
    };
    let is_last = listed.len() < PAGE;
    let last = listed.iter().map(|member| member.user.id.0).max();
    let end = last.filter(|_| !is_last).unwrap_or(i64::MAX);
    let compared = match mark_differing(state, &connection, &pairs, &listed).await? {
        true => mark_absent(state, &connection, &pairs, &listed, (repair.after, end)).await?,
        false => None,
    };
    Ok(match compared {
        // The connection was changed, which begins another repair.
        None => Next::later(repair, 0),
        Some(i64::MAX) => Next::END,
        Some(after) => Next::later(Repair { after, ..repair }, 0),
    })
}

/// A transaction that stores what was asked over this connection; `None` if it has changed.
async fn edit_of(state: &State, asked: &Connection) -> Result<Option<Edit>> {
    let mut edit = Edit::maintenance(&state.kernel.core).await?;
    let current = store::lock_and_find(&mut edit).await?;
    Ok(current
        .is_some_and(|current| current.is_same_bot(asked))
        .then_some(edit))
}

/// Makes those of the listed members due who differ, or of whom it is not known that they do not.
async fn mark_differing(
    state: &State,
    connection: &Connection,
    pairs: &[Mapping],
    listed: &[GuildMember],
) -> Result<bool> {
    let Some(mut edit) = edit_of(state, connection).await? else {
        return Ok(false);
    };
    let ids: Vec<Snowflake> = listed.iter().map(|member| member.user.id).collect();
    let known = known(&mut edit, &ids).await?;
    let now = state.kernel.core.expiry_now();
    let trusted = connection.trust_links;
    let wanted = members::wanted(&mut edit, now, trusted, pairs, &ids).await?;
    let (mut due, mut failing) = (BTreeSet::new(), BTreeSet::new());
    for member in listed {
        let id = member.user.id;
        let should = &wanted[&id];
        let differs = !Difference::of(should, &member.roles, pairs).is_empty();
        match (should.user_id, known.get(&id).map(|known| known.state)) {
            // Nobody's member.
            (None, None) => {}
            (Some(_), Some(MemberState::Ok)) if !differs => {}
            (Some(_), Some(MemberState::Pending | MemberState::Failed)) => {
                failing.insert(id.0);
            }
            (Some(_), Some(MemberState::Ok | MemberState::NotAMember) | None) | (None, Some(_)) => {
                due.insert(id.0);
            }
        }
    }
    let (due, failing): (Vec<i64>, Vec<i64>) = (Vec::from_iter(due), Vec::from_iter(failing));
    members::make_ids_due(&mut edit, &due).await?;
    members::retry(&mut edit, &failing).await?;
    edit.commit_as_system(&[]).await?;
    Ok(true)
}

/// Those of these people who are known.
async fn known(conn: &mut Conn, ids: &[Snowflake]) -> Result<HashMap<Snowflake, Member>> {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let known = members::by_ids(conn, &ids).await?.into_iter();
    Ok(known.map(|known| (known.discord_id, known)).collect())
}

/// Stores that the known people with ids between these, who are not listed, are not on the server.
/// Those who belong to nobody, and those whose last visit failed, are visited. Returns the last id
/// that was looked at, since there may be more than fit into one step; `None` if the connection was
/// changed.
async fn mark_absent(
    state: &State,
    connection: &Connection,
    pairs: &[Mapping],
    listed: &[GuildMember],
    (after, end): (i64, i64),
) -> Result<Option<i64>> {
    let listed: BTreeSet<i64> = listed.iter().map(|member| member.user.id.0).collect();
    let Some(mut edit) = edit_of(state, connection).await? else {
        return Ok(None);
    };
    let ids = members::next_ids(&mut edit, after, BATCH).await?;
    let last = ids.last().map_or(i64::MAX, |last| *last);
    let is_absent = |id: &i64| *id <= end && !listed.contains(id);
    let absent: Vec<i64> = ids.into_iter().filter(is_absent).collect();
    members::lock(&mut edit, &absent).await?;
    let now = state.kernel.core.expiry_now();
    let asked: Vec<Snowflake> = absent.iter().map(|id| Snowflake(*id)).collect();
    let trusted = connection.trust_links;
    let wanted = members::wanted(&mut edit, now, trusted, pairs, &asked).await?;
    let (mut due, mut failing) = (Vec::new(), Vec::new());
    let known = known(&mut edit, &asked).await?;
    for (id, known) in asked.iter().filter_map(|id| Some((id, known.get(id)?))) {
        let user_id = wanted[id].user_id;
        match (user_id, known.state) {
            (None, _) => due.push(id.0),
            (Some(_), MemberState::Failed) => failing.push(id.0),
            (Some(_), _) => {}
        }
        if user_id.is_some() && user_id != known.user_id {
            members::set_owner(&mut edit, id.0, user_id).await?;
        }
    }
    members::set_absent(&mut edit, &absent, now).await?;
    members::make_ids_due(&mut edit, &due).await?;
    members::retry(&mut edit, &failing).await?;
    edit.commit_as_system(&[]).await?;
    Ok(Some(last.min(end)))
}

/// Without the intent: makes the next known people due, a few a second.
async fn visit_next(state: &State, repair: Repair) -> Result<Next> {
    let mut edit = Edit::maintenance(&state.kernel.core).await?;
    let ids = members::next_ids(&mut edit, repair.after, ONE_BY_ONE_BATCH).await?;
    let begin = queue::now(&state.kernel.core);
    let mut delay = 0;
    for id in &ids {
        QUEUE.schedule(&mut edit, LINE, *id, begin + delay).await?;
        delay += ONE_BY_ONE_MILLIS;
    }
    edit.commit_as_system(&[]).await?;
    Ok(match ids.last() {
        Some(after) => Next::later(
            Repair {
                after: *after,
                ..repair
            },
            delay,
        ),
        None => Next::END,
    })
}

/// The next night, in milliseconds, at a random minute: many services ask Discord.
fn next_night(now: i64) -> i64 {
    let [minute, ..] = random::bytes::<4>();
    let hour = now.div_euclid(HOUR * 1000);
    let today = hour.div_euclid(24) * 24;
    let begin = today + NIGHT;
    let begin = if hour < begin {
        begin
    } else {
        begin + DAY / HOUR
    };
    (begin * HOUR + i64::from(minute % 60) * 60) * 1000
}

/// The changes that a repair would make now. Asks Discord for the list of its members.
pub async fn preview(state: &State) -> Result<Preview> {
    let (connection, token, pairs) = check::read(state).await?;
    let bot = state.api.bot(&token, connection.guild_id.0);
    let listing = compare_all(state, &bot, &connection, &pairs);
    let listed = tokio::time::timeout(PATIENCE, listing).await;
    listed.map_err(|_| Error::ProviderUnavailable)?
}

async fn compare_all(
    state: &State,
    bot: &Bot<'_>,
    connection: &Connection,
    pairs: &[Mapping],
) -> Result<Preview> {
    let core = &state.kernel.core;
    let mut preview = Preview::default();
    let mut after = 0;
    loop {
        let listed = match bot.members(after, PAGE).await {
            Ok(listed) => listed,
            Err(Failure::Forbidden(_)) => return Err(INTENT_MISSING),
            Err(failure) => return Err(check::failed(state, failure).await),
        };
        let mut read = core.db.read_alone().await?;
        let ids: Vec<Snowflake> = listed.iter().map(|member| member.user.id).collect();
        let (now, trusted) = (core.expiry_now(), connection.trust_links);
        let wanted = members::wanted(&mut read, now, trusted, pairs, &ids).await?;
        let last = ids.iter().max().map_or(i64::MAX, |id| id.0);
        let known = known(&mut read, &ids).await?;
        drop(read);
        for member in &listed {
            let id = member.user.id;
            let should = &wanted[&id];
            if should.user_id.is_some() || known.contains_key(&id) {
                preview.extend(planned(member, should, pairs));
            }
        }
        if listed.len() < PAGE {
            return Ok(preview);
        }
        after = last;
    }
}

fn planned(member: &GuildMember, wanted: &Wanted, pairs: &[Mapping]) -> Option<Planned> {
    let difference = Difference::of(wanted, &member.roles, pairs);
    (!difference.is_empty()).then_some(Planned {
        discord_id: member.user.id,
        user_id: wanted.user_id,
        add: difference.add,
        remove: difference.remove,
    })
}

impl Preview {
    fn extend(&mut self, planned: Option<Planned>) {
        if let Some(planned) = planned {
            self.total += 1;
            if self.changes.len() < MOST_SHOWN {
                self.changes.push(planned);
            }
        }
    }
}

pub const INTENT_MISSING: Error = Error::Conflict {
    code: ErrorCode::DiscordIntentMissing,
    message: "The bot may not list the members of the server. Switch on its Server Members Intent at \
              Discord; a repair without a dry run works without it.",
};
