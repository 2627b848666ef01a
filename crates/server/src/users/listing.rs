//! Which users a list shows, and in which order.

use db::Conn;

use super::input::Status;
use super::store;
use kernel::input::{Faults, Positive};
use kernel::list::{Cursor, Key, Kind, Mark, Sort, Sorted, Window};
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::{Result, input};

input! {
    /// Which users, in which order. All conditions hold at once.
    pub struct UserFilters {
        /// Only those of this status, as the list shows it.
        status: Option<Status>,
        /// Only those who have this role.
        role_id: Option<Positive>,
        /// The order, `-` in front for descending: `id` unless said otherwise. Names go without
        /// regard to case; where two were created at once, the id decides, in the same direction.
        sort: Option<Sort<UserKey>>,
    }
}

impl UserFilters {
    pub fn sort(&self) -> Sort<UserKey> {
        self.sort.unwrap_or(UserKey::DEFAULT)
    }

    fn is_everybody(&self) -> bool {
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

    fn kind(self) -> Kind {
        match self {
            Self::Id => Kind::Id,
            Self::Username => Kind::Text,
            Self::CreatedAt => Kind::NumberThenId,
        }
    }
}

/// As much of a user as a list shows.
#[derive(Clone, Debug)]
pub struct Listed {
    pub id: i64,
    pub username: String,
    pub email: String,
    /// As it is at the moment of reading: a block that has run out is none.
    pub status: String,
    pub created_at: Timestamp,
}

impl Sorted<UserKey> for Listed {
    fn mark(&self, by: UserKey) -> Mark {
        match by {
            UserKey::Id => Mark::Id(self.id),
            UserKey::Username => Mark::Text(fold(&self.username)),
            UserKey::CreatedAt => Mark::NumberThenId(self.created_at.unix(), self.id),
        }
    }
}

pub async fn list(
    conn: &mut Conn,
    now: Timestamp,
    filters: &UserFilters,
    window: &Window<Option<Cursor<UserKey>>>,
) -> Result<Vec<Listed>> {
    check(filters, window)?;
    Ok(store::listing::list(conn, now, filters, window).await?)
}

/// The same, and how many users there are, whatever the page.
pub async fn list_and_count(
    conn: &mut Conn,
    now: Timestamp,
    filters: &UserFilters,
    window: Window<Option<Cursor<UserKey>>>,
) -> Result<(Vec<Listed>, i64)> {
    check(filters, &window)?;
    // Where few may match, it is worth knowing how many, not to look for more of them in vain.
    if window.is_near() && filters.is_everybody() {
        return Ok(store::listing::list_and_count(conn, now, filters, &window).await?);
    }
    let mut total = count(conn, now, filters).await?;
    loop {
        let part = window.clone().from_nearer_end(total);
        let list = store::listing::list(conn, now, filters, &part).await?;
        // Whoever came in between must not take the place of another.
        let by_now = match part.limit < window.limit {
            true => count(conn, now, filters).await?,
            false => total,
        };
        if by_now <= total {
            return Ok((list, total));
        }
        total = by_now;
    }
}

fn check(filters: &UserFilters, window: &Window<Option<Cursor<UserKey>>>) -> Result<()> {
    let mut faults = Faults::default();
    filters.sort().check(window.after.as_ref(), &mut faults);
    faults.check()
}

pub async fn count(conn: &mut Conn, now: Timestamp, filters: &UserFilters) -> Result<i64> {
    Ok(store::totals::count(conn, now, filters).await?)
}
