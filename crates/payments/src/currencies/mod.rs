//! The currencies of invoices. If there are any, exactly one of them is the default.

pub mod http;
mod input;
mod store;

use db::Conn;
use serde::Serialize;

pub use self::input::{Code, CurrencyChanges, NewCurrency};
use self::store::CODE;
pub use self::store::{by_ids, count, find_and_lock, list, load};
use kernel::input::{Faults, Partial, Patch, taken};
use kernel::types::money::{Money, Rate};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};

const IN_USE: Error = Error::Conflict {
    code: ErrorCode::CurrencyInUse,
    message: "Invoices use this currency, or products have a price in it.",
};
const IS_DEFAULT: Error = Error::Conflict {
    code: ErrorCode::CurrencyInUse,
    message: "This is the default currency. Make another one the default first.",
};

#[derive(Clone, Debug, Serialize)]
pub struct Currency {
    pub id: i64,
    pub code: Code,
    pub minimum_value: Money,
    pub exchange_rate: Rate,
    pub is_default: bool,
}

impl Resource for Currency {
    const PLURAL: &'static str = "currencies";
    const SINGULAR: &'static str = "currency";

    fn id(&self) -> i64 {
        self.id
    }
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Currency> {
    let currency = store::find(conn, id).await?;
    currency.ok_or(Error::NotFound(Currency::SINGULAR))
}

/// The currency to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Currency>> {
    store::lock(edit, id).await?;
    let currency = store::find(edit, id).await?;
    edit.target(currency)
}

/// Like [`target`], for a write that may change which currency is the default.
pub async fn target_with_default(edit: &mut Edit, id: i64) -> Result<Target<Currency>> {
    store::lock_default(edit).await?;
    target(edit, id).await
}

pub async fn create(edit: &mut Edit, new: NewCurrency) -> Result<Change<Currency>> {
    let NewCurrency {
        code,
        minimum_value,
        exchange_rate,
    } = new;
    store::lock_default(edit).await?;
    let mut currency = Currency {
        id: 0,
        code,
        minimum_value,
        exchange_rate,
        is_default: count(edit).await? == 0,
    };
    currency.id = store::insert(edit, &currency)
        .await
        .map_err(taken(&[CODE]))?;
    Ok(Change::created(currency))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<Currency>,
    changes: CurrencyChanges,
) -> Result<Change<Currency>> {
    let CurrencyChanges {
        code,
        minimum_value,
        exchange_rate,
    } = changes;
    let currency = Currency {
        code: code.or(before.code.clone()),
        minimum_value: minimum_value.or(before.minimum_value),
        exchange_rate: exchange_rate.or(before.exchange_rate),
        ..before.clone()
    };
    store::update(edit, &currency)
        .await
        .map_err(taken(&[CODE]))?;
    Ok(Change::updated("update", &before, currency))
}

pub async fn set_default(edit: &mut Edit, before: Target<Currency>) -> Result<Change<Currency>> {
    store::move_default(edit, before.id).await?;
    let currency = Currency {
        is_default: true,
        ..before.clone()
    };
    Ok(Change::updated("default", &before, currency))
}

pub async fn delete(edit: &mut Edit, currency: Target<Currency>) -> Result<Change<Currency>> {
    if currency.is_default && count(edit).await? > 1 {
        return Err(IS_DEFAULT);
    }
    // Checked first to avoid a deadlock: the foreign key check would wait for transactions that
    // change such an invoice, and these may wait for this currency.
    if store::is_used(edit, currency.id).await? {
        return Err(IN_USE);
    }
    store::delete(edit, currency.id)
        .await
        .map_err(|error| match error {
            db::Error::ForeignKey(_) => IN_USE,
            other => other.into(),
        })?;
    Ok(Change::deleted(currency))
}

/// Checks a currency to create against the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewCurrency>) -> Result<Faults> {
    let code = new.code.map(|code| code.folded());
    CODE.check(conn, 0, code).await
}

/// Checks changes to a currency against the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<CurrencyChanges>,
) -> Result<Faults> {
    let code = changes.code.and_then(Patch::given);
    let code = code.map(|code| code.folded());
    CODE.check(conn, id, code).await
}
