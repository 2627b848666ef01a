//! A slice supplies the statements of a list; the functions here decide which to run.

use std::collections::HashMap;

use db::{Conn, Query, Row, Select, Value, params};

use super::order::Key;
use super::{Cursor, CursorWindow, Order, Position, Window};
use crate::Result;

/// A list with its filters and its order, as statements. Those that [`Select::build`] returns are
/// complete.
pub trait Source: Sync {
    type Item: Send;

    fn order(&self) -> Order;

    /// The columns of the order, where the filters need others than [`Order::columns`].
    fn order_columns(&self) -> &'static [&'static str] {
        self.order().columns
    }

    fn is_unfiltered(&self) -> bool;

    /// Selects the number of items.
    fn count(&self) -> (&'static str, Vec<Value<'_>>);

    /// Selects part of the list, without order and limit.
    fn select(&self, part: &Part) -> Select<'_>;

    /// Selects the number and the count of each bucket, by ascending number. Items of a bucket are
    /// adjacent in the list. `None` if there are no counts for the filters and the order.
    fn buckets(&self) -> Option<(&'static str, Vec<Value<'_>>)>;

    /// Selects the items whose ids are in `$1`, in any order.
    fn by_ids(&self) -> &'static str;

    /// Maps a row of [`Self::select`] or [`Self::by_ids`].
    fn item(&self, row: &Row<'_>) -> db::Result<Self::Item>;

    fn id(item: &Self::Item) -> i64;

    /// The number that an order by number compares.
    fn number(&self, item: &Self::Item) -> i64;

    /// The text that an order by text compares. Most lists have no such order.
    fn text(&self, _: &Self::Item) -> String {
        String::new()
    }
}

/// The part of a list that one statement reads.
pub struct Part {
    /// Select only the ids.
    pub ids_only: bool,
    pub is_descending: bool,
    /// The number of items, if they have been counted. It helps to choose an index.
    pub total: Option<i64>,
    /// Start at the edge of this bucket: at its lowest item, or at its highest if descending.
    pub bucket: Option<i64>,
}

/// The cursor of an item.
pub fn cursor<S: Source>(list: &S, item: &S::Item) -> Cursor {
    let order = list.order();
    let position = match order.key {
        Key::Id => Position::Id(S::id(item)),
        Key::Text => Position::Text(list.text(item)),
        Key::NumberThenId | Key::UnsignedThenId => {
            Position::NumberThenId(list.number(item), S::id(item))
        }
    };
    Cursor { order, position }
}

/// Reads the items after a cursor, and the cursor to continue with.
pub async fn read_after<S: Source, T: From<S::Item>>(
    conn: &mut Conn,
    list: &S,
    after: Option<Cursor>,
    limit: i64,
) -> Result<(Vec<T>, Option<Cursor>)> {
    let window = Window {
        after,
        limit,
        offset: 0,
        from_end: false,
    };
    let items = read(conn, list, &window, None).await?;
    let next = items.last().map(|last| cursor(list, last));
    Ok((items.into_iter().map(T::from).collect(), next))
}

/// Reads part of a list, and counts the items of the whole list.
pub async fn read_and_count<S: Source>(
    conn: &mut Conn,
    list: &S,
    window: CursorWindow,
) -> Result<(Vec<S::Item>, i64)> {
    if window.is_near() && list.is_unfiltered() {
        return read_near_and_count(conn, list, &window).await;
    }
    // Count first: with a filter, a short page would otherwise scan to the end of the index.
    let mut total = count(conn, list).await?;
    loop {
        let nearer = window.clone().from_nearer_end(total);
        let items = read(conn, list, &nearer, Some(total)).await?;
        // The limit was cut to the total. Items added since then would displace others.
        let recounted = match nearer.limit < window.limit {
            true => count(conn, list).await?,
            false => total,
        };
        if recounted <= total {
            return Ok((items, total));
        }
        total = recounted;
    }
}

/// Runs both statements in one round trip.
async fn read_near_and_count<S: Source>(
    conn: &mut Conn,
    list: &S,
    window: &CursorWindow,
) -> Result<(Vec<S::Item>, i64)> {
    let part = Part::new(list, window, None);
    let (sql, params) = part.statement(list, window, window.offset);
    let page = Query {
        sql,
        params,
        map: |row: &Row<'_>| list.item(row),
    };
    let (sql, params) = list.count();
    let count = Query {
        sql,
        params,
        map: |row: &Row<'_>| row.get::<i64>(0),
    };
    let (total, items) = conn.query_both(count, page).await?;
    Ok((window.restore_order(items), total.into_iter().sum()))
}

pub async fn count<S: Source>(conn: &mut Conn, list: &S) -> Result<i64> {
    let (sql, params) = list.count();
    Ok(conn.query_one(sql, &params, |row| row.get(0)).await?)
}

async fn read<S: Source>(
    conn: &mut Conn,
    list: &S,
    window: &CursorWindow,
    total: Option<i64>,
) -> Result<Vec<S::Item>> {
    let part = Part::new(list, window, total);
    let items = if window.is_near() {
        let (sql, params) = part.statement(list, window, window.offset);
        conn.query(sql, &params, |row| list.item(row)).await?
    } else {
        read_deep(conn, list, window, part).await?
    };
    Ok(window.restore_order(items))
}

/// Skips ids instead of whole rows, and only those in the bucket where the part starts.
async fn read_deep<S: Source>(
    conn: &mut Conn,
    list: &S,
    window: &CursorWindow,
    mut part: Part,
) -> db::Result<Vec<S::Item>> {
    let mut offset = window.offset;
    if let Some((sql, params)) = list.buckets() {
        let map = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let mut buckets: Vec<(i64, i64)> = conn.query(sql, &params, map).await?;
        if part.is_descending {
            buckets.reverse();
        }
        let Some((bucket, rest)) = find_bucket(&buckets, offset) else {
            return Ok(Vec::new());
        };
        part.bucket = Some(bucket);
        offset = rest;
    }
    part.ids_only = true;
    let (sql, params) = part.statement(list, window, offset);
    let ids: Vec<i64> = conn.query(sql, &params, |row| row.get(0)).await?;
    let items = conn
        .query(list.by_ids(), params![&ids], |row| list.item(row))
        .await?;
    Ok(sort_by_ids(&ids, items, S::id))
}

impl Part {
    fn new<S: Source>(list: &S, window: &CursorWindow, total: Option<i64>) -> Self {
        Self {
            ids_only: false,
            is_descending: list.order().is_descending != window.from_end,
            total,
            bucket: None,
        }
    }

    /// Adds the order, the cursor, the limit and the offset to the select of the list.
    fn statement<'a, S: Source>(
        &self,
        list: &'a S,
        window: &'a CursorWindow,
        offset: i64,
    ) -> (&'static str, Vec<Value<'a>>) {
        let after = window.after.as_ref();
        list.select(self)
            .order_by(
                list.order_columns(),
                self.is_descending,
                after.map(|cursor| cursor.position.values()),
            )
            .push(" LIMIT ", window.limit)
            .push(" OFFSET ", offset)
            .build()
    }
}

/// Finds the bucket of an offset and the offset inside it. `None` if the list is shorter.
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
