//! SQL of the promo codes and their roles.

use db::{Conn, Result, Row, Select, Tx, Value, params};

use super::{Kind, PromoCode};
use kernel::input::Unique;
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::types::money::Money;

/// The columns that [`promo`] reads.
const SELECT: &str = "
    SELECT id, code, type, value, max_usages, max_uses_per_user, minimum_amount, starts_at,
           expires_at, for_roles_only, active, usages_count, created_at
    FROM promo_codes";

/// Codes are unique, ignoring case.
pub const CODE: Unique = Unique {
    field: "code",
    constraint: "promo_codes_code_folded_key",
    select_id: "SELECT id FROM promo_codes WHERE code_folded = $1",
};

pub async fn list(
    conn: &mut Conn,
    active: Option<bool>,
    folded: Option<&str>,
    window: Window,
) -> Result<Vec<PromoCode>> {
    let (sql, params) = filtered(SELECT, active, folded)
        .and("id > ", Some(window.after))
        .push(" ORDER BY id LIMIT ", window.limit)
        .push(" OFFSET ", window.offset)
        .build();
    let promos = conn.query(sql, &params, promo).await?;
    with_roles(conn, promos).await
}

pub async fn count(conn: &mut Conn, active: Option<bool>, folded: Option<&str>) -> Result<i64> {
    let (sql, params) = filtered("SELECT COUNT(*) FROM promo_codes", active, folded).build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

fn filtered<'a>(select: &str, active: Option<bool>, folded: Option<&'a str>) -> Select<'a> {
    Select::new(select)
        .and("active = ", active)
        .and("code_folded = ", folded)
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<PromoCode>> {
    let (sql, params) = Select::new(SELECT).and("id = ", Some(id)).build();
    let promos = conn.query(sql, &params, promo).await?;
    Ok(with_roles(conn, promos).await?.pop())
}

async fn with_roles(conn: &mut Conn, mut promos: Vec<PromoCode>) -> Result<Vec<PromoCode>> {
    let ids: Vec<i64> = promos.iter().map(|promo| promo.id).collect();
    let roles: Vec<(i64, i64)> = conn
        .query(
            "SELECT promo_code_id, role_id FROM promo_code_roles
             WHERE promo_code_id = ANY($1) ORDER BY promo_code_id, role_id",
            params![&ids],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await?;
    // Roles and promo codes are both ordered by the id of the promo code.
    let mut roles = roles.into_iter().peekable();
    for promo in &mut promos {
        while let Some((_, role)) = roles.next_if(|(id, _)| *id == promo.id) {
            promo.role_ids.push(role);
        }
    }
    Ok(promos)
}

/// A promo code without its roles.
fn promo(row: &Row<'_>) -> Result<PromoCode> {
    let moment = |index| Ok(row.get::<Option<i64>>(index)?.map(Timestamp::from_unix));
    let kind: String = row.get(2)?;
    Ok(PromoCode {
        id: row.get(0)?,
        code: row.get(1)?,
        kind: Kind::from_stored(&kind)
            .ok_or_else(|| db::Error::Engine("a promo code is of an unknown type".into()))?,
        value: Money::from_parts(row.get(3)?),
        max_usages: row.get(4)?,
        max_uses_per_user: row.get(5)?,
        minimum_amount: row.get::<Option<i64>>(6)?.map(Money::from_parts),
        starts_at: moment(7)?,
        expires_at: moment(8)?,
        for_roles_only: row.get(9)?,
        active: row.get(10)?,
        usages_count: row.get(11)?,
        created_at: Timestamp::from_unix(row.get(12)?),
        role_ids: Vec::new(),
    })
}

/// How many invoices of a user use the code.
pub async fn uses(conn: &mut Conn, id: i64, user_id: i64) -> Result<i64> {
    conn.query_one(
        "SELECT COUNT(*) FROM payment_invoices WHERE promo_code_id = $1 AND user_id = $2",
        params![id, user_id],
        |row| row.get(0),
    )
    .await
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM promo_codes WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await
}

pub async fn insert(tx: &mut Tx, promo: &PromoCode, folded: &str) -> Result<i64> {
    tx.insert(
        "INSERT INTO promo_codes (code, code_folded, type, value, max_usages, max_uses_per_user,
                                  minimum_amount, starts_at, expires_at, for_roles_only, active,
                                  usages_count, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id",
        params![
            &promo.code,
            folded,
            promo.kind.as_str(),
            promo.value,
            promo.max_usages,
            promo.max_uses_per_user,
            promo.minimum_amount,
            promo.starts_at,
            promo.expires_at,
            promo.for_roles_only,
            promo.active,
            promo.usages_count,
            promo.created_at,
        ],
    )
    .await
}

/// Updates everything except `usages_count`, which [`add_usages`] changes.
pub async fn update(tx: &mut Tx, promo: &PromoCode, folded: &str) -> Result<()> {
    tx.execute(
        "UPDATE promo_codes
         SET code = $2, code_folded = $3, type = $4, value = $5, max_usages = $6,
             max_uses_per_user = $7, minimum_amount = $8, starts_at = $9, expires_at = $10,
             for_roles_only = $11, active = $12
         WHERE id = $1",
        params![
            promo.id,
            &promo.code,
            folded,
            promo.kind.as_str(),
            promo.value,
            promo.max_usages,
            promo.max_uses_per_user,
            promo.minimum_amount,
            promo.starts_at,
            promo.expires_at,
            promo.for_roles_only,
            promo.active,
        ],
    )
    .await?;
    Ok(())
}

/// Replaces the roles, which must be locked.
pub async fn replace_roles(tx: &mut Tx, promo: &PromoCode) -> Result<()> {
    tx.execute(
        "DELETE FROM promo_code_roles WHERE promo_code_id = $1",
        params![promo.id],
    )
    .await?;
    tx.execute(
        "INSERT INTO promo_code_roles (promo_code_id, role_id)
         SELECT $1, id FROM roles WHERE id = ANY($2)",
        params![promo.id, &promo.role_ids],
    )
    .await?;
    Ok(())
}

pub async fn add_usages(tx: &mut Tx, id: i64, more: i64) -> Result<()> {
    tx.execute(
        "UPDATE promo_codes SET usages_count = usages_count + $2 WHERE id = $1",
        params![id, more],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM promo_codes WHERE id = $1", params![id])
        .await?;
    Ok(())
}

/// Inserts promo codes with their ids and roles. Each has its folded code.
pub async fn load(tx: &mut Tx, promos: &[(PromoCode, String)]) -> Result<()> {
    let columns = [
        "id",
        "code",
        "code_folded",
        "type",
        "value",
        "max_usages",
        "max_uses_per_user",
        "minimum_amount",
        "starts_at",
        "expires_at",
        "for_roles_only",
        "active",
        "usages_count",
        "created_at",
    ];
    let rows = promos.iter().map(|(promo, folded)| {
        [
            promo.id.into(),
            Value::from(&promo.code),
            Value::from(folded),
            promo.kind.as_str().into(),
            promo.value.into(),
            promo.max_usages.into(),
            promo.max_uses_per_user.into(),
            promo.minimum_amount.into(),
            promo.starts_at.into(),
            promo.expires_at.into(),
            promo.for_roles_only.into(),
            promo.active.into(),
            promo.usages_count.into(),
            promo.created_at.into(),
        ]
    });
    tx.load("promo_codes", columns, rows).await?;
    let rows = promos.iter().flat_map(|(promo, _)| {
        let roles = promo.role_ids.iter();
        roles.map(|role_id| [promo.id.into(), (*role_id).into()])
    });
    tx.load("promo_code_roles", ["promo_code_id", "role_id"], rows)
        .await
}
