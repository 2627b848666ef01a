//! A new secret key for all that is encrypted under the old one.

use serde::Serialize;

use kernel::secret::{SecretKey, lock_secret_key, set_secret_key};
use kernel::write::{Change, Edit, Resource, idempotency};
use kernel::{Core, Result};

use crate::servers;

/// A change of the secret key that has begun. Dropping it leaves everything as it was.
pub struct Rotation(Edit);

impl Rotation {
    /// Waits until whoever encrypts something is done, and lets nobody else begin.
    pub async fn begin(core: &Core) -> Result<Self> {
        let mut edit = Edit::command_line(core).await?;
        lock_secret_key(&mut edit, &core.secret_key).await?;
        Ok(Self(edit))
    }

    /// Encrypts everything under `new`. From then on the old key opens nothing.
    pub async fn finish(self, new: &SecretKey) -> Result<()> {
        let Self(mut edit) = self;
        let core = edit.core().clone();
        let old = &core.secret_key;
        servers::reseal(&mut edit, old, new).await?;
        idempotency::reseal(&mut edit, old, new).await?;
        set_secret_key(&mut edit, new).await?;
        let before = edit.target(Some(TheKey {}))?;
        let change = Change::updated("rotate", &before, TheKey {}).with_new_secret("value");
        edit.commit(change).await?;
        Ok(())
    }
}

/// The secret key as the audit log sees it: there is one, and nothing of it can be shown.
#[derive(Serialize)]
struct TheKey {}

impl Resource for TheKey {
    const PLURAL: &'static str = "secret_key";
    const SINGULAR: &'static str = "secret key";

    fn id(&self) -> i64 {
        1
    }
}
