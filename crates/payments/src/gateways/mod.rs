//! Payment gateways, through which invoices are paid. An invoice that names an unknown gateway
//! registers it.

pub mod http;
mod input;
mod store;

use db::Conn;
use serde::Serialize;

use self::input::Name;
pub use self::input::{GatewayChanges, GatewayKey, NewGateway};
use self::store::KEY;
pub use self::store::{by_ids, count, list, load};
use kernel::input::{Faults, Partial, Patch, taken};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};

const IN_USE: Error = Error::Conflict {
    code: ErrorCode::PaymentGatewayInUse,
    message: "Invoices use this payment gateway. Disable it instead.",
};

#[derive(Clone, Debug, Serialize)]
pub struct Gateway {
    pub id: i64,
    pub key: String,
    pub name: String,
    /// Whether it accepts new invoices.
    pub enabled: bool,
    #[serde(skip)]
    pub created_at: Timestamp,
}

impl Resource for Gateway {
    const PLURAL: &'static str = "payment_gateways";
    const SINGULAR: &'static str = "payment gateway";

    fn id(&self) -> i64 {
        self.id
    }
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Gateway> {
    let gateway = store::find(conn, id).await?;
    gateway.ok_or(Error::NotFound(Gateway::SINGULAR))
}

/// The gateway with this key, if it is registered.
pub async fn find(conn: &mut Conn, key: &GatewayKey) -> Result<Option<Gateway>> {
    match KEY.id_of(conn, key.as_str()).await? {
        Some(id) => Ok(store::find(conn, id).await?),
        None => Ok(None),
    }
}

/// Finds the gateway with this key or registers it, and locks it against changes until the end of
/// the transaction. Concurrent calls with the same new key register it once.
pub async fn find_or_register(edit: &mut Edit, key: &GatewayKey) -> Result<Gateway> {
    let now = edit.now();
    loop {
        if let Some(gateway) = store::find_and_lock(edit, key).await? {
            return Ok(gateway);
        }
        // The loop retries if a concurrent transaction registers the key and another one deletes or
        // renames the gateway before it is locked here.
        store::register(edit, key, now).await?;
    }
}

/// The gateway to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Gateway>> {
    store::lock(edit, id).await?;
    let gateway = store::find(edit, id).await?;
    edit.target(gateway)
}

pub async fn create(edit: &mut Edit, new: NewGateway) -> Result<Change<Gateway>> {
    let NewGateway { key, name, enabled } = new;
    let mut gateway = Gateway {
        id: 0,
        name: name.map_or_else(|| key.as_str().to_owned(), Name::into_string),
        key: key.into_string(),
        enabled: enabled.unwrap_or(true),
        created_at: edit.now(),
    };
    gateway.id = store::insert(edit, &gateway).await.map_err(taken(&[KEY]))?;
    Ok(Change::created(gateway))
}

/// Inserts a gateway that is valid already. Returns its id.
pub async fn add(edit: &mut Edit, gateway: &Gateway) -> Result<i64> {
    Ok(store::insert(edit, gateway).await?)
}

pub async fn update(
    edit: &mut Edit,
    before: Target<Gateway>,
    changes: GatewayChanges,
) -> Result<Change<Gateway>> {
    let GatewayChanges { key, name, enabled } = changes;
    let gateway = Gateway {
        key: key.or(&before.key).into_string(),
        name: name.or(&before.name).into_string(),
        enabled: enabled.or(before.enabled),
        ..before.clone()
    };
    store::update(edit, &gateway).await.map_err(taken(&[KEY]))?;
    Ok(Change::updated("update", &before, gateway))
}

pub async fn delete(edit: &mut Edit, gateway: Target<Gateway>) -> Result<Change<Gateway>> {
    // Checked first to avoid a deadlock: the foreign key check would wait for transactions that
    // change such an invoice, and these may wait for this gateway.
    if store::is_used(edit, gateway.id).await? {
        return Err(IN_USE);
    }
    store::delete(edit, gateway.id)
        .await
        .map_err(|error| match error {
            db::Error::ForeignKey(_) => IN_USE,
            other => other.into(),
        })?;
    Ok(Change::deleted(gateway))
}

/// Checks a gateway to create against the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewGateway>) -> Result<Faults> {
    let key = new.key.map(GatewayKey::into_string);
    KEY.check(conn, 0, key).await
}

/// Checks changes to a gateway against the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<GatewayChanges>,
) -> Result<Faults> {
    let key = changes.key.and_then(Patch::given);
    let key = key.map(GatewayKey::into_string);
    KEY.check(conn, id, key).await
}
