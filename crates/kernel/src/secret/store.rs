//! A check value in the database that only the right secret key decrypts, to detect a wrong or
//! changed key file.

use std::sync::Arc;

use db::{Conn, Db, Tx, params};

use crate::secret::{CurrentKey, SecretKey};
use crate::{Core, Error, ErrorCode, Result};

const CONTEXT: &str = "secret key check";
const PLAIN: &[u8] = b"steward";

/// Refuses a secret key that does not match the database. A new database adopts the first key.
pub async fn check_secret_key(core: &Core) -> Result<()> {
    let mut tx = core.db.begin().await?;
    let key = core.secret_key.get();
    let sealed = key.seal(CONTEXT, PLAIN);
    tx.execute(
        "INSERT INTO settings (name, value) VALUES ('secret_key_check', $1)
         ON CONFLICT (name) DO NOTHING",
        params![&sealed],
    )
    .await?;
    if !opens(&key, stored_check(&mut tx).await?.as_deref()) {
        return Err(WRONG_KEY);
    }
    Ok(tx.commit().await?)
}

const WRONG_KEY: Error = Error::Rejected {
    code: ErrorCode::WrongSecretKey,
    message: "The secret key file does not match this database. Restore the file it was created \
              with. If that file is lost, `steward secret reset` says what can be done.",
};

/// Checks that the key still matches the database, and prevents its rotation until the end of the
/// transaction. Returns the key: if it was rotated while this instance was running, it is read
/// again from its file.
///
/// Does not wait for a rotation in progress: the key would be wrong afterwards, and the waiting
/// writer would hold locks that the rotation needs.
pub async fn lock_secret_key_shared(tx: &mut Tx, current: &CurrentKey) -> Result<Arc<SecretKey>> {
    tx.lock(
        "SELECT 1 FROM settings WHERE name = 'secret_key_check' FOR SHARE NOWAIT",
        &[],
    )
    .await?;
    match_stored(tx, current).await?.ok_or_else(|| {
        tracing::error!(
            "the secret key was changed while this instance was running; install the new key file"
        );
        Error::SecretKeyChanged
    })
}

/// Checks that the key matches the database, and blocks all other encryption until the end of the
/// transaction. Returns the key, as [`lock_secret_key_shared`] does.
pub async fn lock_secret_key(tx: &mut Tx, current: &CurrentKey) -> Result<Arc<SecretKey>> {
    lock_for_replacement(tx).await?;
    match_stored(tx, current).await?.ok_or(WRONG_KEY)
}

async fn lock_for_replacement(tx: &mut Tx) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM settings WHERE name = 'secret_key_check' FOR UPDATE",
        &[],
    )
    .await?;
    Ok(())
}

/// The key in use or the one now in its file, whichever matches the database.
async fn match_stored(conn: &mut Conn, current: &CurrentKey) -> Result<Option<Arc<SecretKey>>> {
    let stored = stored_check(conn).await?;
    let fits = |key: &SecretKey| opens(key, stored.as_deref());
    let key = current.get();
    if fits(&key) {
        return Ok(Some(key));
    }
    let reloaded = current.reload(fits);
    if reloaded.is_some() {
        tracing::info!("the secret key was changed; using the new one");
    }
    Ok(reloaded)
}

/// Makes `key` the key of the database although the previous one is lost.
pub async fn replace_secret_key(tx: &mut Tx, key: &SecretKey) -> Result<()> {
    lock_for_replacement(tx).await?;
    set_secret_key(tx, key).await
}

/// Makes `key` the key that matches the database.
pub async fn set_secret_key(tx: &mut Tx, key: &SecretKey) -> Result<()> {
    let sealed = key.seal(CONTEXT, PLAIN);
    tx.execute(
        "UPDATE settings SET value = $1 WHERE name = 'secret_key_check'",
        params![&sealed],
    )
    .await?;
    Ok(())
}

/// Whether a key matches the database; `None` if the database has no key yet.
pub async fn secret_key_fits(db: &Db, key: &SecretKey) -> Result<Option<bool>> {
    let stored = stored_check_of(db).await?;
    Ok(stored.map(|sealed| opens(key, Some(&sealed))))
}

/// Whether the database has a secret key already.
pub async fn has_secret_key(db: &Db) -> Result<bool> {
    Ok(stored_check_of(db).await?.is_some())
}

async fn stored_check_of(db: &Db) -> Result<Option<Vec<u8>>> {
    if db.schema_state().await?.applied == 0 {
        return Ok(None);
    }
    Ok(stored_check(&mut *db.read().await?).await?)
}

async fn stored_check(conn: &mut Conn) -> db::Result<Option<Vec<u8>>> {
    conn.query_opt(
        "SELECT value FROM settings WHERE name = 'secret_key_check'",
        &[],
        |row| row.get(0),
    )
    .await
}

fn opens(key: &SecretKey, stored: Option<&[u8]>) -> bool {
    stored
        .and_then(|sealed| key.open(CONTEXT, sealed))
        .as_deref()
        == Some(PLAIN)
}
