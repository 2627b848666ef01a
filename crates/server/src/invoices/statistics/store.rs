use db::{Conn, Filter, Result, Row, Tx, params};

use super::{Bucket, Day, Delta, State, StatisticsQuery, Total};
use crate::money::Sum;

pub async fn add(tx: &mut Tx, bucket: &Bucket, delta: &Delta) -> Result<()> {
    tx.execute(
        "INSERT INTO payment_statistics (day, gateway_id, currency_id, state, whole, fraction,
                                         count)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (day, gateway_id, currency_id, state) DO UPDATE
         SET whole = payment_statistics.whole + excluded.whole,
             fraction = payment_statistics.fraction + excluded.fraction,
             count = payment_statistics.count + excluded.count",
        params![
            bucket.day,
            bucket.gateway_id,
            bucket.currency_id,
            bucket.state.as_str(),
            delta.whole,
            delta.fraction,
            delta.count,
        ],
    )
    .await?;
    // An empty bucket would keep its currency from being deleted.
    tx.execute(
        "DELETE FROM payment_statistics
         WHERE day = $1 AND gateway_id = $2 AND currency_id = $3 AND state = $4 AND count = 0",
        params![
            bucket.day,
            bucket.gateway_id,
            bucket.currency_id,
            bucket.state.as_str(),
        ],
    )
    .await?;
    Ok(())
}

pub async fn buckets(conn: &mut Conn, query: &StatisticsQuery) -> Result<Vec<(Bucket, Total)>> {
    let (sql, params) = Filter::new(
        "SELECT day, gateway_id, currency_id, state, whole, fraction, count
         FROM payment_statistics",
    )
    .when("day >= ", query.start_date)
    .when("day <= ", query.end_date)
    .when("currency_id = ", query.currency_id.map(|id| id.0))
    .build();
    conn.query(sql, &params, bucket).await
}

fn bucket(row: &Row<'_>) -> Result<(Bucket, Total)> {
    let state: String = row.get(3)?;
    let bucket = Bucket {
        day: Day::from_number(row.get(0)?),
        gateway_id: row.get(1)?,
        currency_id: row.get(2)?,
        state: State::from_stored(&state)
            .ok_or_else(|| db::Error::Engine("payments are in an unknown state".into()))?,
    };
    let total = Total {
        amount: Sum::from_split(row.get(4)?, row.get(5)?),
        count: row.get(6)?,
    };
    Ok((bucket, total))
}
