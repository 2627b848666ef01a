mod listing;
mod totals;

pub use self::listing::InvoiceList;

use db::{Conn, Result, Row, Select, Tx, Value, params};

use super::{AppliedPromo, Invoice};
use crate::currencies::Code;
use kernel::types::Timestamp;
use kernel::types::money::Money;

/// Joins everything an invoice refers to, so that a page takes one statement. Required references
/// always exist; `LEFT` makes the engines read the invoices first, in the order of their index.
const SELECT: &str = "
    SELECT i.id, i.user_id, i.gateway_id, g.key, i.transaction_id, i.amount, i.original_amount,
           i.promo_code_id, p.code, i.currency_id, c.code, i.is_paid, i.paid_at, i.failed_at,
           i.failed_reason, i.created_at
    FROM payment_invoices i
    LEFT JOIN payment_gateways g ON g.id = i.gateway_id
    LEFT JOIN currencies c ON c.id = i.currency_id
    LEFT JOIN promo_codes p ON p.id = i.promo_code_id";

/// The ids of the oldest invoices that are neither paid nor failed.
pub async fn overdue(conn: &mut Conn, before: Timestamp, limit: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM payment_invoices
         WHERE is_paid = FALSE AND created_at < $1 AND failed_at IS NULL
         ORDER BY created_at, id LIMIT $2",
        params![before, limit],
        |row| row.get(0),
    )
    .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Invoice>> {
    let (sql, params) = Select::new(SELECT).and("i.id = ", Some(id)).build();
    conn.query_opt(sql, &params, invoice).await
}

fn invoice(row: &Row<'_>) -> Result<Invoice> {
    let moment = |index| Ok(row.get::<Option<i64>>(index)?.map(Timestamp::from_unix));
    let promo_id: Option<i64> = row.get(7)?;
    let promo_code: Option<String> = row.get(8)?;
    Ok(Invoice {
        id: row.get(0)?,
        user_id: row.get(1)?,
        gateway_id: row.get(2)?,
        gateway: row.get(3)?,
        transaction_id: row.get(4)?,
        amount: Money::from_parts(row.get(5)?),
        original_amount: Money::from_parts(row.get(6)?),
        promo: promo_id
            .zip(promo_code)
            .map(|(id, code)| AppliedPromo { id, code }),
        currency_id: row.get(9)?,
        currency: Code::from_stored(row.get(10)?),
        is_paid: row.get(11)?,
        paid_at: moment(12)?,
        failed_at: moment(13)?,
        failed_reason: row.get(14)?,
        created_at: Timestamp::from_unix(row.get(15)?),
    })
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM payment_invoices WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await
}

pub async fn insert(tx: &mut Tx, invoice: &Invoice) -> Result<i64> {
    tx.insert(
        "INSERT INTO payment_invoices (user_id, gateway_id, transaction_id, amount,
                                       original_amount, promo_code_id, currency_id, is_paid,
                                       paid_at, failed_at, failed_reason, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id",
        params![
            invoice.user_id,
            invoice.gateway_id,
            invoice.transaction_id.as_deref(),
            invoice.amount,
            invoice.original_amount,
            invoice.promo.as_ref().map(|promo| promo.id),
            invoice.currency_id,
            invoice.is_paid,
            invoice.paid_at,
            invoice.failed_at,
            &invoice.failed_reason,
            invoice.created_at,
        ],
    )
    .await
}

pub async fn first_id(tx: &mut Tx, count: i64) -> Result<i64> {
    tx.reserve_ids("payment_invoices", count).await
}

pub async fn load(tx: &mut Tx, invoices: &[Invoice]) -> Result<()> {
    let columns = [
        "id",
        "user_id",
        "gateway_id",
        "transaction_id",
        "amount",
        "original_amount",
        "promo_code_id",
        "currency_id",
        "is_paid",
        "paid_at",
        "failed_at",
        "failed_reason",
        "created_at",
    ];
    let rows = invoices.iter().map(|invoice| {
        [
            invoice.id.into(),
            invoice.user_id.into(),
            invoice.gateway_id.into(),
            invoice.transaction_id.as_deref().into(),
            invoice.amount.into(),
            invoice.original_amount.into(),
            invoice.promo.as_ref().map(|promo| promo.id).into(),
            invoice.currency_id.into(),
            invoice.is_paid.into(),
            invoice.paid_at.into(),
            invoice.failed_at.into(),
            Value::from(&invoice.failed_reason),
            invoice.created_at.into(),
        ]
    });
    tx.load("payment_invoices", columns, rows).await
}

pub async fn update(tx: &mut Tx, invoice: &Invoice) -> Result<()> {
    tx.execute(
        "UPDATE payment_invoices
         SET transaction_id = $2, is_paid = $3, paid_at = $4, failed_at = $5, failed_reason = $6
         WHERE id = $1",
        params![
            invoice.id,
            invoice.transaction_id.as_deref(),
            invoice.is_paid,
            invoice.paid_at,
            invoice.failed_at,
            &invoice.failed_reason,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM payment_invoices WHERE id = $1", params![id])
        .await?;
    Ok(())
}
