//! SQL of the import.

use db::{AdvisoryLock, Conn, Result, Tx, Value, params};

use super::super::ip_range::IpRange;
use super::super::resource::{Ban, Lift};
use super::super::store::{account, stored_links, stored_servers};

pub use super::super::store::add_ip_lengths;

/// The page cache of SQLite while bans are loaded, in KiB. It holds the indexes whose order is not
/// that of the dump.
const CACHE: i64 = 40 << 10;

/// Makes imports wait for each other, and prepares for many rows.
pub async fn prepare(tx: &mut Tx) -> Result<()> {
    tx.lock_advisory(AdvisoryLock::BanImport).await?;
    tx.limit_load_cache(CACHE)
}

/// Those of the ids that the database has of a program. The table grows while a plan stays, so the
/// plan must be a look-up of each id: a join could become one with the whole table.
pub async fn known(conn: &mut Conn, system: &str, ids: &[String]) -> Result<Vec<String>> {
    let found: Vec<Option<String>> = conn
        .query(
            "SELECT (SELECT source_id FROM bans
                     WHERE source_system = $1 AND source_id = value.value)
             FROM unnest($2::text[]) value",
            params![system, ids],
            |row| row.get(0),
        )
        .await?;
    Ok(found.into_iter().flatten().collect())
}

/// Inserts bans from another program.
pub async fn load(tx: &mut Tx, bans: &[Ban]) -> Result<()> {
    let texts: Vec<(String, String)> = bans
        .iter()
        .map(|ban| (stored_servers(&ban.server_ids), stored_links(&ban.evidence)))
        .collect();
    let columns = [
        "kind",
        "steam_account",
        "ip_range",
        "ip_bits",
        "player_name",
        "server_ids",
        "reason",
        "note",
        "evidence",
        "created_at",
        "expires_at",
        "by_name",
        "lifted_at",
        "lift_reason",
        "lifted_by_name",
        "source_system",
        "source_id",
    ];
    let rows = bans.iter().zip(&texts).map(|(ban, (servers, links))| {
        let range = ban.subject.ip_range.as_ref();
        let lift: Option<&Lift> = ban.lifted.as_ref();
        let source = ban.source.as_ref();
        [
            Value::from(ban.kind.as_str()),
            ban.subject.steam_id.map(account).into(),
            range.map(IpRange::as_str).into(),
            range.map(IpRange::bits).into(),
            Value::from(&ban.player_name),
            Value::from(servers),
            Value::from(&ban.reason),
            Value::from(&ban.note),
            Value::from(links),
            ban.created_at.into(),
            ban.expires_at.into(),
            Value::from(&ban.issued_by.name),
            lift.map(|lift| lift.at).into(),
            lift.map(|lift| lift.reason.as_str()).into(),
            lift.map(|lift| lift.by.name.as_str()).into(),
            source.map(|source| source.system.as_str()).into(),
            source.map(|source| source.id.as_str()).into(),
        ]
    });
    tx.load("bans", columns, rows).await
}
