//! Deliveries: one event for one webhook, with its attempts. The id of a delivery is that of its
//! event, so an event that is sent again is the same delivery.

use db::{Conn, Tx};
use serde::{Deserialize, Serialize};

use super::dispatcher::QUEUE;
use super::resource::check_saver;
use super::{DeliveryFilters, Webhook, WebhookReplay, store};
use crate::audit::events;
use kernel::Core;
use kernel::input::{Fault, Faults};
use kernel::list::{ListQuery, ListSpec, Parameter, Total, Window};
use kernel::queue;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::types::time::DAY;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result};

/// How many attempts of a delivery are kept. Manual retries can add more.
const KEPT_ATTEMPTS: usize = 12;
/// How much of a response body is kept, in bytes.
const KEPT_REPLY: usize = 4 << 10;
/// The maximum size of the attempts on a page.
const PAGE_BYTES: i64 = 1 << 20;
/// Deliveries are counted only up to this number.
const MAX_TOTAL: i64 = 10_000;
/// The number of events that one replay considers.
const MAX_REPLAY: i64 = 10_000;
/// The number of deliveries deleted in one transaction; small, so that writers do not wait long.
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
    /// The id of the audit entry.
    pub event_id: i64,
    /// `None` if retention has deleted the audit entry.
    pub action: Option<String>,
    pub state: State,
    /// When the next attempt is due, in milliseconds; `None` unless it is pending.
    pub next_attempt_at: Option<i64>,
    pub created_at: Timestamp,
    pub attempts: Attempts,
}

/// The result of one request, in its stored form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Attempt {
    /// In Unix seconds.
    pub at: i64,
    pub status: Option<u16>,
    pub duration_ms: i64,
    /// The reason why there was no response.
    pub error: Option<String>,
    /// The beginning of the response body.
    pub reply: String,
    /// The seconds for which the receiver wants no requests.
    #[serde(skip)]
    pub retry_after: Option<i64>,
}

impl Attempt {
    pub fn is_success(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }

    /// The part of a response body that is kept. Invalid UTF-8 is replaced.
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

impl ListQuery for DeliveryFilters {
    // Without page numbers: new deliveries would shift all pages.
    const LIST: &'static ListSpec = &ListSpec {
        parameters: &[Parameter::After, Parameter::Size, Parameter::Filters],
        ..ListSpec::PAGED
    };
}

/// A page of the list, newest events first.
#[derive(Debug)]
pub struct Page {
    pub deliveries: Vec<Delivery>,
    /// The cursor of the next page, if there is one.
    pub next: Option<i64>,
}

/// Reads one delivery fewer than the limit of the window, and at most [`PAGE_BYTES`].
pub async fn page(
    conn: &mut Conn,
    webhook_id: i64,
    filters: &DeliveryFilters,
    window: Window,
) -> Result<Page> {
    let before = window.after_id().unwrap_or(i64::MAX);
    let mut found = Vec::new();
    // The list of each state is in order, and so is the merged list.
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

/// The audit entry of a retry.
#[derive(Serialize)]
struct Retried {
    event_id: i64,
}

/// Makes a delivery due now, whatever its state. One that is being sent is not changed.
pub async fn retry(
    edit: &mut Edit,
    webhook: Target<Webhook>,
    event_id: i64,
) -> Result<Change<Delivery>> {
    let now = queue::now(edit.core());
    // The sender, too, locks the row of the queue before the delivery.
    QUEUE.schedule(edit, webhook.id, event_id, now).await?;
    if !store::deliveries::restart(edit, webhook.id, event_id).await? {
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

/// The audit entry of a replay.
#[derive(Serialize)]
struct Replayed {
    from: Timestamp,
    to: Timestamp,
    queued: u64,
}

/// Queues all events of a period that the webhook receives. Returns their number, without those
/// that were pending already.
pub async fn replay(
    edit: &mut Edit,
    webhook: Target<Webhook>,
    WebhookReplay { from, to }: WebhookReplay,
) -> Result<Change<u64>> {
    let (from, to) = (from.0, to.0);
    check_saver(edit, &webhook.events)?;
    if from > to {
        return Err(Faults::one("from", Fault::After { other: "to" }).into());
    }
    let found = events::occurred_within(edit, from, to, MAX_REPLAY + 1).await?;
    if found.len() as i64 > MAX_REPLAY {
        let fault = Fault::TooManyEvents { max: MAX_REPLAY };
        return Err(Faults::one("to", fault).into());
    }
    let wanted = found.iter().filter(|event| webhook.sends(event));
    let ids: Vec<i64> = wanted.map(|event| event.id).collect();
    let now = queue::now(edit.core());
    let restarted = store::deliveries::restart_all(edit, webhook.id, &ids, now / 1000).await?;
    QUEUE.add(edit, webhook.id, &restarted, now).await?;
    let queued = restarted.len() as u64;
    let audited = Replayed { from, to, queued };
    Ok(Change::of_action("replay", &webhook, &audited, queued))
}

/// Deletes the attempts of all deliveries of an event, since a response may repeat its contents. One
/// that is being sent loses its lease, so that its outcome is not stored and it is sent again.
pub async fn forget_replies(tx: &mut Tx, event_id: i64) -> Result<()> {
    let webhook_ids = store::ids(tx, false).await?;
    QUEUE.revoke_leases(tx, &webhook_ids, event_id).await?;
    Ok(store::deliveries::forget_attempts(tx, &webhook_ids, event_id).await?)
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

/// Deletes deliveries that finished long ago, and those of deleted webhooks.
pub async fn forget_old(core: &Core, retention: Retention) -> Result<()> {
    let seconds = i64::from(retention.days) * DAY;
    let before = Timestamp::from_unix(core.retention_now().unix() - seconds);
    store::deliveries::delete_finished(&core.db, before, DELETED_AT_ONCE).await?;
    for id in store::ids(&mut *core.db.read().await?, true).await? {
        QUEUE.remove_line(&core.db, id, DELETED_AT_ONCE).await?;
    }
    store::deliveries::delete_orphans(&core.db, DELETED_AT_ONCE).await?;
    let mut tx = core.db.begin().await?;
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
                retry_after: None,
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
