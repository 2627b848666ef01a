use db::{Result, Row, Select};

use super::{SELECT, invoice, totals};
use crate::gateways::GatewayKey;
use crate::invoices::InvoiceStatus;
use crate::invoices::{Invoice, InvoiceFilters, InvoiceKey};
use kernel::input::DayOrMoment;
use kernel::list::{Columns, Part, Sort, Source, Statement};
use kernel::types::case_fold::fold;
use kernel::types::{Day, Timestamp};

/// A list of invoices: what its statements need, computed once.
pub struct InvoiceList<'a> {
    pub filters: &'a InvoiceFilters,
    /// Folded.
    pub promo_code: Option<String>,
    pub created: Created,
}

impl<'a> InvoiceList<'a> {
    pub fn new(filters: &'a InvoiceFilters) -> Self {
        let promo_code = filters.promo_code.as_ref();
        Self {
            filters,
            promo_code: promo_code.map(|code| fold(code.as_str())),
            created: Created {
                first: filters.created_from.map(DayOrMoment::first),
                last: filters.created_to.map(DayOrMoment::last),
            },
        }
    }
}

/// The first and the last second in which invoices were created; `None` is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Created {
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
}

impl Created {
    fn is_whole_days(self) -> bool {
        self.first
            .is_none_or(|moment| moment == Day::of(moment).first_second())
            && self
                .last
                .is_none_or(|moment| moment == Day::of(moment).last_second())
    }
}

/// The index that a statement reads. SQLite has no statistics to choose by, so the conditions on
/// other indexes are written in a way that it cannot use them for.
///
/// | filters | ordered by `created_at` | ordered by `id` or `amount` |
/// |---|---|---|
/// | `user_id` | of the user, in order | of the user, then sorted |
/// | `promo_code`, few invoices | of the code, in order | of the code, then sorted |
/// | `promo_code`, many invoices | of the code, in order | of the order |
/// | `created_from`, `created_to` | of the order | of the order |
/// | gateway, currency, status, `is_paid` | of any of them, in order | of the order |
/// | none | of the order | of the order |
///
/// With several filters the first line that fits applies. Filters that the index does not cover are
/// checked row by row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// Of the user or of the promo code.
    UserOrPromoCode,
    User,
    /// Of any filter. All of them have the invoices of one value by `created_at`.
    AnyFilter,
    /// Of the order. Collecting and sorting all that match would be repeated for every page.
    Order,
}

/// Up to this many invoices, collecting and sorting is cheaper than reading the index of the order.
const FEW: i64 = 2000;

impl Index {
    /// `total` is how many invoices match, if they have been counted.
    fn choose(list: &InvoiceList<'_>, total: Option<i64>) -> Self {
        let has_user = list.filters.user_id.is_some();
        let are_many = total.is_some_and(|total| total > FEW);
        match list.filters.sort().by {
            InvoiceKey::CreatedAt => Self::in_time_order(list),
            _ if are_many && has_user => Self::User,
            _ if are_many => Self::Order,
            _ if has_user || list.promo_code.is_some() => Self::UserOrPromoCode,
            _ => Self::Order,
        }
    }

    pub fn in_time_order(list: &InvoiceList<'_>) -> Self {
        match list.filters.user_id.is_some() || list.promo_code.is_some() {
            true => Self::UserOrPromoCode,
            false => Self::AnyFilter,
        }
    }
}

impl InvoiceList<'_> {
    /// Adds the filters to a select. Gateways and promo codes are subqueries, so that an index of
    /// the invoices is searched for one value.
    pub fn add_filters<'a>(
        &'a self,
        select: Select<'a>,
        index: Index,
        created: Created,
    ) -> Select<'a> {
        let filters = self.filters;
        let select = select
            .and("i.user_id = ", filters.user_id.map(|id| id.0))
            .without_index(matches!(index, Index::User | Index::Order))
            .and_in(
                "i.promo_code_id = (SELECT id FROM promo_codes WHERE code_folded = ",
                self.promo_code.as_deref(),
                ")",
            )
            .without_index(index == Index::Order)
            .and("i.created_at >= ", created.first)
            .and("i.created_at <= ", created.last)
            .without_index(index != Index::AnyFilter)
            .and_in(
                "i.gateway_id = (SELECT id FROM payment_gateways WHERE key = ",
                filters.gateway.as_ref().map(GatewayKey::as_str),
                ")",
            )
            .and("i.currency_id = ", filters.currency_id.map(|id| id.0))
            .and("i.is_paid = ", filters.is_paid);
        match filters.status {
            None => select,
            Some(InvoiceStatus::Paid) => select.and("i.is_paid = ", Some(true)),
            Some(InvoiceStatus::Pending) => select.and_raw("i.failed_at IS NULL AND NOT i.is_paid"),
            Some(InvoiceStatus::Failed) => {
                select.and_raw("i.failed_at IS NOT NULL AND NOT i.is_paid")
            }
        }
    }
}

impl Source for InvoiceList<'_> {
    type Key = InvoiceKey;
    type Item = Invoice;

    fn sort(&self) -> Sort<InvoiceKey> {
        self.filters.sort()
    }

    fn is_unfiltered(&self) -> bool {
        self.filters.is_unfiltered()
    }

    fn count(&self) -> Statement<'_> {
        totals::count(self).build()
    }

    fn page<'a>(&'a self, columns: Columns, part: &'a Part<'a, InvoiceKey>) -> Statement<'a> {
        let select = Select::new(match columns {
            Columns::All => SELECT,
            Columns::Id => "SELECT i.id FROM payment_invoices i",
        });
        let mut created = self.created;
        match part.bucket.map(Day::from_number) {
            Some(day) if part.descending => created.last = Some(day.last_second()),
            Some(day) => created.first = Some(day.first_second()),
            None => {}
        }
        let index = Index::choose(self, part.total);
        let select = self.add_filters(select, index, created);
        part.finish(select, order_columns(self.sort().by))
    }

    /// One bucket per day.
    fn buckets(&self) -> Option<Statement<'_>> {
        let are_by_day = self.sort().by == InvoiceKey::CreatedAt
            && self.filters.user_id.is_none()
            && self.promo_code.is_none()
            && self.created.is_whole_days();
        are_by_day.then(|| totals::count_by_day(self).build())
    }

    fn by_ids(&self) -> &'static str {
        let (sql, _) = Select::new(SELECT).and_raw("i.id = ANY($1)").build();
        sql
    }

    fn item(&self, row: &Row<'_>) -> Result<Invoice> {
        invoice(row)
    }

    fn id(invoice: &Invoice) -> i64 {
        invoice.id
    }
}

fn order_columns(key: InvoiceKey) -> &'static [&'static str] {
    match key {
        InvoiceKey::Id => &["i.id"],
        InvoiceKey::CreatedAt => &["i.created_at", "i.id"],
        InvoiceKey::Amount => &["i.amount", "i.id"],
    }
}
