//! Lists: which part of a list is read, in which order, and the loop that counts and reads it.
//!
//! | what | file |
//! |---|---|
//! | the query parameters of a page: `page`, `per_page`, `after` | [`paging`] |
//! | the part of a list to read: offset and limit, from either end | [`window`] |
//! | the orders that a client can choose | [`sort`] |
//! | how many items a list has | [`total`] |
//! | a position in a list that is stable when items are added or deleted | [`cursor`] |
//! | the statements that a slice supplies, and the loop that runs them | [`source`] |

mod cursor;
mod paging;
mod sort;
mod source;
#[cfg(test)]
mod testing;
mod total;
mod window;

pub use self::cursor::{Cursor, Position, PositionKind, Sorted};
pub use self::paging::{
    Filtered, ListQuery, PageCursor, Paging, PagingForm, PagingOrAll, Parameter, WithPages,
    WithPagesOrAll, WithPagination,
};
pub use self::sort::{Key, Sort};
pub use self::source::{Columns, Part, Source, Statement, count, read, read_and_count};
pub use self::total::Total;
pub use self::window::{CursorWindow, Window};
