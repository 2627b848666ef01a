//! SQL that compares derived tables with the rows they are computed from, and holds commands back.

use db::{Conn, Result, Tx, params};
use kernel::types::Timestamp;
use kernel::types::money::Sum;

/// Counts of users, minus those computed from `users` and `user_roles`.
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

/// Sums of invoices by day, minus those computed from `payment_invoices`.
const PAYMENT_DAYS: &str = concat!(
    sums!(),
    "SELECT day, currency_id, millions, whole, fraction, count FROM payment_days
     UNION ALL SELECT created_at / 86400, currency_id, ",
    minus_invoices!(),
    ") summed GROUP BY day, currency_id"
);

/// Sums of paid invoices by the day of payment, minus those computed from `payment_invoices`.
const PAYMENT_PAID_DAYS: &str = concat!(
    sums!(),
    "SELECT day, currency_id, millions, whole, fraction, count FROM payment_paid_days
     UNION ALL SELECT paid_at / 86400, currency_id, ",
    minus_invoices!(),
    " WHERE paid_at IS NOT NULL) summed GROUP BY day, currency_id"
);

/// Sums of all time (span -1), minus those computed from `payment_invoices`.
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
        ("payment_paid_days", PAYMENT_PAID_DAYS),
        ("payment_spans", PAYMENT_SPANS),
    ] {
        if !all_are_zero(tx, sql).await? {
            return Ok(Some(table));
        }
    }
    // PostgreSQL keeps this index in the table itself.
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

/// Counts rows that were added after the first start, in the tables that it fills.
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

pub async fn rebuild_statistics(tx: &mut Tx) -> Result<()> {
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
    tx.execute(
        "INSERT INTO payment_paid_buckets (day, currency_id, whole, fraction, count)
         SELECT paid_at / 86400, currency_id, CAST(SUM(amount / 10000) AS BIGINT),
                CAST(SUM(amount % 10000) AS BIGINT), COUNT(*)
         FROM payment_invoices WHERE paid_at IS NOT NULL
         GROUP BY paid_at / 86400, currency_id",
        &[],
    )
    .await?;
    Ok(())
}

const HELD: &str = "The data were restored from a backup. The command may have run since.";

/// Makes commands uncertain that wait to be sent and must not run twice.
pub async fn hold_commands(tx: &mut Tx, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE grant_steps SET state = 'uncertain', error = $1
         WHERE kind = 'rcon' AND state IN ('pending', 'sending') AND NOT repeatable",
        params![HELD],
    )
    .await?;
    tx.execute(
        "UPDATE grants SET state = 'attention', finished_at = COALESCE(finished_at, $1)
         WHERE id IN (SELECT grant_id FROM grant_steps WHERE state = 'uncertain')",
        params![now.unix()],
    )
    .await?;
    tx.execute(
        "DELETE FROM queue WHERE kind = 'commands'
         AND item IN (SELECT id FROM grant_steps WHERE state = 'uncertain')",
        &[],
    )
    .await?;
    // The players whom these were for have left since.
    tx.execute(
        "UPDATE ban_commands SET state = 'failed', error = $1 WHERE state = 'pending'",
        params![HELD],
    )
    .await?;
    tx.execute("DELETE FROM queue WHERE kind = 'ban_commands'", &[])
        .await?;
    Ok(())
}
