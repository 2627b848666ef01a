/// The part of a list that is asked for. `K` is what the list is ordered by: the id, if nothing
/// else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window<K = i64> {
    /// Only what comes after this one.
    pub after: K,
    pub limit: i64,
    pub offset: i64,
}

impl Window {
    pub const ALL: Self = Self {
        after: 0,
        limit: i64::MAX,
        offset: 0,
    };
}
