//! RCON passwords: each is sealed for its own server, so that a sealed password that is copied to
//! another row does not open.
//!
//! Earlier versions sealed all passwords for the same text. [`bind_to_rows`] seals those again.

use kernel::secret::{Secret, SecretKey, lock_secret_key};
use kernel::write::Edit;
use kernel::{Core, Error, ErrorCode, Result};

use super::{RconPassword, store};

/// What earlier versions sealed every password for.
const OLD_CONTEXT: &str = "servers.rcon_password";

fn context(server_id: i64) -> String {
    format!("servers.rcon_password {server_id}")
}

/// The stored value of a server without a password.
pub fn none() -> Secret<Vec<u8>> {
    Secret::new(Vec::new())
}

pub fn is_set(stored: &Secret<Vec<u8>>) -> bool {
    !stored.reveal().is_empty()
}

pub async fn seal(
    edit: &mut Edit,
    server_id: i64,
    password: &RconPassword,
) -> Result<Secret<Vec<u8>>> {
    let plain = password.reveal().as_bytes();
    let sealed = edit.seal(&context(server_id), plain).await?;
    Ok(Secret::new(sealed))
}

/// The password in plain text; an error if the server has none.
pub async fn open(
    edit: &mut Edit,
    server_id: i64,
    stored: &Secret<Vec<u8>>,
) -> Result<Secret<Vec<u8>>> {
    const MISSING: Error = Error::Rejected {
        code: ErrorCode::RconNoPassword,
        message: "The server has no usable RCON password. A change of its address removes the \
                  password. Set it again.",
    };
    if !is_set(stored) {
        return Err(MISSING);
    }
    let plain = Secret::new(edit.open(&context(server_id), stored.reveal()).await?);
    // Earlier versions accepted line breaks, which other protocols would take for commands.
    let has_control_characters = match std::str::from_utf8(plain.reveal()) {
        Ok(text) => text.contains(char::is_control),
        Err(_) => true,
    };
    match has_control_characters {
        true => Err(MISSING),
        false => Ok(plain),
    }
}

/// Decrypts every password with `old` and seals it under `new`.
pub async fn reseal(edit: &mut Edit, old: &SecretKey, new: &SecretKey) -> Result<()> {
    for (id, sealed) in store::passwords(edit).await? {
        let from = match old.open(OLD_CONTEXT, &sealed) {
            Some(_) => OLD_CONTEXT,
            None => &context(id),
        };
        let resealed = old.reseal(new, from, &context(id), &sealed)?;
        store::replace_password(edit, id, &sealed, &resealed).await?;
    }
    Ok(())
}

/// Seals passwords again that an earlier version sealed without their server. An instance of such
/// a version that runs on the same database cannot open them afterwards.
pub async fn bind_to_rows(core: &Core) -> Result<()> {
    let is_old = |sealed: &[u8]| core.secret_key.get().open(OLD_CONTEXT, sealed);
    let mut read = core.db.read_alone().await?;
    let stored = store::passwords(&mut read).await?;
    drop(read);
    if !stored.iter().any(|(_, sealed)| is_old(sealed).is_some()) {
        return Ok(());
    }
    let mut tx = core.db.begin().await?;
    let key = lock_secret_key(&mut tx, &core.secret_key).await?;
    for (id, sealed) in store::passwords(&mut tx).await? {
        if let Some(plain) = key.open(OLD_CONTEXT, &sealed).map(Secret::new) {
            let resealed = key.seal(&context(id), plain.reveal());
            store::replace_password(&mut tx, id, &sealed, &resealed).await?;
        }
    }
    Ok(tx.commit().await?)
}

/// Removes every password. Returns how many there were.
pub async fn forget_all(edit: &mut Edit) -> Result<u64> {
    Ok(store::forget_passwords(edit).await?)
}
