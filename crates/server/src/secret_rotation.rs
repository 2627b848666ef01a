//! Rotates the secret key: encrypts every sealed value again under a new key. If the key is lost,
//! [`reset`] removes every sealed value instead.

use std::sync::Arc;

use serde::Serialize;

use kernel::secret::{SecretKey, lock_secret_key, replace_secret_key, set_secret_key};
use kernel::write::{Change, Edit, Resource, idempotency};
use kernel::{Core, Result};

use accounts::console::two_factor;
use accounts::sign_in;
use discord::guild;
use game_servers::servers;
use platform::webhooks;

/// A rotation in progress. Dropping it rolls everything back.
pub struct Rotation {
    edit: Edit,
    old: Arc<SecretKey>,
}

impl Rotation {
    /// Waits for transactions that seal values, and blocks new ones until the rotation ends.
    pub async fn begin(core: &Core) -> Result<Self> {
        let mut edit = Edit::command_line(core).await?;
        let old = lock_secret_key(&mut edit, &core.secret_key).await?;
        Ok(Self { edit, old })
    }

    /// Seals everything under `new`. Afterwards, the old key opens nothing.
    pub async fn finish(self, new: &SecretKey) -> Result<()> {
        let Self { mut edit, old } = self;
        servers::reseal(&mut edit, &old, new).await?;
        webhooks::reseal(&mut edit, &old, new).await?;
        two_factor::reseal(&mut edit, &old, new).await?;
        guild::reseal(&mut edit, &old, new).await?;
        idempotency::reseal(&mut edit, &old, new).await?;
        // They have a verifier, and end by themselves after 10 minutes.
        sign_in::forget_states(&mut edit).await?;
        set_secret_key(&mut edit, new).await?;
        let before = edit.target(Some(AuditedKey {}))?;
        let change = Change::updated("rotate", &before, AuditedKey {}).with_new_secret("value");
        edit.commit(change).await?;
        Ok(())
    }
}

/// The numbers of values that [`reset`] removed.
#[derive(Debug, Serialize)]
pub struct Forgotten {
    pub rcon_passwords: u64,
    pub stored_replies: u64,
    pub webhook_secrets: u64,
    pub second_factors: u64,
    pub discord_tokens: u64,
}

/// Makes the secret key of `core` the one of the database after the previous key was lost. Values
/// sealed under the previous key are removed, since nothing can open them.
pub async fn reset(core: &Core) -> Result<Forgotten> {
    let mut edit = Edit::command_line(core).await?;
    replace_secret_key(&mut edit, &core.secret_key.get()).await?;
    sign_in::forget_states(&mut edit).await?;
    let forgotten = Forgotten {
        rcon_passwords: servers::forget_passwords(&mut edit).await?,
        stored_replies: idempotency::forget_all(&mut edit).await?,
        webhook_secrets: webhooks::forget_secrets(&mut edit).await?,
        second_factors: two_factor::forget_all(&mut edit).await?,
        discord_tokens: guild::forget_token(&mut edit).await?,
    };
    let key = edit.target(Some(AuditedKey {}))?;
    let change = Change::of_action("reset", &key, &forgotten, ());
    edit.commit(change).await?;
    Ok(forgotten)
}

/// The secret key in the audit log, without any part of its value.
#[derive(Serialize)]
struct AuditedKey {}

impl Resource for AuditedKey {
    const PLURAL: &'static str = "secret_key";
    const SINGULAR: &'static str = "secret key";

    fn id(&self) -> i64 {
        1
    }
}
