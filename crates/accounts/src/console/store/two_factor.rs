use db::{Conn, Result, Row, Tx, params};

use crate::console::two_factor::Factor;

/// The second factor of an operator, confirmed or not.
pub async fn find(conn: &mut Conn, user_id: i64) -> Result<Option<Factor>> {
    conn.query_opt(
        "SELECT user_id, totp_secret, totp_step, has_two_factor FROM operators
         WHERE user_id = $1 AND totp_secret IS NOT NULL",
        params![user_id],
        factor,
    )
    .await
}

/// Factors after a user id, ordered by user id.
pub async fn after(conn: &mut Conn, user_id: i64, limit: i64) -> Result<Vec<Factor>> {
    conn.query(
        "SELECT user_id, totp_secret, totp_step, has_two_factor FROM operators
         WHERE user_id > $1 AND totp_secret IS NOT NULL ORDER BY user_id LIMIT $2",
        params![user_id, limit],
        factor,
    )
    .await
}

fn factor(row: &Row<'_>) -> Result<Factor> {
    Ok(Factor {
        user_id: row.get(0)?,
        sealed: row.get(1)?,
        last_step: row.get(2)?,
        is_confirmed: row.get(3)?,
    })
}

pub async fn set_secret(tx: &mut Tx, user_id: i64, sealed: Option<&[u8]>) -> Result<()> {
    tx.execute(
        "UPDATE operators SET totp_secret = $2 WHERE user_id = $1",
        params![user_id, sealed],
    )
    .await?;
    Ok(())
}

pub async fn set_confirmed(tx: &mut Tx, user_id: i64, is_confirmed: bool) -> Result<()> {
    tx.execute(
        "UPDATE operators SET has_two_factor = $2 WHERE user_id = $1",
        params![user_id, is_confirmed],
    )
    .await?;
    Ok(())
}

pub async fn set_step(tx: &mut Tx, user_id: i64, step: i64) -> Result<()> {
    tx.execute(
        "UPDATE operators SET totp_step = $2 WHERE user_id = $1",
        params![user_id, step],
    )
    .await?;
    Ok(())
}

pub async fn add_recovery_code(tx: &mut Tx, user_id: i64, hash: &[u8; 32]) -> Result<()> {
    tx.execute(
        "INSERT INTO operator_recovery_codes (user_id, hash) VALUES ($1, $2)",
        params![user_id, hash],
    )
    .await?;
    Ok(())
}

/// Deletes a recovery code. Returns whether it existed.
pub async fn use_recovery_code(tx: &mut Tx, user_id: i64, hash: &[u8; 32]) -> Result<bool> {
    let deleted = tx
        .execute(
            "DELETE FROM operator_recovery_codes WHERE user_id = $1 AND hash = $2",
            params![user_id, hash],
        )
        .await?;
    Ok(deleted > 0)
}

pub async fn delete_recovery_codes(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute(
        "DELETE FROM operator_recovery_codes WHERE user_id = $1",
        params![user_id],
    )
    .await?;
    Ok(())
}

/// Removes every factor. Returns their number.
pub async fn delete_all(tx: &mut Tx) -> Result<u64> {
    tx.execute("DELETE FROM operator_recovery_codes", &[])
        .await?;
    tx.execute(
        "UPDATE operators SET totp_secret = NULL, has_two_factor = FALSE
         WHERE totp_secret IS NOT NULL",
        &[],
    )
    .await
}
