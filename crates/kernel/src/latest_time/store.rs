//! The stored latest time.

use db::{Conn, Result, Tx, params};

/// The stored time in Unix seconds; `None` before the first one is stored.
pub async fn find(conn: &mut Conn) -> Result<Option<i64>> {
    let stored: Option<Vec<u8>> = conn
        .query_opt(
            "SELECT value FROM settings WHERE name = 'latest_time'",
            &[],
            |row| row.get(0),
        )
        .await?;
    Ok(stored.and_then(|bytes| Some(i64::from_be_bytes(bytes.try_into().ok()?))))
}

/// Big-endian bytes of non-negative numbers compare like the numbers.
pub async fn raise(tx: &mut Tx, latest: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO settings (name, value) VALUES ('latest_time', $1)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value
         WHERE settings.value < excluded.value",
        params![&latest.to_be_bytes()[..]],
    )
    .await?;
    Ok(())
}
