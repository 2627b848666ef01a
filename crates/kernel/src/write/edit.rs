//! [`Edit`], the transaction of a write, and [`Target`], the resource it changes.

use std::ops::{Deref, DerefMut};

use super::change::Change;
use super::{Resource, audit};
use crate::auth::Actor;
use crate::secret::lock_secret_key_shared;
use crate::types::Timestamp;
use crate::write::etag::{self, Condition};
use crate::{Core, Error, Result};

/// A transaction with its actor and its `If-Match` condition. Dropping it rolls back.
pub struct Edit {
    core: Core,
    tx: db::Tx,
    actor: Actor,
    condition: Condition,
    now: Timestamp,
    is_dry_run: bool,
}

impl Edit {
    pub async fn begin(core: &Core, actor: Actor, condition: Condition) -> Result<Self> {
        Ok(Self {
            core: core.clone(),
            tx: core.db.begin().await?,
            actor,
            condition,
            now: core.clock.now(),
            is_dry_run: false,
        })
    }

    /// For commands and the start of the service.
    pub async fn command_line(core: &Core) -> Result<Self> {
        Self::internal(core, "command line").await
    }

    /// For background jobs. The audit log has always called their actor `upkeep`.
    pub async fn maintenance(core: &Core) -> Result<Self> {
        Self::internal(core, "upkeep").await
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

    /// The time of everything in this transaction.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Sets the time of everything that follows, the audit entry included.
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

    /// The new `updated_at`: now if anything differs, else the `last` one.
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
        lock_secret_key_shared(&mut self.tx, &self.core.secret_key).await?;
        Ok(self.core.secret_key.seal(context, plain))
    }

    /// Decrypts what was sealed with the same `context`.
    pub async fn open(&mut self, context: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        if let Some(plain) = self.core.secret_key.open(context, sealed) {
            return Ok(plain);
        }
        lock_secret_key_shared(&mut self.tx, &self.core.secret_key).await?;
        Err(Error::internal(
            "a stored value cannot be decrypted with the secret key",
        ))
    }

    /// Writes the audit entry. For [`Edit::commit`] and `Writer` only.
    pub(crate) async fn record<T>(&mut self, change: Change<T>) -> Result<T> {
        match &change.entry {
            Some(entry) => audit::record(&mut self.tx, &self.actor, self.now, entry).await?,
            None => self.is_dry_run = true,
        }
        Ok(change.value)
    }

    /// Whether the transaction is to be rolled back.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.is_dry_run
    }

    /// Commits the change together with its audit entry.
    pub async fn commit<T>(mut self, change: Change<T>) -> Result<T> {
        let value = self.record(change).await?;
        self.commit_recorded().await?;
        Ok(value)
    }

    pub(crate) async fn commit_recorded(self) -> Result<()> {
        if self.is_dry_run {
            return self.rollback().await;
        }
        Ok(self.tx.commit().await?)
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
/// makes one.
#[derive(Debug)]
pub struct Target<R>(pub(super) R);

impl<R> Deref for Target<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.0
    }
}
