//! Sends the commands of grants to game servers, in the background.
//!
//! Each server is a line of the [queue](kernel::queue) that goes one by one. No protocol tells
//! whether a console that went silent obeyed. So an attempt is committed as `sending` before the
//! command is sent; what may have run is not sent again without a person, unless it is repeatable.

use std::sync::Arc;
use std::time::Duration;

use db::Conn;
use futures_util::future::BoxFuture;
use tokio::time::Instant;

use super::giving::Obstacle;
use super::taking_back::{begin_undo, give_up, is_taken_back};
use super::{Grant, GrantStep, StepState, gauges, save_step, store};
use game_servers::command_template::CommandTemplate;
use game_servers::servers::rcon::{self, Answer, RecordedCommand};
use game_servers::servers::{self, COMMANDS, CommandLine, RconCommand, Server};
use kernel::queue::{self, Lease, Queue, Stop, Work};
use kernel::types::Timestamp;
use kernel::types::time::{DAY, MINUTE};
use kernel::write::{Change, Edit, Outcome, Target};
use kernel::{Core, Error, Kernel, Result};

/// The delay after each attempt before the next one, in seconds; the last one repeats.
const DELAYS: [i64; 5] = [10, 30, MINUTE, 5 * MINUTE, 10 * MINUTE];
/// The minimum time between two commands for a server: at most 20 a second.
const PACE: Duration = Duration::from_millis(50);
/// How much of a console's answer is kept, in bytes.
const KEPT_REPLY: usize = 1 << 10;
const LOST: &str = "The instance that sent the command died. The command may or may not have run.";

/// The operator's settings.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// For how many days a command is retried.
    pub days: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { days: 7 }
    }
}

/// The state of the sender. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub kernel: Kernel,
    pub servers: servers::State,
    pub settings: Settings,
    pub stop: Arc<Stop>,
}

/// Sends due commands until the service stops, and returns when the outcomes are stored.
pub fn run(state: State) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let gauges = gauges::keep_updating(state.kernel.clone(), Arc::clone(&state.stop));
        tokio::join!(queue::run(Arc::new(state)), gauges);
    })
}

/// Sends all due commands, and returns when the outcomes are stored.
pub async fn once(state: &State) -> Result<()> {
    queue::once(Arc::new(state.clone())).await
}

/// A line of the queue is a server, an item the id of a step.
impl Work for State {
    fn queue(&self) -> &'static Queue {
        &COMMANDS
    }

    fn core(&self) -> &Core {
        &self.kernel.core
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn open_lines<'a>(
        &'a self,
        _: &'a mut Conn,
        servers: Vec<i64>,
        _: i64,
    ) -> BoxFuture<'a, Result<Vec<i64>>> {
        Box::pin(async move { Ok(servers) })
    }

    fn work_on(&self, server_id: i64) -> BoxFuture<'_, Result<Option<Duration>>> {
        Box::pin(send_next(self, server_id))
    }
}

/// A leased step, and what to do with it.
struct Claim {
    lease: Lease,
    step_id: i64,
    ready: Ready,
}

enum Ready {
    /// The attempt is committed.
    Send(RecordedCommand),
    /// It surely did not run.
    NotDone(Error),
    /// Nothing is to be sent any more.
    Settled,
}

/// Sends the next command of a server. Returns the pause before the next one.
async fn send_next(state: &State, server_id: i64) -> Result<Option<Duration>> {
    if state.stop.is_stopping() {
        return Ok(None);
    }
    let Some(claim) = claim(state, server_id).await? else {
        return Ok(None);
    };
    let begun = Instant::now();
    let outcome = match claim.ready {
        Ready::Send(command) => rcon::send(command).await,
        Ready::NotDone(error) => Outcome::NotDone(error),
        Ready::Settled => return Ok(Some(Duration::ZERO)),
    };
    // Before the lease ends, so that no other instance sends sooner.
    tokio::time::sleep_until(begun + PACE).await;
    let has_failed = matches!(outcome, Outcome::NotDone(_));
    settle(state, &claim.lease, claim.step_id, outcome).await?;
    Ok((!has_failed).then_some(Duration::ZERO))
}

/// Leases the next step of a server, and commits that it is being sent.
async fn claim(state: &State, server_id: i64) -> Result<Option<Claim>> {
    let core = &state.kernel.core;
    let now = queue::now(core);
    let mut edit = Edit::maintenance(core).await?;
    let Some(step_id) = COMMANDS.next_due(&mut edit, server_id, now).await? else {
        return Ok(None);
    };
    // Every transaction locks a server before grants, and a grant before its row of the queue.
    let server = match servers::target(&mut edit, server_id).await {
        Ok(server) => Some(server),
        Err(Error::NotFound(_)) => None,
        Err(error) => return Err(error),
    };
    let grant = lock_grant_of(&mut edit, step_id).await?;
    let lease = COMMANDS.lease(&mut edit, server_id, now, 1).await?;
    if lease.items != [step_id] {
        return Ok(None);
    }
    let found = grant.and_then(|grant| {
        let step = grant.steps.iter().find(|step| step.id == step_id)?.clone();
        Some((grant, step))
    });
    let claimed = |ready| {
        Ok(Some(Claim {
            lease,
            step_id,
            ready,
        }))
    };
    let Some((mut grant, mut step)) = found.filter(|(_, step)| step.is_open()) else {
        COMMANDS.remove(&mut edit, server_id, &[step_id]).await?;
        edit.commit_as_system(&[]).await?;
        return claimed(Ready::Settled);
    };
    if step.state == StepState::Sending && !step.repeatable {
        // The lease of another instance has expired.
        COMMANDS.remove(&mut edit, server_id, &[step_id]).await?;
        step.state = StepState::Uncertain;
        step.error = Some(LOST.to_owned());
        if is_taken_back(&grant) && !step.undoing {
            begin_undo(&mut edit, &grant, &mut step).await?;
        }
        commit_step(edit, &mut grant, step).await?;
        return claimed(Ready::Settled);
    }
    step.attempts += 1;
    match record(state, &mut edit, &grant, &step, server).await? {
        Recorded::Command(recorded) => {
            step.state = StepState::Sending;
            store::update_step(&mut edit, &step).await?;
            claimed(Ready::Send(edit.commit(*recorded).await?))
        }
        Recorded::NotNow(error) => {
            store::update_step(&mut edit, &step).await?;
            edit.commit_as_system(&[]).await?;
            claimed(Ready::NotDone(error))
        }
        Recorded::Never(obstacle) => {
            COMMANDS.remove(&mut edit, server_id, &[step_id]).await?;
            give_up(&grant, &mut step, obstacle);
            commit_step(edit, &mut grant, step).await?;
            claimed(Ready::Settled)
        }
    }
}

/// Commits a step that is not sent.
async fn commit_step(mut edit: Edit, grant: &mut Grant, step: GrantStep) -> Result<()> {
    let (before, step_id) = (grant.state, step.id);
    let place = grant.steps.iter_mut().find(|other| other.id == step_id);
    place.into_iter().for_each(|place| *place = step.clone());
    let entry = save_step(&mut edit, before, grant, step_id).await?;
    edit.commit_as_system(&Vec::from_iter(entry)).await
}

/// What can be done with the command of a step.
enum Recorded {
    /// It is sent once its audit entry is committed.
    Command(Box<Change<RecordedCommand>>),
    /// It cannot be sent now.
    NotNow(Error),
    /// It cannot be sent as long as nobody changes something.
    Never(Obstacle),
}

/// Prepares the audit entry of a command.
async fn record(
    state: &State,
    edit: &mut Edit,
    grant: &Grant,
    step: &GrantStep,
    server: Option<Target<Server>>,
) -> Result<Recorded> {
    let Some(server) = server else {
        return Ok(Recorded::Never(Obstacle::ServerDeleted));
    };
    let rendered = step
        .next_command()
        .and_then(|command| CommandTemplate::parse(command).ok())
        .map(|template| template.render(&grant.values(server.id)));
    let command = match rendered {
        Some(Ok(command)) => CommandLine::rendered(command),
        Some(Err(profile)) => return Ok(Recorded::Never(Obstacle::NoProfile(profile))),
        None => return Err(Error::internal("a stored command cannot be read")),
    };
    let settings = state.servers.live.settings();
    match rcon::record(edit, settings, server, RconCommand { command }).await {
        Ok(change) => {
            let change = change.about_user(Some(grant.user_id));
            Ok(Recorded::Command(Box::new(change)))
        }
        Err(error @ (Error::Rejected { .. } | Error::GameServer { .. })) => {
            Ok(Recorded::NotNow(error))
        }
        Err(error) => Err(error),
    }
}

/// Locks the grant of a step and reads it.
async fn lock_grant_of(edit: &mut Edit, step_id: i64) -> Result<Option<Grant>> {
    let Some(grant_id) = store::grant_of_step(edit, step_id).await? else {
        return Ok(None);
    };
    store::lock(edit, grant_id).await?;
    Ok(store::find(edit, grant_id).await?)
}

/// Stores the outcome of a command, if the lease is still held.
async fn settle(
    state: &State,
    lease: &Lease,
    step_id: i64,
    outcome: Outcome<Answer>,
) -> Result<()> {
    let core = &state.kernel.core;
    let mut edit = Edit::maintenance(core).await?;
    let Some(mut grant) = lock_grant_of(&mut edit, step_id).await? else {
        return Ok(());
    };
    let now = queue::now(core);
    if COMMANDS.release(&mut edit, lease, &[step_id], now).await? != [step_id] {
        return Ok(());
    }
    let before = grant.state;
    let known = grant.clone();
    let Some(step) = grant.steps.iter_mut().find(|step| step.id == step_id) else {
        return Ok(());
    };
    let delay = settled(step, outcome, edit.now(), state.settings);
    match delay {
        Some(delay) => {
            let at = now + delay * 1000;
            COMMANDS
                .schedule(&mut edit, lease.line(), step_id, at)
                .await?;
        }
        None => COMMANDS.remove(&mut edit, lease.line(), &[step_id]).await?,
    }
    // It ran, or may have, although it was to be taken back in the meantime.
    let may_have_run = matches!(step.state, StepState::Done | StepState::Uncertain);
    if may_have_run && !step.undoing && is_taken_back(&known) {
        begin_undo(&mut edit, &known, step).await?;
    }
    let entry = save_step(&mut edit, before, &mut grant, step_id).await?;
    edit.commit_as_system(&entry.into_iter().collect::<Vec<_>>())
        .await
}

/// Changes a step after an attempt. Returns the seconds until the next one, if there is one.
fn settled(
    step: &mut GrantStep,
    outcome: Outcome<Answer>,
    now: Timestamp,
    settings: Settings,
) -> Option<i64> {
    let (error, may_have_run) = match outcome {
        Outcome::Done(answer) => {
            step.finish(now);
            step.reply = Some(kept(answer.text));
            return None;
        }
        Outcome::NotDone(error) => (error, false),
        Outcome::Unknown(error) => (error, true),
    };
    step.error = Some(error.to_string());
    if may_have_run && !step.repeatable {
        step.state = StepState::Uncertain;
        return None;
    }
    if step.cancelling && !may_have_run {
        step.cancelling = false;
        step.state = StepState::Cancelled;
        return None;
    }
    if now.unix() - step.queued_at.unix() >= i64::from(settings.days) * DAY {
        step.state = StepState::Failed;
        return None;
    }
    step.state = StepState::Pending;
    let made = usize::try_from(step.attempts - 1).unwrap_or(usize::MAX);
    Some(DELAYS[made.min(DELAYS.len() - 1)])
}

/// The beginning of an answer, without NUL, which PostgreSQL cannot store.
fn kept(mut answer: String) -> String {
    let mut end = answer.len().min(KEPT_REPLY);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    answer.truncate(end);
    answer.replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grants::StepKind;
    use kernel::ErrorCode;

    fn start() -> Timestamp {
        Timestamp::from_unix(1_772_366_400)
    }

    fn sending(attempts: i64) -> GrantStep {
        GrantStep {
            state: StepState::Sending,
            attempts,
            ..GrantStep::new(StepKind::Rcon, Some(1), start())
        }
    }

    fn error() -> Error {
        Error::GameServer {
            code: ErrorCode::RconClosed,
            message: "It is closed.",
        }
    }

    fn after(step: &mut GrantStep, outcome: Outcome<Answer>, seconds: i64) -> Option<i64> {
        let now = Timestamp::from_unix(start().unix() + seconds);
        settled(step, outcome, now, Settings::default())
    }

    #[test]
    fn what_surely_did_not_run_is_retried_with_growing_delays_for_7_days() {
        for (attempt, delay) in (1..).zip([10, 30, 60, 300, 600, 600, 600]) {
            let mut step = sending(attempt);
            assert_eq!(after(&mut step, Outcome::NotDone(error()), 60), Some(delay));
            assert_eq!(step.state, StepState::Pending);
            assert_eq!(step.error.as_deref(), Some("It is closed."));
        }
        let mut step = sending(900);
        assert_eq!(after(&mut step, Outcome::NotDone(error()), 7 * DAY), None);
        assert_eq!(step.state, StepState::Failed);
    }

    #[test]
    fn what_may_have_run_is_uncertain_unless_it_is_repeatable() {
        let mut step = sending(1);
        assert_eq!(after(&mut step, Outcome::Unknown(error()), 1), None);
        assert_eq!(step.state, StepState::Uncertain);
        let mut step = sending(1);
        step.repeatable = true;
        assert_eq!(after(&mut step, Outcome::Unknown(error()), 1), Some(10));
        assert_eq!(step.state, StepState::Pending);
    }

    #[test]
    fn a_cancelled_step_ends_only_if_it_surely_did_not_run() {
        let mut step = sending(1);
        step.cancelling = true;
        assert_eq!(after(&mut step, Outcome::NotDone(error()), 1), None);
        assert_eq!(step.state, StepState::Cancelled);
        let mut step = sending(1);
        step.cancelling = true;
        assert_eq!(after(&mut step, Outcome::Unknown(error()), 1), None);
        assert_eq!(step.state, StepState::Uncertain);
    }

    #[test]
    fn the_first_kib_of_an_answer_is_kept() {
        let mut step = sending(1);
        let text = format!("{}é\0", "x".repeat(1023));
        let answer = Answer {
            text,
            truncated: false,
        };
        assert_eq!(after(&mut step, Outcome::Done(answer), 1), None);
        assert_eq!(step.state, StepState::Done);
        assert_eq!(step.reply, Some("x".repeat(1023)));
        step.undoing = true;
        let answer = Answer {
            text: "ok\0".into(),
            truncated: false,
        };
        after(&mut step, Outcome::Done(answer), 2);
        assert_eq!(
            (step.state, step.reply.as_deref()),
            (StepState::Undone, Some("ok"))
        );
    }
}
