//! SQL of the audit log.

use db::{Conn, Db, Result, Row, Select, Tx, Value, params};
use serde_json::value::RawValue;

use super::personal::PersonalEntry;
use super::{Entry, Filters};
use kernel::input::{Moment, Text};
use kernel::types::Timestamp;

/// The position of an entry in the log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    at: i64,
    id: i64,
}

impl Position {
    /// The position after every entry.
    const END: Self = Self {
        at: i64::MAX,
        id: i64::MAX,
    };
}

pub async fn position(conn: &mut Conn, id: i64) -> Result<Option<Position>> {
    let sql = "SELECT at, id FROM audit_log WHERE id = $1";
    let position = |row: &Row<'_>| {
        Ok(Position {
            at: row.get(0)?,
            id: row.get(1)?,
        })
    };
    conn.query_opt(sql, params![id], position).await
}

/// The sizes of the entries that [`list`] returns, without reading their fields.
pub async fn sizes(
    conn: &mut Conn,
    filters: &Filters,
    after: Option<Position>,
    limit: i64,
) -> Result<Vec<i64>> {
    let (sql, params) = ordered(SELECT_SIZES, filters, after, limit);
    conn.query(sql, &params, |row| row.get(0)).await
}

pub async fn list(
    conn: &mut Conn,
    filters: &Filters,
    after: Option<Position>,
    limit: i64,
) -> Result<Vec<Entry>> {
    let (sql, params) = ordered(SELECT_ENTRIES, filters, after, limit);
    conn.query(sql, &params, entry).await
}

/// Finds an entry; `None` if retention has deleted it.
pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Entry>> {
    let (sql, params) = Select::new(SELECT_ENTRIES).and("id = ", Some(id)).build();
    conn.query_opt(sql, &params, entry).await
}

/// The id of the `count`th entry after the id `after`.
pub async fn id_after(conn: &mut Conn, after: i64, count: i64) -> Result<Option<i64>> {
    let sql = "SELECT id FROM audit_log WHERE id > $1 ORDER BY id LIMIT 1 OFFSET $2";
    conn.query_opt(sql, params![after, count - 1], |row| row.get(0))
        .await
}

/// The sizes of the entries that [`oldest`] returns.
pub async fn oldest_sizes(
    conn: &mut Conn,
    filters: &Filters,
    after: i64,
    to: i64,
    limit: i64,
) -> Result<Vec<i64>> {
    let (sql, params) = by_id(SELECT_SIZES, filters, after, to, limit);
    conn.query(sql, &params, |row| row.get(0)).await
}

/// The entries after one id and up to another, oldest first.
pub async fn oldest(
    conn: &mut Conn,
    filters: &Filters,
    after: i64,
    to: i64,
    limit: i64,
) -> Result<Vec<Entry>> {
    let (sql, params) = by_id(SELECT_ENTRIES, filters, after, to, limit);
    conn.query(sql, &params, entry).await
}

/// Counts the entries, up to `limit`.
pub async fn count(conn: &mut Conn, filters: &Filters, limit: i64) -> Result<i64> {
    let select = "SELECT COUNT(*) FROM (SELECT 1 FROM audit_log";
    let range = Range::new(filters, None);
    let (sql, params) = range
        .within(remaining(select, filters, range.filter))
        .push(" LIMIT ", limit)
        .end_where(") AS counted")
        .build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

const SELECT_SIZES: &str =
    "SELECT CAST(octet_length(before) AS BIGINT) + octet_length(after) FROM audit_log";
const SELECT_ENTRIES: &str = "SELECT id, at, key_id, key_name, request_id, ip, action, resource, \
     resource_id, before, after, user_id, user_name FROM audit_log";

fn by_id<'a>(
    select: &str,
    filters: &'a Filters,
    after: i64,
    to: i64,
    limit: i64,
) -> (&'static str, Vec<Value<'a>>) {
    let moment = |moment: Option<Moment>| moment.map(|Moment(moment)| moment.unix());
    remaining(select, filters, None)
        .without_index(true)
        .and("at >= ", moment(filters.from))
        .and("at <= ", moment(filters.to))
        .without_index(false)
        .and("id > ", Some(after))
        .and("id <= ", Some(to))
        .order_by(&["id"], false, None)
        .push(" LIMIT ", limit)
        .build()
}

fn ordered<'a>(
    select: &str,
    filters: &'a Filters,
    after: Option<Position>,
    limit: i64,
) -> (&'static str, Vec<Value<'a>>) {
    let range = Range::new(filters, after);
    range
        .within(remaining(select, filters, range.filter))
        .order_by(&range.columns(), true, None)
        .push(" LIMIT ", limit)
        .build()
}

/// The part of an index that a list reads: all entries, or those with one value of a column, within
/// a time range.
///
/// Conditions and order are written as a row that begins with that column. No other index has that
/// order, so the planner cannot choose one that finds too many entries.
struct Range<'a> {
    filter: Option<(&'static str, Value<'a>)>,
    from: i64,
    /// The end of the range, exclusive.
    end: Position,
}

impl<'a> Range<'a> {
    fn new(filters: &'a Filters, after: Option<Position>) -> Self {
        let end = filters.to.map_or(Position::END, |to| Position {
            at: to.0.unix().saturating_add(1),
            id: 0,
        });
        Self {
            filter: leading(filters),
            from: filters.from.map_or(i64::MIN, |from| from.0.unix()),
            end: after.map_or(end, |after| after.min(end)),
        }
    }

    fn columns(&self) -> Vec<&'static str> {
        let filter = self.filter.iter().map(|(column, _)| *column);
        filter.chain(["at", "id"]).collect()
    }

    fn within(&self, select: Select<'a>) -> Select<'a> {
        let columns = self.columns();
        let value = || self.filter.iter().map(|(_, value)| *value);
        let from = value().chain([self.from.into()]).collect();
        let end = value().chain([self.end.at.into(), self.end.id.into()]);
        let select = match self.filter {
            // Few entries have a user, so their indexes have only these.
            Some((USER, _)) => select.and_raw("user_id IS NOT NULL"),
            Some((ABOUT_USER, _)) => select.and_raw("about_user_id IS NOT NULL"),
            _ => select,
        };
        select
            .and_row(&columns[..columns.len() - 1], ">=", from)
            .and_row(&columns, "<", end.collect())
    }
}

const USER: &str = "user_id";
const ABOUT_USER: &str = "about_user_id";

/// The filter that usually matches the fewest entries.
fn leading(filters: &Filters) -> Option<(&'static str, Value<'_>)> {
    let about = filters.about_user_id.map(|id| (ABOUT_USER, id.0.into()));
    let resource_id = filters.resource_id.map(|id| ("resource_id", id.0.into()));
    let user_id = filters.user_id.map(|id| (USER, id.0.into()));
    let key_id = filters.key_id.map(|id| ("key_id", id.0.into()));
    let action = filters.action.as_ref();
    let action = action.map(|text| ("action", text.as_str().into()));
    let resource = filters.resource.as_ref();
    let resource = resource.map(|text| ("resource", text.as_str().into()));
    let ids = about.or(resource_id).or(user_id).or(key_id);
    ids.or(action).or(resource)
}

/// The conditions of the other filters, which use no index.
fn remaining<'a>(
    select: &str,
    filters: &'a Filters,
    leading: Option<(&'static str, Value<'a>)>,
) -> Select<'a> {
    let is_other = |column| leading.is_none_or(|(leading, _)| leading != column);
    let text = |text: &'a Option<Text<1, 100>>| text.as_ref().map(|text| text.as_str());
    let key_id = filters.key_id.map(|id| id.0);
    let user_id = filters.user_id.map(|id| id.0);
    let about = filters.about_user_id.map(|id| id.0);
    let resource_id = filters.resource_id.map(|id| id.0);
    Select::new(select)
        .without_index(true)
        .and("about_user_id = ", about.filter(|_| is_other(ABOUT_USER)))
        .and("user_id = ", user_id.filter(|_| is_other(USER)))
        .and(
            "resource_id = ",
            resource_id.filter(|_| is_other("resource_id")),
        )
        .and("key_id = ", key_id.filter(|_| is_other("key_id")))
        .and(
            "action = ",
            text(&filters.action).filter(|_| is_other("action")),
        )
        .and(
            "resource = ",
            text(&filters.resource).filter(|_| is_other("resource")),
        )
        .without_index(false)
}

fn fields(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_default()
}

fn entry(row: &Row<'_>) -> Result<Entry> {
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
        user_id: row.get(11)?,
        user_name: row.get(12)?,
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

/// The id of the entry about the erasure of a user.
pub async fn erased(conn: &mut Conn, user_id: i64) -> Result<Option<i64>> {
    conn.query_one(
        "SELECT MIN(id) FROM audit_log WHERE resource_id = $1 AND action = 'users.erase'",
        params![user_id],
        |row| row.get(0),
    )
    .await
}

/// Changes of a user before the entry `erased`, the user's bans, grants and sessions, and the user's own
/// changes as an operator. Sessions and bulk changes have no index by user; the patterns find them in the
/// text.
pub async fn personal(
    conn: &mut Conn,
    user_id: i64,
    erased: i64,
    after: i64,
    to: i64,
    limit: i64,
) -> Result<Vec<PersonalEntry>> {
    let among_many = format!("%\"{user_id}\":{{%");
    let of_session = format!("%\"user_id\":{user_id},%");
    conn.query(
        "SELECT id, resource, before, after, is_about, is_actor FROM
            (SELECT id, resource, before, after,
                    CASE WHEN (resource = 'users' AND id < $3
                               AND (resource_id = $4
                                    OR (resource_id = 0
                                        AND (before LIKE $5 OR after LIKE $5))))
                           OR (resource IN ('bans', 'grants', 'servers') AND about_user_id = $4)
                           OR (resource IN ('sessions', 'console_sessions')
                               AND (before LIKE $6 OR after LIKE $6))
                         THEN TRUE ELSE FALSE END AS is_about,
                    CASE WHEN user_id = $4 THEN TRUE ELSE FALSE END AS is_actor
             FROM audit_log WHERE id > $1 AND id <= $2) AS part
         WHERE is_about OR is_actor ORDER BY id LIMIT $7",
        params![after, to, erased, user_id, &among_many, &of_session, limit],
        |row| {
            Ok(PersonalEntry {
                id: row.get(0)?,
                resource: row.get(1)?,
                before: fields(row.get(2)?),
                after: fields(row.get(3)?),
                is_about: row.get(4)?,
                is_actor: row.get(5)?,
            })
        },
    )
    .await
}

/// Masks the actor of an entry.
pub async fn mask_actor(tx: &mut Tx, id: i64, mask: &str) -> Result<()> {
    tx.execute(
        "UPDATE audit_log SET user_name = $2, ip = NULL WHERE id = $1",
        params![id, mask],
    )
    .await?;
    Ok(())
}

/// Removes the address of a person who failed to sign in.
pub async fn forget_visitor(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute(
        "UPDATE audit_log SET ip = NULL
         WHERE id = $1 AND action IN ('console_sessions.fail', 'console_sessions.password_only')",
        params![id],
    )
    .await?;
    Ok(())
}

/// Replaces the changed fields of an entry.
pub async fn replace_fields(tx: &mut Tx, id: i64, before: &str, after: &str) -> Result<()> {
    tx.execute(
        "UPDATE audit_log SET before = $2, after = $3 WHERE id = $1",
        params![id, before, after],
    )
    .await?;
    Ok(())
}
