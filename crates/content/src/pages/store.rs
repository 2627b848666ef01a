//! SQL of the pages.

use db::{Conn, Result, Row, Tx, Value, params};

use super::{Content, Page, PageSummary, Slug};
use kernel::input::Unique;
use kernel::list::Window;
use kernel::types::Timestamp;

/// Selects the columns that [`page`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, title, slug, content, meta_title, meta_description, is_active, created_at,
                    updated_at, block_changes
             FROM pages ",
            $rest
        )
    };
}

/// Slugs are unique, ignoring case.
pub const SLUG: Unique = Unique {
    field: "slug",
    constraint: "pages_slug_folded_key",
    select_id: "SELECT id FROM pages WHERE slug_folded = $1",
};

/// Lists pages without their content, which may be long.
pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<PageSummary>> {
    conn.query(
        "SELECT id, title, slug, is_active, created_at FROM pages
         WHERE id > $1 ORDER BY id LIMIT $2 OFFSET $3",
        params![window.after, window.limit, window.offset],
        |row| {
            Ok(PageSummary {
                id: row.get(0)?,
                title: row.get(1)?,
                slug: Slug::from_stored(row.get(2)?),
                is_active: row.get(3)?,
                created_at: Timestamp::from_unix(row.get(4)?),
            })
        },
    )
    .await
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("SELECT COUNT(*) FROM pages", &[], |row| row.get(0))
        .await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Page>> {
    conn.query_opt(select!("WHERE id = $1"), params![id], page)
        .await
}

fn page(row: &Row<'_>) -> Result<Page> {
    Ok(Page {
        id: row.get(0)?,
        title: row.get(1)?,
        slug: Slug::from_stored(row.get(2)?),
        content: Content::from_stored(row.get(3)?),
        meta_title: row.get(4)?,
        meta_description: row.get(5)?,
        is_active: row.get(6)?,
        created_at: Timestamp::from_unix(row.get(7)?),
        updated_at: Timestamp::from_unix(row.get(8)?),
        block_changes: row.get::<i64>(9)?.to_be_bytes(),
    })
}

pub async fn exists(conn: &mut Conn, id: i64) -> Result<bool> {
    let found = conn
        .query_opt("SELECT 1 FROM pages WHERE id = $1", params![id], |_| Ok(()))
        .await?;
    Ok(found.is_some())
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock("SELECT 1 FROM pages WHERE id = $1 FOR UPDATE", params![id])
        .await
}

pub async fn insert(tx: &mut Tx, page: &Page) -> Result<i64> {
    tx.insert(
        "INSERT INTO pages (title, slug, slug_folded, content, meta_title, meta_description,
                            is_active, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
        params![
            &page.title,
            page.slug.as_str(),
            &page.slug.folded(),
            page.content.as_str(),
            &page.meta_title,
            &page.meta_description,
            page.is_active,
            page.created_at,
            page.updated_at,
        ],
    )
    .await
}

pub async fn update(tx: &mut Tx, page: &Page) -> Result<()> {
    tx.execute(
        "UPDATE pages SET title = $2, slug = $3, slug_folded = $4, content = $5, meta_title = $6,
                          meta_description = $7, is_active = $8, updated_at = $9
         WHERE id = $1",
        params![
            page.id,
            &page.title,
            page.slug.as_str(),
            &page.slug.folded(),
            page.content.as_str(),
            &page.meta_title,
            &page.meta_description,
            page.is_active,
            page.updated_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn count_block_change(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE pages SET block_changes = block_changes + 1, updated_at = $2 WHERE id = $1",
        params![id, now],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM pages WHERE id = $1", params![id])
        .await?;
    Ok(())
}

/// Inserts pages with their ids.
pub async fn load(tx: &mut Tx, pages: &[Page]) -> Result<()> {
    let folded: Vec<String> = pages.iter().map(|page| page.slug.folded()).collect();
    let columns = [
        "id",
        "title",
        "slug",
        "slug_folded",
        "content",
        "meta_title",
        "meta_description",
        "is_active",
        "created_at",
        "updated_at",
    ];
    let rows = pages.iter().zip(&folded).map(|(page, folded)| {
        [
            page.id.into(),
            Value::from(&page.title),
            page.slug.as_str().into(),
            Value::from(folded),
            page.content.as_str().into(),
            Value::from(&page.meta_title),
            Value::from(&page.meta_description),
            page.is_active.into(),
            page.created_at.into(),
            page.updated_at.into(),
        ]
    });
    tx.load("pages", columns, rows).await
}

/// Those of the ids that are pages'.
pub async fn existing_ids(conn: &mut Conn, ids: &[i64]) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM pages WHERE id = ANY($1)",
        params![ids],
        |row| row.get(0),
    )
    .await
}
