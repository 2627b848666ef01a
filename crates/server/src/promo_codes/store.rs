use db::{Conn, Result, Row, Tx, params};

use super::{Kind, PromoCode};
use crate::money::Money;
use crate::timestamp::Timestamp;

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<PromoCode>> {
    let promo = conn
        .query_opt(
            "SELECT id, code, type, value, max_usages, max_uses_per_user, minimum_amount,
                    starts_at, expires_at, for_roles_only, active, usages_count, created_at
             FROM promo_codes WHERE id = $1",
            params![id],
            promo,
        )
        .await?;
    with_roles(conn, promo).await
}

pub async fn find_by_code(conn: &mut Conn, folded: &str) -> Result<Option<PromoCode>> {
    let promo = conn
        .query_opt(
            "SELECT id, code, type, value, max_usages, max_uses_per_user, minimum_amount,
                    starts_at, expires_at, for_roles_only, active, usages_count, created_at
             FROM promo_codes WHERE code_folded = $1",
            params![folded],
            promo,
        )
        .await?;
    with_roles(conn, promo).await
}

async fn with_roles(conn: &mut Conn, promo: Option<PromoCode>) -> Result<Option<PromoCode>> {
    let Some(mut promo) = promo else {
        return Ok(None);
    };
    promo.role_ids = conn
        .query(
            "SELECT role_id FROM promo_code_roles WHERE promo_code_id = $1 ORDER BY role_id",
            params![promo.id],
            |row| row.get(0),
        )
        .await?;
    Ok(Some(promo))
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

pub async fn lock(tx: &mut Tx, folded: &str) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM promo_codes WHERE code_folded = $1 FOR UPDATE",
        params![folded],
    )
    .await
}

pub async fn insert(tx: &mut Tx, promo: &PromoCode, folded: &str) -> Result<i64> {
    let id = tx
        .query_one(
            "INSERT INTO promo_codes (code, code_folded, type, value, max_usages,
                                      max_uses_per_user, minimum_amount, starts_at, expires_at,
                                      for_roles_only, active, usages_count, created_at)
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
            |row| row.get(0),
        )
        .await?;
    tx.execute(
        "INSERT INTO promo_code_roles (promo_code_id, role_id)
         SELECT $1, id FROM roles WHERE id = ANY($2)",
        params![id, &promo.role_ids],
    )
    .await?;
    Ok(id)
}

pub async fn add_usages(tx: &mut Tx, id: i64, more: i64) -> Result<()> {
    tx.execute(
        "UPDATE promo_codes SET usages_count = usages_count + $2 WHERE id = $1",
        params![id, more],
    )
    .await?;
    Ok(())
}
