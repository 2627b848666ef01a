//! A slice supplies the statements of a list; the functions here decide which of them run.

use std::collections::HashMap;

use db::{Conn, Query, Result, Row, Select, Value, params};

use super::{CursorWindow, Key, Sort};

/// SQL and its parameters, as [`Select::build`] returns them.
pub type Statement<'a> = (&'static str, Vec<Value<'a>>);

/// A list with its filters, as statements.
pub trait Source: Sync {
    type Key: Key;
    type Item: Send;

    fn sort(&self) -> Sort<Self::Key>;

    fn is_unfiltered(&self) -> bool;

    /// Selects how many items there are.
    fn count(&self) -> Statement<'_>;

    /// Selects part of the list. [`Part::finish`] adds the order and the limit.
    fn page<'a>(&'a self, columns: Columns, part: &'a Part<'a, Self::Key>) -> Statement<'a>;

    /// Selects how many items are in each bucket: its number and the count, by ascending number.
    /// Items of a bucket are next to each other in the list. `None` if there are no counts that
    /// fit the filters and the order.
    fn buckets(&self) -> Option<Statement<'_>>;

    /// Selects [`Columns::All`] of the items whose ids are in `$1`, in any order.
    fn by_ids(&self) -> &'static str;

    /// Maps a row of [`Columns::All`].
    fn item(&self, row: &Row<'_>) -> Result<Self::Item>;

    fn id(item: &Self::Item) -> i64;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    All,
    Id,
}

/// The part of a list that one statement reads.
pub struct Part<'a, K> {
    window: &'a CursorWindow<K>,
    pub descending: bool,
    /// How many items there are, if they have been counted. It can decide which index is best.
    pub total: Option<i64>,
    /// Start at the edge of this bucket: at its lowest item, or at its highest if descending.
    pub bucket: Option<i64>,
    offset: i64,
}

impl<'a, K: Key> Part<'a, K> {
    fn new(sort: Sort<K>, window: &'a CursorWindow<K>, total: Option<i64>) -> Self {
        Self {
            window,
            descending: sort.descending != window.from_end,
            total,
            bucket: None,
            offset: window.offset,
        }
    }

    /// Adds the order, the cursor, the limit and the offset.
    pub fn finish(&'a self, select: Select<'a>, columns: &[&'static str]) -> Statement<'a> {
        let after = self.window.after.as_ref();
        select
            .order_by(
                columns,
                self.descending,
                after.map(|cursor| cursor.position.values()),
            )
            .push(" LIMIT ", self.window.limit)
            .push(" OFFSET ", self.offset)
            .build()
    }
}

/// Reads part of a list.
pub async fn read<S: Source>(
    conn: &mut Conn,
    source: &S,
    window: &CursorWindow<S::Key>,
) -> Result<Vec<S::Item>> {
    read_part(conn, source, window, None).await
}

/// Reads part of a list, and how many items the whole list has.
pub async fn read_and_count<S: Source>(
    conn: &mut Conn,
    source: &S,
    window: CursorWindow<S::Key>,
) -> Result<(Vec<S::Item>, i64)> {
    // On the heap: the futures are large, and axum moves that of a handler six times.
    if window.is_near() && source.is_unfiltered() {
        return Box::pin(read_near_and_count(conn, source, &window)).await;
    }
    Box::pin(count_and_read(conn, source, window)).await
}

/// Counts first: with a filter, a short page would otherwise scan to the end of the index.
async fn count_and_read<S: Source>(
    conn: &mut Conn,
    source: &S,
    window: CursorWindow<S::Key>,
) -> Result<(Vec<S::Item>, i64)> {
    let mut total = count(conn, source).await?;
    loop {
        let nearer = window.clone().from_nearer_end(total);
        let items = read_part(conn, source, &nearer, Some(total)).await?;
        // The limit was cut to the total. Items added since would displace others.
        let recounted = match nearer.limit < window.limit {
            true => count(conn, source).await?,
            false => total,
        };
        if recounted <= total {
            return Ok((items, total));
        }
        total = recounted;
    }
}

/// Both statements in one round trip.
async fn read_near_and_count<S: Source>(
    conn: &mut Conn,
    source: &S,
    window: &CursorWindow<S::Key>,
) -> Result<(Vec<S::Item>, i64)> {
    let part = Part::new(source.sort(), window, None);
    let (sql, params) = source.page(Columns::All, &part);
    let page = Query {
        sql,
        params,
        map: |row: &Row<'_>| source.item(row),
    };
    let (sql, params) = source.count();
    let count = Query {
        sql,
        params,
        map: |row: &Row<'_>| row.get::<i64>(0),
    };
    let (total, items) = conn.query_both(count, page).await?;
    Ok((window.restore_order(items), total.into_iter().sum()))
}

pub async fn count<S: Source>(conn: &mut Conn, source: &S) -> Result<i64> {
    let (sql, params) = source.count();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

async fn read_part<S: Source>(
    conn: &mut Conn,
    source: &S,
    window: &CursorWindow<S::Key>,
    total: Option<i64>,
) -> Result<Vec<S::Item>> {
    let part = Part::new(source.sort(), window, total);
    let items = if window.is_near() {
        let (sql, params) = source.page(Columns::All, &part);
        conn.query(sql, &params, |row| source.item(row)).await?
    } else {
        read_deep(conn, source, part).await?
    };
    Ok(window.restore_order(items))
}

/// Skips ids instead of whole rows, and of these only the ones in the bucket where the part starts.
async fn read_deep<S: Source>(
    conn: &mut Conn,
    source: &S,
    mut part: Part<'_, S::Key>,
) -> Result<Vec<S::Item>> {
    if let Some((sql, params)) = source.buckets() {
        let map = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let mut buckets: Vec<(i64, i64)> = conn.query(sql, &params, map).await?;
        if part.descending {
            buckets.reverse();
        }
        let Some((bucket, offset)) = find_bucket(&buckets, part.offset) else {
            return Ok(Vec::new());
        };
        part.bucket = Some(bucket);
        part.offset = offset;
    }
    let (sql, params) = source.page(Columns::Id, &part);
    let ids: Vec<i64> = conn.query(sql, &params, |row| row.get(0)).await?;
    let items = conn
        .query(source.by_ids(), params![&ids], |row| source.item(row))
        .await?;
    Ok(sort_by_ids(&ids, items, S::id))
}

/// The bucket that an offset falls into, and the offset inside it. `None` if the list is shorter.
fn find_bucket(buckets: &[(i64, i64)], mut offset: i64) -> Option<(i64, i64)> {
    for (bucket, count) in buckets {
        if offset < *count {
            return Some((*bucket, offset));
        }
        offset -= count;
    }
    None
}

fn sort_by_ids<T>(ids: &[i64], mut items: Vec<T>, id: impl Fn(&T) -> i64) -> Vec<T> {
    let indexes: HashMap<i64, usize> = ids.iter().zip(0..).map(|(id, at)| (*id, at)).collect();
    items.sort_by_key(|item| indexes.get(&id(item)).copied());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_falls_into_one_bucket() {
        let buckets = [(4, 2), (5, 0), (9, 3)];
        let found: Vec<_> = (0..6).map(|offset| find_bucket(&buckets, offset)).collect();
        let expected = [(4, 0), (4, 1), (9, 0), (9, 1), (9, 2)].map(Some);
        assert_eq!(found[..5], expected);
        assert_eq!(found[5], None);
    }

    #[test]
    fn items_are_sorted_by_the_given_ids() {
        assert_eq!(sort_by_ids(&[7, 3, 5], vec![3, 5, 7], |id| *id), [7, 3, 5]);
        assert_eq!(sort_by_ids(&[7, 3, 5], vec![5, 7], |id| *id), [7, 5]);
    }
}
