use std::hash::{BuildHasher, Hasher, RandomState};

/// The state of a topic. It differs after every announcement, and also after a failover or a
/// restore that lost announcements; there is no order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version {
    pub(crate) counter: i64,
    /// Random, of the last announcement.
    pub(crate) generation: i64,
    /// Counts how often this process has lost the channel on which PostgreSQL reports changes.
    pub(crate) outages: u64,
}

impl Version {
    /// The last announcement of the topic: what [`Tx::last_announcement`](crate::Tx::last_announcement)
    /// returns if there was no other one since.
    pub fn announcement(self) -> i64 {
        // Versions of the program that do not write a generation still count.
        (self.generation >> 1) + self.counter
    }

    /// How often the topic was announced, as far as the database knows.
    pub fn counter(self) -> i64 {
        self.counter
    }
}

/// A number for one announcement. It need not be secret, only different from all others: the keys
/// of this hasher are random in every process and thread, and different at every call.
pub(crate) fn new_generation() -> i64 {
    RandomState::new().build_hasher().finish().cast_signed()
}
