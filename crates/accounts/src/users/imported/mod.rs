//! Users of another program, and their parts, with the ids that they have there.
//!
//! The rows are valid already. They arrive by table and not by user, so each kind has a function of
//! its own; see [`load`](super::load()) for users with all of their parts.

mod store;

pub use self::store::{
    device_ids, drop_old_devices, holders_of, identities_of, known, lift, linked, load_blocks,
    load_devices, load_identities, load_links, move_identity, names_in, open_blocks, replace_email,
    replace_username, set_blocked,
};
use kernel::types::Timestamp;

/// A user as the parts of an import need it.
#[derive(Clone, Debug)]
pub struct Known {
    pub id: i64,
    pub username: String,
    pub status: String,
}

/// A column of users in which values are unique, ignoring case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unique {
    Username,
    Email,
}

/// A block that is in force.
#[derive(Clone, Copy, Debug)]
pub struct OpenBlock {
    pub id: i64,
    pub user_id: i64,
    pub until: Option<Timestamp>,
}

/// A profile that a user signs in with.
#[derive(Clone, Debug)]
pub struct Identity {
    pub user_id: i64,
    pub provider: &'static str,
    pub subject: String,
    pub linked_at: Timestamp,
}
