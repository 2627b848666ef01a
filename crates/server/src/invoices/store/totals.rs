//! How many invoices a list has, out of what the statistics keep count of.

use db::Select;

use super::{Begin, Created, created, filtered};
use crate::gateways::GatewayKey;
use crate::invoices::statistics::Period;
use crate::invoices::{InvoiceFilters, InvoiceStatus};
use kernel::types::{Day, Timestamp};

/// The statement that says it. What the statistics do not know is counted through an index: the
/// invoices of one user, and those with a promo code under further conditions.
pub fn of<'a>(filters: &'a InvoiceFilters, promo_code: Option<&'a str>) -> Select<'a> {
    let InvoiceFilters {
        is_paid,
        user_id,
        gateway,
        currency_id,
        status,
        created_from: _,
        created_to: _,
        promo_code: _,
        sort: _,
    } = filters;
    let created = created(filters);
    let by_kind = gateway.is_some() || currency_id.is_some();
    let by_state = is_paid.is_some() || status.is_some();
    let by_time = created != (None, None);
    if user_id.is_some() || promo_code.is_some() && (by_kind || by_state || by_time) {
        let select = Select::new("SELECT COUNT(*) FROM payment_invoices i");
        filtered(select, filters, promo_code, Begin::Filters, created)
    } else if promo_code.is_some() {
        Select::new("SELECT CAST(COALESCE(SUM(usages_count), 0) AS BIGINT) FROM promo_codes")
            .and("code_folded = ", promo_code)
    } else if by_time {
        in_time(filters, created)
    } else {
        let sum = Select::new("SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM payment_spans")
            .and("span = ", Some(*Period::ALL.months.start()));
        kept(sum, filters)
    }
}

/// Whole days are in the statistics; of a day that the time begins or ends inside of, the invoices
/// themselves are counted.
fn in_time(filters: &InvoiceFilters, created: Created) -> Select<'_> {
    let (period, cut) = taken_apart(created);
    let mut sum = kept(whole_days(&period), filters);
    for (first, last) in cut {
        let select = sum.end_where(") + (SELECT COUNT(*) FROM payment_invoices i");
        sum = filtered(
            select,
            filters,
            None,
            Begin::Filters,
            (Some(first), Some(last)),
        );
    }
    sum.end_where(")")
}

fn whole_days<'a>(period: &Period) -> Select<'a> {
    let Period {
        months,
        leading_days,
        trailing_days,
    } = period;
    Select::new(
        "SELECT (SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM (
            SELECT gateway_id, currency_id, state, count FROM payment_spans",
    )
    .and("span >= ", Some(*months.start()))
    .and("span <= ", Some(*months.end()))
    .end_where(" UNION ALL SELECT gateway_id, currency_id, state, count FROM payment_statistics")
    .and("day >= ", Some(*leading_days.start()))
    .and("day <= ", Some(*leading_days.end()))
    .end_where(" UNION ALL SELECT gateway_id, currency_id, state, count FROM payment_statistics")
    .and("day >= ", Some(*trailing_days.start()))
    .and("day <= ", Some(*trailing_days.end()))
    .end_where(") kept")
}

/// The whole days in this time, and what is left of others.
fn taken_apart((first, last): Created) -> (Period, Vec<(Timestamp, Timestamp)>) {
    if let (Some(first), Some(last)) = (first, last)
        && Day::of(first) == Day::of(last)
    {
        let day = Day::of(first);
        return if (first, last) == (day.first_second(), day.last_second()) {
            (Period::new(Some(day), Some(day)), Vec::new())
        } else {
            (Period::NONE, vec![(first, last)])
        };
    }
    let mut cut = Vec::new();
    let begins = first.map(|moment| {
        let day = Day::of(moment);
        if moment == day.first_second() {
            return day;
        }
        cut.push((moment, day.last_second()));
        day.next()
    });
    let ends = last.map(|moment| {
        let day = Day::of(moment);
        if moment == day.last_second() {
            return day;
        }
        cut.push((day.first_second(), moment));
        day.previous()
    });
    (Period::new(begins, ends), cut)
}

pub fn kept<'a>(filter: Select<'a>, filters: &'a InvoiceFilters) -> Select<'a> {
    let filter = filter
        .and_in(
            "gateway_id = (SELECT id FROM payment_gateways WHERE key = ",
            filters.gateway.as_ref().map(GatewayKey::as_str),
            ")",
        )
        .and("currency_id = ", filters.currency_id.map(|id| id.0));
    let filter = match filters.is_paid {
        None => filter,
        Some(true) => filter.and_raw("state = 'completed'"),
        Some(false) => filter.and_raw("state <> 'completed'"),
    };
    match filters.status {
        None => filter,
        Some(InvoiceStatus::Paid) => filter.and_raw("state = 'completed'"),
        Some(InvoiceStatus::Pending) => filter.and_raw("state = 'pending'"),
        Some(InvoiceStatus::Failed) => filter.and_raw("state = 'failed'"),
    }
}
