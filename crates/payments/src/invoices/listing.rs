//! The filters and the order of a list of invoices.

use db::Conn;

use super::store::{AMOUNT, CREATED_AT, ID, InvoiceList};
use super::{Invoice, InvoiceStatus};
use crate::gateways::GatewayKey;
use kernel::input::DayOrMoment;
use kernel::input::{Fault, Faults, Positive, Text};
use kernel::list::{self, ListQuery, ListSpec, Order, Source};
use kernel::{Result, input};

input! {
    /// Filters. An invoice must match all of them.
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
    }
}

impl InvoiceFilters {
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
}

impl ListQuery for InvoiceFilters {
    const LIST: &'static ListSpec = &ListSpec {
        has_pagination: true,
        orders: &[ID, CREATED_AT, AMOUNT],
        default_order: CREATED_AT.descending(),
        order_note: "Equal invoices are ordered by id, in the same direction.",
        ..ListSpec::PAGED
    };

    fn check(&self, _: Order, faults: &mut Faults) {
        let ends = self.created_from.zip(self.created_to);
        if ends.is_some_and(|(from, to)| from.first() > to.last()) {
            let fault = Fault::After {
                other: "created_to",
            };
            faults.at("created_from").add(fault);
        }
    }
}

/// The list of invoices.
pub fn list(filters: &InvoiceFilters, order: Order) -> impl Source<Item = Invoice> {
    InvoiceList::new(filters, order)
}

pub async fn count(conn: &mut Conn, filters: &InvoiceFilters) -> Result<i64> {
    list::count(conn, &list(filters, InvoiceFilters::LIST.default_order)).await
}
