use super::Cursor;

/// The part of a list to read. `A` identifies the item before the first one: an id, or a
/// [`Cursor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window<A = i64> {
    /// The item before the first one.
    pub after: A,
    pub limit: i64,
    pub offset: i64,
    /// Whether `offset` counts from the end. Items are then read in the opposite order.
    pub from_end: bool,
}

/// A window of a list that has any order.
pub type CursorWindow = Window<Option<Cursor>>;

/// The largest offset for which whole rows are skipped.
const NEAR: i64 = 200;

impl<A> Window<A> {
    /// Returns `true` if the offset is small enough to skip whole rows without knowing the total.
    pub fn is_near(&self) -> bool {
        self.offset <= NEAR
    }

    /// The same part, counted from the nearer end of a list of this length.
    pub fn from_nearer_end(self, total: i64) -> Self {
        let limit = self.limit.min(total - self.offset).max(0);
        let after = total - self.offset - limit;
        let from_end = limit > 0 && after < self.offset;
        Self {
            limit,
            offset: if from_end { after } else { self.offset },
            from_end,
            ..self
        }
    }

    /// Reverses items that were read from the end.
    pub fn restore_order<T>(&self, mut read: Vec<T>) -> Vec<T> {
        if self.from_end {
            read.reverse();
        }
        read
    }
}

impl Window {
    pub const ALL: Self = Self {
        after: 0,
        limit: i64::MAX,
        offset: 0,
        from_end: false,
    };

    pub fn after_id(&self) -> Option<i64> {
        (self.after > 0).then_some(self.after)
    }
}

/// The number of items in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    Exactly(i64),
    /// Counting stopped here.
    AtLeast(i64),
}

impl Total {
    pub fn number(self) -> i64 {
        match self {
            Self::Exactly(number) | Self::AtLeast(number) => number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn a_window_is_the_same_part_from_either_end() {
        for total in 0..30_usize {
            let list: Vec<usize> = (0..total).collect();
            for offset in 0..35 {
                for limit in 1..9 {
                    let part: Vec<usize> = list.iter().copied().skip(offset).take(limit).collect();
                    let window = Window {
                        limit: limit as i64,
                        offset: offset as i64,
                        ..Window::ALL
                    };
                    let window = window.from_nearer_end(total as i64);
                    let mut from = list.clone();
                    if window.from_end {
                        from.reverse();
                    }
                    let (skip, take) = (window.offset as usize, window.limit as usize);
                    let read = from.into_iter().skip(skip).take(take).collect();
                    assert_eq!(
                        window.restore_order(read),
                        part,
                        "{offset}+{limit} of {total}"
                    );
                    // At most half of the list is skipped.
                    assert!(part.is_empty() || skip <= total / 2);
                }
            }
        }
    }
}
