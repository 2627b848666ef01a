//! The pattern of every write: a transaction with its audit entry, its `If-Match` condition and
//! its `Idempotency-Key`.

pub mod audit;
mod edit;
pub mod etag;
pub mod idempotency;

pub use self::edit::{Change, Edit, Outcome, Resource, Target, serialised};
