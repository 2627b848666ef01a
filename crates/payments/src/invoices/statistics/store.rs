//! SQL of the statistics: `payment_buckets` by day, `payment_spans` by month.

use std::collections::BTreeMap;

use db::{Conn, Result, Row, Select, Tx, params};

use super::{Bucket, Delta, PaidBucket, Period, StatisticsQuery, Total};
use crate::invoices::InvoiceStatus;
use kernel::types::money::Sum;
use kernel::types::{Day, Timestamp};

pub async fn add(tx: &mut Tx, bucket: &Bucket, delta: &Delta) -> Result<()> {
    tx.execute(
        "INSERT INTO payment_buckets (day, gateway_id, currency_id, state, whole, fraction, count)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        params![
            bucket.day,
            bucket.gateway_id,
            bucket.currency_id,
            bucket.status.statistics_name(),
            delta.whole,
            delta.fraction,
            delta.count,
        ],
    )
    .await?;
    Ok(())
}

pub async fn add_paid(tx: &mut Tx, bucket: &PaidBucket, delta: &Delta) -> Result<()> {
    tx.execute(
        "INSERT INTO payment_paid_buckets (day, currency_id, whole, fraction, count)
         VALUES ($1, $2, $3, $4, $5)",
        params![
            bucket.day,
            bucket.currency_id,
            delta.whole,
            delta.fraction,
            delta.count,
        ],
    )
    .await?;
    Ok(())
}

/// Adds to many buckets.
pub async fn add_all(tx: &mut Tx, deltas: &BTreeMap<Bucket, Delta>) -> Result<()> {
    let columns = [
        "day",
        "gateway_id",
        "currency_id",
        "state",
        "whole",
        "fraction",
        "count",
    ];
    let rows = deltas.iter().map(|(bucket, delta)| {
        [
            bucket.day.into(),
            bucket.gateway_id.into(),
            bucket.currency_id.into(),
            bucket.status.statistics_name().into(),
            delta.whole.into(),
            delta.fraction.into(),
            delta.count.into(),
        ]
    });
    tx.load("payment_buckets", columns, rows).await
}

pub async fn add_all_paid(tx: &mut Tx, deltas: &BTreeMap<PaidBucket, Delta>) -> Result<()> {
    let columns = ["day", "currency_id", "whole", "fraction", "count"];
    let rows = deltas.iter().map(|(bucket, delta)| {
        [
            bucket.day.into(),
            bucket.currency_id.into(),
            delta.whole.into(),
            delta.fraction.into(),
            delta.count.into(),
        ]
    });
    tx.load("payment_paid_buckets", columns, rows).await
}

/// The group of a sum.
pub enum Group {
    Day(Day),
    /// All days of the period together.
    Kind {
        gateway_id: i64,
        currency_id: i64,
        status: InvoiceStatus,
    },
}

macro_rules! sums {
    () => {
        "CAST(SUM(millions) AS BIGINT), CAST(SUM(whole) AS BIGINT),
         CAST(SUM(fraction) AS BIGINT), CAST(SUM(count) AS BIGINT)"
    };
}

/// Selects single days with the columns of whole months.
const UNION_DAYS: &str = " UNION ALL SELECT gateway_id, currency_id, state, whole / 1000000,
                               whole % 1000000, fraction, count
                        FROM payment_buckets";

/// The sums of the period, by day and by kind. One statement reads both, so that their totals
/// agree.
pub async fn groups(conn: &mut Conn, query: &StatisticsQuery) -> Result<Vec<(Group, Total)>> {
    let currency_id = query.currency_id.map(|id| id.0);
    let Period {
        months,
        leading_days,
        trailing_days,
    } = Period::new(query.start_date, query.end_date);
    let (sql, params) = Select::new(concat!(
        "SELECT day, NULL, NULL, NULL, ",
        sums!(),
        " FROM payment_days"
    ))
    .and("day >= ", query.start_date)
    .and("day <= ", query.end_date)
    .and("currency_id = ", currency_id)
    .end_where(concat!(
        " GROUP BY day HAVING SUM(count) <> 0
          UNION ALL SELECT NULL, gateway_id, currency_id, state, ",
        sums!(),
        " FROM (SELECT gateway_id, currency_id, state, millions, whole, fraction, count
                FROM payment_spans"
    ))
    .and("span >= ", Some(*months.start()))
    .and("span <= ", Some(*months.end()))
    .and("currency_id = ", currency_id)
    .end_where(UNION_DAYS)
    .and("day >= ", Some(*leading_days.start()))
    .and("day <= ", Some(*leading_days.end()))
    .and("currency_id = ", currency_id)
    .end_where(UNION_DAYS)
    .and("day >= ", Some(*trailing_days.start()))
    .and("day <= ", Some(*trailing_days.end()))
    .and("currency_id = ", currency_id)
    .end_where(") kinds GROUP BY gateway_id, currency_id, state HAVING SUM(count) <> 0")
    .build();
    conn.query(sql, &params, group).await
}

/// The sums of invoices themselves, in the columns of [`sums`].
macro_rules! sums_of_invoices {
    () => {
        "CAST(SUM(amount / 10000 / 1000000) AS BIGINT),
         CAST(SUM(amount / 10000 % 1000000) AS BIGINT), CAST(SUM(amount % 10000) AS BIGINT),
         COUNT(*)"
    };
}

/// Like [`groups`], of the invoices of one user, which an index finds.
pub async fn groups_of_user(
    conn: &mut Conn,
    user_id: i64,
    query: &StatisticsQuery,
) -> Result<Vec<(Group, Total)>> {
    let (from, to) = seconds(query);
    let currency_id = query.currency_id.map(|id| id.0);
    let (sql, params) = Select::new(concat!(
        "SELECT created_at / 86400, NULL, NULL, NULL, ",
        sums_of_invoices!(),
        " FROM payment_invoices"
    ))
    .and("user_id = ", Some(user_id))
    .and("created_at >= ", from)
    .and("created_at <= ", to)
    .and("currency_id = ", currency_id)
    .end_where(concat!(
        " GROUP BY created_at / 86400
          UNION ALL SELECT NULL, gateway_id, currency_id, state, ",
        sums_of_invoices!(),
        " FROM (SELECT gateway_id, currency_id, amount,
                       CASE WHEN is_paid THEN 'completed' WHEN failed_at IS NOT NULL THEN 'failed'
                            ELSE 'pending' END AS state
                FROM payment_invoices"
    ))
    .and("user_id = ", Some(user_id))
    .and("created_at >= ", from)
    .and("created_at <= ", to)
    .and("currency_id = ", currency_id)
    .end_where(") kinds GROUP BY gateway_id, currency_id, state")
    .build();
    conn.query(sql, &params, group).await
}

/// The sums of paid invoices by the day of the payment.
pub async fn paid_days(conn: &mut Conn, query: &StatisticsQuery) -> Result<Vec<(Day, Total)>> {
    let currency_id = query.currency_id.map(|id| id.0);
    let (from, to) = seconds(query);
    let select = match query.user_id {
        Some(user_id) => Select::new(concat!(
            "SELECT paid_at / 86400, ",
            sums_of_invoices!(),
            " FROM payment_invoices"
        ))
        .and("user_id = ", Some(user_id.0))
        .and_raw("paid_at IS NOT NULL")
        .and("paid_at >= ", from)
        .and("paid_at <= ", to)
        .and("currency_id = ", currency_id)
        .end_where(" GROUP BY paid_at / 86400"),
        None => Select::new(concat!("SELECT day, ", sums!(), " FROM payment_paid_days"))
            .and("day >= ", query.start_date)
            .and("day <= ", query.end_date)
            .and("currency_id = ", currency_id)
            .end_where(" GROUP BY day HAVING SUM(count) <> 0"),
    };
    let (sql, params) = select.build();
    let map = |row: &Row<'_>| Ok((Day::from_number(row.get(0)?), total(row, 1)?));
    conn.query(sql, &params, map).await
}

/// The first and the last second of the period.
fn seconds(query: &StatisticsQuery) -> (Option<Timestamp>, Option<Timestamp>) {
    let from = query.start_date.map(Day::first_second);
    (from, query.end_date.map(Day::last_second))
}

fn group(row: &Row<'_>) -> Result<(Group, Total)> {
    let group = match row.get::<Option<i64>>(0)? {
        Some(day) => Group::Day(Day::from_number(day)),
        None => Group::Kind {
            gateway_id: row.get(1)?,
            currency_id: row.get(2)?,
            status: InvoiceStatus::from_statistics_name(&row.get::<String>(3)?).ok_or_else(
                || db::Error::Engine("unknown state in the payment statistics".into()),
            )?,
        },
    };
    Ok((group, total(row, 4)?))
}

/// The columns of [`sums`], from `index` on.
fn total(row: &Row<'_>, index: usize) -> Result<Total> {
    let mut amount = Sum::from_split(row.get(index + 1)?, row.get(index + 2)?);
    amount += Sum::from_millions(row.get(index)?);
    Ok(Total {
        amount,
        count: row.get(index + 3)?,
    })
}
