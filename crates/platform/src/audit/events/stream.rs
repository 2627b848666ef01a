//! The event stream of one listener.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::Instant;

use super::feed::{Events, Subscription};
use super::slots::StreamSlot;
use super::tail::BATCH;
use super::{Event, EventActor, access, store};
use kernel::Result;
use kernel::auth::Actor;
use kernel::types::Timestamp;

/// How often the caller is authenticated again.
const CHECK: Duration = Duration::from_millis(500);
/// How often a comment is sent, so that proxies do not close an idle connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The query of a listener.
#[derive(Debug)]
pub struct Wanted {
    pub resource: Option<String>,
    pub action: Option<String>,
    /// Whether events have their action as a name.
    pub has_names: bool,
}

/// An open stream.
pub struct Stream {
    events: Events,
    actor: Actor,
    wanted: Wanted,
    subscription: Subscription,
    closed: watch::Receiver<bool>,
    /// The last event that was sent or filtered out.
    position: i64,
    next_check: Instant,
    next_heartbeat: Instant,
    _slot: StreamSlot,
}

/// The next step of a stream.
enum Next {
    Events(Arc<[Event]>),
    Time,
    /// The listener has lagged, or has not caught up with the batches yet.
    FromLog,
    End,
}

impl Stream {
    /// Opens a stream. Without `after` it begins with the next event.
    pub async fn begin(
        events: Events,
        actor: Actor,
        wanted: Wanted,
        after: Option<i64>,
    ) -> Result<Self> {
        let slot = events.streams().take(actor.caller_id().unwrap_or(0))?;
        let subscription = events.subscribe().await?;
        let now = Instant::now();
        Ok(Self {
            closed: events.closed(),
            position: after.unwrap_or(subscription.position),
            next_check: now + CHECK,
            next_heartbeat: now + HEARTBEAT,
            events,
            actor,
            wanted,
            subscription,
            _slot: slot,
        })
    }

    /// The next bytes to send. `None` ends the stream.
    pub async fn next(mut self) -> Option<(Vec<u8>, Self)> {
        loop {
            let frames = match self.wait().await {
                Next::Events(events) => self.take(&events),
                Next::FromLog => {
                    let events = self.read_log().await?;
                    let frames = self.take(&events);
                    if (events.len() as i64) < BATCH {
                        self.position = self.position.max(self.subscription.position);
                    }
                    frames
                }
                Next::Time => Vec::new(),
                Next::End => return None,
            };
            let now = Instant::now();
            if now >= self.next_check {
                self.next_check = now + CHECK;
                if !self.is_still_allowed().await {
                    return None;
                }
            }
            let bytes = match frames.is_empty() {
                false => frames,
                true if now >= self.next_heartbeat => b":\n\n".to_vec(),
                true => continue,
            };
            self.next_heartbeat = now + HEARTBEAT;
            return Some((bytes, self));
        }
    }

    async fn wait(&mut self) -> Next {
        if *self.closed.borrow() {
            return Next::End;
        }
        if self.position < self.subscription.position {
            return Next::FromLog;
        }
        let time = self.next_check.min(self.next_heartbeat);
        tokio::select! {
            batch = self.subscription.batches.recv() => match batch {
                Ok(events) => Next::Events(events),
                Err(RecvError::Lagged(_)) => match self.events.subscribe().await {
                    Ok(subscription) => {
                        self.subscription = subscription;
                        Next::FromLog
                    }
                    Err(_) => Next::End,
                },
                Err(RecvError::Closed) => Next::End,
            },
            () = tokio::time::sleep_until(time) => Next::Time,
            _ = self.closed.changed() => Next::End,
        }
    }

    /// Reads the next events from before the subscription.
    async fn read_log(&self) -> Option<Vec<Event>> {
        let (after, to) = (self.position, self.subscription.position);
        // A response body runs outside the task-local client of its request.
        let share = self.actor.share();
        let client = db::Client::new(None).with_share(share);
        let read = client.scope(async {
            let mut read = self.events.kernel().core.db.read_alone().await?;
            store::between(&mut read, after, to, BATCH).await
        });
        match read.await {
            Ok(events) => Some(events),
            Err(error) => {
                let request_id = &self.actor.request_id;
                tracing::warn!(request_id, %error, "event stream aborted");
                None
            }
        }
    }

    /// Changed permissions end the stream as well: it would show too much or too little.
    async fn is_still_allowed(&self) -> bool {
        let kernel = self.events.kernel();
        let confirmed = kernel.keys.confirm(&kernel.core, &self.actor).await;
        confirmed.is_ok_and(|permissions| permissions == self.actor.permissions)
    }

    /// Renders the new events that this listener may see.
    fn take(&mut self, events: &[Event]) -> Vec<u8> {
        let mut frames = Vec::new();
        for event in events.iter().filter(|event| event.id > self.position) {
            if self.shows(event) {
                frames.extend(frame(event, self.wanted.has_names));
            }
        }
        let last = events.last().map_or(0, |event| event.id);
        self.position = self.position.max(last);
        frames
    }

    fn shows(&self, event: &Event) -> bool {
        let matches = |wanted: &Option<String>, value: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == value)
        };
        matches(&self.wanted.resource, &event.resource)
            && matches(&self.wanted.action, &event.action)
            && access::may_see(self.actor.permissions, &event.resource)
    }
}

/// The bytes of an event on the wire.
fn frame(event: &Event, has_name: bool) -> Vec<u8> {
    #[derive(Serialize)]
    struct Data<'a> {
        id: i64,
        at: Timestamp,
        action: &'a str,
        resource: &'a str,
        resource_id: i64,
        actor: &'a EventActor,
        #[serde(skip_serializing_if = "Option::is_none")]
        before: Option<&'a RawValue>,
    }
    let data = Data {
        id: event.id,
        at: event.at,
        action: &event.action,
        resource: &event.resource,
        resource_id: event.resource_id,
        actor: &event.actor,
        before: event.before.as_deref(),
    };
    // Neither JSON nor the name of an action contains line breaks.
    let data = serde_json::to_string(&data).unwrap_or_default();
    let (id, action) = (event.id, &event.action);
    let name = match has_name {
        true => format!("event: {action}\n"),
        false => String::new(),
    };
    format!("id: {id}\n{name}data: {data}\n\n").into_bytes()
}
