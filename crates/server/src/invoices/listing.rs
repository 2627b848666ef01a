//! Which invoices a list shows, and in which order.

use db::Conn;

use super::store::InvoiceList;
use super::{Invoice, InvoiceStatus};
use crate::gateways::GatewayKey;
use kernel::input::DayOrMoment;
use kernel::input::{Faults, Positive, Text};
use kernel::list::{self, Cursor, CursorWindow, Key, Position, PositionKind, Sort, Sorted};
use kernel::{Result, input};

input! {
    /// Which invoices, in which order. An invoice must match all filters.
    pub struct InvoiceFilters {
        /// Only paid invoices, or only unpaid ones.
        is_paid: Option<bool>,
        /// Only invoices of this user.
        user_id: Option<Positive>,
        /// Only invoices of the gateway with this key.
        gateway: Option<GatewayKey>,
        /// Only invoices in this currency.
        currency_id: Option<Positive>,
        /// Only invoices with this status: `paid`, `failed` if not paid, or `pending` if neither.
        status: Option<InvoiceStatus>,
        /// Only invoices created on or after this day (UTC) or moment.
        created_from: Option<DayOrMoment>,
        /// Only invoices created on or before this day (UTC) or moment.
        created_to: Option<DayOrMoment>,
        /// Only invoices with this promo code, ignoring case.
        promo_code: Option<Text<1, 50>>,
        /// The order, `-` in front for descending; `-created_at` by default. Equal invoices are
        /// ordered by id, in the same direction.
        sort: Option<Sort<InvoiceKey>>,
    }
}

impl InvoiceFilters {
    pub fn sort(&self) -> Sort<InvoiceKey> {
        self.sort.unwrap_or(InvoiceKey::DEFAULT)
    }

    pub fn is_unfiltered(&self) -> bool {
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

    /// The rules that involve more than one field.
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

    fn kind(self) -> PositionKind {
        match self {
            Self::Id => PositionKind::Id,
            Self::CreatedAt | Self::Amount => PositionKind::NumberThenId,
        }
    }
}

impl Sorted<InvoiceKey> for Invoice {
    fn position(&self, by: InvoiceKey) -> Position {
        match by {
            InvoiceKey::Id => Position::Id(self.id),
            InvoiceKey::CreatedAt => Position::NumberThenId(self.created_at.unix(), self.id),
            InvoiceKey::Amount => Position::NumberThenId(self.amount.parts(), self.id),
        }
    }
}

pub async fn list(
    conn: &mut Conn,
    filters: &InvoiceFilters,
    window: &CursorWindow<InvoiceKey>,
) -> Result<Vec<Invoice>> {
    filters.check(window.after.as_ref())?;
    Ok(list::read(conn, &InvoiceList::new(filters), window).await?)
}

/// Part of the list, and how many invoices the whole list has.
pub async fn list_and_count(
    conn: &mut Conn,
    filters: &InvoiceFilters,
    window: CursorWindow<InvoiceKey>,
) -> Result<(Vec<Invoice>, i64)> {
    filters.check(window.after.as_ref())?;
    Ok(list::read_and_count(conn, &InvoiceList::new(filters), window).await?)
}

pub async fn count(conn: &mut Conn, filters: &InvoiceFilters) -> Result<i64> {
    Ok(list::count(conn, &InvoiceList::new(filters)).await?)
}
