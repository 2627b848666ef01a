mod listing;
mod totals;

pub use self::listing::{AMOUNT, CREATED_AT, ID, InvoiceList};

use db::{Conn, Result, Row, Select, Tx, Value, params};

use super::{AppliedPromo, Invoice, Order, Refund, RefundKind};
use crate::currencies::Code;
use kernel::types::Timestamp;
use kernel::types::money::{Money, Sum};

/// Joins everything an invoice refers to, so that a page takes one statement. Required references
/// always exist; `LEFT` makes the engines read the invoices first, in the order of their index.
const SELECT: &str = "
    SELECT i.id, i.user_id, i.gateway_id, g.key, i.transaction_id, i.amount, i.original_amount,
           i.promo_code_id, p.code, i.currency_id, c.code, i.is_paid, i.paid_at, i.failed_at,
           i.failed_reason, i.created_at, i.product_id, i.recipient_id, i.server_id,
           i.refund_kind, i.refunded_at
    FROM payment_invoices i
    LEFT JOIN payment_gateways g ON g.id = i.gateway_id
    LEFT JOIN currencies c ON c.id = i.currency_id
    LEFT JOIN promo_codes p ON p.id = i.promo_code_id";

/// The ids of the oldest invoices that are neither paid nor failed. Written like the condition of
/// their index, because SQLite would otherwise read every invoice that has failed.
pub async fn overdue(conn: &mut Conn, before: Timestamp, limit: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM payment_invoices
         WHERE failed_at IS NULL AND NOT is_paid AND created_at < $1
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
        order: match (row.get(16)?, row.get(17)?) {
            (Some(product_id), Some(recipient_id)) => Some(Order {
                product_id,
                recipient_id,
                server_id: row.get(18)?,
            }),
            _ => None,
        },
        refund: row
            .get::<Option<String>>(19)?
            .and_then(|kind| RefundKind::from_stored(&kind))
            .zip(moment(20)?)
            .map(|(kind, at)| Refund { kind, at }),
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
                                       paid_at, failed_at, failed_reason, created_at,
                                       product_id, recipient_id, server_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING id",
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
            invoice.order.map(|order| order.product_id),
            invoice.order.map(|order| order.recipient_id),
            invoice.order.and_then(|order| order.server_id),
        ],
    )
    .await
}

/// Reserves `count` consecutive ids for invoices to load, and returns the first.
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
        "product_id",
        "recipient_id",
        "server_id",
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
            invoice.order.map(|order| order.product_id).into(),
            invoice.order.map(|order| order.recipient_id).into(),
            invoice.order.and_then(|order| order.server_id).into(),
        ]
    });
    tx.load("payment_invoices", columns, rows).await
}

/// The promo codes of these invoices. Unknown ids are skipped.
pub async fn promo_codes_of(conn: &mut Conn, ids: &[i64]) -> Result<Vec<(i64, Option<i64>)>> {
    conn.query(
        "SELECT id, promo_code_id FROM payment_invoices WHERE id = ANY($1)",
        params![ids],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// The number and the sum of all paid invoices, by the code of the currency. Reads all invoices.
pub async fn paid_sums(conn: &mut Conn) -> Result<Vec<(String, u64, Sum)>> {
    conn.query(
        "SELECT c.code, i.count, i.whole, i.fraction
         FROM (SELECT currency_id, COUNT(*) AS count, CAST(SUM(amount / 10000) AS BIGINT) AS whole,
                      CAST(SUM(amount % 10000) AS BIGINT) AS fraction
               FROM payment_invoices WHERE is_paid GROUP BY currency_id) i
         JOIN currencies c ON c.id = i.currency_id ORDER BY c.id",
        &[],
        |row| {
            let count: i64 = row.get(1)?;
            let sum = Sum::from_split(row.get(2)?, row.get(3)?);
            Ok((row.get(0)?, count.unsigned_abs(), sum))
        },
    )
    .await
}

pub async fn update(tx: &mut Tx, invoice: &Invoice) -> Result<()> {
    tx.execute(
        "UPDATE payment_invoices
         SET transaction_id = $2, is_paid = $3, paid_at = $4, failed_at = $5, failed_reason = $6,
             refund_kind = $7, refunded_at = $8
         WHERE id = $1",
        params![
            invoice.id,
            invoice.transaction_id.as_deref(),
            invoice.is_paid,
            invoice.paid_at,
            invoice.failed_at,
            &invoice.failed_reason,
            invoice.refund.map(|refund| refund.kind.as_str()),
            invoice.refund.map(|refund| refund.at),
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
