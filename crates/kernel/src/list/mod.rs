//! Lists: their sort orders, cursors and windows.

mod sort;
mod window;

pub use self::sort::{Cursor, Key, Kind, Mark, Sort, Sorted};
pub use self::window::{Window, in_order_of, place_in};
