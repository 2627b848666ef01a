//! Payment gateways: through whom invoices are paid. One that is not known yet registers itself
//! by being named.

pub mod http;
mod store;

use db::Conn;
use serde::Serialize;

use kernel::input::{Faults, Partial, Patch, Place, Raw, Rule, Text, text_that};
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result, inline_schema, input};

const IN_USE: Error = Error::Conflict {
    code: "payment_gateway_in_use",
    message: "Invoices go through this payment gateway. Disable it instead.",
};

const TAKEN: &str = "has already been taken";

#[derive(Clone, Debug, Serialize)]
pub struct Gateway {
    pub id: i64,
    pub key: String,
    pub name: String,
    /// Whether it takes new invoices.
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

type Name = Text<1, 100>;

input! {
    /// A payment gateway to create.
    pub struct NewGateway {
        /// What invoices call it; unique, and case counts.
        key: GatewayKey,
        /// What people call it; the key unless given.
        name: Option<Name>,
        /// Whether it takes new invoices; true unless given.
        enabled: Option<bool>,
    }
}

input! {
    /// What to change about a payment gateway. What is absent keeps its value.
    pub struct GatewayChanges {
        /// What invoices call it, those there are as well; unique, and case counts.
        key: Patch<GatewayKey>,
        /// What people call it.
        name: Patch<Name>,
        /// Whether it takes new invoices.
        enabled: Patch<bool>,
    }
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Gateway>> {
    Ok(store::list(conn, window).await?)
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    Ok(store::count(conn).await?)
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Gateway> {
    let gateway = store::find(conn, id).await?;
    gateway.ok_or(Error::NotFound(Gateway::SINGULAR))
}

/// The gateway of this key, if it is registered.
pub async fn find(conn: &mut Conn, key: &GatewayKey) -> Result<Option<Gateway>> {
    match store::id_of(conn, key).await? {
        Some(id) => Ok(store::find(conn, id).await?),
        None => Ok(None),
    }
}

/// Those of these ids, by id.
pub async fn some(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Gateway>> {
    Ok(store::some(conn, ids).await?)
}

/// The gateway of this key, however many name it for the first time at once. It stays as it is
/// until the end of the transaction.
pub async fn find_or_register(edit: &mut Edit, key: &GatewayKey) -> Result<Gateway> {
    let now = edit.now();
    loop {
        if let Some(gateway) = held(edit, key).await? {
            return Ok(gateway);
        }
        // Whoever was faster may have deleted or renamed it before it could be held.
        store::register(edit, key, now).await?;
    }
}

/// Nobody else can change or delete it any more. It is looked for by its id, because whether a
/// key is still its own is only certain once it is held.
async fn held(edit: &mut Edit, key: &GatewayKey) -> Result<Option<Gateway>> {
    let Some(id) = store::id_of(edit, key).await? else {
        return Ok(None);
    };
    store::hold(edit, id).await?;
    let gateway = store::find(edit, id).await?;
    Ok(gateway.filter(|gateway| gateway.key == key.as_str()))
}

/// The gateway to change, held until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Gateway>> {
    store::lock(edit, id).await?;
    let gateway = store::find(edit, id).await?;
    edit.target(gateway)
}

pub async fn create(edit: &mut Edit, new: NewGateway) -> Result<Change<Gateway>> {
    let NewGateway { key, name, enabled } = new;
    let mut gateway = Gateway {
        id: 0,
        name: name.map_or_else(|| key.0.clone(), Name::into_string),
        key: key.0,
        enabled: enabled.unwrap_or(true),
        created_at: edit.now(),
    };
    gateway.id = store::insert(edit, &gateway).await.map_err(key_taken)?;
    Ok(Change::created(gateway))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<Gateway>,
    changes: GatewayChanges,
) -> Result<Change<Gateway>> {
    let GatewayChanges { key, name, enabled } = changes;
    let gateway = Gateway {
        key: key.or(&before.key).0,
        name: name.or(&before.name).into_string(),
        enabled: enabled.or(before.enabled),
        ..before.clone()
    };
    store::update(edit, &gateway).await.map_err(key_taken)?;
    Ok(Change::updated("update", &before, gateway))
}

pub async fn delete(edit: &mut Edit, gateway: Target<Gateway>) -> Result<Change<Gateway>> {
    // Asked first, since the database would look by waiting for whoever changes such an invoice,
    // and they may be waiting for this gateway.
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

fn key_taken(error: db::Error) -> Error {
    match error {
        db::Error::Unique(name) if name == "payment_gateways_key_key" => {
            Faults::one("key", TAKEN).into()
        }
        other => other.into(),
    }
}

/// The faults of a gateway to create that need the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewGateway>) -> Result<Faults> {
    check_key(conn, 0, new.key).await
}

/// The faults of changes to a gateway that need the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<GatewayChanges>,
) -> Result<Faults> {
    check_key(conn, id, changes.key.and_then(Patch::given)).await
}

async fn check_key(conn: &mut Conn, id: i64, key: Option<GatewayKey>) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(key) = key {
        let holder = store::id_of(conn, &key).await?;
        if holder.is_some_and(|holder| holder != id) {
            faults.at("key").add(TAKEN);
        }
    }
    Ok(faults)
}

/// What a gateway is called in requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayKey(String);

impl GatewayKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// For a value that was read from the database, where it got by keeping the rule.
impl From<&String> for GatewayKey {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl Rule for GatewayKey {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_key = |text: &str| {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            (1..=64).contains(&text.len()) && text.bytes().all(fits)
        };
        let sentence = "must be 1 to 64 letters, digits, _, - or .";
        text_that(raw, place, is_key, sentence).map(Self)
    }
}

inline_schema!(GatewayKey, { "type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$" });
