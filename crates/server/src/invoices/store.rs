use db::{Conn, Filter, Result, Row, Tx, params};

use super::{AppliedPromo, Invoice, InvoicePage};
use crate::currencies::Code;
use crate::money::Money;
use crate::timestamp::Timestamp;

/// Whatever an invoice refers to is read with it, so that a page costs one statement.
const SELECT: &str = "
    SELECT i.id, i.user_id, i.gateway_id, g.key, i.transaction_id, i.amount, i.original_amount,
           i.promo_code_id, p.code, i.currency_id, c.code, i.is_paid, i.paid_at, i.failed_at,
           i.failed_reason, i.created_at
    FROM payment_invoices i
    JOIN payment_gateways g ON g.id = i.gateway_id
    JOIN currencies c ON c.id = i.currency_id
    LEFT JOIN promo_codes p ON p.id = i.promo_code_id";

pub async fn list(
    conn: &mut Conn,
    page: &InvoicePage,
    limit: i64,
    offset: i64,
) -> Result<Vec<Invoice>> {
    let filter = filtered(SELECT, page);
    let (sql, params) = match page.after {
        Some(after) => filter
            .when("(i.created_at, i.id) < (", Some(after.created_at))
            .then(", ", after.id)
            .then(") ORDER BY i.created_at DESC, i.id DESC LIMIT ", limit),
        None => filter
            .then(" ORDER BY i.created_at DESC, i.id DESC LIMIT ", limit)
            .then(" OFFSET ", offset),
    }
    .build();
    conn.query(sql, &params, invoice).await
}

/// The oldest that are neither paid nor failed.
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

pub async fn count(conn: &mut Conn, page: &InvoicePage) -> Result<i64> {
    let (sql, params) = filtered("SELECT COUNT(*) FROM payment_invoices i", page).build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

fn filtered<'a>(select: &str, page: &InvoicePage) -> Filter<'a> {
    Filter::new(select)
        .when("i.is_paid = ", page.is_paid)
        .when("i.user_id = ", page.user_id.map(|id| id.0))
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Invoice>> {
    let (sql, params) = Filter::new(SELECT).when("i.id = ", Some(id)).build();
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
    tx.query_one(
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
        |row| row.get(0),
    )
    .await
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
