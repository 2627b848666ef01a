//! [`Outcome`]: the result of an action outside the database, such as a console command.

use crate::{Error, Result};

/// The result of an action that a rollback cannot undo.
pub enum Outcome<T> {
    Done(T),
    /// It failed and had no effect.
    NotDone(Error),
    /// It failed, but may have had its effect.
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

    /// For callers that do not retry.
    pub fn into_result(self) -> Result<T> {
        match self {
            Self::Done(value) => Ok(value),
            Self::NotDone(error) | Self::Unknown(error) => Err(error),
        }
    }
}
