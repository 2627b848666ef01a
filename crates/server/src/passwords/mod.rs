//! Checking passwords, for everything that signs people in: the queue of slow hashes, and the limits
//! of attempts.

pub mod limits;
mod queue;
mod store;

pub use self::queue::{MOST_WAITING, Passwords};
