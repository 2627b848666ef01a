//! Deliveries: one event for one webhook, with what came of it. The id of a delivery is that of its
//! event, so that an event that is sent again is the same delivery.

use db::{Conn, Tx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DeliveryFilters, Webhook, WebhookReplay, store};
use crate::app::App;
use crate::audit::events;
use kernel::input::{Faults, Positive};
use kernel::list::{Filtered, Paging, PagingForm, Parameter, Total, Window};
use kernel::types::Timestamp;
use kernel::types::time::DAY;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result};

/// How many attempts are kept of a delivery. Retries by hand can make more.
const KEPT_ATTEMPTS: usize = 12;
/// How much of a reply is kept, in bytes.
const KEPT_REPLY: usize = 4 << 10;
/// The size of the attempts in a page.
const PAGE_BYTES: i64 = 1 << 20;
/// Deliveries are counted only up to here.
const MAX_TOTAL: i64 = 10_000;
/// How many events one replay looks at.
const MAX_REPLAY: i64 = 10_000;
/// How many deliveries are deleted in one transaction, so that writers do not wait long.
const DELETED_AT_ONCE: i64 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum State {
    Pending,
    Delivered,
    Failed,
}

impl State {
    pub const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Failed];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    pub fn from_stored(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

#[derive(Debug)]
pub struct Delivery {
    /// That of the audit entry.
    pub event_id: i64,
    /// `None` if retention has deleted the audit entry.
    pub action: Option<String>,
    pub state: State,
    /// When the next attempt is due, in milliseconds; `None` unless it is pending.
    pub next_attempt_at: Option<i64>,
    pub created_at: Timestamp,
    pub attempts: Attempts,
}

/// What came of one request. It is stored in this form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Attempt {
    /// In Unix seconds.
    pub at: i64,
    pub status: Option<u16>,
    pub duration_ms: i64,
    /// Why there was no answer.
    pub error: Option<String>,
    /// The beginning of the answer.
    pub reply: String,
}

impl Attempt {
    pub fn is_success(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }

    /// The part of an answer that is kept. What is not text is replaced.
    pub fn reply_of(body: &[u8]) -> String {
        let kept = &body[..body.len().min(KEPT_REPLY)];
        String::from_utf8_lossy(kept).into_owned()
    }
}

/// The latest attempts, oldest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Attempts(Vec<Attempt>);

impl Attempts {
    pub fn from_stored(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    pub fn to_stored(&self) -> String {
        serde_json::to_string(&self.0).expect("attempts serialise")
    }

    pub fn add(&mut self, attempt: Attempt) {
        self.0.push(attempt);
        let surplus = self.0.len().saturating_sub(KEPT_ATTEMPTS);
        self.0.drain(..surplus);
    }

    pub fn into_vec(self) -> Vec<Attempt> {
        self.0
    }
}

/// Pages have no number: new deliveries would move all others.
#[derive(Debug)]
pub struct DeliveryPaging;

impl PagingForm for DeliveryPaging {
    const PARAMETERS: &'static [Parameter] = &[Parameter::After, Parameter::Size];
}

pub type DeliveryQuery = Filtered<Paging<Positive, DeliveryPaging>, DeliveryFilters>;

/// A part of the list, newest events first.
#[derive(Debug)]
pub struct Page {
    pub deliveries: Vec<Delivery>,
    /// The cursor of the next page, if there is one.
    pub next: Option<i64>,
}

/// As many deliveries as the window has without its last one, but no more than fit into
/// [`PAGE_BYTES`].
pub async fn page(
    conn: &mut Conn,
    webhook_id: i64,
    filters: &DeliveryFilters,
    window: Window,
) -> Result<Page> {
    let before = window.after_id().unwrap_or(i64::MAX);
    let mut found = Vec::new();
    // The list of each state is in order; so is what they are merged into.
    for state in State::ALL {
        if filters.state.is_none_or(|wanted| wanted == state) {
            let sizes = store::deliveries::sizes(conn, webhook_id, state, before, window.limit);
            found.extend(sizes.await?);
        }
    }
    found.sort_unstable_by_key(|(event_id, _)| std::cmp::Reverse(*event_id));
    found.truncate(usize::try_from(window.limit).unwrap_or(usize::MAX));
    let mut bytes = 0;
    let fitting = found.iter().take_while(|(_, size)| {
        bytes += *size;
        bytes <= PAGE_BYTES
    });
    let fitting = fitting.count().max(1);
    let most = usize::try_from(window.limit - 1).unwrap_or(usize::MAX);
    let shown = fitting.min(most).min(found.len());
    let ids: Vec<i64> = found[..shown]
        .iter()
        .map(|(event_id, _)| *event_id)
        .collect();
    let last = ids.last().copied();
    Ok(Page {
        deliveries: store::deliveries::by_ids(conn, webhook_id, &ids).await?,
        next: last.filter(|_| shown < found.len()),
    })
}

/// How many deliveries match the filters, counted up to [`MAX_TOTAL`].
pub async fn count(conn: &mut Conn, webhook_id: i64, filters: &DeliveryFilters) -> Result<Total> {
    let counted = store::deliveries::count(conn, webhook_id, filters.state, MAX_TOTAL + 1).await?;
    Ok(match counted {
        ..=MAX_TOTAL => Total::Exactly(counted),
        _ => Total::AtLeast(MAX_TOTAL),
    })
}

/// What the audit log shows of a retry.
#[derive(Serialize)]
struct Retried {
    event_id: i64,
}

/// Makes a delivery due now, whatever its state. One that is being sent stays as it is.
pub async fn retry(
    edit: &mut Edit,
    webhook: Target<Webhook>,
    event_id: i64,
) -> Result<Change<Delivery>> {
    let now = edit.core().clock.millis() as i64;
    store::deliveries::lock(edit, webhook.id, event_id).await?;
    if !store::deliveries::requeue_one(edit, webhook.id, event_id, now).await? {
        return Err(Error::NotFound("delivery"));
    }
    let found = store::deliveries::by_ids(edit, webhook.id, &[event_id]).await?;
    let delivery = found
        .into_iter()
        .next()
        .ok_or(Error::NotFound("delivery"))?;
    let change = Change::of_action("retry", &webhook, &Retried { event_id }, ());
    Ok(change.map(|()| delivery))
}

/// What the audit log shows of a replay.
#[derive(Serialize)]
struct Replayed {
    from: Timestamp,
    to: Timestamp,
    queued: u64,
}

/// Queues all events of a period that the webhook receives. Returns how many; those that are
/// pending already are not counted.
pub async fn replay(
    edit: &mut Edit,
    webhook: Target<Webhook>,
    WebhookReplay { from, to }: WebhookReplay,
) -> Result<Change<u64>> {
    let (from, to) = (from.0, to.0);
    if from > to {
        return Err(Faults::one("from", "must not be after to").into());
    }
    let found = events::occurred_within(edit, from, to, MAX_REPLAY + 1).await?;
    if found.len() as i64 > MAX_REPLAY {
        let sentence =
            format!("must be closer to from: the period has more than {MAX_REPLAY} events");
        return Err(Faults::one("to", sentence).into());
    }
    let wanted = found
        .iter()
        .filter(|event| webhook.events.match_action(&event.action));
    let ids: Vec<i64> = wanted.map(|event| event.id).collect();
    let now = edit.core().clock.millis() as i64;
    let queued = store::deliveries::requeue(edit, webhook.id, &ids, now).await?;
    let audited = Replayed { from, to, queued };
    Ok(Change::of_action("replay", &webhook, &audited, queued))
}

/// Forgets what receivers answered to an event: they may have repeated what it says.
pub async fn forget_replies(tx: &mut Tx, event_id: i64) -> Result<()> {
    Ok(store::deliveries::delete_attempts(tx, event_id).await?)
}

/// How long finished deliveries are kept.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    pub days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self { days: 30 }
    }
}

/// Deletes deliveries that were finished long ago, and those of deleted webhooks.
pub async fn forget_old(app: &App, retention: Retention) -> Result<()> {
    let seconds = i64::from(retention.days) * DAY;
    let before = Timestamp::from_unix(app.retention_now().unix() - seconds);
    store::deliveries::delete_finished(&app.db, before, DELETED_AT_ONCE).await?;
    store::deliveries::delete_orphans(&app.db, DELETED_AT_ONCE).await?;
    let mut tx = app.db.begin().await?;
    store::delete_empty(&mut tx).await?;
    Ok(tx.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_attempts_are_kept_with_4_kib_of_each_reply() {
        let mut attempts = Attempts::default();
        for number in 0..20 {
            attempts.add(Attempt {
                at: number,
                status: Some(500),
                duration_ms: 1,
                error: None,
                reply: Attempt::reply_of(&[b'x'; 9000]),
            });
        }
        let kept = Attempts::from_stored(&attempts.to_stored()).into_vec();
        assert_eq!(kept.len(), KEPT_ATTEMPTS);
        assert_eq!(kept.last().map(|attempt| attempt.at), Some(19));
        assert!(kept.iter().all(|attempt| attempt.reply.len() == KEPT_REPLY));
        assert_eq!(Attempt::reply_of(b"a\0\xff"), "a\0\u{fffd}");
    }

    #[test]
    fn every_state_is_read_back_from_its_stored_word() {
        for state in State::ALL {
            assert_eq!(State::from_stored(state.as_str()), Some(state));
        }
    }
}
