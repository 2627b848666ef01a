//! What the service remembers about itself.

use db::{Conn, Db, Tx, params};

use crate::secret::SecretKey;
use crate::{Core, Error, Result};

const PLACE: &str = "secret key check";
const KNOWN: &[u8] = b"steward";

/// Refuses a secret key other than the one this database was written under.
pub async fn check_secret_key(core: &Core) -> Result<()> {
    let mut tx = core.db.begin().await?;
    let sealed = core.secret_key.seal(PLACE, KNOWN);
    tx.execute(
        "INSERT INTO settings (name, value) VALUES ('secret_key_check', $1)
         ON CONFLICT (name) DO NOTHING",
        params![&sealed],
    )
    .await?;
    require_fit(&mut tx, &core.secret_key).await?;
    Ok(tx.commit().await?)
}

async fn require_fit(conn: &mut Conn, key: &SecretKey) -> Result<()> {
    if stored_check_opens(conn, key).await? == Some(true) {
        return Ok(());
    }
    Err(Error::Rejected {
        code: "wrong_secret_key",
        message: "The secret key file is not the one that this database was written under.",
    })
}

/// Makes sure that `key` is still the database's own, and keeps it so until the end of the
/// transaction: it may have been changed while this instance was running.
///
/// Nobody waits here for a change that is under way. The key will have been the wrong one after
/// it, and a writer who waited would hold rows that the change itself waits for.
pub async fn hold_secret_key(tx: &mut Tx, key: &SecretKey) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM settings WHERE name = 'secret_key_check' FOR SHARE NOWAIT",
        &[],
    )
    .await?;
    if stored_check_opens(tx, key).await? == Some(true) {
        return Ok(());
    }
    tracing::error!("the secret key was changed while this instance was running; restart it");
    Err(Error::SecretKeyChanged)
}

/// Makes sure that `key` is the database's own and keeps everybody else from encrypting anything
/// until the end of the transaction.
pub async fn take_secret_key(tx: &mut Tx, key: &SecretKey) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM settings WHERE name = 'secret_key_check' FOR UPDATE",
        &[],
    )
    .await?;
    require_fit(tx, key).await
}

/// Makes `key` the database's own.
pub async fn set_secret_key(tx: &mut Tx, key: &SecretKey) -> Result<()> {
    let sealed = key.seal(PLACE, KNOWN);
    tx.execute(
        "UPDATE settings SET value = $1 WHERE name = 'secret_key_check'",
        params![&sealed],
    )
    .await?;
    Ok(())
}

/// Whether a key is the database's own; `None` when it has none yet.
pub async fn secret_key_fits(db: &Db, key: &SecretKey) -> Result<Option<bool>> {
    if db.schema_state().await?.applied == 0 {
        return Ok(None);
    }
    Ok(stored_check_opens(&mut *db.read().await?, key).await?)
}

async fn stored_check_opens(conn: &mut Conn, key: &SecretKey) -> db::Result<Option<bool>> {
    let stored: Option<Vec<u8>> = conn
        .query_opt(
            "SELECT value FROM settings WHERE name = 'secret_key_check'",
            &[],
            |row| row.get(0),
        )
        .await?;
    Ok(stored.map(|sealed| key.open(PLACE, &sealed).as_deref() == Some(KNOWN)))
}
