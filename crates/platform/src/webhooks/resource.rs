//! A webhook, its secrets and its progress.

use serde::Serialize;

use super::{Format, Patterns, ReceiverUrl};
use crate::audit::events::{ActorKind, EventActor, Occurred, may_see};
use kernel::auth::permission::PermissionSet;
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::write::{Edit, Resource, serialised};
use kernel::{Error, Result};
use sha2::{Digest, Sha256};

#[derive(Clone, Debug, Serialize)]
pub struct Webhook {
    pub id: i64,
    pub name: String,
    pub url: ReceiverUrl,
    pub events: Patterns,
    pub format: Format,
    pub active: bool,
    pub saved_by: SavedBy,
    /// The permissions that `saved_by` had then. Only events that they cover are sent.
    pub permissions: PermissionSet,
    #[serde(skip)]
    pub(super) secrets: Secrets,
    #[serde(skip)]
    pub(super) progress: Progress,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

impl Webhook {
    /// Whether the webhook sends this event.
    pub fn sends(&self, event: &Occurred) -> bool {
        self.events.match_action(&event.action) && may_see(self.permissions, &event.resource)
    }
}

/// The key or operator that saved a webhook last. The audit log gets no name in this field: erasing
/// a person masks the actor of an entry only.
#[derive(Clone, Debug, Serialize)]
pub struct SavedBy {
    pub kind: ActorKind,
    pub id: Option<i64>,
    #[serde(skip)]
    pub name: String,
}

impl SavedBy {
    pub fn key_id(&self) -> Option<i64> {
        self.id.filter(|_| self.kind == ActorKind::Key)
    }

    pub fn user_id(&self) -> Option<i64> {
        self.id.filter(|_| self.kind == ActorKind::Operator)
    }
}

impl From<EventActor> for SavedBy {
    fn from(EventActor { kind, id, name }: EventActor) -> Self {
        Self { kind, id, name }
    }
}

/// Checks that the actor may read all that the webhook sends, at any time and from anywhere: the
/// webhook goes on sending when the actor's own access has ended.
pub fn check_saver(edit: &Edit, events: &Patterns) -> Result<()> {
    let actor = edit.actor();
    match events.are_covered_by(actor.permissions) && !actor.is_restricted() {
        true => Ok(()),
        false => Err(Error::PrivilegeEscalation),
    }
}

/// The position of a webhook in the log, and its failures.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Events up to this id have been queued.
    pub position: i64,
    /// For an inactive webhook: the last event that is still to be queued.
    pub last_event: Option<i64>,
    /// When the first attempt since the last success failed.
    pub failing_since: Option<Timestamp>,
    /// In milliseconds: the receiver asked for no requests until then.
    pub paused_until: Option<i64>,
}

impl Progress {
    /// Whether an inactive webhook still has events to be queued.
    pub fn is_behind(&self) -> bool {
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

    fn state(&self) -> Vec<u8> {
        let mut state = serialised(self);
        // The serialised URL is masked, but another token is another state.
        state.extend_from_slice(&Sha256::digest(self.url.as_str()));
        state
    }
}

/// The encrypted secrets of a webhook.
#[derive(Clone, Debug)]
pub struct Secrets {
    /// Empty if the secret key was lost.
    pub current: Secret<Vec<u8>>,
    pub previous: Option<Previous>,
}

/// A previous secret that also signs for a while.
#[derive(Clone, Debug)]
pub struct Previous {
    pub secret: Secret<Vec<u8>>,
    pub until: Timestamp,
}

impl Secrets {
    pub fn none() -> Self {
        Self {
            current: Secret::new(Vec::new()),
            previous: None,
        }
    }
}
