//! A value in the database that only the right secret key decrypts, to detect a wrong or changed
//! key file.

use db::{Conn, Db, Tx, params};

use crate::secret::SecretKey;
use crate::{Core, Error, Result};

const CONTEXT: &str = "secret key check";
const PLAIN: &[u8] = b"steward";

/// Refuses a secret key that does not match the database. A new database takes the first key.
pub async fn check_secret_key(core: &Core) -> Result<()> {
    let mut tx = core.db.begin().await?;
    let sealed = core.secret_key.seal(CONTEXT, PLAIN);
    tx.execute(
        "INSERT INTO settings (name, value) VALUES ('secret_key_check', $1)
         ON CONFLICT (name) DO NOTHING",
        params![&sealed],
    )
    .await?;
    require_match(&mut tx, &core.secret_key).await?;
    Ok(tx.commit().await?)
}

async fn require_match(conn: &mut Conn, key: &SecretKey) -> Result<()> {
    if stored_check_opens(conn, key).await? == Some(true) {
        return Ok(());
    }
    Err(Error::Rejected {
        code: "wrong_secret_key",
        message: "The secret key file does not match this database. Restore the file it was created with.",
    })
}

/// Makes sure that `key` still matches the database and keeps it from being rotated until the
/// end of the transaction. It may have been rotated while this instance was running.
///
/// It does not wait for a rotation in progress: the key would be wrong afterwards, and the
/// waiting writer would hold locks that the rotation needs.
pub async fn lock_secret_key_shared(tx: &mut Tx, key: &SecretKey) -> Result<()> {
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

/// Makes sure that `key` matches the database and blocks all encryption by others until the end
/// of the transaction.
pub async fn lock_secret_key(tx: &mut Tx, key: &SecretKey) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM settings WHERE name = 'secret_key_check' FOR UPDATE",
        &[],
    )
    .await?;
    require_match(tx, key).await
}

/// Makes `key` the one that matches the database.
pub async fn set_secret_key(tx: &mut Tx, key: &SecretKey) -> Result<()> {
    let sealed = key.seal(CONTEXT, PLAIN);
    tx.execute(
        "UPDATE settings SET value = $1 WHERE name = 'secret_key_check'",
        params![&sealed],
    )
    .await?;
    Ok(())
}

/// Whether a key matches the database; `None` when the database has none yet.
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
    Ok(stored.map(|sealed| key.open(CONTEXT, &sealed).as_deref() == Some(PLAIN)))
}
