//! The steps of every write: a transaction with its `If-Match` condition, its audit entry and its
//! `Idempotency-Key`.
//!
//! An [`Edit`] is a transaction with its actor and its condition. [`Edit::target`] returns the
//! resource to change, and decides `404` and `412` (`If-Match`). The result is a [`Change`], which
//! contains the audit entry, and only a `Change` can be committed. A slice that leaves out a step
//! does not compile.

pub mod audit;
mod change;
mod edit;
pub mod etag;
mod followers;
pub mod idempotency;

pub use self::change::{Change, CreatedPath, Secrecy};
pub use self::edit::{Edit, Target};
pub use self::followers::{Fact, Follower};

use serde::Serialize;

use crate::{Error, Result, json};

/// A resource that can be written. The audit log compares its serialised form, which must have
/// every field that an update can set, and secrets only as `***`.
pub trait Resource: Serialize {
    /// The name in the path and in the audit log: `roles`.
    const PLURAL: &'static str;
    /// The name in messages: `There is no such role.`
    const SINGULAR: &'static str;

    /// Fields that can be written but are never shown. The audit log shows them as `***`.
    const SECRETS: &'static [&'static str] = &[];

    fn id(&self) -> i64;

    /// The user that the resource is or belongs to. The audit log can be filtered by it.
    fn user_id(&self) -> Option<i64> {
        None
    }

    /// State that is not serialised but is part of the entity tag.
    fn hidden(&self) -> &[u8] {
        &[]
    }

    /// The state that the entity tag is computed from, besides [`Resource::hidden`]. A resource
    /// whose parts are read separately overrides it and includes a counter of their changes.
    fn state(&self) -> Vec<u8> {
        serialised(self)
    }
}

pub fn serialised<T: Serialize + ?Sized>(state: &T) -> Vec<u8> {
    json::to_vec(state).expect("a resource serialises")
}

/// The result of an action outside the database that a rollback cannot undo, such as a console
/// command.
pub enum Outcome<T> {
    Done(T),
    /// The action failed and had no effect.
    NotDone(Error),
    /// The action failed, but may have had an effect.
    Unknown(Error),
}

impl<T> Outcome<T> {
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Done(value) => Outcome::Done(convert(value)),
            Self::NotDone(error) => Outcome::NotDone(error),
            Self::Unknown(error) => Outcome::Unknown(error),
        }
    }

    /// Converts for callers that do not retry.
    pub fn into_result(self) -> Result<T> {
        match self {
            Self::Done(value) => Ok(value),
            Self::NotDone(error) | Self::Unknown(error) => Err(error),
        }
    }
}
