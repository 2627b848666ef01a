//! Webhooks: events, sent to receivers over HTTP as they happen.
//!
//! [`queue`] adds a delivery for each event and webhook, [`sender`] sends those that are due and
//! [`outcome`] decides what follows an attempt. [`payload`] and [`discord`] render the bodies,
//! [`deliveries`] lists deliveries for operators, [`secrets`] holds the signing secrets. HTTP
//! itself is in the crate `webhook_client`.

pub mod deliveries;
mod discord;
mod dispatcher;
pub mod http;
mod input;
mod outcome;
mod payload;
pub mod queue;
mod resource;
mod secrets;
pub mod sender;
mod store;
pub mod test_event;

use std::sync::Arc;

use db::{AdvisoryLock, Conn};
use futures_util::future::BoxFuture;
use webhook_client::SigningSecret;

use crate::audit::events::{self, EventActor, Events};
use kernel::input::{Fault, Faults, Patch};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Kernel, Result};

pub use self::dispatcher::{Dispatcher, MAX_CONCURRENT, Settings};
pub use self::input::{
    DeliveryFilters, Format, NewWebhook, Patterns, ReceiverUrl, WebhookChanges, WebhookReplay,
    WebhookSecretRotation,
};
use self::resource::{Previous, Progress, Secrets, check_saver};
pub use self::resource::{SavedBy, Webhook};
pub use self::secrets::reseal;
pub use self::store::{count, forget_secrets, list, mask_saver};
pub use webhook_client::{Networks, Resolve, Resolving};

/// The maximum number of webhooks. Each round of the sender checks all of them.
pub const MAX_WEBHOOKS: i64 = 50;

/// The state of the slice. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub kernel: Kernel,
    pub events: Events,
    pub dispatcher: Arc<Dispatcher>,
}

/// A webhook with a new secret, which is shown only once.
pub struct Issued {
    pub webhook: Webhook,
    pub secret: SigningSecret,
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Webhook> {
    let webhook = store::find(conn, id).await?;
    webhook.ok_or(Error::NotFound(Webhook::SINGULAR))
}

/// The webhook to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Webhook>> {
    store::lock(edit, id).await?;
    let webhook = store::find(edit, id).await?;
    edit.target(webhook)
}

/// Refuses a URL with an address that may not be contacted. Host names are checked whenever they
/// are resolved.
pub fn check_url(state: &State, url: Option<&ReceiverUrl>) -> Faults {
    let parsed = url.and_then(ReceiverUrl::parse);
    match parsed.is_some_and(|url| state.dispatcher.client().refuses(&url)) {
        true => Faults::one("url", Fault::ForbiddenAddress {}),
        false => Faults::default(),
    }
}

/// Creates a webhook for events after `position`, up to which the log must be complete.
pub async fn create(
    edit: &mut Edit,
    state: &State,
    position: i64,
    new: NewWebhook,
) -> Result<Change<Issued>> {
    let NewWebhook {
        url,
        name,
        events,
        format,
        active,
    } = new;
    check_url(state, Some(&url)).check()?;
    let events = events.unwrap_or_default();
    check_saver(edit, &events)?;
    // Without the lock, two concurrent requests could exceed the limit.
    edit.lock_advisory(AdvisoryLock::Webhooks).await?;
    if count(edit).await? >= MAX_WEBHOOKS {
        return Err(TOO_MANY);
    }
    let active = active.unwrap_or(true);
    let secret = secrets::generate();
    let mut webhook = Webhook {
        id: 0,
        name: name.map_or_else(|| url.host(), |name| name.into_string()),
        url,
        events,
        format: format.unwrap_or_default(),
        active,
        saved_by: EventActor::of_actor(edit.actor()).into(),
        permissions: edit.actor().permissions,
        secrets: Secrets::none(),
        progress: Progress {
            position,
            last_event: (!active).then_some(position),
            failing_since: None,
            paused_until: None,
        },
        created_at: edit.now(),
        updated_at: edit.now(),
    };
    // The secret is bound to the id, so the row comes first.
    webhook.id = store::insert(edit, &webhook).await?;
    webhook.secrets.current = secrets::seal(edit, webhook.id, &secret).await?;
    store::update(edit, &webhook).await?;
    let change = Change::created(webhook).revealing_secret();
    Ok(change.map(|webhook| Issued { webhook, secret }))
}

const TOO_MANY: Error = Error::Conflict {
    code: ErrorCode::TooManyWebhooks,
    message: "There are 50 webhooks already, and no more are possible. Delete one first.",
};

/// Changes a webhook. If it is enabled again, it receives the events after `position`.
pub async fn update(
    edit: &mut Edit,
    state: &State,
    before: Target<Webhook>,
    position: i64,
    changes: WebhookChanges,
) -> Result<Change<Webhook>> {
    let WebhookChanges {
        url,
        name,
        events,
        format,
        active,
    } = changes;
    let is_empty = matches!(
        (&url, &name, &events, &format, &active),
        (
            Patch::Keep,
            Patch::Keep,
            Patch::Keep,
            Patch::Keep,
            Patch::Keep
        )
    );
    let mut webhook = Webhook {
        url: url.or(before.url.clone()),
        name: name.or(&before.name).into_string(),
        events: events.or(before.events.clone()),
        format: format.or(before.format),
        active: active.or(before.active),
        ..before.clone()
    };
    if webhook.url != before.url {
        check_url(state, Some(&webhook.url)).check()?;
        webhook.progress.paused_until = None;
    }
    check_saver(edit, &webhook.events)?;
    if !is_empty {
        webhook.saved_by = EventActor::of_actor(edit.actor()).into();
        webhook.permissions = edit.actor().permissions;
    }
    match (before.active, webhook.active) {
        (true, false) => switch_off(edit, &mut webhook).await?,
        (false, true) => switch_on(&mut webhook, position)?,
        _ => {}
    }
    webhook.updated_at = edit.updated_at(&*before, &webhook, before.updated_at);
    store::update(edit, &webhook).await?;
    let has_new_token = webhook.url != before.url && webhook.url.masked() == before.url.masked();
    let change = Change::updated("update", &before, webhook);
    Ok(match has_new_token {
        true => change.with_new_secret("url"),
        false => change,
    })
}

/// Disables a webhook. Events until now are still queued, and sent when it is enabled again.
async fn switch_off(edit: &mut Edit, webhook: &mut Webhook) -> Result<()> {
    webhook.active = false;
    webhook.progress.last_event = Some(events::newest(edit).await?);
    Ok(())
}

/// Enables a webhook. Earlier events must be queued by now, since it has only one position.
fn switch_on(webhook: &mut Webhook, position: i64) -> Result<()> {
    let progress = &mut webhook.progress;
    if progress.is_behind() {
        return Err(Error::Busy);
    }
    progress.position = progress.position.max(position);
    progress.last_event = None;
    progress.failing_since = None;
    progress.paused_until = None;
    Ok(())
}

/// A position up to which the log is complete, for enabling a webhook. Events from its active time
/// that are not queued yet are queued first.
pub async fn position_for(state: &State, id: i64) -> Result<i64> {
    let mut read = state.kernel.core.db.read().await?;
    let webhook = store::find(&mut read, id).await?;
    drop(read);
    if webhook.is_some_and(|webhook| webhook.progress.is_behind()) {
        queue::once(state).await?;
    }
    state.events.complete_to().await
}

/// Gives the webhook a new secret. The current one remains valid for a while.
pub async fn rotate_secret(
    edit: &mut Edit,
    before: Target<Webhook>,
    WebhookSecretRotation { overlap_seconds }: WebhookSecretRotation,
) -> Result<Change<Issued>> {
    let secret = secrets::generate();
    let has_overlap = overlap_seconds.0 > 0 && !before.secrets.current.reveal().is_empty();
    let until = edit.core().expiry_now().unix() + overlap_seconds.0;
    let previous = has_overlap.then(|| Previous {
        secret: before.secrets.current.clone(),
        until: Timestamp::from_unix(until),
    });
    let mut webhook = Webhook {
        secrets: Secrets {
            current: secrets::seal(edit, before.id, &secret).await?,
            previous,
        },
        ..before.clone()
    };
    webhook.updated_at = edit.updated_at(&*before, &webhook, before.updated_at);
    store::update(edit, &webhook).await?;
    let change = Change::updated("rotate_secret", &before, webhook).with_new_secret("secret");
    let change = change.revealing_secret();
    Ok(change.map(|webhook| Issued { webhook, secret }))
}

/// Deletes a webhook. Its deliveries are deleted in the background: there can be very many.
pub async fn delete(edit: &mut Edit, webhook: Target<Webhook>) -> Result<Change<Webhook>> {
    let now = edit.now();
    store::mark_deleted(edit, webhook.id, now).await?;
    Ok(Change::deleted(webhook))
}

/// Sends events until the service stops.
pub fn run(state: State) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        tokio::join!(queue::run(state.clone()), sender::run(state));
    })
}
