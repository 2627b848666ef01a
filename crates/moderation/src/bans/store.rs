//! SQL of bans.

use db::{Conn, Result, Row, Select, Tx, params};
use kernel::list::Window;
use kernel::types::{Expiry, SteamId, Timestamp};
use platform::audit::events::StoredActor;

use super::ip_range::{self, IpRange};
use super::{Ban, BanFilters, BanKind, BanState, IssuedBy, Lift, Source, Subject};

/// The columns that [`ban`] reads.
const SELECT: &str = "
    SELECT id, kind, steam_account, ip_range, ip_bits, user_id, player_name, server_ids, reason,
           note, evidence, created_at, expires_at, by_key, by_user, by_name, lifted_at,
           lift_reason, lifted_by_key, lifted_by_user, lifted_by_name, source_system, source_id
    FROM bans";

/// The number of a Steam account, as it is stored.
pub fn account(id: SteamId) -> i64 {
    id.account().into()
}

/// The values of filters that are texts made from them.
struct Texts {
    bits: Option<String>,
    server: Option<String>,
}

impl Texts {
    fn of(filters: &BanFilters) -> Self {
        Self {
            bits: filters.ip.map(|ip| ip_range::bits(ip.0)),
            server: filters.server_id.map(|id| format!("%,{},%", id.0)),
        }
    }
}

/// How to find the bans of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// By an index of their times, if they are filtered by one. They are few enough to be sorted.
    FewMatch,
    /// By id, newest first, until a page is full.
    ManyMatch,
}

impl Plan {
    fn is_by_time(self, filters: &BanFilters) -> bool {
        let has_time = has_expiry(filters) || filters.from.is_some() || filters.to.is_some();
        self == Self::FewMatch && has_time && !is_selective(filters)
    }
}

/// Whether the state depends on the clock.
fn has_expiry(filters: &BanFilters) -> bool {
    matches!(filters.state, Some(BanState::Active | BanState::Expired))
}

/// A player and an operator have few bans; a kind, a key and a state can have all.
fn is_selective(filters: &BanFilters) -> bool {
    filters.steam_id64.is_some()
        || filters.ip.is_some()
        || filters.user_id.is_some()
        || matches!(filters.issued_by, Some(IssuedBy::Operator(_)))
}

fn filtered<'a>(
    select: &str,
    filters: &'a BanFilters,
    texts: &'a Texts,
    now: Timestamp,
    plan: Plan,
) -> Select<'a> {
    let state = |wanted| (filters.state == Some(wanted)).then_some(now);
    let is_by_time = plan.is_by_time(filters);
    let (key, operator) = match filters.issued_by {
        Some(IssuedBy::Key(id)) => (Some(id), None),
        Some(IssuedBy::Operator(id)) => (None, Some(id)),
        None => (None, None),
    };
    let select = Select::new(select)
        .and(
            "steam_account = ",
            filters.steam_id64.map(|id| account(id.0)),
        )
        .and_in(
            "ip_bits IN (SELECT substr(a.bits, 1, CAST(l.length AS INTEGER))
                         FROM (SELECT CAST(",
            texts.bits.as_deref(),
            " AS TEXT) AS bits) a
                         JOIN ban_ip_lengths l
                           ON l.network IN (substr(a.bits, 1, 17), substr(a.bits, 1, 33)))",
        )
        .and("user_id = ", filters.user_id.map(|id| id.0))
        .and("by_user = ", operator)
        .without_index(is_selective(filters) || is_by_time && !has_expiry(filters))
        .and("kind = ", filters.kind.map(BanKind::as_str))
        .without_index(is_selective(filters) || is_by_time)
        .and("by_key = ", key)
        .without_index(!is_by_time)
        .and("created_at >= ", filters.from.map(|from| from.first()))
        .and("created_at <= ", filters.to.map(|to| to.last()))
        .and("expires_at > ", state(BanState::Active))
        .and("expires_at <= ", state(BanState::Expired))
        .without_index(false);
    let select = match filters.state {
        Some(BanState::Lifted) => select.and_raw("lifted_at IS NOT NULL"),
        Some(BanState::Active | BanState::Expired) => select.and_raw("lifted_at IS NULL"),
        None => select,
    };
    // The index of ends is by kind.
    let select = match is_by_time && has_expiry(filters) && filters.kind.is_none() {
        true => select.and_raw("kind IN ('ban', 'mute', 'gag', 'silence')"),
        false => select,
    };
    select.and_in(
        "(server_ids = '' OR server_ids LIKE ",
        texts.server.as_deref(),
        ")",
    )
}

/// Newest first.
pub async fn list(
    conn: &mut Conn,
    filters: &BanFilters,
    now: Timestamp,
    window: Window,
    plan: Plan,
) -> Result<Vec<Ban>> {
    let texts = Texts::of(filters);
    let select = filtered(SELECT, filters, &texts, now, plan);
    let select = match plan.is_by_time(filters) {
        // The sums rule out reading by id.
        true => select
            .and("id + 0 < ", window.after_id())
            .push(" ORDER BY id + 0 DESC LIMIT ", window.limit),
        false => select
            .and("id < ", window.after_id())
            .push(" ORDER BY id DESC LIMIT ", window.limit),
    };
    let (sql, params) = select.build();
    conn.query(sql, &params, ban).await
}

/// Counts the bans, up to `limit`.
pub async fn count(
    conn: &mut Conn,
    filters: &BanFilters,
    now: Timestamp,
    limit: i64,
) -> Result<i64> {
    let texts = Texts::of(filters);
    let select = "SELECT COUNT(*) FROM (SELECT 1 FROM bans";
    let (sql, params) = filtered(select, filters, &texts, now, Plan::FewMatch)
        .push(" LIMIT ", limit)
        .end_where(") AS counted")
        .build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

/// The active bans after an id, oldest first.
pub async fn active_after(
    conn: &mut Conn,
    now: Timestamp,
    after: i64,
    limit: i64,
) -> Result<Vec<Ban>> {
    let (sql, params) = Select::new(SELECT)
        .and("id > ", Some(after))
        .and("lifted_at IS NULL AND expires_at > ", Some(now))
        .push(" ORDER BY id LIMIT ", limit)
        .build();
    conn.query(sql, &params, ban).await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Ban>> {
    let (sql, params) = Select::new(SELECT).and("id = ", Some(id)).build();
    conn.query_opt(sql, &params, ban).await
}

/// The bans with these ids, oldest first.
pub async fn find_many(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Ban>> {
    let (sql, params) = Select::new(SELECT)
        .and_in("id = ANY(", Some(ids), ")")
        .end_where(" ORDER BY id")
        .build();
    conn.query(sql, &params, ban).await
}

/// The ids of the active bans of exactly this subject, oldest first.
pub async fn active_of(
    conn: &mut Conn,
    subject: &Subject,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<i64>> {
    let (sql, params) = Select::new("SELECT id FROM bans")
        .and("steam_account = ", subject.steam_id.map(account))
        .and("ip_bits = ", subject.ip_range.as_ref().map(IpRange::bits))
        .and("user_id = ", subject.user_id)
        .and("lifted_at IS NULL AND expires_at > ", Some(now))
        .push(" ORDER BY id LIMIT ", limit)
        .build();
    conn.query(sql, &params, |row| row.get(0)).await
}

/// The ids of all bans of a user, oldest first.
pub async fn of_user(conn: &mut Conn, user_id: i64, limit: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM bans WHERE user_id = $1 ORDER BY id LIMIT $2",
        params![user_id, limit],
        |row| row.get(0),
    )
    .await
}

/// Locks bans, in the order of their ids.
pub async fn lock(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM bans WHERE id = ANY($1) ORDER BY id FOR UPDATE",
        params![ids],
    )
    .await
}

pub async fn insert(tx: &mut Tx, ban: &Ban) -> Result<i64> {
    let bits = ban.subject.ip_range.as_ref().map(IpRange::bits);
    if let Some(bits) = bits {
        add_ip_lengths(tx, &[bits.to_owned()]).await?;
    }
    let lift = ban.lifted.as_ref();
    let (server_ids, evidence) = (stored_servers(&ban.server_ids), stored_links(&ban.evidence));
    tx.insert(
        "INSERT INTO bans (kind, steam_account, ip_range, ip_bits, user_id, player_name,
                           server_ids, reason, note, evidence, created_at, expires_at, by_key,
                           by_user, by_name, lifted_at, lift_reason, lifted_by_key, lifted_by_user,
                           lifted_by_name, source_system, source_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $21, $22) RETURNING id",
        params![
            ban.kind.as_str(),
            ban.subject.steam_id.map(account),
            ban.subject.ip_range.as_ref().map(IpRange::as_str),
            bits,
            ban.subject.user_id,
            &ban.player_name,
            &server_ids,
            &ban.reason,
            &ban.note,
            &evidence,
            ban.created_at,
            ban.expires_at,
            ban.issued_by.key_id,
            ban.issued_by.user_id,
            &ban.issued_by.name,
            lift.map(|lift| lift.at),
            lift.map(|lift| lift.reason.as_str()),
            lift.and_then(|lift| lift.by.key_id),
            lift.and_then(|lift| lift.by.user_id),
            lift.map(|lift| lift.by.name.as_str()),
            ban.source.as_ref().map(|source| source.system.as_str()),
            ban.source.as_ref().map(|source| source.id.as_str()),
        ],
    )
    .await
}

/// Adds to the lengths that a check looks for.
pub async fn add_ip_lengths(tx: &mut Tx, bits: &[String]) -> Result<()> {
    tx.execute(
        "INSERT INTO ban_ip_lengths (network, length)
         SELECT DISTINCT substr(value.value, 1, CASE substr(value.value, 1, 1) WHEN '4' THEN 17
                                                ELSE 33 END), LENGTH(value.value)
         FROM unnest($1::text[]) value WHERE TRUE ON CONFLICT (network, length) DO NOTHING",
        params![bits],
    )
    .await?;
    Ok(())
}

/// Stores everything that can change.
pub async fn update(tx: &mut Tx, ban: &Ban) -> Result<()> {
    let lift = ban.lifted.as_ref();
    let (server_ids, evidence) = (stored_servers(&ban.server_ids), stored_links(&ban.evidence));
    tx.execute(
        "UPDATE bans SET user_id = $2, player_name = $3, server_ids = $4, reason = $5, note = $6,
                         evidence = $7, expires_at = $8, lifted_at = $9, lift_reason = $10,
                         lifted_by_key = $11, lifted_by_user = $12, lifted_by_name = $13
         WHERE id = $1",
        params![
            ban.id,
            ban.subject.user_id,
            &ban.player_name,
            &server_ids,
            &ban.reason,
            &ban.note,
            &evidence,
            ban.expires_at,
            lift.map(|lift| lift.at),
            lift.map(|lift| lift.reason.as_str()),
            lift.and_then(|lift| lift.by.key_id),
            lift.and_then(|lift| lift.by.user_id),
            lift.map(|lift| lift.by.name.as_str()),
        ],
    )
    .await?;
    Ok(())
}

/// Masks the name of an operator in the bans of others.
pub async fn mask_issuer(tx: &mut Tx, user_id: i64, mask: &str) -> Result<()> {
    for sql in [
        "UPDATE bans SET by_name = $2 WHERE by_user = $1",
        "UPDATE bans SET lifted_by_name = $2 WHERE lifted_by_user = $1",
    ] {
        tx.execute(sql, params![user_id, mask]).await?;
    }
    Ok(())
}

/// The ids between commas: `,3,7,`.
pub fn stored_servers(ids: &[i64]) -> String {
    let mut text = String::new();
    for id in ids {
        text.push_str(if text.is_empty() { "," } else { "" });
        text.push_str(&id.to_string());
        text.push(',');
    }
    text
}

/// The ids of [`stored_servers`].
pub fn servers(stored: &str) -> Vec<i64> {
    stored.split(',').filter_map(|id| id.parse().ok()).collect()
}

pub fn stored_links(links: &[String]) -> String {
    serde_json::to_string(links).unwrap_or_else(|_| "[]".to_owned())
}

pub fn kind(name: &str) -> Result<BanKind> {
    BanKind::from_stored(name).ok_or_else(|| db::Error::Engine("a ban has an unknown kind".into()))
}

fn ban(row: &Row<'_>) -> Result<Ban> {
    let account: Option<i64> = row.get(2)?;
    let range: Option<String> = row.get(3)?;
    let bits: Option<String> = row.get(4)?;
    let evidence: String = row.get(10)?;
    let lifted_at: Option<i64> = row.get(16)?;
    let system: Option<String> = row.get(21)?;
    let source_id: Option<String> = row.get(22)?;
    let lifted = match lifted_at {
        Some(at) => Some(Lift {
            at: Timestamp::from_unix(at),
            reason: row.get::<Option<String>>(17)?.unwrap_or_default(),
            by: StoredActor {
                key_id: row.get(18)?,
                user_id: row.get(19)?,
                name: row.get::<Option<String>>(20)?.unwrap_or_default(),
            },
        }),
        None => None,
    };
    Ok(Ban {
        id: row.get(0)?,
        kind: kind(&row.get::<String>(1)?)?,
        subject: Subject {
            steam_id: account.and_then(|account| SteamId::of_account(account.try_into().ok()?)),
            ip_range: range
                .zip(bits)
                .map(|(text, bits)| IpRange::from_stored(text, bits)),
            user_id: row.get(5)?,
        },
        player_name: row.get(6)?,
        server_ids: servers(&row.get::<String>(7)?),
        reason: row.get(8)?,
        note: row.get(9)?,
        evidence: serde_json::from_str(&evidence).unwrap_or_default(),
        created_at: Timestamp::from_unix(row.get(11)?),
        expires_at: Expiry::from_stored(row.get(12)?),
        issued_by: StoredActor {
            key_id: row.get(13)?,
            user_id: row.get(14)?,
            name: row.get(15)?,
        },
        lifted,
        source: system
            .zip(source_id)
            .map(|(system, id)| Source { system, id }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_servers_are_read_as_they_were_stored() {
        for ids in [&[][..], &[7], &[3, 7, 41]] {
            assert_eq!(servers(&stored_servers(ids)), ids);
        }
        assert_eq!(stored_servers(&[3, 7]), ",3,7,");
    }
}
