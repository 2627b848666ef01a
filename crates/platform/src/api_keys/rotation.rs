//! New values for keys: `regenerate` invalidates the old value at once, `rotate` keeps it valid for
//! a while.

use super::{ApiKey, ApiKeyRotation, Issued, store};
use kernel::Result;
use kernel::auth::{KeyValue, PreviousValue, TOPIC};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Target};

/// Gives the key a new value. All older values become invalid.
pub async fn regenerate(edit: &mut Edit, before: Target<ApiKey>) -> Result<Change<Issued>> {
    replace_value(edit, "regenerate", before, None).await
}

/// Gives the key a new value and keeps the current one valid for a while. Older values become
/// invalid.
pub async fn rotate(
    edit: &mut Edit,
    before: Target<ApiKey>,
    rotation: ApiKeyRotation,
) -> Result<Change<Issued>> {
    let ApiKeyRotation { overlap_seconds } = rotation;
    let previous = (overlap_seconds.0 > 0).then(|| PreviousValue {
        hash: before.hash.clone(),
        valid_until: Timestamp::from_unix(edit.core().expiry_now().unix() + overlap_seconds.0),
    });
    replace_value(edit, "rotate", before, previous).await
}

async fn replace_value(
    edit: &mut Edit,
    verb: &str,
    before: Target<ApiKey>,
    previous: Option<PreviousValue>,
) -> Result<Change<Issued>> {
    let value = KeyValue::generate();
    let key = ApiKey {
        prefix: value.prefix().to_owned(),
        hash: Secret::new(value.hash().to_vec()),
        previous,
        ..before.clone()
    };
    store::update(edit, &key).await?;
    edit.announce(TOPIC).await?;
    let change = Change::updated(verb, &before, key).with_new_secret("key");
    let change = change.revealing_secret();
    Ok(change.map(|key| Issued { key, value }))
}
