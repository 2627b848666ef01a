use db::{Conn, Result, Row, params};

use super::Found;
use crate::bans::ip_range;
use crate::bans::store::{account, kind};
use kernel::types::{Expiry, SteamId, Timestamp};

macro_rules! probes {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, reason, expires_at FROM bans
             WHERE steam_account = $1 AND lifted_at IS NULL AND expires_at > $2
               AND (server_ids = '' OR server_ids LIKE $3)
             UNION ALL
             SELECT b.id, b.kind, b.reason, b.expires_at
             FROM ban_ip_lengths l
             CROSS JOIN bans b
             WHERE l.network = $5 AND b.ip_bits = substr($4, 1, CAST(l.length AS INTEGER))
               AND b.lifted_at IS NULL AND b.expires_at > $2
               AND (b.server_ids = '' OR b.server_ids LIKE $3)
             UNION ALL
             SELECT b.id, b.kind, b.reason, b.expires_at
             FROM user_identities i
             CROSS JOIN bans b
             WHERE i.provider = 'steam' AND i.subject = $7 AND b.user_id = i.user_id
               AND b.lifted_at IS NULL AND b.expires_at > $2
               AND (b.server_ids = '' OR b.server_ids LIKE $3) ",
            $rest
        )
    };
}

/// The active bans of a SteamID, of the user who signs in with it, and of the ranges that an address
/// with these bits is in; those of the kind `ban` first, so that the limit never hides one. One
/// statement: a probe of an index for the SteamID, two for the user, and one for each length of a
/// range in the network of the address.
pub async fn active_of(
    conn: &mut Conn,
    now: Timestamp,
    steam_id: Option<SteamId>,
    bits: Option<&str>,
    server_id: Option<i64>,
    limit: i64,
) -> Result<Vec<Found>> {
    // Without a server, every list of servers matches.
    let scope = server_id.map_or_else(|| "%".to_owned(), |id| format!("%,{id},%"));
    let steam_id64 = steam_id.map(|id| id.id64().to_string());
    let params = params![
        steam_id.map(account),
        now,
        &scope,
        bits,
        bits.map(ip_range::network),
        limit,
        steam_id64.as_deref()
    ];
    let found = conn.query(probes!("LIMIT $6"), params, active).await?;
    if i64::try_from(found.len()).is_ok_and(|found| found < limit) {
        return Ok(found);
    }
    // Sorting costs as much as many probes, so it is left to the few players who need it.
    let sql = probes!("ORDER BY 2, 1 DESC LIMIT $6");
    conn.query(sql, params, active).await
}

fn active(row: &Row<'_>) -> Result<Found> {
    Ok(Found {
        id: row.get(0)?,
        kind: kind(&row.get::<String>(1)?)?,
        reason: row.get(2)?,
        expires_at: Expiry::from_stored(row.get(3)?),
    })
}
