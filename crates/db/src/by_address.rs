//! Keys for maps of statements that compare the address of the text: hashing the text at every use
//! is slower.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use foldhash::fast::RandomState;

/// The number of prepared statements that a connection caches. Bounded, because a client can
/// request every combination of filters.
pub(crate) const MAX_CACHED_STATEMENTS: usize = 512;

pub(crate) type MapByAddress<V> = HashMap<ByAddress, V, RandomState>;

/// A statement. The same text at two addresses counts as two.
#[derive(Clone, Copy)]
pub(crate) struct ByAddress(pub &'static str);

impl Hash for ByAddress {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.as_ptr().hash(hasher);
    }
}

impl PartialEq for ByAddress {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for ByAddress {}
