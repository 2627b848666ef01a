//! SQL of the blocks.

use std::collections::HashMap;

use db::{Conn, Result, Row, Tx, Value, params};
use serde_json::value::RawValue;

use super::Block;

/// Selects the columns that [`block`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, type, content, sort_order FROM page_blocks ",
            $rest
        )
    };
}

pub async fn list(conn: &mut Conn, page_id: i64) -> Result<Vec<Block>> {
    conn.query(
        select!("WHERE page_id = $1 ORDER BY sort_order, id"),
        params![page_id],
        block,
    )
    .await
}

pub async fn find(conn: &mut Conn, page_id: i64, id: i64) -> Result<Option<Block>> {
    conn.query_opt(
        select!("WHERE page_id = $1 AND id = $2"),
        params![page_id, id],
        block,
    )
    .await
}

fn block(row: &Row<'_>) -> Result<Block> {
    Ok(Block {
        id: row.get(0)?,
        kind: row.get(1)?,
        content: RawValue::from_string(row.get(2)?)
            .map_err(|_| db::Error::Engine("the content of a block is not JSON".into()))?,
        order: row.get(3)?,
    })
}

pub async fn last_order(conn: &mut Conn, page_id: i64) -> Result<Option<i64>> {
    conn.query_one(
        "SELECT MAX(sort_order) FROM page_blocks WHERE page_id = $1",
        params![page_id],
        |row| row.get(0),
    )
    .await
}

/// The order of each block of a page, by id.
pub async fn orders(conn: &mut Conn, page_id: i64) -> Result<HashMap<i64, i64>> {
    let orders = conn
        .query(
            "SELECT id, sort_order FROM page_blocks WHERE page_id = $1",
            params![page_id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await?;
    Ok(orders.into_iter().collect())
}

pub async fn insert(tx: &mut Tx, page_id: i64, block: &Block) -> Result<i64> {
    tx.insert(
        "INSERT INTO page_blocks (page_id, type, content, sort_order)
         VALUES ($1, $2, $3, $4) RETURNING id",
        params![page_id, &block.kind, block.content.get(), block.order],
    )
    .await
}

pub async fn update(tx: &mut Tx, block: &Block) -> Result<()> {
    tx.execute(
        "UPDATE page_blocks SET type = $2, content = $3, sort_order = $4 WHERE id = $1",
        params![block.id, &block.kind, block.content.get(), block.order],
    )
    .await?;
    Ok(())
}

pub async fn set_order(tx: &mut Tx, id: i64, order: i64) -> Result<()> {
    tx.execute(
        "UPDATE page_blocks SET sort_order = $2 WHERE id = $1",
        params![id, order],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM page_blocks WHERE id = $1", params![id])
        .await?;
    Ok(())
}

/// Inserts blocks with their ids, each with its page.
pub async fn load(tx: &mut Tx, blocks: &[(i64, Block)]) -> Result<()> {
    let columns = ["id", "page_id", "type", "content", "sort_order"];
    let rows = blocks.iter().map(|(page_id, block)| {
        [
            block.id.into(),
            (*page_id).into(),
            Value::from(&block.kind),
            block.content.get().into(),
            block.order.into(),
        ]
    });
    tx.load("page_blocks", columns, rows).await
}
