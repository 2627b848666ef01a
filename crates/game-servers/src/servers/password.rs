//! RCON passwords: each is sealed for its own server, so that a sealed password that is copied to
//! another row does not open.

use kernel::secret::{Secret, SecretKey};
use kernel::write::Edit;
use kernel::{Error, ErrorCode, Result};

use super::{RconPassword, store};

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

/// Decrypts the password; fails if the server has none.
pub async fn open(
    edit: &mut Edit,
    server_id: i64,
    stored: &Secret<Vec<u8>>,
) -> Result<Secret<Vec<u8>>> {
    if !is_set(stored) {
        return Err(Error::Rejected {
            code: ErrorCode::RconNoPassword,
            message: "The server has no RCON password. A change of its address removes the \
                      password. Set it again.",
        });
    }
    let plain = edit.open(&context(server_id), stored.reveal()).await?;
    Ok(Secret::new(plain))
}

/// Decrypts every password with `old` and seals it under `new`.
pub async fn reseal(edit: &mut Edit, old: &SecretKey, new: &SecretKey) -> Result<()> {
    for (id, sealed) in store::passwords(edit).await? {
        let resealed = old.reseal(new, &context(id), &sealed)?;
        store::replace_password(edit, id, &sealed, &resealed).await?;
    }
    Ok(())
}
