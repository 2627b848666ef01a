//! Currencies: what invoices are written in. As long as there are any, one is the default.

pub mod http;
mod store;

use db::Conn;
use serde::Serialize;

use kernel::input::{Faults, Partial, Patch, Place, Positive, Raw, Rule, text_that};
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

const TAKEN: &str = "has already been taken";

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

input! {
    /// Which page of the currencies.
    pub struct CurrencyPage {
        /// The page, from 1.
        page: Option<Positive>,
        /// How many items a page has, 20 unless said otherwise; above 100 is served as 100.
        limit: Option<Positive>,
        /// Items after the one of this id; `Link` carries it.
        after: Option<Positive>,
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

/// Those of these ids, by id.
pub async fn some(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Currency>> {
    Ok(store::some(conn, ids).await?)
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
            Faults::one("code", TAKEN).into()
        }
        other => other.into(),
    }
}

/// The faults of a currency to create that need the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewCurrency>) -> Result<Faults> {
    check_code(conn, 0, new.code).await
}

/// The faults of changes to a currency that need the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<CurrencyChanges>,
) -> Result<Faults> {
    check_code(conn, id, changes.code.and_then(Patch::given)).await
}

async fn check_code(conn: &mut Conn, id: i64, code: Option<Code>) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(code) = code {
        let holder = store::id_of(conn, &code.folded()).await?;
        if holder.is_some_and(|holder| holder != id) {
            faults.at("code").add(TAKEN);
        }
    }
    Ok(faults)
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
