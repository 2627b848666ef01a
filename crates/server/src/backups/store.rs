//! SQL that compares derived tables with the rows they are computed from.

use db::{Conn, Result, Tx};
use kernel::types::money::Sum;

/// Counts of users, with the counts of `users` and `user_roles` subtracted.
const USER_TOTALS: &str = "
    SELECT COUNT(*) FROM (
        SELECT role_id, status FROM (
            SELECT role_id, status, count FROM user_totals
            UNION ALL
            SELECT 0, status, -COUNT(*) FROM users GROUP BY status
            UNION ALL
            SELECT r.role_id, u.status, -COUNT(*)
            FROM user_roles r JOIN users u ON u.id = r.user_id GROUP BY r.role_id, u.status
        ) counted GROUP BY role_id, status HAVING SUM(count) <> 0
    ) differences";

const USER_BUCKETS: &str = "
    SELECT COUNT(*) FROM (
        SELECT bucket FROM (
            SELECT bucket, count FROM user_buckets
            UNION ALL
            SELECT id >> 12, -COUNT(*) FROM users GROUP BY id >> 12
        ) counted GROUP BY bucket HAVING SUM(count) <> 0
    ) differences";

macro_rules! sums {
    () => {
        "SELECT CAST(SUM(millions) AS BIGINT), CAST(SUM(whole) AS BIGINT),
                CAST(SUM(fraction) AS BIGINT), CAST(SUM(count) AS BIGINT) FROM ("
    };
}

macro_rules! minus_invoices {
    () => {
        "-(amount / 10000 / 1000000) AS millions, -(amount / 10000 % 1000000) AS whole,
         -(amount % 10000) AS fraction, -1 AS count FROM payment_invoices"
    };
}

/// Sums of invoices by day, with those of `payment_invoices` subtracted.
const PAYMENT_DAYS: &str = concat!(
    sums!(),
    "SELECT day, currency_id, millions, whole, fraction, count FROM payment_days
     UNION ALL SELECT created_at / 86400, currency_id, ",
    minus_invoices!(),
    ") summed GROUP BY day, currency_id"
);

/// The bucket -1 has all days.
const PAYMENT_SPANS: &str = concat!(
    sums!(),
    "SELECT gateway_id, currency_id, state, millions, whole, fraction, count
     FROM payment_spans WHERE span = -1
     UNION ALL SELECT gateway_id, currency_id,
         CASE WHEN is_paid THEN 'completed' WHEN failed_at IS NOT NULL THEN 'failed'
              ELSE 'pending' END, ",
    minus_invoices!(),
    ") summed GROUP BY gateway_id, currency_id, state"
);

/// The first derived table that does not match, if there is one.
pub async fn find_difference(tx: &mut Tx) -> Result<Option<&'static str>> {
    for (table, sql) in [("user_totals", USER_TOTALS), ("user_buckets", USER_BUCKETS)] {
        let differences: i64 = tx.query_one(sql, &[], |row| row.get(0)).await?;
        if differences > 0 {
            return Ok(Some(table));
        }
    }
    for (table, sql) in [
        ("payment_days", PAYMENT_DAYS),
        ("payment_spans", PAYMENT_SPANS),
    ] {
        if !all_are_zero(tx, sql).await? {
            return Ok(Some(table));
        }
    }
    // The index of PostgreSQL is part of the table.
    tx.execute_on_sqlite(
        "INSERT INTO user_search (user_search, rank) VALUES ('integrity-check', 1)",
    )
    .await?;
    Ok(None)
}

async fn all_are_zero(conn: &mut Conn, sql: &'static str) -> Result<bool> {
    let differences = conn
        .query(sql, &[], |row| {
            let mut amount = Sum::from_millions(row.get(0)?);
            amount += Sum::from_split(row.get(1)?, row.get(2)?);
            Ok(amount != Sum::default() || row.get::<i64>(3)? != 0)
        })
        .await?;
    Ok(!differences.contains(&true))
}

/// Rows of the tables that the first start fills which were added later.
pub async fn count_later_rows(conn: &mut Conn) -> Result<Vec<(&'static str, u64)>> {
    let mut counts = Vec::new();
    for (table, sql) in [
        (
            "api_keys",
            "SELECT COUNT(*) FROM api_keys WHERE first = FALSE",
        ),
        (
            "audit_log",
            "SELECT COUNT(*) FROM audit_log
             WHERE key_id IS NOT NULL OR (resource <> 'api_keys' AND action <> 'operators.invite')",
        ),
    ] {
        let count: i64 = conn.query_one(sql, &[], |row| row.get(0)).await?;
        if count > 0 {
            counts.push((table, count.unsigned_abs()));
        }
    }
    Ok(counts)
}
