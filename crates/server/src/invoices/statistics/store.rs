//! SQL of the statistics: `payment_buckets` by day, `payment_spans` by month.

use db::{Conn, Result, Row, Select, Tx, params};

use super::{Bucket, Delta, Period, StatisticsQuery, Total};
use crate::invoices::InvoiceStatus;
use kernel::types::Day;
use kernel::types::money::Sum;

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

pub async fn rebuild(tx: &mut Tx) -> Result<()> {
    tx.execute(
        "INSERT INTO payment_buckets (day, gateway_id, currency_id, state, whole, fraction, count)
         SELECT day, gateway_id, currency_id, state, CAST(SUM(amount / 10000) AS BIGINT),
                CAST(SUM(amount % 10000) AS BIGINT), COUNT(*)
         FROM (SELECT created_at / 86400 AS day, gateway_id, currency_id, amount,
                      CASE WHEN is_paid THEN 'completed' WHEN failed_at IS NOT NULL THEN 'failed'
                           ELSE 'pending' END AS state
               FROM payment_invoices) invoices
         GROUP BY day, gateway_id, currency_id, state",
        &[],
    )
    .await?;
    Ok(())
}

/// What a sum is grouped by.
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

/// Single days with the columns of whole months.
const UNION_DAYS: &str = " UNION ALL SELECT gateway_id, currency_id, state, whole / 1000000,
                               whole % 1000000, fraction, count
                        FROM payment_buckets";

/// The sums of the period, by day and by kind. One statement reads both, so that their totals are
/// equal.
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
    let mut amount = Sum::from_split(row.get(5)?, row.get(6)?);
    amount += Sum::from_millions(row.get(4)?);
    let total = Total {
        amount,
        count: row.get(7)?,
    };
    Ok((group, total))
}
