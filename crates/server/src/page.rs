/// The part of a list, ordered by id, that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Only what comes after this id.
    pub after: i64,
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
