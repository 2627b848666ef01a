//! How many users there are of a kind, out of what the database keeps count of.

use db::{Conn, Query, Result, Row, params};

use super::has_expired_block;
use crate::users::UserFilters;
use crate::users::input::{ACTIVE, BLOCKED};
use kernel::types::Timestamp;

/// Everybody, among the roles.
const EVERYBODY: i64 = 0;

/// What is kept of a role that is gone does not count.
macro_rules! kept {
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

const ALL: &str = kept!("");
const OF_STATUS: &str = kept!(" AND status = $2");

/// A user whose block has expired is counted as blocked but is shown as active.
const CORRECTED: &str = kept!(
    " AND status = $2",
    " + $3 * (SELECT COUNT(*) FROM users u WHERE ",
    has_expired_block!(),
    "$4 AND (CAST($1 AS BIGINT) = 0
                     OR (SELECT r.role_id FROM user_roles r
                         WHERE r.user_id = u.id AND r.role_id = $1) IS NOT NULL))"
);

pub fn of(
    now: Timestamp,
    filters: &UserFilters,
) -> Query<'_, impl FnMut(&Row<'_>) -> Result<i64> + use<>> {
    let role_id = filters.role_id.map_or(EVERYBODY, |id| id.0);
    let status = filters.status.as_ref().map(|status| status.as_str());
    let corrected = |status, sign: i64| (CORRECTED, params![role_id, status, sign, now].to_vec());
    let (sql, params) = match status {
        None => (ALL, params![role_id].to_vec()),
        Some(ACTIVE) => corrected(ACTIVE, 1),
        Some(BLOCKED) => corrected(BLOCKED, -1),
        Some(other) => (OF_STATUS, params![role_id, other].to_vec()),
    };
    Query {
        sql,
        params,
        map: |row: &Row<'_>| row.get(0),
    }
}

pub async fn count(conn: &mut Conn, now: Timestamp, filters: &UserFilters) -> Result<i64> {
    let Query { sql, params, map } = of(now, filters);
    conn.query_one(sql, &params, map).await
}
