//! SQL of the audit log.

use db::{Conn, Db, Result, Row, Select, params};
use serde_json::value::RawValue;

use super::{Entry, Filters};
use kernel::list::Window;
use kernel::types::Timestamp;

pub async fn list(conn: &mut Conn, filters: &Filters, window: Window) -> Result<Vec<Entry>> {
    let (sql, params) = filtered(
        "SELECT id, at, key_id, key_name, request_id, ip, action, resource, resource_id,
                before, after
         FROM audit_log",
        filters,
    )
    .and("id < ", window.after_id())
    .push(" ORDER BY id DESC LIMIT ", window.limit)
    .build();
    conn.query(sql, &params, entry).await
}

pub async fn count(conn: &mut Conn, filters: &Filters) -> Result<i64> {
    let (sql, params) = filtered("SELECT COUNT(*) FROM audit_log", filters).build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

fn filtered<'a>(select: &str, filters: &'a Filters) -> Select<'a> {
    Select::new(select)
        .and("key_id = ", filters.key_id.map(|id| id.0))
        .and(
            "resource = ",
            filters.resource.as_ref().map(|text| text.as_str()),
        )
        .and("resource_id = ", filters.resource_id.map(|id| id.0))
        .and(
            "action = ",
            filters.action.as_ref().map(|text| text.as_str()),
        )
        .and("at >= ", filters.from.map(|moment| moment.0))
        .and("at <= ", filters.to.map(|moment| moment.0))
}

fn entry(row: &Row<'_>) -> Result<Entry> {
    let fields = |text: String| RawValue::from_string(text).unwrap_or_default();
    Ok(Entry {
        id: row.get(0)?,
        at: Timestamp::from_unix(row.get(1)?),
        key_id: row.get(2)?,
        key_name: row.get(3)?,
        request_id: row.get(4)?,
        ip: row.get(5)?,
        action: row.get(6)?,
        resource: row.get(7)?,
        resource_id: row.get(8)?,
        before: fields(row.get(9)?),
        after: fields(row.get(10)?),
    })
}

pub async fn delete_before(db: &Db, moment: Timestamp, size: i64) -> Result<()> {
    db.execute_in_batches(
        "DELETE FROM audit_log WHERE id IN
            (SELECT id FROM audit_log WHERE at < $1 ORDER BY at, id LIMIT $2)",
        params![moment],
        size,
    )
    .await
}
