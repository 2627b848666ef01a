//! Authentication: API keys, console sessions, permissions, restrictions and rate limits.
//!
//! [`KeyRing`] authenticates a key, [`console`] a session; both give an [`Actor`].
//! [`permission`] is the catalogue of permissions.

mod actor;
mod admission;
pub mod console;
mod key;
mod key_ring;
mod key_value;
pub mod permission;
mod rate_limit;
mod restrictions;
mod store;
mod usage;
mod wrong_keys;

pub use self::actor::{Actor, ActorSession, COMMAND_LINE, OPERATOR, SYSTEM};
pub use self::admission::{Admission, Presented};
pub use self::key::{Key, PreviousValue};
pub use self::key_ring::{Admitted, KeyRing, write_uses};
pub use self::key_value::{KeyValue, derive_key, mask};
pub use self::rate_limit::{Quota, RESET_SECONDS};
pub use self::restrictions::Restrictions;
pub use self::usage::LastUse;
pub use self::wrong_keys::WrongKeys;

/// Announced with every change of a key, an operator or a session that revokes access.
pub const TOPIC: &str = "api_keys";
