//! Operations of webhooks.

mod deliveries;

use axum::extract::{FromRef, State};
use serde::Serialize;

use self::deliveries::AttemptItem;
use super::{Format, Issued, NewWebhook, SavedBy, Webhook, WebhookChanges, WebhookSecretRotation};
use crate::audit::events::ActorKind;
use crate::webhooks::{self, test_event};
use kernel::auth::permission::{Confirmed, Right, Webhooks, WebhooksRead};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, SECRET_REPLY, get_with, named, named_failing, post_with};
use kernel::http::{Caller, Writer};
use kernel::input::Patch;
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct WebhookItem {
    id: i64,
    name: String,
    /// The token in the URL of a Discord webhook is shown to callers with `admin.webhooks` only.
    url: String,
    events: Vec<String>,
    format: Format,
    active: bool,
    saved_by: WebhookSaver,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The key or operator that saved the webhook last. Only events that it could read then are sent.
#[derive(Serialize, JsonSchema)]
struct WebhookSaver {
    kind: ActorKind,
    /// The id of the API key, or the user id of the operator; null for others.
    id: Option<i64>,
    name: String,
}

impl From<SavedBy> for WebhookSaver {
    fn from(SavedBy { kind, id, name }: SavedBy) -> Self {
        Self { kind, id, name }
    }
}

impl WebhookItem {
    /// The webhook as a reader sees it. Those who may change it see the whole URL.
    fn read_by(caller: &Caller<WebhooksRead>, webhook: Webhook) -> Self {
        let masked = webhook.url.masked().into_owned();
        let item = Self::from(webhook);
        match Webhooks::is_held(caller.actor().permissions) {
            true => item,
            false => Self {
                url: masked,
                ..item
            },
        }
    }
}

impl From<Webhook> for WebhookItem {
    fn from(webhook: Webhook) -> Self {
        Self {
            id: webhook.id,
            url: webhook.url.as_str().to_owned(),
            events: webhook.events.as_slice().to_vec(),
            name: webhook.name,
            format: webhook.format,
            active: webhook.active,
            saved_by: webhook.saved_by.into(),
            created_at: webhook.created_at,
            updated_at: webhook.updated_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct IssuedWebhook {
    #[serde(flatten)]
    item: WebhookItem,
    /// The signing secret, `whsec_...`. It is shown only once.
    secret: String,
}

impl From<Issued> for IssuedWebhook {
    fn from(Issued { webhook, secret }: Issued) -> Self {
        Self {
            item: webhook.into(),
            secret: secret.reveal().to_string(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct WebhookList {
    webhooks: Vec<WebhookItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleWebhook {
    webhook: WebhookItem,
}

#[derive(Serialize, JsonSchema)]
struct WebhookReply {
    message: &'static str,
    webhook: WebhookItem,
}

#[derive(Serialize, JsonSchema)]
struct IssuedWebhookReply {
    message: &'static str,
    webhook: IssuedWebhook,
}

#[derive(Serialize, JsonSchema)]
struct WebhookTestReply {
    message: &'static str,
    /// The result of the test request.
    test: AttemptItem,
}

async fn list(
    caller: Caller<WebhooksRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<WebhookList>> {
    let mut read = caller.read_alone().await?;
    let total = webhooks::count(&mut read).await?;
    let mut found = webhooks::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut found, |webhook| webhook.id);
    let webhooks = found.into_iter();
    let webhooks = webhooks.map(|webhook| WebhookItem::read_by(&caller, webhook));
    let webhooks = webhooks.collect();
    List::new(headers, &WebhookList { webhooks })
}

async fn get(caller: Caller<WebhooksRead>, id: Id) -> Result<Single<SingleWebhook>> {
    let mut read = caller.read().await?;
    let webhook = webhooks::get(&mut read, id.0).await?;
    let tag = etag::of(&webhook);
    let webhook = WebhookItem::read_by(&caller, webhook);
    caller.single(tag, &SingleWebhook { webhook })
}

async fn create(
    State(state): State<webhooks::State>,
    writer: Writer<Confirmed<Webhooks>, NewWebhook>,
) -> Result<Created<IssuedWebhookReply>> {
    // Comes before the transaction, which must not wait for others.
    let position = state.events.complete_to().await?;
    let explained =
        writer.explain(async |_, new| Ok(webhooks::check_url(&state, new.url.as_ref())));
    let run = explained.run(async |edit, body| {
        let created = webhooks::create(edit, &state, position, body.valid()?).await?;
        Ok(created.map(|issued| IssuedWebhookReply {
            message: "Webhook created.",
            webhook: issued.into(),
        }))
    });
    run.await
}

async fn update(
    State(state): State<webhooks::State>,
    id: Id,
    writer: Writer<Confirmed<Webhooks>, WebhookChanges>,
) -> Result<Done<WebhookReply>> {
    let position = webhooks::position_for(&state, id.0).await?;
    let explained = writer.explain(async |_, changes| {
        let url = changes.url.and_then(Patch::given);
        Ok(webhooks::check_url(&state, url.as_ref()))
    });
    let run = explained.run(async |edit, body| {
        let webhook = webhooks::target(edit, id.0).await?;
        let updated = webhooks::update(edit, &state, webhook, position, body.valid()?).await?;
        Ok(updated.map(|webhook| WebhookReply {
            message: "Webhook updated.",
            webhook: webhook.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Confirmed<Webhooks>>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let webhook = webhooks::target(edit, id.0).await?;
        let deleted = webhooks::delete(edit, webhook).await?;
        Ok(deleted.map(|_| Message::new("Webhook deleted.")))
    });
    run.await
}

async fn rotate_secret(
    id: Id,
    writer: Writer<Confirmed<Webhooks>, WebhookSecretRotation>,
) -> Result<Done<IssuedWebhookReply>> {
    let run = writer.run(async |edit, body| {
        let webhook = webhooks::target(edit, id.0).await?;
        let rotated = webhooks::rotate_secret(edit, webhook, body.valid()?).await?;
        Ok(rotated.map(|issued| IssuedWebhookReply {
            message: "Signing secret rotated.",
            webhook: issued.into(),
        }))
    });
    run.await
}

async fn test(
    State(state): State<webhooks::State>,
    id: Id,
    writer: Writer<Webhooks>,
) -> Result<Done<WebhookTestReply>> {
    let run = writer.run_external(
        async |edit, _| {
            let webhook = webhooks::target(edit, id.0).await?;
            test_event::record(edit, webhook).await
        },
        async |recorded| {
            let sent = test_event::send(&state, recorded).await;
            sent.map(|attempt| WebhookTestReply {
                message: match attempt.is_success() {
                    true => "The receiver accepted the event.",
                    false => "The receiver did not accept the event.",
                },
                test: attempt.into(),
            })
        },
    );
    run.await
}

const TOO_MANY: &str = "There are as many webhooks as possible: `too_many_webhooks`. Or the request \
                        was carried out before, under this `Idempotency-Key`, and its reply cannot \
                        be read with the key's new value.";

/// Lets the extractors of the kernel take their state from that of the slice.
impl FromRef<webhooks::State> for Kernel {
    fn from_ref(state: &webhooks::State) -> Self {
        state.kernel.clone()
    }
}

pub fn routes() -> ApiRouter<webhooks::State> {
    ApiRouter::new()
        .api_route(
            "/api/webhooks",
            get_with(list, named("listWebhooks", "List webhooks")).post_with(
                create,
                named_failing("createWebhook", "Create a webhook", 409, TOO_MANY),
            ),
        )
        .api_route(
            "/api/webhooks/{id}",
            get_with(get, named("getWebhook", "Show a webhook"))
                .put_with(update, named("updateWebhook", "Change a webhook"))
                .delete_with(delete, named("deleteWebhook", "Delete a webhook")),
        )
        .api_route(
            "/api/webhooks/{id}/rotate-secret",
            post_with(
                rotate_secret,
                named_failing(
                    "rotateWebhookSecret",
                    "Rotate the signing secret, keeping the old one valid for a while",
                    409,
                    SECRET_REPLY,
                ),
            ),
        )
        .api_route(
            "/api/webhooks/{id}/test",
            post_with(
                test,
                named("testWebhook", "Send a sample event now and show the answer"),
            ),
        )
        .merge(deliveries::routes())
        .with_path_items(|item| item.tag("Webhooks"))
}
