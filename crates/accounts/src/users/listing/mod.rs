//! The filters and the orders of a list of users.

pub mod http;
mod store;

use db::Conn;

use self::store::{BLOCKED_UNTIL, CREATED_AT, ID, USERNAME, UserList};
use super::Listed;
use super::input::{BLOCKED, Status};
use kernel::input::{Fault, Faults, Positive};
use kernel::list::{self, ListQuery, ListSpec, Order, Source};
use kernel::types::Timestamp;
use kernel::{Result, input};

input! {
    /// Filters. A user must match all of them.
    pub struct UserFilters {
        /// Only users with this status.
        status: Option<Status>,
        /// Only users with this role.
        role_id: Option<Positive>,
    }
}

impl UserFilters {
    pub fn is_unfiltered(&self) -> bool {
        self.status.is_none() && self.role_id.is_none()
    }
}

impl ListQuery for UserFilters {
    const LIST: &'static ListSpec = &ListSpec {
        orders: &[ID, USERNAME, CREATED_AT, BLOCKED_UNTIL],
        default_order: ID,
        order_note: "Case is ignored in usernames. `blocked_until` orders by the end of the \
                     block and needs `status=blocked`; blocks without an end come last. Equal \
                     users are ordered by id, in the same direction.",
        ..ListSpec::PAGED
    };

    fn check(&self, order: Order, faults: &mut Faults) {
        let status = self.status.as_ref().map(Status::as_str);
        if order.is_like(BLOCKED_UNTIL) && status != Some(BLOCKED) {
            faults.at("status").add(Fault::not_one_of(&[BLOCKED]));
        }
    }
}

/// The list of users at a time, which decides whether a block has expired.
pub fn list(now: Timestamp, filters: &UserFilters, order: Order) -> impl Source<Item = Listed> {
    UserList {
        now,
        filters,
        order,
    }
}

pub async fn count(conn: &mut Conn, now: Timestamp, filters: &UserFilters) -> Result<i64> {
    list::count(conn, &list(now, filters, ID)).await
}
