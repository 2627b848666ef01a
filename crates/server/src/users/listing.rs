//! Which users a list shows, and in which order.

use db::Conn;

use super::input::Status;
use super::store::listing::UserList;
use kernel::input::{Faults, Positive};
use kernel::list::{self, CursorWindow, Key, Position, PositionKind, Sort, Sorted};
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::{Result, input};

input! {
    /// Which users, in which order. A user must match all filters.
    pub struct UserFilters {
        /// Only users with this status.
        status: Option<Status>,
        /// Only users with this role.
        role_id: Option<Positive>,
        /// The order, `-` in front for descending; `id` by default. Case is ignored in usernames.
        /// Users created in the same second are ordered by id, in the same direction.
        sort: Option<Sort<UserKey>>,
    }
}

impl UserFilters {
    pub fn sort(&self) -> Sort<UserKey> {
        self.sort.unwrap_or(UserKey::DEFAULT)
    }

    pub fn is_unfiltered(&self) -> bool {
        self.status.is_none() && self.role_id.is_none()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserKey {
    Id,
    Username,
    CreatedAt,
}

impl Key for UserKey {
    const ALL: &'static [(&'static str, Self)] = &[
        ("id", Self::Id),
        ("username", Self::Username),
        ("created_at", Self::CreatedAt),
    ];
    const DEFAULT: Sort<Self> = Sort::ascending(Self::Id);

    fn kind(self) -> PositionKind {
        match self {
            Self::Id => PositionKind::Id,
            Self::Username => PositionKind::Text,
            Self::CreatedAt => PositionKind::NumberThenId,
        }
    }
}

/// The part of a user that a list shows.
#[derive(Clone, Debug)]
pub struct Listed {
    pub id: i64,
    pub username: String,
    pub email: String,
    /// A user whose block has expired is active.
    pub status: String,
    pub created_at: Timestamp,
}

impl Sorted<UserKey> for Listed {
    fn position(&self, by: UserKey) -> Position {
        match by {
            UserKey::Id => Position::Id(self.id),
            UserKey::Username => Position::Text(fold(&self.username)),
            UserKey::CreatedAt => Position::NumberThenId(self.created_at.unix(), self.id),
        }
    }
}

pub async fn list(
    conn: &mut Conn,
    now: Timestamp,
    filters: &UserFilters,
    window: &CursorWindow<UserKey>,
) -> Result<Vec<Listed>> {
    check(filters, window)?;
    Ok(list::read(conn, &UserList { now, filters }, window).await?)
}

/// Part of the list, and how many users the whole list has.
pub async fn list_and_count(
    conn: &mut Conn,
    now: Timestamp,
    filters: &UserFilters,
    window: CursorWindow<UserKey>,
) -> Result<(Vec<Listed>, i64)> {
    check(filters, &window)?;
    Ok(list::read_and_count(conn, &UserList { now, filters }, window).await?)
}

fn check(filters: &UserFilters, window: &CursorWindow<UserKey>) -> Result<()> {
    let mut faults = Faults::default();
    filters.sort().check(window.after.as_ref(), &mut faults);
    faults.check()
}

pub async fn count(conn: &mut Conn, now: Timestamp, filters: &UserFilters) -> Result<i64> {
    Ok(list::count(conn, &UserList { now, filters }).await?)
}
