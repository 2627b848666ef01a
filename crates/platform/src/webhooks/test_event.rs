//! A sample event, sent on request.

use serde::Serialize;
use serde_json::value::RawValue;
use webhook_client::SigningSecret;

use super::deliveries::Attempt;
use super::{Webhook, payload, secrets, sender};
use crate::audit::Entry;
use crate::webhooks::State;
use kernel::types::random;
use kernel::write::{Change, Edit, Outcome, Target};
use kernel::{Error, Result};

/// A recorded sample event, ready to be sent.
pub struct Recorded {
    webhook: Webhook,
    secrets: Vec<SigningSecret>,
    entry: Entry,
}

/// Records the sample event in the audit log.
pub async fn record(edit: &mut Edit, webhook: Target<Webhook>) -> Result<Change<Recorded>> {
    #[derive(Serialize)]
    struct Nothing {}
    let core = edit.core().clone();
    let secrets = secrets::open(edit, &core, &webhook).await?;
    let actor = edit.actor();
    let no_fields = || RawValue::from_string("{}".to_owned()).unwrap_or_default();
    let entry = Entry {
        id: 0,
        at: edit.now(),
        key_id: actor.key_id,
        key_name: actor.key_name.clone(),
        user_id: actor.user_id,
        user_name: actor.user_name.clone(),
        request_id: actor.request_id.clone(),
        ip: None,
        action: "webhooks.test".to_owned(),
        resource: "webhooks".to_owned(),
        resource_id: webhook.id,
        before: no_fields(),
        after: no_fields(),
    };
    let recorded = Recorded {
        webhook: webhook.clone(),
        secrets,
        entry,
    };
    Ok(Change::of_action("test", &webhook, &Nothing {}, recorded))
}

/// Sends the sample, whether the webhook is active or not.
pub async fn send(state: &State, recorded: Recorded) -> Outcome<Attempt> {
    let Recorded {
        webhook,
        secrets,
        entry,
    } = recorded;
    let Ok(_permit) = state.dispatcher.tests.acquire().await else {
        return Outcome::NotDone(Error::Stopping);
    };
    let id = format!("msg_{}", random::digits(32));
    let body = payload::render(webhook.format, &entry);
    Outcome::Done(sender::attempt(state, &webhook, &secrets, &id, &body).await)
}
