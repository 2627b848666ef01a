//! Counts the invoices of a list, using the payment statistics where possible.

use db::Select;

use super::listing::{Created, Index, InvoiceList};
use crate::gateways::GatewayKey;
use crate::invoices::{InvoiceFilters, InvoiceStatus};
use kernel::types::Day;

/// Selects the number of invoices of a list.
///
/// | filters | counted in |
/// |---|---|
/// | `user_id`, or `promo_code` with any other | the invoices, through an index |
/// | `promo_code` alone | `promo_codes.usages_count` |
/// | `created_from`, `created_to` | the counts of whole days, and the invoices of other days |
/// | gateway, currency, status, `is_paid`, or none | the counts of all time |
pub fn count<'a>(list: &'a InvoiceList<'_>) -> Select<'a> {
    let InvoiceFilters {
        is_paid,
        user_id,
        gateway,
        currency_id,
        status,
        created_from: _,
        created_to: _,
        promo_code: _,
    } = list.filters;
    let has_kind = gateway.is_some() || currency_id.is_some();
    let has_state = is_paid.is_some() || status.is_some();
    let has_time = list.created != Created::default();
    let has_promo_code = list.promo_code.is_some();
    if user_id.is_some() || has_promo_code && (has_kind || has_state || has_time) {
        let select = Select::new("SELECT COUNT(*) FROM payment_invoices i");
        list.add_filters(select, Index::in_time_order(list), list.created)
    } else if has_promo_code {
        Select::new("SELECT CAST(COALESCE(SUM(usages_count), 0) AS BIGINT) FROM promo_codes")
            .and("code_folded = ", list.promo_code.as_deref())
    } else if has_time {
        count_in_time(list)
    } else {
        // Span -1 is all time.
        let sum = Select::new("SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM payment_spans")
            .and_raw("span = -1");
        add_filters(sum, list.filters)
    }
}

/// Selects the number of invoices of a list for each day.
pub fn count_by_day<'a>(list: &'a InvoiceList<'_>) -> Select<'a> {
    let table = table_by_day(list.filters);
    let select = format!("SELECT day, CAST(SUM(count) AS BIGINT) FROM {table}");
    let days = Select::new(&select)
        .and("day >= ", list.created.first.map(Day::of))
        .and("day <= ", list.created.last.map(Day::of));
    add_filters(days, list.filters).end_where(" GROUP BY day ORDER BY day")
}

fn count_in_time<'a>(list: &'a InvoiceList<'_>) -> Select<'a> {
    let (days, partial_days) = split(list.created);
    let table = table_by_day(list.filters);
    let select = format!("SELECT (SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM {table}");
    let sum = Select::new(&select)
        .and("day >= ", days.first)
        .and("day <= ", days.last);
    let mut sum = add_filters(sum, list.filters);
    for created in partial_days {
        let select = sum.end_where(") + (SELECT COUNT(*) FROM payment_invoices i");
        sum = list.add_filters(select, Index::in_time_order(list), created);
    }
    sum.end_where(")")
}

/// The smaller of the two tables with the columns of the filters.
fn table_by_day(filters: &InvoiceFilters) -> &'static str {
    if filters.gateway.is_some() || filters.is_paid.is_some() || filters.status.is_some() {
        "payment_buckets"
    } else {
        "payment_days"
    }
}

/// The first and the last day; `None` is unbounded. No day if the first is after the last.
struct Days {
    first: Option<Day>,
    last: Option<Day>,
}

/// Splits a time range into whole days and the partial days at its ends.
fn split(Created { first, last }: Created) -> (Days, Vec<Created>) {
    if let (Some(first), Some(last)) = (first, last)
        && Day::of(first) == Day::of(last)
        && (first, last) != (Day::of(first).first_second(), Day::of(last).last_second())
    {
        let none = Days {
            first: Some(Day::of(first).next()),
            last: Some(Day::of(first).previous()),
        };
        let part = Created {
            first: Some(first),
            last: Some(last),
        };
        return (none, vec![part]);
    }
    let mut parts = Vec::new();
    let first = first.map(|moment| {
        let day = Day::of(moment);
        if moment == day.first_second() {
            return day;
        }
        parts.push(Created {
            first: Some(moment),
            last: Some(day.last_second()),
        });
        day.next()
    });
    let last = last.map(|moment| {
        let day = Day::of(moment);
        if moment == day.last_second() {
            return day;
        }
        parts.push(Created {
            first: Some(day.first_second()),
            last: Some(moment),
        });
        day.previous()
    });
    (Days { first, last }, parts)
}

/// Adds the filters to a select from the payment statistics.
fn add_filters<'a>(select: Select<'a>, filters: &'a InvoiceFilters) -> Select<'a> {
    let select = select
        .and_in(
            "gateway_id = (SELECT id FROM payment_gateways WHERE key = ",
            filters.gateway.as_ref().map(GatewayKey::as_str),
            ")",
        )
        .and("currency_id = ", filters.currency_id.map(|id| id.0));
    let select = match filters.is_paid {
        None => select,
        Some(true) => select.and_raw("state = 'completed'"),
        Some(false) => select.and_raw("state <> 'completed'"),
    };
    match filters.status {
        None => select,
        Some(InvoiceStatus::Paid) => select.and_raw("state = 'completed'"),
        Some(InvoiceStatus::Pending) => select.and_raw("state = 'pending'"),
        Some(InvoiceStatus::Failed) => select.and_raw("state = 'failed'"),
    }
}
