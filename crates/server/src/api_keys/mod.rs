//! API keys: who may call the service, and what for.
//!
//! A key can grant only what it holds itself, and change only keys whose permissions it holds.

pub mod http;
mod ring;
mod store;
mod value;

use db::Conn;
use serde::Serialize;

use crate::app::App;
use crate::edit::{Change, Edit, Resource, Target};
use crate::input::{Patch, Text};
use crate::page::Window;
use crate::permission::PermissionSet;
use crate::secret::Secret;
use crate::timestamp::Timestamp;
use crate::{Error, Result, input};

pub use self::ring::KeyRing;
pub use self::value::KeyValue;

/// Announced whenever a key, or what it may do, has changed.
const TOPIC: &str = "api_keys";

#[derive(Clone, Debug, Serialize)]
pub struct ApiKey {
    pub id: i64,
    pub name: String,
    pub active: bool,
    pub permissions: PermissionSet,
    #[serde(skip)]
    pub prefix: String,
    #[serde(skip)]
    pub hash: Secret<Vec<u8>>,
    #[serde(skip)]
    pub expires_at: Option<Timestamp>,
    #[serde(skip)]
    pub created_at: Timestamp,
}

impl ApiKey {
    /// The start of the value, and nothing that could authenticate.
    pub fn masked(&self) -> String {
        value::mask(&self.prefix)
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

type KeyName = Text<1, 100>;

input! {
    /// A key to create.
    pub struct NewApiKey {
        name: KeyName,
        /// Whether the key can be used at once; true unless given.
        active: Option<bool>,
    }
}

input! {
    /// What to change about a key. What is absent keeps its value.
    pub struct ApiKeyChanges {
        name: Patch<KeyName>,
        active: Patch<bool>,
    }
}

input! {
    /// The permissions that a key is to have.
    pub struct ApiKeyPermissions {
        /// Ids out of the catalogue of permissions. They replace the list there was.
        permission_ids: PermissionSet,
    }
}

/// A key and its value, which is nowhere else.
pub struct Issued {
    pub key: ApiKey,
    pub value: KeyValue,
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<ApiKey>> {
    Ok(store::list(conn, window).await?)
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    Ok(store::count(conn).await?)
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<ApiKey> {
    let key = store::find(conn, id).await?;
    key.ok_or(Error::NotFound(ApiKey::SINGULAR))
}

/// The key to change, held until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<ApiKey>> {
    store::lock(edit, id).await?;
    let key = store::find(edit, id).await?;
    if let Some(key) = &key {
        require(edit, key.permissions)?;
    }
    edit.target(key)
}

fn require(edit: &Edit, permissions: PermissionSet) -> Result<()> {
    if edit.actor().permissions.covers(permissions) {
        Ok(())
    } else {
        Err(Error::PrivilegeEscalation)
    }
}

pub async fn create(edit: &mut Edit, new: NewApiKey) -> Result<Change<Issued>> {
    let NewApiKey { name, active } = new;
    issue(
        edit,
        name,
        active.unwrap_or(true),
        PermissionSet::default(),
        false,
    )
    .await
}

/// Makes a key that can do something from the start. With `all`, it also gets what later
/// versions add.
pub async fn issue(
    edit: &mut Edit,
    name: KeyName,
    active: bool,
    permissions: PermissionSet,
    all: bool,
) -> Result<Change<Issued>> {
    let value = KeyValue::generate();
    let mut key = ApiKey {
        id: 0,
        name: name.into_string(),
        active,
        permissions,
        prefix: value.prefix().to_owned(),
        hash: Secret::new(value.hash().to_vec()),
        expires_at: None,
        created_at: edit.now(),
    };
    key.id = store::insert(edit, &key, all).await?;
    store::replace_permissions(edit, key.id, permissions).await?;
    edit.announce(TOPIC).await?;
    Ok(Change::created(key).map(|key| Issued { key, value }))
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

/// Gives the key a new value. The old one is worth nothing from then on.
pub async fn regenerate(edit: &mut Edit, before: Target<ApiKey>) -> Result<Change<Issued>> {
    let value = KeyValue::generate();
    let key = ApiKey {
        prefix: value.prefix().to_owned(),
        hash: Secret::new(value.hash().to_vec()),
        ..before.clone()
    };
    store::update(edit, &key).await?;
    edit.announce(TOPIC).await?;
    let change = Change::updated("regenerate", &before, key).with_new_secret("key");
    Ok(change.map(|key| Issued { key, value }))
}

pub async fn set_permissions(
    edit: &mut Edit,
    before: Target<ApiKey>,
    permissions: PermissionSet,
) -> Result<Change<ApiKey>> {
    require(edit, permissions)?;
    store::replace_permissions(edit, before.id, permissions).await?;
    store::settle_permissions(edit, before.id).await?;
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

/// Brings the database's copy of the catalogue up to date and gives what is new in it to the
/// keys that hold everything.
pub async fn sync_catalogue(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    if store::sync_catalogue(&mut tx).await? {
        tx.announce(TOPIC).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Makes the first key of an empty database and returns its value, once.
///
/// With a chosen value, the first key has that value and every permission after each call.
pub async fn ensure_first_key(app: &App, chosen: Option<&KeyValue>) -> Result<Option<KeyValue>> {
    let mut edit = Edit::command_line(app).await?;
    let first = store::lock_first(&mut edit).await?;
    let value = match (chosen, first.made) {
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
            && key.expires_at.is_none()
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
        prefix: value.prefix().to_owned(),
        hash: Secret::new(value.hash().to_vec()),
        expires_at: None,
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
    store::replace_permissions(&mut edit, key.id, key.permissions).await?;
    store::mark_first(&mut edit, key.id).await?;
    edit.announce(TOPIC).await?;
    edit.commit(change).await?;
    Ok(chosen.is_none().then_some(value))
}

/// Only a chosen value can meet another key's; a random one does not.
fn value_taken(error: db::Error) -> Error {
    match error {
        db::Error::Unique(name) if name == "api_keys_hash_key" => Error::Rejected {
            code: "admin_key_taken",
            message: "The admin key's value is already that of another key.",
        },
        other => other.into(),
    }
}
