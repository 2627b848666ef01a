//! What follows an attempt: the delivery is finished, or retried later, and a receiver that only
//! fails is switched off.

use serde::Serialize;

use super::deliveries::{Attempt, State};
use super::sender::Claim;
use super::{Webhook, store, switch_off, target};
use crate::app::App;
use kernel::types::time::{DAY, HOUR, MINUTE};
use kernel::types::{Timestamp, random};
use kernel::write::{Change, Edit};
use kernel::{Error, Result};

/// How long after each attempt the next one follows, in seconds.
const DELAYS: [i64; 8] = [
    5,
    30,
    2 * MINUTE,
    10 * MINUTE,
    HOUR,
    3 * HOUR,
    8 * HOUR,
    24 * HOUR,
];
/// After so long without a success, a webhook is switched off.
const GIVE_UP_AFTER: i64 = 5 * DAY;
/// The status by which a receiver says that it wants no more events.
const GONE: u16 = 410;

/// What came of a leased delivery.
pub enum Outcome {
    Attempted(Attempt),
    /// Retention has deleted the audit entry.
    Gone,
    /// It was not sent, because an attempt before it failed.
    Unsent,
}

/// The new state of a delivery.
pub struct Next {
    pub state: State,
    /// In milliseconds; `None` unless it is pending.
    pub next_attempt_at: Option<i64>,
    pub attempts_made: i64,
    pub finished_at: Option<Timestamp>,
}

/// Stores the outcomes of a batch in one transaction.
pub async fn store(app: &App, webhook: &Webhook, outcomes: Vec<(Claim, Outcome)>) -> Result<()> {
    let now = app.clock.now();
    let mut has_success = false;
    let mut has_failure = false;
    let mut is_unwanted = false;
    for (_, outcome) in &outcomes {
        if let Outcome::Attempted(attempt) = outcome {
            has_success |= attempt.is_success();
            has_failure |= !attempt.is_success();
            is_unwanted |= attempt.status == Some(GONE);
        }
    }
    let since = webhook.progress.failing_since;
    let failing_since = match (has_success, has_failure) {
        (true, true) => Some(now),
        (true, false) => None,
        (false, true) => Some(since.unwrap_or(now)),
        (false, false) => since,
    };
    let mut tx = app.db.begin().await?;
    // Before the deliveries: every transaction locks a webhook first.
    if failing_since != since {
        store::queue::set_failing_since(&mut tx, webhook.id, failing_since).await?;
    }
    for (mut claim, outcome) in outcomes {
        let next = next(&claim, &outcome, now);
        match outcome {
            Outcome::Attempted(attempt) => claim.attempts.add(attempt),
            Outcome::Gone => claim.attempts.add(deleted_event(now)),
            Outcome::Unsent => {}
        }
        store::queue::finish(&mut tx, webhook.id, &claim, &next).await?;
    }
    tx.commit().await?;
    let has_given_up = failing_since
        .filter(|_| has_failure)
        .is_some_and(|since| now.unix() - since.unix() >= GIVE_UP_AFTER);
    match (is_unwanted, has_given_up) {
        (true, _) => give_up(app, webhook.id, "The receiver answered with 410 Gone.").await,
        (_, true) => give_up(app, webhook.id, "Every attempt of 5 days failed.").await,
        (false, false) => Ok(()),
    }
}

fn deleted_event(now: Timestamp) -> Attempt {
    Attempt {
        at: now.unix(),
        status: None,
        duration_ms: 0,
        error: Some("The audit entry of the event was deleted.".to_owned()),
        reply: String::new(),
    }
}

fn next(claim: &Claim, outcome: &Outcome, now: Timestamp) -> Next {
    let finished = |state, attempts_made| Next {
        state,
        next_attempt_at: None,
        attempts_made,
        finished_at: Some(now),
    };
    let pending = |delay: i64, attempts_made| Next {
        state: State::Pending,
        next_attempt_at: Some(now.unix() * 1000 + delay),
        attempts_made,
        finished_at: None,
    };
    let made = claim.attempts_made + 1;
    match outcome {
        Outcome::Attempted(attempt) if attempt.is_success() => finished(State::Delivered, made),
        Outcome::Attempted(_) => {
            let before = usize::try_from(claim.attempts_made).unwrap_or(usize::MAX);
            match DELAYS.get(before) {
                Some(delay) => pending(jittered(*delay), made),
                None => finished(State::Failed, made),
            }
        }
        Outcome::Gone => finished(State::Failed, made),
        Outcome::Unsent => pending(0, claim.attempts_made),
    }
}

/// In milliseconds: at least `seconds`, and up to a fifth more, so that deliveries which failed
/// together are not all retried together.
fn jittered(seconds: i64) -> i64 {
    let spread = seconds * 1000 / 5;
    let random = i64::from(u32::from_be_bytes(random::bytes()));
    seconds * 1000 + random % spread
}

/// Switches a webhook off, unless it is off already.
async fn give_up(app: &App, webhook_id: i64, reason: &'static str) -> Result<()> {
    #[derive(Serialize)]
    struct Activity {
        active: bool,
    }
    #[derive(Serialize)]
    struct GivenUp {
        active: bool,
        reason: &'static str,
    }
    let mut edit = Edit::maintenance(app).await?;
    let before = match target(&mut edit, webhook_id).await {
        Ok(before) if before.active => before,
        Ok(_) | Err(Error::NotFound(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut webhook = before.clone();
    switch_off(&mut edit, &mut webhook).await?;
    webhook.updated_at = edit.now();
    store::update(&mut edit, &webhook).await?;
    let (on, off) = (
        Activity { active: true },
        GivenUp {
            active: false,
            reason,
        },
    );
    let change = Change::of_part("disable", &before, &on, &off, ());
    edit.commit(change).await?;
    tracing::warn!(webhook_id, reason, "a webhook was switched off");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::deliveries::Attempts;

    fn noon() -> Timestamp {
        Timestamp::from_unix(1_772_366_400)
    }

    fn claim(attempts_made: i64) -> Claim {
        Claim {
            event_id: 1,
            attempts_made,
            attempts: Attempts::default(),
            lease: 0,
        }
    }

    fn answered(status: Option<u16>) -> Outcome {
        Outcome::Attempted(Attempt {
            at: 0,
            status,
            duration_ms: 1,
            error: None,
            reply: String::new(),
        })
    }

    #[test]
    fn a_failed_attempt_is_repeated_8_times_with_growing_delays() {
        let hour = 3600;
        let delays = [5, 30, 120, 600, hour, 3 * hour, 8 * hour, 24 * hour];
        for (made, delay) in (0..).zip(delays) {
            for status in [None, Some(500), Some(301), Some(404), Some(410)] {
                let next = next(&claim(made), &answered(status), noon());
                assert_eq!((next.state, next.attempts_made), (State::Pending, made + 1));
                let due = next.next_attempt_at.expect("it is pending") - noon().unix() * 1000;
                assert!((delay * 1000..delay * 1200).contains(&due), "{made}: {due}");
            }
        }
        let last = next(&claim(8), &answered(Some(500)), noon());
        assert_eq!((last.state, last.next_attempt_at), (State::Failed, None));
        assert_eq!(last.finished_at, Some(noon()));
    }

    #[test]
    fn any_2xx_finishes_a_delivery() {
        for status in [200, 202, 204, 299] {
            let next = next(&claim(3), &answered(Some(status)), noon());
            assert_eq!((next.state, next.attempts_made), (State::Delivered, 4));
            assert_eq!(
                (next.next_attempt_at, next.finished_at),
                (None, Some(noon()))
            );
        }
    }

    #[test]
    fn what_was_not_sent_is_due_again_and_counts_no_attempt() {
        let next = next(&claim(3), &Outcome::Unsent, noon());
        assert_eq!((next.state, next.attempts_made), (State::Pending, 3));
        assert_eq!(next.next_attempt_at, Some(noon().unix() * 1000));
    }
}
