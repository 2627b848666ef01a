//! New values for keys: at once, or with some time to put the new one in the place of the old.

use super::{ApiKey, Issued, store};
use kernel::auth::{KeyValue, PreviousValue, TOPIC};
use kernel::input::Int;
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Target};
use kernel::{Result, input};

input! {
    /// How to rotate a key.
    pub struct Rotation {
        /// How long the present value stays valid beside the new one.
        overlap_seconds: Int<0, 604_800>,
    }
}

/// Gives the key a new value. Older ones are worth nothing from then on.
pub async fn regenerate(edit: &mut Edit, before: Target<ApiKey>) -> Result<Change<Issued>> {
    renew(edit, "regenerate", before, None).await
}

/// Gives the key a new value, with some time to put it in the place of the old one. A value from
/// before that is worth nothing from then on.
pub async fn rotate(
    edit: &mut Edit,
    before: Target<ApiKey>,
    rotation: Rotation,
) -> Result<Change<Issued>> {
    let Rotation { overlap_seconds } = rotation;
    let previous = (overlap_seconds.0 > 0).then(|| PreviousValue {
        hash: before.hash.clone(),
        valid_until: Timestamp::from_unix(edit.now().unix() + overlap_seconds.0),
    });
    renew(edit, "rotate", before, previous).await
}

async fn renew(
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
    Ok(change.map(|key| Issued { key, value }))
}
