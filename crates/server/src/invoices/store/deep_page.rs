//! Reading a list from somewhere far inside.

use db::{Conn, Result, Select, params};

use super::totals::kept;
use super::{Begin, Created, SELECT, columns, created, filtered, invoice};
use crate::invoices::{Invoice, InvoiceFilters};
use kernel::list::{Window, in_order_of, place_in};
use kernel::types::{Day, Timestamp};

/// Passes over ids alone, and over as few as can be, before it reads invoices.
pub async fn far_inside<K>(
    conn: &mut Conn,
    filters: &InvoiceFilters,
    promo_code: Option<&str>,
    begin: Begin,
    window: &Window<K>,
) -> Result<Vec<Invoice>> {
    let sort = filters.sort();
    let descending = sort.descending != window.from_end;
    let (mut time, mut offset) = (created(filters), window.offset);
    let in_days = filters.user_id.is_none() && promo_code.is_none() && is_whole_days(time);
    if begin == Begin::Filters && in_days {
        match by_days(conn, filters, time, window, descending).await? {
            Some(place) => (time, offset) = place,
            None => return Ok(Vec::new()),
        }
    }
    let ids = Select::new("SELECT i.id FROM payment_invoices i");
    let (sql, params) = filtered(ids, filters, promo_code, begin, time)
        .order_by(columns(sort.by), descending, None)
        .push(" LIMIT ", window.limit)
        .push(" OFFSET ", offset)
        .build();
    let ids: Vec<i64> = conn.query(sql, &params, |row| row.get(0)).await?;
    let (sql, _) = Select::new(SELECT).and_raw("i.id = ANY($1)").build();
    let found = conn.query(sql, params![&ids], invoice).await?;
    Ok(window.in_order(in_order_of(&ids, found, |invoice| invoice.id)))
}

fn is_whole_days((first, last): Created) -> bool {
    first.is_none_or(|moment| moment == Day::of(moment).first_second())
        && last.is_none_or(|moment| moment == Day::of(moment).last_second())
}

/// The day that the window begins in, out of how many invoices each day has.
async fn by_days<K>(
    conn: &mut Conn,
    filters: &InvoiceFilters,
    (first, last): Created,
    window: &Window<K>,
    descending: bool,
) -> Result<Option<(Created, i64)>> {
    let by_kind =
        filters.gateway.is_some() || filters.is_paid.is_some() || filters.status.is_some();
    let select = if by_kind {
        "SELECT day, CAST(SUM(count) AS BIGINT) FROM payment_statistics"
    } else {
        "SELECT day, CAST(SUM(count) AS BIGINT) FROM payment_days"
    };
    let days = Select::new(select)
        .and("day >= ", first.map(Day::of))
        .and("day <= ", last.map(Day::of));
    let (sql, params) = kept(days, filters)
        .end_where(" GROUP BY day ORDER BY day")
        .build();
    let mut days: Vec<(i64, i64)> = conn
        .query(sql, &params, |row| Ok((row.get(0)?, row.get(1)?)))
        .await?;
    if descending {
        days.reverse();
    }
    let within = |day: i64| -> (Option<Timestamp>, Option<Timestamp>) {
        let day = Day::from_number(day);
        if descending {
            (first, Some(day.last_second()))
        } else {
            (Some(day.first_second()), last)
        }
    };
    let place = place_in(days, window.offset);
    Ok(place.map(|(day, offset)| (within(day), offset)))
}
