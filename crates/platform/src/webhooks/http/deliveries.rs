//! Operations of the deliveries of a webhook.

use serde::Serialize;

use crate::webhooks::deliveries::{self, Attempt, Delivery, State};
use crate::webhooks::{self, DeliveryFilters, WebhookReplay};
use kernel::Result;
use kernel::auth::permission::{Webhooks, WebhooksRead};
use kernel::http::paging::ListRequest;
use kernel::http::path::{DeliveryId, Id};
use kernel::http::reply::{Accepted, CountedList};
use kernel::http::routing::{ApiRouter, get_with, named, post_with};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;

/// The result of one request.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeliveryAttempt")]
pub struct AttemptItem {
    at: Timestamp,
    /// The status of the response; null if there was none.
    status: Option<u16>,
    duration_ms: i64,
    /// The reason why there was no response.
    error: Option<String>,
    /// The first 4 KiB of the response body.
    reply: String,
}

impl From<Attempt> for AttemptItem {
    fn from(attempt: Attempt) -> Self {
        Self {
            at: Timestamp::from_unix(attempt.at),
            status: attempt.status,
            duration_ms: attempt.duration_ms,
            error: attempt.error,
            reply: attempt.reply,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct DeliveryItem {
    /// The id of the event, which is also the id of its audit entry.
    id: i64,
    /// The action of the event; null if its audit entry was deleted.
    action: Option<String>,
    state: State,
    created_at: Timestamp,
    /// When the next attempt is due; null unless the delivery is pending.
    next_attempt_at: Option<Timestamp>,
    /// The latest attempts, oldest first.
    attempts: Vec<AttemptItem>,
}

impl From<Delivery> for DeliveryItem {
    fn from(delivery: Delivery) -> Self {
        let moment = |millis: i64| Timestamp::from_unix(millis.div_euclid(1000));
        let attempts = delivery.attempts.into_vec().into_iter();
        Self {
            id: delivery.event_id,
            action: delivery.action,
            state: delivery.state,
            created_at: delivery.created_at,
            next_attempt_at: delivery.next_attempt_at.map(moment),
            attempts: attempts.map(AttemptItem::from).collect(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct DeliveryList {
    deliveries: Vec<DeliveryItem>,
}

#[derive(Serialize, JsonSchema)]
struct DeliveryRetryReply {
    message: &'static str,
    delivery: DeliveryItem,
}

#[derive(Serialize, JsonSchema)]
struct WebhookReplayReply {
    message: &'static str,
    /// The number of events that are sent again, without those that were already pending.
    queued: u64,
}

async fn list(
    caller: Caller<WebhooksRead>,
    id: Id,
    request: ListRequest<DeliveryFilters>,
) -> Result<CountedList<DeliveryList>> {
    let filters = &request.filters;
    let mut read = caller.read_alone().await?;
    webhooks::get(&mut read, id.0).await?;
    let total = deliveries::count(&mut read, id.0, filters).await?;
    let page = deliveries::page(&mut read, id.0, filters, request.window()).await?;
    drop(read);
    let headers = request.headers_before(total, page.next);
    let deliveries = page.deliveries.into_iter().map(DeliveryItem::from);
    let deliveries = deliveries.collect();
    CountedList::new(headers, &DeliveryList { deliveries })
}

async fn retry(
    id: Id,
    delivery: DeliveryId,
    writer: Writer<Webhooks>,
) -> Result<Accepted<DeliveryRetryReply>> {
    let run = writer.run(async |edit, _| {
        let webhook = webhooks::target(edit, id.0).await?;
        let retried = deliveries::retry(edit, webhook, delivery.0).await?;
        Ok(retried.map(|delivery| DeliveryRetryReply {
            message: "The event is sent again.",
            delivery: delivery.into(),
        }))
    });
    run.await
}

async fn replay(
    id: Id,
    writer: Writer<Webhooks, WebhookReplay>,
) -> Result<Accepted<WebhookReplayReply>> {
    let run = writer.run(async |edit, body| {
        let webhook = webhooks::target(edit, id.0).await?;
        let replayed = deliveries::replay(edit, webhook, body.valid()?).await?;
        Ok(replayed.map(|queued| WebhookReplayReply {
            message: "The events are sent again.",
            queued,
        }))
    });
    run.await
}

pub fn routes() -> ApiRouter<webhooks::State> {
    ApiRouter::new()
        .api_route(
            "/api/webhooks/{id}/deliveries",
            get_with(
                list,
                named(
                    "listWebhookDeliveries",
                    "List the deliveries of a webhook, newest events first",
                ),
            ),
        )
        .api_route(
            "/api/webhooks/{id}/deliveries/{deliveryId}/retry",
            post_with(retry, named("retryWebhookDelivery", "Send an event again")),
        )
        .api_route(
            "/api/webhooks/{id}/replay",
            post_with(
                replay,
                named(
                    "replayWebhook",
                    "Send all events of a period again, at most 10,000",
                ),
            ),
        )
}
