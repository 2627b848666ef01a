use db::{Result, Row, Select, Value};

use super::{SELECT, invoice, totals};
use crate::gateways::GatewayKey;
use crate::invoices::InvoiceStatus;
use crate::invoices::{Invoice, InvoiceFilters};
use kernel::input::DayOrMoment;
use kernel::list::{Order, Part, Source};
use kernel::types::case_fold::fold;
use kernel::types::{Day, Timestamp};

pub const ID: Order = Order::by_id("id", &["i.id"]);
pub const CREATED_AT: Order = Order::by_number("created_at", &["i.created_at", "i.id"]);
pub const AMOUNT: Order = Order::by_number("amount", &["i.amount", "i.id"]);

/// A list of invoices, with values that its statements share.
pub struct InvoiceList<'a> {
    pub filters: &'a InvoiceFilters,
    order: Order,
    /// Folded, for comparison.
    pub promo_code: Option<String>,
    pub created: Created,
}

impl<'a> InvoiceList<'a> {
    pub fn new(filters: &'a InvoiceFilters, order: Order) -> Self {
        let promo_code = filters.promo_code.as_ref();
        Self {
            filters,
            order,
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

/// The index that a statement reads. SQLite has no statistics to choose by, so conditions on other
/// indexes are written in a form that cannot use them.
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
/// With several filters, the first matching line applies. Filters that the index does not cover are
/// checked row by row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// The index of the user or of the promo code.
    UserOrPromoCode,
    User,
    /// The index of any filter; each is ordered by `created_at`.
    AnyFilter,
    /// The index of the order. Sorting all matches would be repeated for every page.
    Order,
}

/// Up to this many invoices, sorting is cheaper than reading the index of the order.
const FEW: i64 = 2000;

impl Index {
    /// Chooses the index. `total` is the number of matching invoices, if counted.
    fn choose(list: &InvoiceList<'_>, total: Option<i64>) -> Self {
        let has_user = list.filters.user_id.is_some();
        let are_many = total.is_some_and(|total| total > FEW);
        if list.order.is_like(CREATED_AT) {
            Self::in_time_order(list)
        } else if are_many && has_user {
            Self::User
        } else if !are_many && (has_user || list.promo_code.is_some()) {
            Self::UserOrPromoCode
        } else {
            Self::Order
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
    /// the invoices is searched for a single value.
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
    type Item = Invoice;

    fn order(&self) -> Order {
        self.order
    }

    fn is_unfiltered(&self) -> bool {
        self.filters.is_unfiltered()
    }

    fn count(&self) -> (&'static str, Vec<Value<'_>>) {
        totals::count(self).build()
    }

    fn select(&self, part: &Part) -> Select<'_> {
        let select = Select::new(match part.ids_only {
            true => "SELECT i.id FROM payment_invoices i",
            false => SELECT,
        });
        let mut created = self.created;
        match part.bucket.map(Day::from_number) {
            Some(day) if part.is_descending => created.last = Some(day.last_second()),
            Some(day) => created.first = Some(day.first_second()),
            None => {}
        }
        self.add_filters(select, Index::choose(self, part.total), created)
    }

    /// Counts by day, if the order and the filters allow it.
    fn buckets(&self) -> Option<(&'static str, Vec<Value<'_>>)> {
        let are_by_day = self.order.is_like(CREATED_AT)
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

    fn number(&self, invoice: &Invoice) -> i64 {
        match self.order.is_like(AMOUNT) {
            true => invoice.amount.parts(),
            false => invoice.created_at.unix(),
        }
    }
}
