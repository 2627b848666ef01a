//! How many users a list has, from the counts that triggers maintain in `user_totals`.

use db::params;

use super::has_expired_block;
use crate::users::UserFilters;
use crate::users::input::{ACTIVE, BLOCKED};
use kernel::list::Statement;
use kernel::types::Timestamp;

/// The `role_id` that stands for all users.
const ALL_USERS: i64 = 0;

/// Counts of deleted roles remain in the table and are left out.
macro_rules! sum_counts {
    ($more:literal $(, $($corrected:expr),+)?) => {
        concat!(
            "SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT)",
            $($($corrected,)+)?
            " FROM user_totals
             WHERE role_id = $1 AND (role_id = 0 OR EXISTS (SELECT 1 FROM roles WHERE id = role_id))",
            $more
        )
    };
}

const ALL: &str = sum_counts!("");
const OF_STATUS: &str = sum_counts!(" AND status = $2");

/// A user whose block has expired is counted as blocked and shown as active.
const CORRECTED: &str = sum_counts!(
    " AND status = $2",
    " + $3 * (SELECT COUNT(*) FROM users u WHERE ",
    has_expired_block!(),
    "$4 AND (CAST($1 AS BIGINT) = 0
                     OR (SELECT r.role_id FROM user_roles r
                         WHERE r.user_id = u.id AND r.role_id = $1) IS NOT NULL))"
);

pub fn count(now: Timestamp, filters: &UserFilters) -> Statement<'_> {
    let role_id = filters.role_id.map_or(ALL_USERS, |id| id.0);
    let status = filters.status.as_ref().map(|status| status.as_str());
    let corrected = |status, sign: i64| (CORRECTED, params![role_id, status, sign, now].to_vec());
    match status {
        None => (ALL, params![role_id].to_vec()),
        Some(ACTIVE) => corrected(ACTIVE, 1),
        Some(BLOCKED) => corrected(BLOCKED, -1),
        Some(other) => (OF_STATUS, params![role_id, other].to_vec()),
    }
}
