//! SQL of the currencies.

use db::{AdvisoryLock, Conn, Result, Row, Tx, Value, params};

use super::{Code, Currency};
use kernel::input::Unique;
use kernel::list::Window;
use kernel::types::money::{Money, Rate};

/// Selects the columns that [`currency`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, code, minimum_value, exchange_rate, is_default FROM currencies ",
            $rest
        )
    };
}

/// Codes are unique, ignoring case.
pub const CODE: Unique = Unique {
    field: "code",
    constraint: "currencies_code_folded_key",
    select_id: "SELECT id FROM currencies WHERE code_folded = $1",
};

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<Currency>> {
    conn.query(
        select!("WHERE id > $1 ORDER BY id LIMIT $2 OFFSET $3"),
        params![window.after, window.limit, window.offset],
        currency,
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM currencies", &[], |row| row.get(0))
        .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Currency>> {
    conn.query_opt(select!("WHERE id = $1"), params![id], currency)
        .await
}

/// Finds the currency, and locks it against deletion and against changes that need [`lock`].
pub async fn find_and_lock(tx: &mut Tx, id: i64) -> Result<Option<Currency>> {
    tx.query_opt(
        select!("WHERE id = $1 FOR KEY SHARE"),
        params![id],
        currency,
    )
    .await
}

/// The currencies with these ids, ordered by id. Unknown ids are skipped.
pub async fn by_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Currency>> {
    conn.query(
        select!("WHERE id = ANY($1) ORDER BY id"),
        params![ids],
        currency,
    )
    .await
}

fn currency(row: &Row<'_>) -> Result<Currency> {
    let rate: String = row.get(3)?;
    Ok(Currency {
        id: row.get(0)?,
        code: Code::from_stored(row.get(1)?),
        minimum_value: Money::from_parts(row.get(2)?),
        exchange_rate: Rate::from_stored(&rate)
            .ok_or_else(|| db::Error::Engine("an exchange rate is not a number".into()))?,
        is_default: row.get(4)?,
    })
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM currencies WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await
}

/// Locks the choice of the default currency. An advisory lock, because there may be no row to lock
/// yet.
pub async fn lock_default(tx: &mut Tx) -> Result<()> {
    tx.lock_advisory(AdvisoryLock::DefaultCurrency).await
}

pub async fn insert(tx: &mut Tx, currency: &Currency) -> Result<i64> {
    tx.insert(
        "INSERT INTO currencies (code, code_folded, minimum_value, exchange_rate, is_default)
         VALUES ($1, $2, $3, $4, $5) RETURNING id",
        params![
            currency.code.as_str(),
            &currency.code.folded(),
            currency.minimum_value,
            &currency.exchange_rate.to_string(),
            currency.is_default,
        ],
    )
    .await
}

pub async fn update(tx: &mut Tx, currency: &Currency) -> Result<()> {
    tx.execute(
        "UPDATE currencies
         SET code = $2, code_folded = $3, minimum_value = $4, exchange_rate = $5
         WHERE id = $1",
        params![
            currency.id,
            currency.code.as_str(),
            &currency.code.folded(),
            currency.minimum_value,
            &currency.exchange_rate.to_string(),
        ],
    )
    .await?;
    Ok(())
}

pub async fn move_default(tx: &mut Tx, id: i64) -> Result<()> {
    // Takes two statements, because the unique index never allows two defaults.
    tx.execute(
        "UPDATE currencies SET is_default = FALSE WHERE is_default AND id <> $1",
        params![id],
    )
    .await?;
    tx.execute(
        "UPDATE currencies SET is_default = TRUE WHERE id = $1",
        params![id],
    )
    .await?;
    Ok(())
}

/// Whether an invoice uses this currency, or a product has a price in it.
pub async fn is_used(conn: &mut Conn, id: i64) -> Result<bool> {
    for sql in [
        "SELECT 1 FROM payment_invoices WHERE currency_id = $1 LIMIT 1",
        "SELECT 1 FROM product_prices WHERE currency_id = $1 LIMIT 1",
    ] {
        let use_of_it = conn.query_opt(sql, params![id], |_| Ok(())).await?;
        if use_of_it.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM currencies WHERE id = $1", params![id])
        .await?;
    Ok(())
}

/// Inserts currencies with their ids. One of them is the default.
pub async fn load(tx: &mut Tx, currencies: &[Currency]) -> Result<()> {
    let texts = currencies.iter().map(|currency| {
        let rate = currency.exchange_rate.to_string();
        (currency.code.folded(), rate)
    });
    let texts: Vec<(String, String)> = texts.collect();
    let columns = [
        "id",
        "code",
        "code_folded",
        "minimum_value",
        "exchange_rate",
        "is_default",
    ];
    let rows = currencies.iter().zip(&texts);
    let rows = rows.map(|(currency, (folded, rate))| {
        [
            currency.id.into(),
            currency.code.as_str().into(),
            Value::from(folded),
            currency.minimum_value.into(),
            Value::from(rate),
            currency.is_default.into(),
        ]
    });
    tx.load("currencies", columns, rows).await
}
