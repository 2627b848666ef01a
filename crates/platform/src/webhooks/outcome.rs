//! Decides what follows an attempt: the delivery is finished or retried, and a webhook that fails
//! for days is disabled.

use serde::Serialize;

use super::deliveries::{Attempt, State};
use super::dispatcher::QUEUE;
use super::sender::Claim;
use super::{Webhook, store, switch_off, target};
use kernel::queue::{self, Lease};
use kernel::types::Timestamp;
use kernel::types::time::{DAY, HOUR};
use kernel::write::{Change, Edit};
use kernel::{Core, Error, Result};

/// A webhook is disabled after this many seconds without a success.
const GIVE_UP_AFTER: i64 = 5 * DAY;
/// The status with which a receiver declines further events.
const GONE: u16 = 410;
/// The longest pause that a receiver can ask for, in seconds.
const MAX_PAUSE: i64 = HOUR;

/// The outcome of a leased delivery.
pub enum Outcome {
    Attempted(Attempt),
    /// The event must not be sent any more, for this reason.
    Unsendable(&'static str),
    /// The delivery was not sent, because an earlier attempt failed.
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
pub async fn store(
    core: &Core,
    webhook: &Webhook,
    lease: &Lease,
    outcomes: Vec<(Claim, Outcome)>,
) -> Result<()> {
    let now = core.clock.now();
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
    let pause = outcomes.iter().map(|(_, outcome)| pause(outcome)).max();
    let paused_until = pause
        .filter(|seconds| *seconds > 0)
        .map(|seconds| (now.unix() + seconds) * 1000);
    let since = webhook.progress.failing_since;
    let failing_since = match (has_success, has_failure) {
        (true, true) => Some(now),
        (true, false) => None,
        (false, true) => Some(since.unwrap_or(now)),
        (false, false) => since,
    };
    let mut tx = core.db.begin().await?;
    // Comes before the deliveries: every transaction locks a webhook first.
    if failing_since != since || paused_until.is_some() {
        store::queue::set_failures(&mut tx, webhook.id, failing_since, paused_until).await?;
    }
    let items: Vec<i64> = outcomes.iter().map(|(claim, _)| claim.event_id).collect();
    let held = QUEUE
        .release(&mut tx, lease, &items, queue::now(core))
        .await?;
    let mut finished = Vec::new();
    for (mut claim, outcome) in outcomes {
        if !held.contains(&claim.event_id) {
            continue;
        }
        let next = next(&claim, &outcome, now);
        match outcome {
            Outcome::Attempted(attempt) => claim.attempts.add(attempt),
            Outcome::Unsendable(reason) => claim.attempts.add(unsendable(reason, now)),
            Outcome::Unsent => continue,
        }
        match next.next_attempt_at {
            Some(at) => {
                QUEUE
                    .schedule(&mut tx, webhook.id, claim.event_id, at)
                    .await?
            }
            None => finished.push(claim.event_id),
        }
        store::queue::finish(&mut tx, webhook.id, &claim, &next).await?;
    }
    // Comes last: a replay may wait for it.
    QUEUE.remove(&mut tx, webhook.id, &finished).await?;
    tx.commit().await?;
    let has_given_up = failing_since
        .filter(|_| has_failure)
        .is_some_and(|since| now.unix() - since.unix() >= GIVE_UP_AFTER);
    match (is_unwanted, has_given_up) {
        (true, _) => give_up(core, webhook.id, "The receiver answered with 410 Gone.").await,
        (_, true) => give_up(core, webhook.id, "Every attempt of 5 days failed.").await,
        (false, false) => Ok(()),
    }
}

fn unsendable(reason: &str, now: Timestamp) -> Attempt {
    Attempt {
        at: now.unix(),
        status: None,
        duration_ms: 0,
        error: Some(reason.to_owned()),
        reply: String::new(),
        retry_after: None,
    }
}

/// The seconds for which the receiver wants no requests; 0 if it did not ask for a pause.
fn pause(outcome: &Outcome) -> i64 {
    let asked = match outcome {
        Outcome::Attempted(attempt) => attempt.retry_after.unwrap_or(0),
        Outcome::Unsendable(_) | Outcome::Unsent => 0,
    };
    asked.clamp(0, MAX_PAUSE)
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
        Outcome::Attempted(_) => match queue::retry_delay(claim.attempts_made) {
            Some(delay) => pending(delay.max(pause(outcome) * 1000), made),
            None => finished(State::Failed, made),
        },
        Outcome::Unsendable(_) => finished(State::Failed, made),
        // Releasing the lease makes it due.
        Outcome::Unsent => pending(0, claim.attempts_made),
    }
}

/// Disables a webhook, unless it is disabled already.
async fn give_up(core: &Core, webhook_id: i64, reason: &'static str) -> Result<()> {
    #[derive(Serialize)]
    struct Activity {
        active: bool,
    }
    #[derive(Serialize)]
    struct GivenUp {
        active: bool,
        reason: &'static str,
    }
    let mut edit = Edit::maintenance(core).await?;
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
    tracing::warn!(webhook_id, reason, "webhook disabled");
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
        }
    }

    fn answered(status: Option<u16>) -> Outcome {
        Outcome::Attempted(Attempt {
            at: 0,
            status,
            duration_ms: 1,
            error: None,
            reply: String::new(),
            retry_after: None,
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
    fn retry_after_delays_the_next_attempt_by_an_hour_at_most() {
        for (asked, expected) in [(20, 20), (3600, 3600), (i64::MAX, 3600)] {
            let mut outcome = answered(Some(429));
            if let Outcome::Attempted(attempt) = &mut outcome {
                attempt.retry_after = Some(asked);
            }
            assert_eq!(pause(&outcome), expected);
            let next = next(&claim(0), &outcome, noon());
            let due = next.next_attempt_at.expect("it is pending") - noon().unix() * 1000;
            assert_eq!(due, expected * 1000);
        }
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
    fn an_unsent_delivery_is_due_again_and_counts_no_attempt() {
        let next = next(&claim(3), &Outcome::Unsent, noon());
        assert_eq!((next.state, next.attempts_made), (State::Pending, 3));
        assert_eq!(next.next_attempt_at, Some(noon().unix() * 1000));
    }
}
