mod deep_page;
mod totals;

use db::{Conn, Query, Result, Row, Select, Tx, Value, params};

use super::{AppliedPromo, Invoice, InvoiceFilters, InvoiceKey, InvoiceStatus};
use crate::currencies::Code;
use crate::gateways::GatewayKey;
use kernel::input::DayOrMoment;
use kernel::list::{Cursor, Window};
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::types::money::Money;

/// Whatever an invoice refers to is read with it, so that a page costs one statement. None of it is
/// missing where it is required, but only with `LEFT` are the invoices certain to come first, in the
/// order of their index.
const SELECT: &str = "
    SELECT i.id, i.user_id, i.gateway_id, g.key, i.transaction_id, i.amount, i.original_amount,
           i.promo_code_id, p.code, i.currency_id, c.code, i.is_paid, i.paid_at, i.failed_at,
           i.failed_reason, i.created_at
    FROM payment_invoices i
    LEFT JOIN payment_gateways g ON g.id = i.gateway_id
    LEFT JOIN currencies c ON c.id = i.currency_id
    LEFT JOIN promo_codes p ON p.id = i.promo_code_id";

/// `total` is how many match, where that is known.
pub async fn list(
    conn: &mut Conn,
    filters: &InvoiceFilters,
    window: &Window<Option<Cursor<InvoiceKey>>>,
    total: Option<i64>,
) -> Result<Vec<Invoice>> {
    let promo_code = folded_promo_code(filters);
    let many = total.is_some_and(|total| total > FEW);
    let begin = Begin::of(filters.sort().by, many);
    if !window.is_near() {
        return deep_page::far_inside(conn, filters, promo_code.as_deref(), begin, window).await;
    }
    let (sql, params) = part(filters, promo_code.as_deref(), begin, window).build();
    let read = conn.query(sql, &params, invoice).await?;
    Ok(window.in_order(read))
}

/// A list and how long it is as a whole.
pub async fn list_and_count(
    conn: &mut Conn,
    filters: &InvoiceFilters,
    window: &Window<Option<Cursor<InvoiceKey>>>,
) -> Result<(Vec<Invoice>, i64)> {
    let promo_code = folded_promo_code(filters);
    let (sql, params) = totals::of(filters, promo_code.as_deref()).build();
    let count = Query {
        sql,
        params,
        map: |row: &Row<'_>| row.get(0),
    };
    let begin = Begin::of(filters.sort().by, false);
    let (sql, params) = part(filters, promo_code.as_deref(), begin, window).build();
    let list = Query {
        sql,
        params,
        map: invoice,
    };
    let (total, read): (Vec<i64>, _) = conn.query_both(count, list).await?;
    Ok((window.in_order(read), total.into_iter().sum()))
}

pub async fn count(conn: &mut Conn, filters: &InvoiceFilters) -> Result<i64> {
    let promo_code = folded_promo_code(filters);
    let (sql, params) = totals::of(filters, promo_code.as_deref()).build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

fn part<'a>(
    filters: &'a InvoiceFilters,
    promo_code: Option<&'a str>,
    begin: Begin,
    window: &'a Window<Option<Cursor<InvoiceKey>>>,
) -> Select<'a> {
    let sort = filters.sort();
    let after = window.after.as_ref().map(|cursor| cursor.mark.values());
    let select = Select::new(SELECT);
    filtered(select, filters, promo_code, begin, created(filters))
        .order_by(columns(sort.by), sort.descending != window.from_end, after)
        .push(" LIMIT ", window.limit)
        .push(" OFFSET ", window.offset)
}

fn created(filters: &InvoiceFilters) -> Created {
    let first = filters.created_from.map(DayOrMoment::first);
    let last = filters.created_to.map(DayOrMoment::last);
    (first, last)
}

fn columns(key: InvoiceKey) -> &'static [&'static str] {
    match key {
        InvoiceKey::Id => &["i.id"],
        InvoiceKey::CreatedAt => &["i.created_at", "i.id"],
        InvoiceKey::Amount => &["i.amount", "i.id"],
    }
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

/// The first and the last second that invoices were created in.
type Created = (Option<Timestamp>, Option<Timestamp>);

fn folded_promo_code(filters: &InvoiceFilters) -> Option<String> {
    let code = filters.promo_code.as_ref()?;
    Some(fold(code.as_str()))
}

/// What a statement begins with, to find invoices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    /// In the order of time every filter has an index that keeps the order.
    Filters,
    /// In any other the index of the order is walked, and filters look at what is met: to collect
    /// whatever they match and sort it would be as much work again for every page. Only what a
    /// user or a promo code matches is little enough to begin with it.
    Narrow,
    /// The same, where even a promo code matches a lot.
    Order,
}

/// To collect and sort so many is cheaper than to look for them in another order.
const FEW: i64 = 2000;

impl Begin {
    fn of(key: InvoiceKey, many: bool) -> Self {
        match key {
            InvoiceKey::CreatedAt => Self::Filters,
            _ if many => Self::Order,
            _ => Self::Narrow,
        }
    }
}

/// Gateways and promo codes are looked up by themselves, so that an index of the invoices gets one
/// value.
fn filtered<'a>(
    select: Select<'a>,
    filters: &'a InvoiceFilters,
    promo_code: Option<&'a str>,
    begin: Begin,
    created: Created,
) -> Select<'a> {
    let by_time = begin == Begin::Filters;
    let by_promo_code = promo_code.is_some() && begin != Begin::Order;
    let narrow = filters.user_id.is_some() || by_promo_code;
    let filter = select
        .and("i.user_id = ", filters.user_id.map(|id| id.0))
        .without_index(begin == Begin::Order)
        .and_in(
            "i.promo_code_id = (SELECT id FROM promo_codes WHERE code_folded = ",
            promo_code,
            ")",
        )
        .without_index(!narrow && !by_time)
        .and("i.created_at >= ", created.0)
        .and("i.created_at <= ", created.1)
        .without_index(narrow || !by_time)
        .and_in(
            "i.gateway_id = (SELECT id FROM payment_gateways WHERE key = ",
            filters.gateway.as_ref().map(GatewayKey::as_str),
            ")",
        )
        .and("i.currency_id = ", filters.currency_id.map(|id| id.0))
        .and("i.is_paid = ", filters.is_paid);
    match filters.status {
        None => filter,
        Some(InvoiceStatus::Paid) => filter.and("i.is_paid = ", Some(true)),
        Some(InvoiceStatus::Pending) => filter.and_raw("i.failed_at IS NULL AND NOT i.is_paid"),
        Some(InvoiceStatus::Failed) => filter.and_raw("i.failed_at IS NOT NULL AND NOT i.is_paid"),
    }
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
