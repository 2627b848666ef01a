//! Currencies: what invoices are written in. As long as there are any, one is the default.

pub mod http;
mod store;

use db::Conn;
use serde::Serialize;

use kernel::input::{Faults, Patch, Place, Raw, Rule, text_that};
use kernel::list::Window;
use kernel::types::money::{Money, Rate};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result, inline_schema, input};

const IN_USE: Error = Error::Conflict {
    code: "currency_in_use",
    message: "Invoices are written in this currency.",
};
const IS_DEFAULT: Error = Error::Conflict {
    code: "currency_in_use",
    message: "This is the default currency. Make another the default first.",
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

input! {
    /// A currency to create.
    pub struct NewCurrency {
        /// Unique without regard to case.
        code: Code,
        /// The least that an invoice may be about.
        minimum_value: Money,
        /// How many units of the base currency one unit is worth.
        exchange_rate: Rate,
    }
}

input! {
    /// What to change about a currency. What is absent keeps its value.
    pub struct CurrencyChanges {
        /// Unique without regard to case.
        code: Patch<Code>,
        /// The least that an invoice may be about.
        minimum_value: Patch<Money>,
        /// How many units of the base currency one unit is worth.
        exchange_rate: Patch<Rate>,
    }
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Currency>> {
    Ok(store::list(conn, window).await?)
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    Ok(store::count(conn).await?)
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Currency> {
    let currency = store::find(conn, id).await?;
    currency.ok_or(Error::NotFound(Currency::SINGULAR))
}

/// By ascending id. Ids that do not exist are left out.
pub async fn by_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Currency>> {
    Ok(store::by_ids(conn, ids).await?)
}

/// The currency, which stays until the end of the transaction.
pub async fn held(edit: &mut Edit, id: i64) -> Result<Option<Currency>> {
    store::hold(edit, id).await?;
    Ok(store::find(edit, id).await?)
}

/// The currency to change, held until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Currency>> {
    store::lock(edit, id).await?;
    let currency = store::find(edit, id).await?;
    edit.target(currency)
}

/// The same for a write that may change which currency is the default.
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
        is_default: store::count(edit).await? == 0,
    };
    currency.id = store::insert(edit, &currency).await.map_err(code_taken)?;
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
    store::update(edit, &currency).await.map_err(code_taken)?;
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
    if currency.is_default && store::count(edit).await? > 1 {
        return Err(IS_DEFAULT);
    }
    store::delete(edit, currency.id)
        .await
        .map_err(|error| match error {
            db::Error::ForeignKey(_) => IN_USE,
            other => other.into(),
        })?;
    Ok(Change::deleted(currency))
}

fn code_taken(error: db::Error) -> Error {
    match error {
        db::Error::Unique(name) if name == "currencies_code_folded_key" => {
            Faults::one("code", "has already been taken").into()
        }
        other => other.into(),
    }
}

/// Three ASCII letters or digits, kept as they were given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Code(String);

impl Code {
    pub fn from_stored(code: String) -> Self {
        Self(code)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }

    fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl Rule for Code {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_code =
            |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        text_that(raw, place, is_code, "must be 3 letters or digits").map(Self)
    }
}

inline_schema!(Code, { "type": "string", "pattern": "^[A-Za-z0-9]{3}$" });
