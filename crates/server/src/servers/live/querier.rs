//! Where questions to servers are asked and their answers stored.
//!
//! A server is asked by one at a time in this process: whoever comes meanwhile waits for the same
//! answer. Answers that come at about the same time are stored in one transaction.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metrics::{counter, histogram};
use tokio::sync::{Semaphore, watch};

use super::failure::Failure;
use super::{Live, Settings, Subject, games, now, store};
use crate::app::App;
use crate::servers::{self, history};
use kernel::types::{Timestamp, random};
use kernel::{Error, Result};

/// How long the first of some answers waits for others to be stored with it.
const GATHERING: Duration = Duration::from_millis(100);
/// How many intervals apart a server is asked that does not answer, at most.
const LONGEST_BACK_OFF: i64 = 10;

/// Part of what every request can reach.
pub struct Querier {
    settings: Settings,
    turns: Arc<Semaphore>,
    asking: Mutex<HashMap<i64, Question>>,
    answered: Mutex<Vec<Answered>>,
    storing: tokio::sync::Mutex<()>,
}

/// A question that waits for its answer.
#[derive(Clone)]
struct Question {
    epoch: i64,
    answer: watch::Receiver<Answer>,
}

#[derive(Clone, Debug)]
enum Answer {
    Pending,
    Stored(Arc<Live>),
    /// The server has changed meanwhile.
    Dropped,
    Lost,
}

/// Why a server is asked.
#[derive(Clone, Copy, Debug)]
pub enum Occasion {
    /// It is its turn; so many times in a row it has not answered.
    Regular { failures: i64 },
    /// Somebody wants to know.
    Request,
}

/// What came of a question, as it is stored.
pub struct Checked {
    pub server_id: i64,
    pub epoch: i64,
    pub live: Live,
}

struct Answered {
    checked: Checked,
    occasion: Occasion,
    tell: watch::Sender<Answer>,
}

impl Querier {
    pub fn new(settings: Settings) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(settings.concurrency)),
            settings,
            asking: Mutex::default(),
            answered: Mutex::default(),
            storing: tokio::sync::Mutex::default(),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn asking(&self) -> MutexGuard<'_, HashMap<i64, Question>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next to ask gets an answer of its own.
    fn forget(&self, answered: &Answered) {
        let ours = answered.tell.subscribe();
        let mut asking = self.asking();
        let known = asking.get(&answered.checked.server_id);
        if known.is_some_and(|question| question.answer.same_channel(&ours)) {
            asking.remove(&answered.checked.server_id);
        }
    }

    fn answered(&self) -> MutexGuard<'_, Vec<Answered>> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks for somebody who wants to know, together with whoever is asking already. `None` where
/// the server has changed meanwhile.
pub(super) async fn ask(app: &App, subject: Subject) -> Result<Option<Live>> {
    let mut question = {
        let mut asking = app.live.asking();
        match under_way(&asking, &subject) {
            Some(question) => question,
            None => begin(app, &mut asking, subject, Occasion::Request),
        }
    };
    match question.outcome().await {
        Answer::Stored(live) => Ok(Some(Live::clone(&live))),
        Answer::Dropped => Ok(None),
        Answer::Pending | Answer::Lost => Err(Error::Unavailable),
    }
}

/// Asks a server whose turn it is. If somebody else is asking it, they are left to finish.
pub(super) async fn ask_regularly(app: &App, subject: Subject, failures: i64) {
    loop {
        let (mut question, is_ours) = {
            let mut asking = app.live.asking();
            match under_way(&asking, &subject) {
                Some(question) => (question, false),
                None => {
                    let occasion = Occasion::Regular { failures };
                    let question = begin(app, &mut asking, subject.clone(), occasion);
                    (question, true)
                }
            }
        };
        question.outcome().await;
        if is_ours {
            return;
        }
    }
}

fn under_way(asking: &HashMap<i64, Question>, subject: &Subject) -> Option<Question> {
    let known = asking.get(&subject.server_id);
    known
        .filter(|question| question.epoch == subject.epoch && question.is_open())
        .cloned()
}

impl Question {
    fn is_open(&self) -> bool {
        self.answer.has_changed().is_ok() && matches!(*self.answer.borrow(), Answer::Pending)
    }

    async fn outcome(&mut self) -> Answer {
        let answer = self
            .answer
            .wait_for(|answer| !matches!(answer, Answer::Pending))
            .await;
        answer.map_or(Answer::Lost, |answer| answer.clone())
    }
}

/// Goes on by itself, whether or not somebody waits for it to the end.
fn begin(
    app: &App,
    asking: &mut HashMap<i64, Question>,
    subject: Subject,
    occasion: Occasion,
) -> Question {
    let (tell, answer) = watch::channel(Answer::Pending);
    let question = Question {
        epoch: subject.epoch,
        answer,
    };
    asking.insert(subject.server_id, question.clone());
    tokio::spawn(carry_out(app.clone(), subject, occasion, tell));
    question
}

async fn carry_out(app: App, subject: Subject, occasion: Occasion, tell: watch::Sender<Answer>) {
    let (server_id, epoch) = (subject.server_id, subject.epoch);
    let said = put(&app, subject).await;
    let checked = Checked {
        server_id,
        epoch,
        live: live(&app, said),
    };
    let answered = Answered {
        checked,
        occasion,
        tell,
    };
    deliver(&app, answered).await;
}

/// What a server said, and how soon.
type Said = (game_query::Report, Option<Duration>);

async fn put(app: &App, subject: Subject) -> Result<Said, Failure> {
    let settings = &app.live.settings;
    if !settings.allow(subject.address.ip()) {
        return Err(Failure::Forbidden);
    }
    let Ok(_turn) = app.live.turns.acquire().await else {
        return Err(Failure::Disabled);
    };
    let protocol = games::protocol_of(&subject.game);
    let started = tokio::time::Instant::now();
    // In a task of its own, since what strangers send may yet find a way to make it panic.
    let asking = tokio::spawn(game_query::query(
        protocol,
        subject.address,
        settings.timeout,
    ));
    let outcome = asking.await;
    histogram!("steward_server_query_seconds").record(started.elapsed().as_secs_f64());
    let outcome = outcome.map_err(|_| Failure::Asked(game_query::Failure::Protocol))?;
    let report = outcome.answer.map_err(Failure::Asked)?;
    Ok((report, outcome.latency))
}

fn live(app: &App, said: Result<Said, Failure>) -> Live {
    let error = said.as_ref().err().map(|failure| failure.as_str());
    counter!("steward_server_queries_total", "outcome" => error.unwrap_or("answered")).increment(1);
    let (report, latency) = said.unwrap_or_default();
    Live {
        reachable: error.is_none(),
        checked_at: Some(app.clock.now()),
        latency_ms: latency.map(|latency| latency.as_millis() as i64),
        players_online: report.players_online,
        max_players: report.max_players,
        map: report.map,
        name: report.name,
        version: report.version,
        players: report.players,
        error,
    }
}

/// Stores an answer and says so to those who wait for it. Whoever comes first stores those of
/// all who came meanwhile.
async fn deliver(app: &App, answered: Answered) {
    let desk = &app.live;
    let is_urgent = matches!(answered.occasion, Occasion::Request);
    desk.answered().push(answered);
    let _turn = desk.storing.lock().await;
    if desk.answered().is_empty() {
        return;
    }
    if !is_urgent {
        tokio::time::sleep(GATHERING).await;
    }
    let mut batch = std::mem::take(&mut *desk.answered());
    // In the same order everywhere, so that two instances never wait for each other.
    batch.sort_by_key(|answered| answered.checked.server_id);
    let stored = record(app, &batch).await;
    if let Err(error) = &stored {
        tracing::warn!(%error, "what game servers said was not stored");
    }
    let stored = stored.unwrap_or_default();
    for (i, answered) in batch.into_iter().enumerate() {
        desk.forget(&answered);
        let answer = match stored.get(i) {
            Some(true) => Answer::Stored(Arc::new(answered.checked.live)),
            Some(false) => Answer::Dropped,
            None => Answer::Lost,
        };
        answered.tell.send_replace(answer);
    }
}

/// For each answer, whether it was still wanted.
async fn record(app: &App, batch: &[Answered]) -> Result<Vec<bool>> {
    let now = now(app);
    let mut tx = app.db.begin().await?;
    let ids: Vec<i64> = batch
        .iter()
        .map(|answered| answered.checked.server_id)
        .collect();
    servers::prevent_deletion(&mut tx, &ids).await?;
    let mut wanted = Vec::new();
    let mut samples = Vec::new();
    for Answered {
        checked, occasion, ..
    } in batch
    {
        let is_wanted = store::show(&mut tx, checked).await?;
        wanted.push(is_wanted);
        if !is_wanted {
            continue;
        }
        let (id, live) = (checked.server_id, &checked.live);
        match *occasion {
            Occasion::Regular { failures } => {
                let failures = if live.reachable { 0 } else { failures + 1 };
                store::schedule(&mut tx, id, failures, now + wait(app, failures)).await?;
                // Whoever may not be asked was not.
                if live.error != Some(Failure::Forbidden.as_str()) {
                    samples.push((id, live.into()));
                }
            }
            // A silent server that answers again goes back to its usual pace.
            Occasion::Request if live.reachable => {
                store::bring_forward(&mut tx, id, now + wait(app, 0)).await?;
            }
            Occasion::Request => {}
        }
    }
    history::record(&mut tx, &samples).await?;
    tx.commit().await?;
    Ok(wanted)
}

/// How far ahead the next question to anybody is, in milliseconds.
pub fn longest_wait(app: &App) -> i64 {
    let interval = app.live.settings.interval.as_millis() as i64;
    interval.saturating_mul(LONGEST_BACK_OFF + 1)
}

/// How long until the next question, in milliseconds. It varies by a tenth, so that servers that
/// were added at once are not asked at once for ever.
fn wait(app: &App, failures: i64) -> i64 {
    let interval = app.live.settings.interval.as_millis() as i64;
    let intervals = match failures {
        0 => 1,
        failures => LONGEST_BACK_OFF.min(1 << (failures - 1).min(10)),
    };
    let wait = interval.saturating_mul(intervals);
    let spread = (wait / 5).max(1);
    let random = i64::from(u32::from_be_bytes(random::bytes()));
    wait - wait / 10 + random % spread
}

impl From<&Live> for history::Sample {
    fn from(live: &Live) -> Self {
        Self {
            at: live.checked_at.map_or(0, Timestamp::unix),
            players: live.reachable.then_some(live.players_online),
            max_players: live.max_players,
        }
    }
}
