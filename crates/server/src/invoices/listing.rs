//! Which invoices a list shows, and in which order.

use db::Conn;

use super::{Invoice, InvoiceStatus, store};
use crate::gateways::GatewayKey;
use kernel::input::DayOrMoment;
use kernel::input::{Faults, Positive, Text};
use kernel::list::{Cursor, Key, Kind, Mark, Sort, Sorted, Window};
use kernel::{Result, input};

input! {
    /// Which invoices, in which order. All conditions hold at once.
    pub struct InvoiceFilters {
        /// Only paid ones, or only unpaid ones.
        is_paid: Option<bool>,
        /// Only those of this user.
        user_id: Option<Positive>,
        /// Only those through the gateway of this key.
        gateway: Option<GatewayKey>,
        /// Only those in this currency.
        currency_id: Option<Positive>,
        /// Only those that are `paid`, `failed` and not paid, or `pending`, which is neither.
        status: Option<InvoiceStatus>,
        /// Only those created from this day (UTC) or moment on.
        created_from: Option<DayOrMoment>,
        /// Only those created up to and including this day (UTC) or moment.
        created_to: Option<DayOrMoment>,
        /// Only those that this promo code was applied to, in any case.
        promo_code: Option<Text<1, 50>>,
        /// The order, `-` in front for descending: `-created_at` unless said otherwise. Where two
        /// are equal, the id decides, in the same direction.
        sort: Option<Sort<InvoiceKey>>,
    }
}

impl InvoiceFilters {
    pub fn sort(&self) -> Sort<InvoiceKey> {
        self.sort.unwrap_or(InvoiceKey::DEFAULT)
    }

    fn are_none(&self) -> bool {
        let Self {
            is_paid,
            user_id,
            gateway,
            currency_id,
            status,
            created_from,
            created_to,
            promo_code,
            sort: _,
        } = self;
        is_paid.is_none()
            && user_id.is_none()
            && gateway.is_none()
            && currency_id.is_none()
            && status.is_none()
            && created_from.is_none()
            && created_to.is_none()
            && promo_code.is_none()
    }

    /// The rules that no field has by itself.
    fn check(&self, after: Option<&Cursor<InvoiceKey>>) -> Result<()> {
        let mut faults = Faults::default();
        let ends = self.created_from.zip(self.created_to);
        if ends.is_some_and(|(from, to)| from.first() > to.last()) {
            faults
                .at("created_from")
                .add("must not be after created_to");
        }
        self.sort().check(after, &mut faults);
        faults.check()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvoiceKey {
    Id,
    CreatedAt,
    Amount,
}

impl Key for InvoiceKey {
    const ALL: &'static [(&'static str, Self)] = &[
        ("id", Self::Id),
        ("created_at", Self::CreatedAt),
        ("amount", Self::Amount),
    ];
    const DEFAULT: Sort<Self> = Sort::descending(Self::CreatedAt);

    fn kind(self) -> Kind {
        match self {
            Self::Id => Kind::Id,
            Self::CreatedAt | Self::Amount => Kind::NumberThenId,
        }
    }
}

impl Sorted<InvoiceKey> for Invoice {
    fn mark(&self, by: InvoiceKey) -> Mark {
        match by {
            InvoiceKey::Id => Mark::Id(self.id),
            InvoiceKey::CreatedAt => Mark::NumberThenId(self.created_at.unix(), self.id),
            InvoiceKey::Amount => Mark::NumberThenId(self.amount.parts(), self.id),
        }
    }
}

pub async fn list(
    conn: &mut Conn,
    filters: &InvoiceFilters,
    window: &Window<Option<Cursor<InvoiceKey>>>,
) -> Result<Vec<Invoice>> {
    filters.check(window.after.as_ref())?;
    Ok(store::list(conn, filters, window, None).await?)
}

/// The same, and how many invoices there are, whatever the page.
pub async fn list_and_count(
    conn: &mut Conn,
    filters: &InvoiceFilters,
    window: Window<Option<Cursor<InvoiceKey>>>,
) -> Result<(Vec<Invoice>, i64)> {
    filters.check(window.after.as_ref())?;
    // Where few may match, it is worth knowing how many, not to look for more of them in vain.
    if window.is_near() && filters.are_none() {
        return Ok(store::list_and_count(conn, filters, &window).await?);
    }
    let mut total = count(conn, filters).await?;
    loop {
        let part = window.clone().from_nearer_end(total);
        let list = store::list(conn, filters, &part, Some(total)).await?;
        // What came in between must not take the place of another.
        let by_now = match part.limit < window.limit {
            true => count(conn, filters).await?,
            false => total,
        };
        if by_now <= total {
            return Ok((list, total));
        }
        total = by_now;
    }
}

pub async fn count(conn: &mut Conn, filters: &InvoiceFilters) -> Result<i64> {
    Ok(store::count(conn, filters).await?)
}
