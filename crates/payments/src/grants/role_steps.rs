//! The role steps of grants: each adds a period to the time for which the user holds a role, and
//! revoking takes back what is left of that period.

use super::taking_back::end_role_of_earlier;
use super::{Grant, GrantStep, Period, StepState, store};
use accounts::roles::{self, held::Source};
use accounts::users::{self, User};
use kernel::Result;
use kernel::types::{Expiry, Timestamp};
use kernel::write::Edit;

const NO_ROLE: &str = "The role was deleted.";
const TOO_LONG: &str = "The role would be held for more than 100 years.";

/// Gives or extends the role of a step. The user must be locked.
pub async fn carry_out(
    edit: &mut Edit,
    user: &mut User,
    grant_id: i64,
    step: &mut GrantStep,
) -> Result<()> {
    let role = match step.role_id {
        Some(id) => roles::find_and_hold(edit, id).await?,
        None => None,
    };
    let Some(role) = role else {
        step.fail(NO_ROLE);
        return Ok(());
    };
    let now = edit.core().expiry_now();
    let end = user.role_end(role.id);
    let source = Source::Grant(grant_id);
    match step.seconds {
        Some(seconds) => {
            let from = end.unwrap_or(Expiry::at(Some(now)));
            if from.extended(now, seconds).is_too_far(now) {
                step.fail(TOO_LONG);
                return Ok(());
            }
            let added = users::extend_role(edit, user, &role, seconds, source).await?;
            step.period = added.until.map(|until| Period {
                from: added.from,
                until: Expiry::at(Some(until)),
            });
        }
        None => {
            users::give_role(edit, user, &role, Expiry::NEVER, source).await?;
            step.previous_end = end;
            step.period = Some(Period {
                from: now,
                until: Expiry::NEVER,
            });
        }
    }
    step.role_ended = false;
    step.finish(edit.now());
    Ok(())
}

/// Takes back what is left of the period of a step. The user must be locked.
pub async fn take_back(
    edit: &mut Edit,
    user: &mut User,
    grant: &Grant,
    step: &mut GrantStep,
) -> Result<()> {
    if step.state != StepState::Done {
        if step.needs_attention() {
            step.state = StepState::Cancelled;
        }
        return Ok(());
    }
    let role_id = step.role_id.unwrap_or(0);
    let others = store::role_steps(edit, user.id, role_id).await?;
    let others = others.into_iter().filter(|other| other.id != step.id);
    let mut others: Vec<GrantStep> = others.collect();
    let before = others.clone();
    let held = user.role_end(role_id).filter(|_| !step.role_ended);
    let now = edit.core().expiry_now();
    let end = held.and_then(|end| end_without(step, end, &mut others, now));
    step.state = match end {
        Some(_) => StepState::Undone,
        None => StepState::Kept,
    };
    // Marked first: the end of the role must not undo this grant again.
    step.role_ended = true;
    step.undoing = true;
    store::update_step(edit, step).await?;
    for (other, before) in others.iter().zip(&before) {
        if (other.period, other.previous_end) != (before.period, before.previous_end) {
            store::update_step(edit, other).await?;
        }
    }
    match end {
        Some(end) if end.has_passed(now) => {
            end_role_of_earlier(edit, grant, role_id).await?;
            users::take_role(edit, user, role_id).await
        }
        Some(end) => users::set_role_end(edit, user, role_id, end).await,
        None => Ok(()),
    }
}

/// Ends the periods of all steps at an end that a role has got by hand. What is given by hand after it
/// is not taken back with a grant.
pub async fn shorten(edit: &mut Edit, user_id: i64, role_id: i64, end: Timestamp) -> Result<()> {
    for mut step in store::role_steps(edit, user_id, role_id).await? {
        let shortened = step.period.map(|period| period.before(end));
        if shortened != step.period {
            step.period = shortened;
            store::update_step(edit, &step).await?;
        }
    }
    Ok(())
}

/// The end of a role without the period of a step, and moves the periods of later steps. `None` if
/// the role stays as it is.
fn end_without(
    step: &GrantStep,
    end: Expiry,
    others: &mut [GrantStep],
    now: Timestamp,
) -> Option<Expiry> {
    let Some(period) = step.period else {
        // It added nothing, because the role had no end.
        return None;
    };
    if period.until == Expiry::NEVER {
        return end_without_for_ever(step, end, others, now);
    }
    // A role that was shortened by hand has lost a part of the period already.
    let until = match end {
        Expiry::NEVER => period.until,
        end => end.min(period.until),
    };
    let unused = seconds_between(period.from.max(now), until)?;
    for other in others.iter_mut() {
        if let Some(later) = &mut other.period
            && later.from.unix() >= until.unix()
        {
            later.from = Timestamp::from_unix(later.from.unix() - unused);
            later.until = later.until.earlier_by(unused);
        }
        let end_before = other.previous_end.filter(|end| *end >= until);
        other.previous_end = end_before
            .map(|end| end.earlier_by(unused))
            .or(other.previous_end);
    }
    (end != Expiry::NEVER).then(|| end.earlier_by(unused))
}

/// The same for a step that gave the role without an end.
fn end_without_for_ever(
    step: &GrantStep,
    end: Expiry,
    others: &mut [GrantStep],
    now: Timestamp,
) -> Option<Expiry> {
    if end != Expiry::NEVER {
        // Someone has given the role an end since.
        return None;
    }
    let is_for_ever = |other: &&mut GrantStep| {
        let until = other.period.map(|period| period.until);
        until == Some(Expiry::NEVER)
    };
    if let Some(other) = others.iter_mut().find(is_for_ever) {
        // The other grant still gives it; below it is what was below this one.
        if other.previous_end == Some(Expiry::NEVER) {
            other.previous_end = step.previous_end;
        }
        return None;
    }
    match step.previous_end {
        Some(Expiry::NEVER) => None,
        previous => Some(previous.unwrap_or(Expiry::at(Some(now)))),
    }
}

/// The seconds from a time to an end, if the end is later.
fn seconds_between(from: Timestamp, until: Expiry) -> Option<i64> {
    let seconds = until.unix() - from.unix();
    (seconds > 0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grants::StepKind;

    const DAY: i64 = 86_400;

    fn day(number: i64) -> Timestamp {
        Timestamp::from_unix(number * DAY)
    }

    fn until(number: i64) -> Expiry {
        Expiry::at(Some(day(number)))
    }

    fn step(from: i64, end: Expiry) -> GrantStep {
        let mut step = GrantStep::new(StepKind::Role, None, day(0));
        step.period = Some(Period {
            from: day(from),
            until: end,
        });
        step
    }

    #[test]
    fn the_unused_part_is_taken_back_and_later_periods_move() {
        // 30 days, then 30 more; the first is revoked on day 10.
        let first = step(0, until(30));
        let mut others = [step(30, until(60))];
        let end = end_without(&first, until(60), &mut others, day(10));
        assert_eq!(end, Some(until(40)));
        let moved = others[0].period.map(|period| (period.from, period.until));
        assert_eq!(moved, Some((day(10), until(40))));
        // The second is revoked instead: all of it is unused.
        let mut others = [step(0, until(30))];
        let end = end_without(&step(30, until(60)), until(60), &mut others, day(10));
        assert_eq!(end, Some(until(30)));
        assert_eq!(others[0].period.map(|period| period.from), Some(day(0)));
    }

    #[test]
    fn used_time_is_not_taken_back() {
        let mut others = [step(30, until(60))];
        let end = end_without(&step(0, until(30)), until(60), &mut others, day(30));
        assert_eq!(end, None);
        assert_eq!(others[0].period.map(|period| period.from), Some(day(30)));
    }

    #[test]
    fn a_role_that_was_shortened_by_hand_loses_only_what_it_still_has() {
        let end = end_without(&step(0, until(30)), until(20), &mut [], day(10));
        assert_eq!(end, Some(until(10)));
        let end = end_without(&step(30, until(60)), until(20), &mut [], day(10));
        assert_eq!(end, None);
    }

    #[test]
    fn without_an_end_the_old_end_returns() {
        let mut for_ever = step(5, Expiry::NEVER);
        for (previous, end) in [
            (None, Some(until(10))),
            (Some(until(30)), Some(until(30))),
            // Given for ever by hand.
            (Some(Expiry::NEVER), None),
        ] {
            for_ever.previous_end = previous;
            assert_eq!(end_without(&for_ever, Expiry::NEVER, &mut [], day(10)), end);
        }
        assert_eq!(end_without(&for_ever, until(50), &mut [], day(10)), None);
    }

    #[test]
    fn another_grant_without_an_end_keeps_the_role_and_inherits_the_old_end() {
        let mut first = step(5, Expiry::NEVER);
        first.previous_end = Some(until(30));
        let mut second = step(6, Expiry::NEVER);
        second.previous_end = Some(Expiry::NEVER);
        let mut others = [second];
        assert_eq!(
            end_without(&first, Expiry::NEVER, &mut others, day(10)),
            None
        );
        assert_eq!(others[0].previous_end, Some(until(30)));
        let end = end_without(&others[0].clone(), Expiry::NEVER, &mut [], day(10));
        assert_eq!(end, Some(until(30)));
    }

    #[test]
    fn time_below_a_role_without_an_end_is_taken_back_there() {
        let mut for_ever = step(5, Expiry::NEVER);
        for_ever.previous_end = Some(until(30));
        let mut others = [for_ever];
        let end = end_without(&step(0, until(30)), Expiry::NEVER, &mut others, day(10));
        assert_eq!(end, None);
        assert_eq!(others[0].previous_end, Some(until(10)));
    }
}
