//! [`Edit`], the transaction of a write, and [`Target`], the resource it changes.

use std::ops::{Deref, DerefMut};

use db::AdvisoryLock;

use super::change::Change;
use super::{Resource, audit};
use crate::auth::{Actor, COMMAND_LINE, SYSTEM, TOPIC};
use crate::secret::lock_secret_key_shared;
use crate::types::Timestamp;
use crate::write::etag::{self, Condition};
use crate::{Core, Error, Result};

/// A transaction with its actor and its `If-Match` condition. Dropping it rolls back.
pub struct Edit {
    core: Core,
    tx: db::Tx,
    actor: Box<Actor>,
    condition: Condition,
    now: Timestamp,
    is_dry_run: bool,
    /// Whether no other transaction can change API keys until the end of this one.
    keys_are_locked: bool,
}

impl Edit {
    /// Begins a transaction. If the actor's key may have changed since it was authenticated, it is
    /// authenticated again.
    pub async fn begin(
        core: &Core,
        actor: impl Into<Box<Actor>>,
        condition: Condition,
    ) -> Result<Self> {
        let mut edit = Self::begin_admitted(core, actor, condition).await?;
        if edit.actor.may_be_outdated(core, core.expiry_now())?
            && let Err(error) = edit.actor.readmit(&mut edit.tx, core.expiry_now()).await
        {
            edit.rollback().await?;
            return Err(error);
        }
        Ok(edit)
    }

    /// Begins without authenticating again, to store the outcome of an action already done.
    pub(crate) async fn begin_admitted(
        core: &Core,
        actor: impl Into<Box<Actor>>,
        condition: Condition,
    ) -> Result<Self> {
        Ok(Self {
            core: core.clone(),
            tx: core.db.begin().await?,
            actor: actor.into(),
            condition,
            now: core.clock.now(),
            is_dry_run: false,
            keys_are_locked: false,
        })
    }

    /// Begins a transaction for commands and the start of the service.
    pub async fn command_line(core: &Core) -> Result<Self> {
        Self::internal(core, COMMAND_LINE).await
    }

    /// For background jobs.
    pub async fn maintenance(core: &Core) -> Result<Self> {
        Self::internal(core, SYSTEM).await
    }

    async fn internal(core: &Core, name: &str) -> Result<Self> {
        let actor = Actor::internal(name, core.new_request_id());
        Self::begin(core, actor, Condition::none()).await
    }

    pub fn core(&self) -> &Core {
        &self.core
    }

    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Changes the actor of the audit entry, for a request that authenticates its own actor.
    pub fn set_actor(&mut self, change: impl FnOnce(Actor) -> Actor) {
        *self.actor = change(self.actor.as_ref().clone());
    }

    /// The time of all changes in this transaction.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Sets the time of all further changes, including the audit entry.
    pub fn set_now(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Checks that the resource to change exists (404) and meets `If-Match` (412). It must have
    /// been locked before it was read.
    pub fn target<R: Resource>(&self, found: Option<R>) -> Result<Target<R>> {
        let resource = found.ok_or(Error::NotFound(R::SINGULAR))?;
        if !self.condition.allows(|| etag::of(&resource)) {
            return Err(Error::PreconditionFailed);
        }
        Ok(Target(resource))
    }

    /// Like [`Self::target`], for a resource without an entity tag that belongs to a target:
    /// `If-Match` was compared with the tag of that target.
    pub fn part<R: Resource>(&self, found: Option<R>) -> Result<Target<R>> {
        found.map(Target).ok_or(Error::NotFound(R::SINGULAR))
    }

    /// Refuses a write that creates a resource if it has an `If-Match` condition (412).
    pub fn require_absent(&self) -> Result<()> {
        match self.condition.is_none() {
            true => Ok(()),
            false => Err(Error::PreconditionFailed),
        }
    }

    /// The new `updated_at`: now if the resource has changed, otherwise `last`.
    pub fn updated_at<R: Resource>(&self, before: &R, after: &R, last: Timestamp) -> Timestamp {
        if etag::of(before) == etag::of(after) {
            last
        } else {
            self.now
        }
    }

    /// Encrypts `plain`; see [`SecretKey::seal`](crate::secret::SecretKey::seal). The key cannot
    /// be rotated until the end of the transaction.
    pub async fn seal(&mut self, context: &str, plain: &[u8]) -> Result<Vec<u8>> {
        let key = lock_secret_key_shared(&mut self.tx, &self.core.secret_key).await?;
        Ok(key.seal(context, plain))
    }

    /// Decrypts a value that was sealed with the same `context`.
    pub async fn open(&mut self, context: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        if let Some(plain) = self.core.secret_key.get().open(context, sealed) {
            return Ok(plain);
        }
        let key = lock_secret_key_shared(&mut self.tx, &self.core.secret_key).await?;
        key.open(context, sealed).ok_or_else(|| {
            Error::internal("a stored value cannot be decrypted with the secret key")
        })
    }

    /// Locks API keys against other changes until the end of the transaction, and authenticates the
    /// actor again. A revoked key cannot change keys, and neither can the previous value of a
    /// rotated one.
    pub async fn lock_api_keys(&mut self) -> Result<()> {
        if self.keys_are_locked {
            return Ok(());
        }
        self.tx.lock_advisory(AdvisoryLock::ApiKeys).await?;
        let now = self.core.expiry_now();
        self.actor.readmit(&mut self.tx, now).await?;
        if self.actor.has_previous_value() {
            return Err(Error::PreviousKeyValue);
        }
        self.keys_are_locked = true;
        Ok(())
    }

    pub fn has_locked_api_keys(&self) -> bool {
        self.keys_are_locked
    }

    /// Checks inside the transaction that the actor's key is still valid, for a reply without an
    /// audit entry.
    pub(crate) async fn confirm_actor(&mut self) -> Result<()> {
        let last = self.tx.last_announcement(TOPIC).await?;
        self.confirm_actor_at(last).await
    }

    /// `last` is the last announcement inside the transaction. It includes what other instances
    /// have committed and, on SQLite, the changes that share this commit.
    async fn confirm_actor_at(&mut self, last: i64) -> Result<()> {
        if self.keys_are_locked {
            // The last announcement may come from this transaction itself.
            return Ok(());
        }
        let now = self.core.expiry_now();
        self.actor.confirm(&mut self.tx, last, now).await
    }

    /// Writes the audit entry. Only for [`Edit::commit`] and `Writer`.
    pub(crate) async fn record<T>(&mut self, change: Change<T>) -> Result<T> {
        self.record_entry(change.entry.as_ref()).await?;
        for entry in &change.further {
            audit::record(&mut self.tx, &self.actor, self.now, entry).await?;
        }
        Ok(change.value)
    }

    /// Not generic, so that it is compiled once.
    async fn record_entry(&mut self, entry: Option<&audit::Entry>) -> Result<()> {
        match entry {
            Some(entry) => {
                let last = audit::record(&mut self.tx, &self.actor, self.now, entry).await?;
                self.confirm_actor_at(last).await?;
            }
            None => {
                self.confirm_actor().await?;
                self.is_dry_run = true;
            }
        }
        Ok(())
    }

    /// Writes the entries of changes that time has made, such as the end of a role. Their actor is
    /// the service itself.
    pub async fn record_as_system(&mut self, entries: &[audit::Entry]) -> Result<()> {
        let actor = Actor::internal(SYSTEM, self.actor.request_id.clone());
        audit::record_many(&mut self.tx, &actor, self.now, entries).await
    }

    /// Commits changes that time has made, with their entries.
    pub async fn commit_as_system(mut self, entries: &[audit::Entry]) -> Result<()> {
        self.record_as_system(entries).await?;
        self.commit_recorded().await
    }

    /// Returns `true` if the transaction will be rolled back.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.is_dry_run
    }

    /// Commits the change and its audit entry.
    pub async fn commit<T>(mut self, change: Change<T>) -> Result<T> {
        let value = self.record(change).await?;
        self.commit_recorded().await?;
        Ok(value)
    }

    pub(crate) async fn commit_recorded(self) -> Result<()> {
        if self.is_dry_run {
            return self.rollback().await;
        }
        self.tx.commit().await?;
        self.core.committed.notify_one();
        Ok(())
    }

    pub(crate) async fn rollback(self) -> Result<()> {
        Ok(self.tx.rollback().await?)
    }
}

impl Deref for Edit {
    type Target = db::Tx;

    fn deref(&self) -> &db::Tx {
        &self.tx
    }
}

impl DerefMut for Edit {
    fn deref_mut(&mut self) -> &mut db::Tx {
        &mut self.tx
    }
}

/// The resource that a write is about to change, in its current state. Only [`Edit::target`]
/// creates it.
#[derive(Debug)]
pub struct Target<R>(pub(super) R);

impl<R> Deref for Target<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.0
    }
}
