//! The steps of every write: a transaction with its `If-Match` condition, its audit entry and its
//! `Idempotency-Key`.
//!
//! An [`Edit`] is a transaction that knows its actor and its condition. [`Edit::target`] returns
//! the resource to change, and decides `404` and `412` (`If-Match`). The result is a [`Change`],
//! which contains the audit entry, and only a `Change` can be committed. A slice that leaves out a
//! step does not compile.

pub mod audit;
mod change;
mod edit;
pub mod etag;
pub mod idempotency;
mod outcome;
mod resource;

pub use self::change::{Change, Secrecy};
pub use self::edit::{Edit, Target};
pub use self::outcome::Outcome;
pub use self::resource::{Resource, serialised};
