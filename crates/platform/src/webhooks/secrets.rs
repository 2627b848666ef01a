//! Signing secrets: each is encrypted for its own webhook, so that one that is copied to another
//! row cannot be decrypted.

use db::Tx;
use webhook_client::SigningSecret;

use super::resource::Secrets;
use super::{Webhook, store};
use kernel::secret::{Secret, SecretKey, lock_secret_key_shared};
use kernel::types::random;
use kernel::write::Edit;
use kernel::{Core, Error, Result};

fn context(webhook_id: i64) -> String {
    format!("webhooks.secret {webhook_id}")
}

pub fn generate() -> SigningSecret {
    SigningSecret::new(random::bytes())
}

pub async fn seal(
    edit: &mut Edit,
    webhook_id: i64,
    secret: &SigningSecret,
) -> Result<Secret<Vec<u8>>> {
    let plain = secret.reveal();
    let sealed = edit.seal(&context(webhook_id), plain.as_bytes()).await?;
    Ok(Secret::new(sealed))
}

/// The secrets that are valid now, the current one first; empty if it was lost.
pub async fn open(tx: &mut Tx, core: &Core, webhook: &Webhook) -> Result<Vec<SigningSecret>> {
    let Secrets { current, previous } = &webhook.secrets;
    let mut opened = Vec::new();
    if current.reveal().is_empty() {
        return Ok(opened);
    }
    opened.push(open_one(tx, core, webhook.id, current).await?);
    let now = core.expiry_now();
    if let Some(previous) = previous.as_ref().filter(|previous| now < previous.until) {
        opened.push(open_one(tx, core, webhook.id, &previous.secret).await?);
    }
    Ok(opened)
}

async fn open_one(
    tx: &mut Tx,
    core: &Core,
    webhook_id: i64,
    sealed: &Secret<Vec<u8>>,
) -> Result<SigningSecret> {
    let context = context(webhook_id);
    let plain = match core.secret_key.get().open(&context, sealed.reveal()) {
        Some(plain) => Some(plain),
        // Another process may have rotated the key.
        None => {
            let key = lock_secret_key_shared(tx, &core.secret_key).await?;
            key.open(&context, sealed.reveal())
        }
    };
    let plain = plain.map(Secret::new);
    let text = plain
        .as_ref()
        .and_then(|plain| std::str::from_utf8(plain.reveal()).ok());
    text.and_then(SigningSecret::parse)
        .ok_or_else(|| Error::internal("a signing secret cannot be decrypted with the secret key"))
}

/// Decrypts every secret with `old` and seals it under `new`.
pub async fn reseal(edit: &mut Edit, old: &SecretKey, new: &SecretKey) -> Result<()> {
    for (id, current, previous) in store::secrets(edit).await? {
        let context = context(id);
        let reseal = |sealed: &[u8]| old.reseal(new, &context, sealed);
        let current = reseal(&current)?;
        let previous = previous.as_deref().map(reseal).transpose()?;
        store::set_secrets(edit, id, &current, previous.as_deref()).await?;
    }
    Ok(())
}
