use std::hash::{BuildHasher, Hasher, RandomState};

/// The version of a topic. It differs after every announcement, and after a failover or a restore
/// that lost announcements. Versions are not ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version {
    pub(crate) counter: i64,
    /// A random number of the last announcement.
    pub(crate) generation: i64,
    /// How often this process has lost the channel on which PostgreSQL reports changes.
    pub(crate) outages: u64,
}

impl Version {
    /// The last announcement of the topic: the result of
    /// [`Tx::last_announcement`](crate::Tx::last_announcement) if there was no other since.
    pub fn announcement(self) -> i64 {
        self.generation
    }

    /// The number of announcements of the topic, according to the database.
    pub fn counter(self) -> i64 {
        self.counter
    }
}

/// A number for one announcement. It need not be secret, only unique: the keys of this hasher are
/// random in every process and thread, and differ at every call.
pub(crate) fn new_generation() -> i64 {
    RandomState::new().build_hasher().finish().cast_signed()
}
