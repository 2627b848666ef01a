//! Webhooks: events, sent to receivers over HTTP as they happen.
//!
//! [`queue`] adds a delivery for each event and webhook, [`sender`] sends what is due and
//! [`outcome`] decides what follows an attempt. [`payload`] and [`discord`] are what receivers get,
//! [`deliveries`] is what operators see of it, [`secrets`] are what requests are signed with. HTTP
//! itself is in the crate `webhook_client`.

pub mod deliveries;
mod discord;
mod dispatcher;
pub mod http;
mod input;
mod outcome;
mod payload;
pub mod queue;
mod secrets;
pub mod sender;
mod store;
pub mod test_event;

use db::{AdvisoryLock, Conn};
use futures_util::future::BoxFuture;
use serde::Serialize;
use webhook_client::SigningSecret;

use crate::app::App;
use crate::audit::events::{self, Events};
use kernel::input::Faults;
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};

pub use self::dispatcher::{Dispatcher, MAX_CONCURRENT, Settings};
pub use self::input::{
    DeliveryFilters, Format, NewWebhook, Patterns, ReceiverUrl, WebhookChanges, WebhookReplay,
    WebhookSecretRotation,
};
use self::secrets::{Previous, Secrets};
pub use self::secrets::{forget_all, reseal};
pub use webhook_client::{Networks, Resolve, Resolving};

/// How many webhooks there can be. Each is looked at in every round of the sender.
pub const MAX_WEBHOOKS: i64 = 50;

#[derive(Clone, Debug, Serialize)]
pub struct Webhook {
    pub id: i64,
    pub name: String,
    pub url: ReceiverUrl,
    pub events: Patterns,
    pub format: Format,
    pub active: bool,
    #[serde(skip)]
    secrets: Secrets,
    #[serde(skip)]
    progress: Progress,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// How far the service has come with a webhook.
#[derive(Clone, Debug)]
struct Progress {
    /// The events up to this id have been queued.
    position: i64,
    /// Of an inactive webhook: the last event that is still to be queued.
    last_event: Option<i64>,
    /// When the first attempt failed since the last one that succeeded.
    failing_since: Option<Timestamp>,
}

impl Progress {
    /// Whether an inactive webhook still has events to be queued.
    fn is_behind(&self) -> bool {
        self.last_event.is_some_and(|last| self.position < last)
    }
}

impl Resource for Webhook {
    const PLURAL: &'static str = "webhooks";
    const SINGULAR: &'static str = "webhook";
    const SECRETS: &'static [&'static str] = &["secret"];

    fn id(&self) -> i64 {
        self.id
    }

    fn hidden(&self) -> &[u8] {
        self.secrets.current.reveal()
    }
}

/// A webhook with a new secret, which is shown only once.
pub struct Issued {
    pub webhook: Webhook,
    pub secret: SigningSecret,
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Webhook>> {
    Ok(store::list(conn, window).await?)
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    Ok(store::count(conn).await?)
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

/// Refuses a URL with an address that may not be contacted. A name is checked whenever it is
/// resolved.
pub fn check_url(app: &App, url: Option<&ReceiverUrl>) -> Faults {
    let parsed = url.and_then(ReceiverUrl::parse);
    match parsed.is_some_and(|url| app.webhooks.client().refuses(&url)) {
        true => Faults::one(
            "url",
            "must not be an address that is not public, unless --webhook-networks names it",
        ),
        false => Faults::default(),
    }
}

/// Events after `position` are sent. It must be one up to which the log is complete.
pub async fn create(
    edit: &mut Edit,
    app: &App,
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
    check_url(app, Some(&url)).check()?;
    // Otherwise two at once could exceed the limit.
    edit.lock_advisory(AdvisoryLock::Webhooks).await?;
    if store::count(edit).await? >= MAX_WEBHOOKS {
        return Err(TOO_MANY);
    }
    let active = active.unwrap_or(true);
    let secret = secrets::generate();
    let mut webhook = Webhook {
        id: 0,
        name: name.map_or_else(|| url.host(), |name| name.into_string()),
        url,
        events: events.unwrap_or_default(),
        format: format.unwrap_or_default(),
        active,
        secrets: Secrets::none(),
        progress: Progress {
            position,
            last_event: (!active).then_some(position),
            failing_since: None,
        },
        created_at: edit.now(),
        updated_at: edit.now(),
    };
    // The secret is bound to the id, which is known now.
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

/// A webhook that is switched on again is sent the events after `position`.
pub async fn update(
    edit: &mut Edit,
    app: &App,
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
    let mut webhook = Webhook {
        url: url.or(before.url.clone()),
        name: name.or(&before.name).into_string(),
        events: events.or(before.events.clone()),
        format: format.or(before.format),
        active: active.or(before.active),
        ..before.clone()
    };
    if webhook.url != before.url {
        check_url(app, Some(&webhook.url)).check()?;
    }
    match (before.active, webhook.active) {
        (true, false) => switch_off(edit, &mut webhook).await?,
        (false, true) => switch_on(&mut webhook, position)?,
        _ => {}
    }
    webhook.updated_at = edit.updated_at(&*before, &webhook, before.updated_at);
    store::update(edit, &webhook).await?;
    Ok(Change::updated("update", &before, webhook))
}

/// What happened until now is still queued, and sent when the webhook is switched on again.
async fn switch_off(edit: &mut Edit, webhook: &mut Webhook) -> Result<()> {
    webhook.active = false;
    webhook.progress.last_event = Some(events::newest(edit).await?);
    Ok(())
}

/// What happened before it was switched off must be queued already, since it has one position only.
fn switch_on(webhook: &mut Webhook, position: i64) -> Result<()> {
    let progress = &mut webhook.progress;
    if progress.is_behind() {
        return Err(Error::Busy);
    }
    progress.position = progress.position.max(position);
    progress.last_event = None;
    progress.failing_since = None;
    Ok(())
}

/// Returns a position up to which the log is complete, after which a webhook can be switched on. If
/// events of the time when it was active are not queued yet, they are queued first.
pub async fn position_for(app: &App, id: i64) -> Result<i64> {
    let mut read = app.db.read().await?;
    let webhook = store::find(&mut read, id).await?;
    drop(read);
    if webhook.is_some_and(|webhook| webhook.progress.is_behind()) {
        queue::once(app).await?;
    }
    Events::complete_to(app).await
}

/// Gives the webhook a new secret. The current one signs as well for a while.
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

/// Its deliveries are deleted in the background: there can be very many.
pub async fn delete(edit: &mut Edit, webhook: Target<Webhook>) -> Result<Change<Webhook>> {
    let now = edit.now();
    store::mark_deleted(edit, webhook.id, now).await?;
    Ok(Change::deleted(webhook))
}

/// Sends events until the service stops.
pub fn run(app: App) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        tokio::join!(queue::run(app.clone()), sender::run(app));
    })
}
