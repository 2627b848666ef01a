use db::{Result, Row, Select, Value, params};

use super::UserFilters;
use crate::users::Listed;
use crate::users::input::{ACTIVE, BLOCKED};
use crate::users::store::{has_expired_block, listed, select_listed};
use kernel::list::{Order, Part, Source};
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;

pub const ID: Order = Order::by_id("id", &["u.id"]);
pub const USERNAME: Order = Order::by_text("username", &["u.username_folded"]);
pub const CREATED_AT: Order = Order::by_number("created_at", &["u.created_at", "u.id"]);
/// Only of blocked users, since others have no end to compare.
pub const BLOCKED_UNTIL: Order = Order::by_number("blocked_until", &["u.blocked_until", "u.id"]);

pub struct UserList<'a> {
    pub now: Timestamp,
    pub filters: &'a UserFilters,
    pub order: Order,
}

/// A bucket of `user_buckets` has two to the power of this (4,096) ids.
const BUCKET_BITS: u32 = 12;

impl Source for UserList<'_> {
    type Item = Listed;

    fn order(&self) -> Order {
        self.order
    }

    fn order_columns(&self) -> &'static [&'static str] {
        match self.is_by_index_of_role() {
            true => &["r.user_id"],
            false => self.order.columns,
        }
    }

    fn is_unfiltered(&self) -> bool {
        self.filters.is_unfiltered()
    }

    fn count(&self) -> (&'static str, Vec<Value<'_>>) {
        count(self.now, self.filters)
    }

    fn select(&self, part: &Part) -> Select<'_> {
        let uses_index = self.order.is_like(ID) && self.filters.role_id.is_none();
        let first_id = part.bucket.map(|bucket| bucket << BUCKET_BITS);
        let last_id = first_id.map(|first| first | ((1 << BUCKET_BITS) - 1));
        let of_role = self.of_role(part);
        let found = match self.order.is_like(BLOCKED_UNTIL) {
            // The opposite of `has_expired_block!`, in a form that the index of blocks serves.
            true => of_role.and("u.blocked_until > ", Some(self.now)),
            false => of_status(of_role, self.filters, self.now, uses_index),
        };
        found
            .and("u.id >= ", first_id.filter(|_| !part.is_descending))
            .and("u.id <= ", last_id.filter(|_| part.is_descending))
    }

    fn buckets(&self) -> Option<(&'static str, Vec<Value<'_>>)> {
        // PostgreSQL's sum of BIGINT is NUMERIC, which is slower.
        let sql = "SELECT bucket, CAST(SUM(CAST(count AS INTEGER)) AS BIGINT) FROM user_buckets
                   GROUP BY bucket ORDER BY bucket";
        let are_by_id = self.order.is_like(ID) && self.is_unfiltered();
        are_by_id.then(|| (sql, Vec::new()))
    }

    fn by_ids(&self) -> &'static str {
        select_listed!("WHERE u.id = ANY($1)")
    }

    fn item(&self, row: &Row<'_>) -> Result<Listed> {
        listed(row, self.now)
    }

    fn id(user: &Listed) -> i64 {
        user.id
    }

    fn number(&self, user: &Listed) -> i64 {
        match self.order.is_like(BLOCKED_UNTIL) {
            true => user.blocked_until.unwrap_or_default(),
            false => user.created_at.unix(),
        }
    }

    fn text(&self, user: &Listed) -> String {
        fold(&user.username)
    }
}

impl UserList<'_> {
    /// The index of a role is ordered by user id. For any other order, the index of that order is
    /// read and each user is checked for the role.
    fn is_by_index_of_role(&self) -> bool {
        self.order.is_like(ID) && self.filters.role_id.is_some()
    }

    /// The select with the filter by role.
    fn of_role(&self, part: &Part) -> Select<'_> {
        let role_id = self.filters.role_id.map(|id| id.0);
        let is_by_index = self.is_by_index_of_role();
        let select = Select::new(match (is_by_index, part.ids_only) {
            (true, false) => select_listed!("JOIN user_roles r ON r.user_id = u.id"),
            (true, true) => "SELECT u.id FROM users u JOIN user_roles r ON r.user_id = u.id",
            (false, false) => select_listed!(),
            (false, true) => "SELECT u.id FROM users u ",
        });
        let now = role_id.map(|_| self.now);
        match is_by_index {
            true => select
                .and("r.role_id = ", role_id)
                .and("r.expires_at > ", now),
            false => select
                .and(
                    "EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id AND r.role_id = ",
                    role_id,
                )
                .and_in("r.expires_at > ", now, ")"),
        }
    }
}

/// The rule of [`listed`] in SQL: a user whose block has expired is active.
fn of_status<'a>(
    filter: Select<'a>,
    filters: &'a UserFilters,
    now: Timestamp,
    by_index: bool,
) -> Select<'a> {
    let filter = filter.without_index(!by_index);
    match filters.status.as_ref().map(|status| status.as_str()) {
        Some(BLOCKED) => filter.and(
            concat!("u.status = 'blocked' AND NOT ", has_expired_block!()),
            Some(now),
        ),
        // Most users are active, so an index would skip few rows.
        Some(ACTIVE) => filter.without_index(true).and_in(
            concat!(
                "u.status IN ('active', 'blocked') AND (/*no index*/u.status = 'active' OR ",
                has_expired_block!()
            ),
            Some(now),
            ")",
        ),
        other => filter.and("u.status = ", other),
    }
}

// The totals of a list are summed from the counts that triggers maintain in `user_totals`.

/// Sums the counts of all users.
macro_rules! count_users {
    ($more:literal $(, $($corrected:expr),+)?) => {
        concat!(
            "SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT)",
            $($($corrected,)+)?
            " FROM user_totals WHERE role_id = 0",
            $more
        )
    };
}

/// Sums the counts of users with a role. Those of deleted roles remain in the table and are skipped.
macro_rules! count_holders {
    ($more:literal, $($corrected:expr),+) => {
        concat!(
            "SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT)",
            $($corrected,)+
            " FROM user_totals
             WHERE role_id = $1 AND EXISTS (SELECT 1 FROM roles WHERE id = role_id)",
            $more
        )
    };
}

/// Subtracts the roles that have expired and are counted until they are ended. The current time is
/// the parameter `$now`. Few have, but all users can hold the role, so its index is not used.
/// SQLite reads the other index up to the first bound.
macro_rules! minus_expired {
    ($now:literal, $($rest:literal),*) => {
        concat!(
            " - (SELECT COUNT(*) FROM user_roles h ",
            $($rest,)*
            " h.expires_at <= ",
            $now,
            " AND h.expires_at < 9223372036854775807 AND /*no index*/h.role_id = $1)"
        )
    };
}

const ALL: &str = count_users!("");
const OF_STATUS: &str = count_users!(" AND status = $1");
/// Corrects the sums: a user whose block has expired is counted as blocked but shown as active.
const CORRECTED: &str = count_users!(
    " AND status = $1",
    " + $2 * (SELECT COUNT(*) FROM users u WHERE ",
    has_expired_block!(),
    "$3)"
);

const OF_ROLE: &str = count_holders!("", minus_expired!("$2", "WHERE"));
const OF_ROLE_AND_STATUS: &str = count_holders!(
    " AND status = $3",
    minus_expired!(
        "$2",
        "JOIN users u ON u.id = h.user_id WHERE u.status = $3 AND"
    )
);
const OF_ROLE_CORRECTED: &str = count_holders!(
    " AND status = $3",
    minus_expired!(
        "$2",
        "JOIN users u ON u.id = h.user_id WHERE u.status = $3 AND"
    ),
    " + $4 * (SELECT COUNT(*) FROM users u WHERE ",
    has_expired_block!(),
    "$2 AND (SELECT r.role_id FROM user_roles r
             WHERE r.user_id = u.id AND r.role_id = $1 AND r.expires_at > $2) IS NOT NULL)"
);

fn count(now: Timestamp, filters: &UserFilters) -> (&'static str, Vec<Value<'_>>) {
    let status = filters.status.as_ref().map(|status| status.as_str());
    // A user whose block has expired is one more active user, and one blocked user less.
    let sign: Option<i64> = match status {
        Some(ACTIVE) => Some(1),
        Some(BLOCKED) => Some(-1),
        _ => None,
    };
    match (filters.role_id.map(|id| id.0), status, sign) {
        (None, None, _) => (ALL, Vec::new()),
        (None, Some(status), None) => (OF_STATUS, params![status].to_vec()),
        (None, Some(status), Some(sign)) => (CORRECTED, params![status, sign, now].to_vec()),
        (Some(id), None, _) => (OF_ROLE, params![id, now].to_vec()),
        (Some(id), Some(status), None) => (OF_ROLE_AND_STATUS, params![id, now, status].to_vec()),
        (Some(id), Some(status), Some(sign)) => {
            (OF_ROLE_CORRECTED, params![id, now, status, sign].to_vec())
        }
    }
}
