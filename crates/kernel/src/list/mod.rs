//! Lists: their descriptions, their orders, and the functions that count and read them.
//!
//! | looking for | file |
//! |---|---|
//! | the description of a list: its query parameters and its orders | [`spec`] |
//! | an order, and which values it compares | [`order`] |
//! | a position in a list that is stable when items are added or deleted | [`cursor`] |
//! | the part of a list to read: offset and limit, from either end | [`window`] |
//! | the statements that a slice supplies, and the functions that run them | [`source`] |

mod cursor;
mod order;
mod source;
mod spec;
mod window;

pub use self::cursor::{Cursor, Position};
pub use self::order::Order;
pub use self::source::{Part, Source, count, cursor, read_after, read_and_count};
pub use self::spec::{ListQuery, ListSpec, Paging, PagingOrAll, Parameter};
pub use self::window::{CursorWindow, Total, Window};
