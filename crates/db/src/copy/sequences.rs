//! The next ids that a database assigns. They are copied too: an id is never assigned twice, not
//! even after the row with the highest id was deleted.

use super::catalogue::Table;
use crate::{Conn, Result, Tx, params};

/// Makes `table` of the target continue after the last id that the source has assigned.
pub(super) async fn copy(from: &mut Conn, into: &mut Tx, table: &'static str) -> Result<()> {
    match last_id(from, table).await? {
        Some(last) => set_last_id(into, table, last).await,
        None => Ok(()),
    }
}

async fn last_id(conn: &mut Conn, table: &'static str) -> Result<Option<i64>> {
    let sql = match conn {
        Conn::Sqlite(_) => "SELECT MAX(seq) FROM sqlite_sequence WHERE name = $1",
        Conn::Postgres(_) => {
            "SELECT pg_sequence_last_value(pg_get_serial_sequence($1, 'id')::regclass)"
        }
    };
    conn.query_one(sql, params![table], |row| row.get(0)).await
}

async fn set_last_id(tx: &mut Tx, table: &'static str, last: i64) -> Result<()> {
    match &mut **tx {
        Conn::Sqlite(_) => {
            let delete = "DELETE FROM sqlite_sequence WHERE name = $1";
            tx.execute(delete, params![table]).await?;
            let insert = "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)";
            tx.execute(insert, params![table, last]).await?;
            Ok(())
        }
        Conn::Postgres(_) => {
            let set = "SELECT setval(pg_get_serial_sequence($1, 'id')::regclass, $2)";
            tx.query_one(set, params![table, last], |_| Ok(())).await
        }
    }
}

/// Makes a table continue after its highest id, unless it has assigned a higher one.
pub(super) async fn follow_highest_id(tx: &mut Tx, table: &Table) -> Result<()> {
    let highest: Option<i64> = tx
        .query_one(table.sql.highest_id, &[], |row| row.get(0))
        .await?;
    match highest {
        Some(highest) if last_id(tx, table.name).await?.unwrap_or(0) < highest => {
            set_last_id(tx, table.name, highest).await
        }
        _ => Ok(()),
    }
}
