use std::collections::HashMap;

/// The part of a list that is asked for. `K` is what the list is ordered by: the id, if nothing
/// else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window<K = i64> {
    /// Only what comes after this one.
    pub after: K,
    pub limit: i64,
    pub offset: i64,
    /// Whether `offset` counts from the end. What is read comes in the opposite order, then.
    pub from_end: bool,
}

/// How much may be passed over row by row.
const NEAR: i64 = 200;

impl<K> Window<K> {
    /// Whether it can be read as it is, without knowing first how long the list is, or which items
    /// come before.
    pub fn is_near(&self) -> bool {
        self.offset <= NEAR
    }

    /// The same part of a list of this length, from the end that is nearer.
    pub fn from_nearer_end(self, total: i64) -> Self {
        let limit = self.limit.min(total - self.offset).max(0);
        let behind = total - self.offset - limit;
        let from_end = limit > 0 && behind < self.offset;
        Self {
            limit,
            offset: if from_end { behind } else { self.offset },
            from_end,
            ..self
        }
    }

    /// Puts what was read from the end into the order of the list.
    pub fn in_order<T>(&self, mut read: Vec<T>) -> Vec<T> {
        if self.from_end {
            read.reverse();
        }
        read
    }
}

/// The group that a place in a list is in, and how much is to be passed over there, given how many
/// there are in each group, in the order of reading. Nothing, if the list ends before.
pub fn place_in<G>(
    groups: impl IntoIterator<Item = (G, i64)>,
    mut offset: i64,
) -> Option<(G, i64)> {
    for (group, count) in groups {
        if offset < count {
            return Some((group, offset));
        }
        offset -= count;
    }
    None
}

/// Puts what was found by these ids into their order.
pub fn in_order_of<T>(ids: &[i64], mut found: Vec<T>, id: impl Fn(&T) -> i64) -> Vec<T> {
    let places: HashMap<i64, usize> = ids.iter().zip(0..).map(|(id, at)| (*id, at)).collect();
    found.sort_by_key(|item| places.get(&id(item)).copied());
    found
}

impl Window {
    pub const ALL: Self = Self {
        after: 0,
        limit: i64::MAX,
        offset: 0,
        from_end: false,
    };
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn from_either_end_it_is_the_same_part() {
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
                    assert_eq!(window.in_order(read), part, "{offset}+{limit} of {total}");
                    // Never more than half of the list is passed over.
                    assert!(part.is_empty() || skip <= total / 2);
                }
            }
        }
    }
}
