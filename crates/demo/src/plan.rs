//! The data to create, and its scale.

use kernel::types::time::DAY;
use kernel::types::{Day, Timestamp};
use serde::Serialize;

use super::rng::Rng;

/// 2000-01-01, as a day counted from 1970.
const EARLIEST: i64 = 10_957;
/// The days since the first user joined, and since the shop opened.
pub const COMMUNITY_DAYS: i64 = 3 * 365;
pub const SHOP_DAYS: i64 = 2 * 365;
/// The number of users or invoices that are generated and loaded at once.
pub const BATCH: u64 = 10_000;

/// The number of resources of each kind to create.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    pub users: u32,
    pub invoices: u32,
    pub servers: u32,
    pub roles: u32,
    pub pages: u32,
    pub navigation: u32,
    pub promo_codes: u32,
    pub seed: u64,
    /// All data is older than this day.
    #[serde(serialize_with = "as_text")]
    pub until: Day,
}

fn as_text<S: serde::Serializer>(day: &Day, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(day)
}

impl Plan {
    /// The reason why the plan cannot be carried out, if any.
    pub fn fault(&self, now: Timestamp) -> Option<String> {
        let earliest = Day::from_number(EARLIEST);
        if self.invoices > 0 && self.users == 0 {
            return Some("invoices need users: request at least one user, or no invoices".into());
        }
        let today = Day::of(now);
        if self.until < earliest || self.until > today {
            let between = format!("between {earliest} and today, {today}");
            return Some(format!("the last day must be {between}"));
        }
        None
    }

    pub fn end(&self) -> Timestamp {
        self.until.first_second()
    }

    pub fn days_before_end(&self, days: i64) -> Timestamp {
        Timestamp::from_unix(self.end().unix() - days * DAY)
    }

    /// The random numbers of one part of the data, independent of the other parts.
    pub fn rng(&self, part: Part) -> Rng {
        Rng::new(self.seed, part as u64)
    }
}

#[derive(Clone, Copy)]
pub enum Part {
    Roles = 1,
    Servers,
    Pages,
    Menu,
    PromoCodes,
    Users,
    Invoices,
    UserRoles,
    Bans,
}
