//! Checks whether an authenticated request would still be authenticated.
//!
//! A key may be revoked while a body is received, a password is hashed or a write waits for its
//! turn. So a write compares, inside its transaction, the last announced change of keys with the
//! one it was admitted at, and reads its key again only if they differ.

use std::net::IpAddr;

use db::{Tx, Version};

use super::console::{self, Holder};
use super::permission::PermissionSet;
use super::{Actor, Key, TOPIC, store};
use crate::secret::Secret;
use crate::types::Timestamp;
use crate::{Core, Error, Result};

/// The kind of credential that a request carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented {
    Key,
    /// The cookie of a console session.
    Session,
}

/// How an actor with an API key or a session was authenticated.
#[derive(Clone, Debug)]
pub struct Admission {
    pub presented: Presented,
    /// The hash of the value that was presented.
    pub hash: Secret<[u8; 32]>,
    /// When the value expires, if it is the previous one of a rotated key.
    pub valid_until: Option<Timestamp>,
    /// The last announced change of keys when the key was read; `None` if unknown.
    pub as_of: Option<i64>,
    /// Checks the permission that the operation needs.
    pub right: fn(PermissionSet) -> Result<()>,
}

/// A key, and the expiry of the value it was found by if that is the previous value.
#[derive(Clone, Debug)]
pub struct Found {
    pub key: Key,
    pub valid_until: Option<Timestamp>,
}

impl Found {
    /// If two keys ever share a value, a current value wins over a previous one.
    pub(super) fn by_hash(keys: Vec<Key>, hash: &[u8; 32]) -> Option<Self> {
        let mut found = None;
        for key in keys {
            let is_current = key.hash.reveal().as_slice() == hash;
            let previous = key.previous.as_ref();
            let previous = previous.filter(|old| old.hash.reveal().as_slice() == hash);
            let valid_until = previous.map(|previous| previous.valid_until);
            if is_current {
                return Some(Self {
                    key,
                    valid_until: None,
                });
            }
            if valid_until.is_some() && found.is_none() {
                found = Some(Self { key, valid_until });
            }
        }
        found
    }
}

/// Returns `true` if a value that expires at `valid_until` may be used now and from this address.
pub fn is_usable(
    key: &Key,
    valid_until: Option<Timestamp>,
    now: Timestamp,
    ip: Option<IpAddr>,
) -> bool {
    let in_time = valid_until.is_none_or(|end| now < end);
    in_time && key.active && key.restrictions.allow(now, ip)
}

impl Actor {
    /// Whether the actor's key may have changed or expired since it was authenticated, as far as
    /// this instance knows.
    pub fn may_be_outdated(&self, core: &Core, now: Timestamp) -> Result<bool> {
        let Some(admission) = &self.admission else {
            return Ok(false);
        };
        let last = core.db.changes(TOPIC)?.map(Version::announcement);
        let in_time = admission.valid_until.is_none_or(|end| now < end);
        let session = self.session.as_ref();
        let has_ended = session.is_some_and(|session| now >= session.ends_at);
        Ok(last.is_none()
            || last != admission.as_of
            || !in_time
            || has_ended
            || !self.restrictions.allow(now, self.ip))
    }

    /// Reads the actor's key or session in the transaction and authenticates it again: 401 if it is
    /// no longer valid, 403 if the permission is gone.
    pub async fn readmit(&mut self, tx: &mut Tx, now: Timestamp) -> Result<()> {
        let Some(admission) = &mut self.admission else {
            return Ok(());
        };
        // Read this before the key, so that the next comparison notices a change in between.
        let last = tx.last_announcement(TOPIC).await?;
        let hash = admission.hash.reveal();
        let holder = match admission.presented {
            Presented::Key => {
                let keys = store::find_by_hash(tx, hash).await?;
                Found::by_hash(keys, hash)
                    .filter(|found| is_usable(&found.key, found.valid_until, now, self.ip))
                    .map(Holder::Key)
            }
            Presented::Session => {
                let session = console::find(tx, hash, now, self.ip).await?;
                session.map(|session| session.holder)
            }
        };
        let holder = holder.ok_or(Error::Unauthorized)?;
        (admission.right)(holder.permissions())?;
        admission.as_of = Some(last);
        admission.valid_until = holder.valid_until();
        self.permissions = holder.permissions();
        match holder {
            Holder::Key(Found { key, .. }) => {
                self.key_name = key.name;
                self.restrictions = key.restrictions;
            }
            Holder::Operator(operator) => self.user_name = Some(operator.username),
        }
        Ok(())
    }

    /// Checks the actor again before commit: it must still have the rights and restrictions that
    /// this write relied on.
    pub async fn confirm(&self, tx: &mut Tx, last: i64, now: Timestamp) -> Result<()> {
        let Some(admission) = &self.admission else {
            return Ok(());
        };
        if admission.as_of == Some(last) {
            return Ok(());
        }
        let mut current = self.clone();
        current.readmit(tx, now).await?;
        let is_covered = current.permissions.covers(self.permissions)
            && self.restrictions.are_within(&current.restrictions);
        if is_covered { Ok(()) } else { Err(Error::Busy) }
    }

    /// Returns `true` if the actor presented the previous value of a rotated key.
    pub fn has_previous_value(&self) -> bool {
        let admission = self.admission.as_ref();
        admission.is_some_and(|admission| admission.valid_until.is_some())
    }
}
