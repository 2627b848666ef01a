use db::{Result, Row, Select};

use super::{has_expired_block, listed, select_listed, totals};
use crate::users::input::{ACTIVE, BLOCKED};
use crate::users::{Listed, UserFilters, UserKey};
use kernel::list::{Columns, Part, Sort, Source, Statement};
use kernel::types::Timestamp;

/// The list of users at a moment, which decides whether a block has expired.
pub struct UserList<'a> {
    pub now: Timestamp,
    pub filters: &'a UserFilters,
}

/// A bucket of `user_buckets` has 4,096 ids: two to the power of this.
const BUCKET_BITS: u32 = 12;

impl Source for UserList<'_> {
    type Key = UserKey;
    type Item = Listed;

    fn sort(&self) -> Sort<UserKey> {
        self.filters.sort()
    }

    fn is_unfiltered(&self) -> bool {
        self.filters.is_unfiltered()
    }

    fn count(&self) -> Statement<'_> {
        totals::count(self.now, self.filters)
    }

    fn page<'a>(&'a self, columns: Columns, part: &'a Part<'a, UserKey>) -> Statement<'a> {
        let (select, order) = self.select(columns);
        let uses_index = self.sort().by == UserKey::Id && self.filters.role_id.is_none();
        let first_id = part.bucket.map(|bucket| bucket << BUCKET_BITS);
        let last_id = first_id.map(|first| first | ((1 << BUCKET_BITS) - 1));
        let select = of_status(select, self.filters, self.now, uses_index)
            .and("u.id >= ", first_id.filter(|_| !part.descending))
            .and("u.id <= ", last_id.filter(|_| part.descending));
        part.finish(select, order)
    }

    fn buckets(&self) -> Option<Statement<'_>> {
        // PostgreSQL's sum of BIGINT is NUMERIC, which is slower.
        let sql = "SELECT bucket, CAST(SUM(CAST(count AS INTEGER)) AS BIGINT) FROM user_buckets
                   GROUP BY bucket ORDER BY bucket";
        let are_by_id = self.sort().by == UserKey::Id && self.is_unfiltered();
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
}

impl UserList<'_> {
    /// The select with the filter by role, and the columns of the order.
    ///
    /// The index of a role has its users by id. In any other order the index of the order is read,
    /// and each user is checked for the role.
    fn select(&self, columns: Columns) -> (Select<'_>, &'static [&'static str]) {
        let role_id = self.filters.role_id.map(|id| id.0);
        match (self.sort().by, role_id) {
            (UserKey::Id, Some(_)) => {
                let select = match columns {
                    Columns::All => select_listed!("JOIN user_roles r ON r.user_id = u.id"),
                    Columns::Id => "SELECT u.id FROM users u JOIN user_roles r ON r.user_id = u.id",
                };
                let select = Select::new(select).and("r.role_id = ", role_id);
                (select, &["r.user_id"])
            }
            (key, _) => {
                let select = match columns {
                    Columns::All => select_listed!(),
                    Columns::Id => "SELECT u.id FROM users u ",
                };
                let select = Select::new(select).and_in(
                    "EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = u.id AND r.role_id = ",
                    role_id,
                    ")",
                );
                (select, order_columns(key))
            }
        }
    }
}

fn order_columns(key: UserKey) -> &'static [&'static str] {
    match key {
        UserKey::Id => &["u.id"],
        UserKey::Username => &["u.username_folded"],
        UserKey::CreatedAt => &["u.created_at", "u.id"],
    }
}

/// The same rule in SQL as in [`listed`]: a user whose block has expired is active.
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
        // Most users are active, so an index would skip hardly any row.
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
