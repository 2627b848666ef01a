//! Rotation of the secret key: seals every sealed value again, under a new key.

use serde::Serialize;

use kernel::secret::{SecretKey, lock_secret_key, set_secret_key};
use kernel::write::{Change, Edit, Resource, idempotency};
use kernel::{Core, Result};

use crate::servers;

/// A rotation that has begun. Dropping it rolls everything back.
pub struct Rotation(Edit);

impl Rotation {
    /// Waits for transactions that seal values, and blocks new ones until the rotation ends.
    pub async fn begin(core: &Core) -> Result<Self> {
        let mut edit = Edit::command_line(core).await?;
        lock_secret_key(&mut edit, &core.secret_key).await?;
        Ok(Self(edit))
    }

    /// Seals everything under `new`. After that, the old key opens nothing.
    pub async fn finish(self, new: &SecretKey) -> Result<()> {
        let Self(mut edit) = self;
        let core = edit.core().clone();
        let old = &core.secret_key;
        servers::reseal(&mut edit, old, new).await?;
        idempotency::reseal(&mut edit, old, new).await?;
        set_secret_key(&mut edit, new).await?;
        let before = edit.target(Some(AuditedKey {}))?;
        let change = Change::updated("rotate", &before, AuditedKey {}).with_new_secret("value");
        edit.commit(change).await?;
        Ok(())
    }
}

/// The secret key in the audit log, which shows nothing of its value.
#[derive(Serialize)]
struct AuditedKey {}

impl Resource for AuditedKey {
    const PLURAL: &'static str = "secret_key";
    const SINGULAR: &'static str = "secret key";

    fn id(&self) -> i64 {
        1
    }
}
