//! Query parameters of a server's history.

use kernel::input;
use kernel::input::{DayOrMoment, Positive};

input! {
    /// The range of time to show, and its resolution.
    pub struct HistoryQuery {
        /// The start: a moment, or the start of a day (UTC). The default is one day before `to`.
        from: Option<DayOrMoment>,
        /// The end, exclusive: a moment, or the end of a day (UTC). The default is now.
        to: Option<DayOrMoment>,
        /// The length of a point in seconds. The default gives at most 500 points.
        step: Option<Positive>,
    }
}
