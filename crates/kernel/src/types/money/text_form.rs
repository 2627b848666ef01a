//! Amounts as JSON strings, for clients whose numbers are binary floating point.

use std::cell::Cell;

thread_local! {
    /// `Serialize` has no parameter for it.
    static IS_TEXT: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn is_text() -> bool {
    IS_TEXT.get()
}

/// Amounts that `serialize` writes are strings.
pub fn as_text<T>(serialize: impl FnOnce() -> T) -> T {
    let _restored = Restored(IS_TEXT.replace(true));
    serialize()
}

/// Also after a panic, since the thread goes on with other requests.
struct Restored(bool);

impl Drop for Restored {
    fn drop(&mut self) {
        IS_TEXT.set(self.0);
    }
}
