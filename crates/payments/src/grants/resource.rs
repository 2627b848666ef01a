//! A grant and its steps.

use serde::Serialize;
use serde_json::value::RawValue;

use game_servers::command_template::{Profile, Values};
use kernel::named;
use kernel::types::{Expiry, SteamId, Timestamp};
use kernel::write::Resource;

/// One product that is given to one user.
#[derive(Clone, Debug, Serialize)]
pub struct Grant {
    pub id: i64,
    pub product_id: i64,
    pub product_name: String,
    pub user_id: i64,
    pub invoice_id: Option<i64>,
    /// The server that the buyer chose.
    pub server_id: Option<i64>,
    pub state: GrantState,
    pub reason: String,
    #[serde(flatten)]
    pub recipient: Recipient,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub finished_at: Option<Timestamp>,
    #[serde(skip)]
    pub revoked_at: Option<Timestamp>,
    pub steps: Vec<GrantStep>,
}

impl Resource for Grant {
    const PLURAL: &'static str = "grants";
    const SINGULAR: &'static str = "grant";

    fn id(&self) -> i64 {
        self.id
    }

    fn user_id(&self) -> Option<i64> {
        Some(self.user_id)
    }
}

/// The name and the links of the user, as they were when the product was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recipient {
    pub username: String,
    #[serde(skip)]
    pub steam_id: Option<SteamId>,
    #[serde(skip)]
    pub discord_id: Option<u64>,
}

impl Recipient {
    pub fn has(&self, profile: Profile) -> bool {
        match profile {
            Profile::Steam => self.steam_id.is_some(),
            Profile::Discord => self.discord_id.is_some(),
        }
    }

    /// Every user has a name.
    pub fn is_erased(&self) -> bool {
        self.username.is_empty()
    }
}

named! {
    /// The state of a grant, which follows from its steps.
    GrantState {
        Pending = "pending",
        Done = "done",
        Attention = "attention",
        Cancelled = "cancelled",
        Revoked = "revoked",
    }
}

named! {
    /// The state of a step.
    StepState {
        Pending = "pending",
        Sending = "sending",
        Done = "done",
        Failed = "failed",
        Uncertain = "uncertain",
        Cancelled = "cancelled",
        Undone = "undone",
        Kept = "kept",
    }
}

named! {
    /// The kind of a step.
    StepKind {
        Role = "role",
        Rcon = "rcon",
        Plugin = "plugin",
    }
}

/// One step of a grant, for one server if it is for servers.
#[derive(Clone, Debug, Serialize)]
pub struct GrantStep {
    pub id: i64,
    pub kind: StepKind,
    pub server_id: Option<i64>,
    pub state: StepState,
    #[serde(skip)]
    pub role_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<i64>,
    #[serde(skip)]
    pub command: Option<String>,
    #[serde(skip)]
    pub undo_command: Option<String>,
    #[serde(skip)]
    pub repeatable: bool,
    #[serde(skip)]
    pub payload: Option<Box<RawValue>>,
    /// Whether the state is that of taking it back.
    #[serde(skip)]
    pub undoing: bool,
    /// Whether it is cancelled if the command that is being sent surely did not run.
    #[serde(skip)]
    pub cancelling: bool,
    #[serde(skip)]
    pub attempts: i64,
    /// When it became pending.
    #[serde(skip)]
    pub queued_at: Timestamp,
    /// In milliseconds; `None` unless it is a pending command.
    #[serde(skip)]
    pub next_attempt_at: Option<i64>,
    #[serde(skip)]
    pub error: Option<String>,
    #[serde(skip)]
    pub reply: Option<String>,
    #[serde(skip)]
    pub done_at: Option<Timestamp>,
    /// The period that a role step has added to the role.
    #[serde(skip)]
    pub period: Option<Period>,
    /// Of a role step without an end: the end that the role had before, `None` if it was not held.
    #[serde(skip)]
    pub previous_end: Option<Expiry>,
    /// Of a role step: whether the role has ended since.
    #[serde(skip)]
    pub role_ended: bool,
}

/// A part of the time for which a user holds a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub from: Timestamp,
    pub until: Expiry,
}

impl Period {
    /// The part before a time. Of a period without an end it is none: the time until then is given by
    /// the one who has set it.
    pub fn before(self, end: Timestamp) -> Self {
        let from = match self.until {
            Expiry::NEVER => end,
            _ => self.from.min(end),
        };
        Self {
            from,
            until: self.until.min(Expiry::at(Some(end))),
        }
    }
}

impl GrantStep {
    /// A step that is not stored yet.
    pub fn new(kind: StepKind, server_id: Option<i64>, now: Timestamp) -> Self {
        Self {
            id: 0,
            kind,
            server_id,
            state: StepState::Pending,
            role_id: None,
            seconds: None,
            command: None,
            undo_command: None,
            repeatable: false,
            payload: None,
            undoing: false,
            cancelling: false,
            attempts: 0,
            queued_at: now,
            next_attempt_at: None,
            error: None,
            reply: None,
            done_at: None,
            period: None,
            previous_end: None,
            role_ended: false,
        }
    }

    pub fn fail(&mut self, error: &str) {
        self.state = StepState::Failed;
        self.error = Some(error.to_owned());
    }

    /// Marks it as carried out, or as taken back.
    pub fn finish(&mut self, now: Timestamp) {
        self.state = match self.undoing {
            true => StepState::Undone,
            false => StepState::Done,
        };
        self.cancelling = false;
        self.error = None;
        self.done_at = Some(now);
    }

    pub fn needs_attention(&self) -> bool {
        matches!(self.state, StepState::Failed | StepState::Uncertain)
    }

    pub fn is_open(&self) -> bool {
        matches!(self.state, StepState::Pending | StepState::Sending)
    }

    /// The command to send next, with placeholders.
    pub fn next_command(&self) -> Option<&str> {
        match self.undoing {
            true => self.undo_command.as_deref(),
            false => self.command.as_deref(),
        }
    }
}

impl Grant {
    /// The state that follows from the steps.
    pub fn derived_state(&self) -> GrantState {
        let is_cancelled = |step: &GrantStep| step.state == StepState::Cancelled;
        if self.steps.iter().any(GrantStep::needs_attention) {
            GrantState::Attention
        } else if self.revoked_at.is_some() {
            GrantState::Revoked
        } else if self
            .steps
            .iter()
            .any(|step| step.is_open() && !step.undoing)
        {
            GrantState::Pending
        } else if self.steps.iter().any(is_cancelled) {
            GrantState::Cancelled
        } else {
            GrantState::Done
        }
    }

    /// The role step that `{seconds}`, the end of deliveries and undo commands follow.
    pub fn first_role_step(&self) -> Option<&GrantStep> {
        self.steps.iter().find(|step| step.kind == StepKind::Role)
    }

    /// When the role of the first role step ends, as this grant has extended it.
    pub fn role_end(&self) -> Option<Timestamp> {
        let period = self.first_role_step().and_then(|step| step.period);
        period.and_then(|period| period.until.time())
    }

    /// The values of the placeholders in the commands for a server.
    pub fn values(&self, server_id: i64) -> Values {
        let seconds = self.first_role_step().and_then(|step| step.seconds);
        Values {
            steam_id: self.recipient.steam_id,
            discord_id: self.recipient.discord_id,
            user_id: self.user_id,
            username: self.recipient.username.clone(),
            grant_id: self.id,
            invoice_id: self.invoice_id.unwrap_or(0),
            server_id,
            seconds: seconds.unwrap_or(0),
            expires_unix: self.role_end().map_or(0, Timestamp::unix),
            ban_id: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_unix(1_772_366_400)
    }

    fn grant(states: &[StepState]) -> Grant {
        let step = |state: &StepState| GrantStep {
            state: *state,
            ..GrantStep::new(StepKind::Rcon, Some(1), now())
        };
        Grant {
            id: 1,
            product_id: 1,
            product_name: "VIP".to_owned(),
            user_id: 1,
            invoice_id: None,
            server_id: None,
            state: GrantState::Pending,
            reason: String::new(),
            recipient: Recipient::default(),
            created_at: now(),
            finished_at: None,
            revoked_at: None,
            steps: states.iter().map(step).collect(),
        }
    }

    #[test]
    fn the_state_of_a_grant_follows_from_its_steps() {
        use StepState::{Cancelled, Done, Failed, Kept, Pending, Sending, Uncertain, Undone};
        for (steps, state) in [
            (&[][..], GrantState::Done),
            (&[Done, Done], GrantState::Done),
            (&[Done, Undone, Kept], GrantState::Done),
            (&[Done, Pending], GrantState::Pending),
            (&[Sending, Cancelled], GrantState::Pending),
            (&[Done, Cancelled], GrantState::Cancelled),
            (&[Done, Pending, Failed], GrantState::Attention),
            (&[Uncertain, Cancelled], GrantState::Attention),
        ] {
            assert_eq!(grant(steps).derived_state(), state, "{steps:?}");
        }
        let mut revoked = grant(&[Undone, Kept, Cancelled, Pending]);
        revoked.revoked_at = Some(now());
        assert_eq!(revoked.derived_state(), GrantState::Revoked);
        revoked.steps[0].state = Failed;
        assert_eq!(revoked.derived_state(), GrantState::Attention);
        let mut undoing = grant(&[Done, Pending]);
        undoing.steps[1].undoing = true;
        assert_eq!(undoing.derived_state(), GrantState::Done);
    }

    #[test]
    fn every_state_is_read_back_from_its_stored_name() {
        for name in GrantState::NAMES {
            let state = GrantState::from_stored(name);
            assert_eq!(state.map(GrantState::as_str), Some(*name));
        }
        for name in StepState::NAMES {
            let state = StepState::from_stored(name);
            assert_eq!(state.map(StepState::as_str), Some(*name));
        }
    }
}
