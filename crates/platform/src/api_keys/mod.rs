//! API keys, which authenticate clients. `kernel::auth` checks them; this slice manages them.
//!
//! A key can grant only permissions that it has. It can change only keys with no other permissions
//! and no weaker restrictions than its own.

mod first_key;
pub mod http;
mod input;
mod restrictions;
mod rotation;
mod store;

use db::{Conn, Tx};
use serde::Serialize;

use kernel::auth::permission::PermissionSet;
use kernel::auth::{self, KeyRing, KeyValue, LastUse, PreviousValue, Restrictions, TOPIC};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Core, Error, Result};

pub use self::first_key::ensure_first_key;
pub use self::input::{
    ApiKeyChanges, ApiKeyPermissions, ApiKeyRestrictionChanges, ApiKeyRotation, KeyName, NewApiKey,
};
pub use self::restrictions::{check_restrictions, restrict};
pub use self::rotation::{regenerate, rotate};
pub use self::store::{count, list, list_with_permissions};

#[derive(Clone, Debug, Serialize)]
pub struct ApiKey {
    pub id: i64,
    pub name: String,
    pub active: bool,
    pub permissions: PermissionSet,
    #[serde(flatten)]
    pub restrictions: Restrictions,
    #[serde(skip)]
    pub prefix: String,
    #[serde(skip)]
    pub hash: Secret<Vec<u8>>,
    #[serde(rename = "previous_key_valid_until")]
    pub previous: Option<PreviousValue>,
    /// The stored value; this instance may have recorded a later one.
    #[serde(skip)]
    pub last_use: Option<LastUse>,
    #[serde(skip)]
    pub created_at: Timestamp,
}

impl ApiKey {
    /// The first characters of the value, for display.
    pub fn masked(&self) -> String {
        auth::mask(&self.prefix)
    }
}

impl Resource for ApiKey {
    const PLURAL: &'static str = "api_keys";
    const SINGULAR: &'static str = "API key";
    const SECRETS: &'static [&'static str] = &["key"];

    fn id(&self) -> i64 {
        self.id
    }

    fn hidden(&self) -> &[u8] {
        self.hash.reveal()
    }
}

/// A key and its value, which is not stored.
pub struct Issued {
    pub key: ApiKey,
    pub value: KeyValue,
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<ApiKey> {
    let key = store::find(conn, id).await?;
    key.ok_or(Error::NotFound(ApiKey::SINGULAR))
}

/// The last use of the key, including one that is not stored yet.
pub fn last_use(keys: &KeyRing, key: &ApiKey) -> Option<LastUse> {
    let known = [key.last_use, keys.last_use(key.id)];
    known.into_iter().flatten().max_by_key(|last| last.at)
}

/// The key to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<ApiKey>> {
    let key = find_and_lock(edit, id).await?;
    if let Some(key) = &key {
        require_restrictions(edit, &key.restrictions)?;
    }
    edit.target(key)
}

/// The key to delete. Restrictions are not compared: a more restricted key must be able to delete a
/// leaked one, and gains nothing by it.
pub async fn target_to_delete(edit: &mut Edit, id: i64) -> Result<Target<ApiKey>> {
    let key = find_and_lock(edit, id).await?;
    edit.target(key)
}

/// Locks the keys; required before any change of a key. See [`Edit::lock_api_keys`].
pub async fn lock(edit: &mut Edit) -> Result<()> {
    edit.lock_api_keys().await
}

async fn find_and_lock(edit: &mut Edit, id: i64) -> Result<Option<ApiKey>> {
    lock(edit).await?;
    store::lock(edit, id).await?;
    let key = store::find(edit, id).await?;
    if let Some(key) = &key {
        require_permissions(edit, key.permissions)?;
    }
    Ok(key)
}

fn require_permissions(edit: &Edit, permissions: PermissionSet) -> Result<()> {
    if edit.actor().permissions.covers(permissions) {
        Ok(())
    } else {
        Err(Error::PrivilegeEscalation)
    }
}

fn require_restrictions(edit: &Edit, restrictions: &Restrictions) -> Result<()> {
    if restrictions.are_within(&edit.actor().restrictions) {
        Ok(())
    } else {
        Err(Error::PrivilegeEscalation)
    }
}

pub async fn create(edit: &mut Edit, new: NewApiKey) -> Result<Change<Issued>> {
    let NewApiKey {
        name,
        active,
        permission_ids,
    } = new;
    lock(edit).await?;
    let permissions = permission_ids.unwrap_or_default();
    require_permissions(edit, permissions)?;
    // The key inherits the restrictions of its creator, who could otherwise bypass them with it.
    let restrictions = edit.actor().restrictions.clone();
    issue(
        edit,
        name,
        active.unwrap_or(true),
        permissions,
        restrictions,
        false,
    )
    .await
}

/// Creates a key with permissions. With `all`, it also gets permissions that later versions add.
pub async fn issue(
    edit: &mut Edit,
    name: KeyName,
    active: bool,
    permissions: PermissionSet,
    restrictions: Restrictions,
    all: bool,
) -> Result<Change<Issued>> {
    lock(edit).await?;
    let value = KeyValue::generate();
    let mut key = ApiKey {
        id: 0,
        name: name.into_string(),
        active,
        permissions,
        restrictions,
        prefix: value.prefix().to_owned(),
        hash: Secret::new(value.hash().to_vec()),
        previous: None,
        last_use: None,
        created_at: edit.now(),
    };
    key.id = store::insert(edit, &key, all).await?;
    store::replace_permissions(edit, key.id, permissions).await?;
    edit.announce(TOPIC).await?;
    let change = Change::created(key).revealing_secret();
    Ok(change.map(|key| Issued { key, value }))
}

/// Inserts a key that is valid already, with its id. It replaces the admin key if that has this id;
/// the next start creates that one again.
pub async fn load(edit: &mut Edit, key: &ApiKey) -> Result<()> {
    lock(edit).await?;
    store::load(edit, key).await?;
    Ok(edit.announce(TOPIC).await?)
}

pub async fn update(
    edit: &mut Edit,
    before: Target<ApiKey>,
    changes: ApiKeyChanges,
) -> Result<Change<ApiKey>> {
    let ApiKeyChanges { name, active } = changes;
    let key = ApiKey {
        name: name.or(&before.name).into_string(),
        active: active.or(before.active),
        ..before.clone()
    };
    store::update(edit, &key).await?;
    edit.announce(TOPIC).await?;
    Ok(Change::updated("update", &before, key))
}

pub async fn set_permissions(
    edit: &mut Edit,
    before: Target<ApiKey>,
    permissions: PermissionSet,
) -> Result<Change<ApiKey>> {
    require_permissions(edit, permissions)?;
    store::replace_permissions(edit, before.id, permissions).await?;
    store::clear_all_permissions(edit, before.id).await?;
    edit.announce(TOPIC).await?;
    let key = ApiKey {
        permissions,
        ..before.clone()
    };
    Ok(Change::updated("permissions", &before, key))
}

pub async fn delete(edit: &mut Edit, key: Target<ApiKey>) -> Result<Change<ApiKey>> {
    store::delete(edit, key.id).await?;
    edit.announce(TOPIC).await?;
    Ok(Change::deleted(key))
}

/// Makes all keys inactive, as part of a restore, which announces the change.
pub async fn deactivate_all(tx: &mut Tx) -> Result<()> {
    Ok(store::deactivate_all(tx).await?)
}

/// Updates the database's copy of the catalogue, and grants new permissions to the keys that have
/// all of them.
pub async fn sync_catalogue(core: &Core) -> Result<()> {
    let mut tx = core.db.begin().await?;
    if store::sync_catalogue(&mut tx).await? {
        tx.announce(TOPIC).await?;
        tx.commit().await?;
    }
    Ok(())
}
