//! The first key: created once, or reset at every start if the operator chose its value.

use super::{ApiKey, store};
use kernel::Core;
use kernel::auth::permission::PermissionSet;
use kernel::auth::{KeyValue, Restrictions, TOPIC};
use kernel::secret::Secret;
use kernel::write::{Change, Edit};
use kernel::{Error, ErrorCode, Result};

/// Creates the first key of an empty database and returns its value.
///
/// With a chosen value, each call gives the first key that value, all permissions and no
/// restrictions, so that an operator who was locked out regains access.
pub async fn ensure_first_key(core: &Core, chosen: Option<&KeyValue>) -> Result<Option<KeyValue>> {
    let mut edit = Edit::command_line(core).await?;
    super::lock(&mut edit).await?;
    let first = store::first_key::lock(&mut edit).await?;
    let value = match (chosen, first.was_created) {
        (Some(value), _) => value.clone(),
        (None, true) => return Ok(None),
        (None, false) => KeyValue::generate(),
    };
    let current = match first.id {
        Some(id) => store::find(&mut edit, id).await?,
        None => None,
    };
    let unchanged = |key: &ApiKey| {
        *key.hash.reveal() == value.hash()
            && key.active
            && key.previous.is_none()
            && key.restrictions == Restrictions::default()
            && key.permissions == PermissionSet::all()
    };
    if current.as_ref().is_some_and(unchanged) {
        return Ok(None);
    }
    let mut key = ApiKey {
        id: first.id.unwrap_or(0),
        name: "admin".into(),
        active: true,
        permissions: PermissionSet::all(),
        restrictions: Restrictions::default(),
        prefix: value.prefix().to_owned(),
        hash: Secret::new(value.hash().to_vec()),
        previous: None,
        last_use: None,
        created_at: edit.now(),
    };
    let change = match current {
        Some(current) => {
            key.name = current.name.clone();
            store::update(&mut edit, &key).await.map_err(value_taken)?;
            let target = edit.target(Some(current))?;
            Change::updated("regenerate", &target, key.clone()).with_new_secret("key")
        }
        None => {
            key.id = store::insert(&mut edit, &key, true)
                .await
                .map_err(value_taken)?;
            Change::created(key.clone())
        }
    };
    // Comes after the write, which has waited for any rotation in progress.
    if store::first_key::is_previous_value(&mut edit, &value.hash()).await? {
        return Err(VALUE_TAKEN);
    }
    store::replace_permissions(&mut edit, key.id, key.permissions).await?;
    store::first_key::mark(&mut edit, key.id).await?;
    edit.announce(TOPIC).await?;
    edit.commit(change).await?;
    Ok(chosen.is_none().then_some(value))
}

const VALUE_TAKEN: Error = Error::Rejected {
    code: ErrorCode::AdminKeyTaken,
    message: "Another API key already has the value of the admin key. Choose another value.",
};

/// Maps a conflict to [`VALUE_TAKEN`]: only a chosen value can equal that of another key.
fn value_taken(error: db::Error) -> Error {
    match error {
        db::Error::Unique(name) if name == "api_keys_hash_key" => VALUE_TAKEN,
        other => other.into(),
    }
}
