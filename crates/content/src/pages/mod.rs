//! Pages of the website. Their blocks are in [`blocks`].

pub mod blocks;
pub mod http;
mod input;
mod store;

use db::Conn;
use serde::Serialize;

pub use self::input::{Content, NewPage, PageChanges, Slug};
use self::store::SLUG;
pub use self::store::{count, existing_ids, list, load};
use kernel::input::{Faults, Partial, Patch, taken};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result};

#[derive(Clone, Debug, Serialize)]
pub struct Page {
    pub id: i64,
    pub title: String,
    pub slug: Slug,
    pub content: Content,
    pub meta_title: String,
    pub meta_description: String,
    pub is_active: bool,
    /// The number of changes of the page's blocks, as bytes, for the entity tag.
    #[serde(skip)]
    pub block_changes: [u8; 8],
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

impl Resource for Page {
    const PLURAL: &'static str = "pages";
    const SINGULAR: &'static str = "page";

    fn id(&self) -> i64 {
        self.id
    }

    fn hidden(&self) -> &[u8] {
        &self.block_changes
    }
}

/// The fields that a list shows, without the content, which may be long.
#[derive(Debug)]
pub struct PageSummary {
    pub id: i64,
    pub title: String,
    pub slug: Slug,
    pub is_active: bool,
    pub created_at: Timestamp,
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Page> {
    let page = store::find(conn, id).await?;
    page.ok_or(Error::NotFound(Page::SINGULAR))
}

/// Requires that the page exists.
pub async fn require(conn: &mut Conn, id: i64) -> Result<()> {
    if store::exists(conn, id).await? {
        Ok(())
    } else {
        Err(Error::NotFound(Page::SINGULAR))
    }
}

/// The page to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Page>> {
    store::lock(edit, id).await?;
    let page = store::find(edit, id).await?;
    edit.target(page)
}

pub async fn create(edit: &mut Edit, new: NewPage) -> Result<Change<Page>> {
    let NewPage {
        title,
        slug,
        content,
        meta_title,
        meta_description,
        is_active,
    } = new;
    let mut page = Page {
        id: 0,
        title: title.into_string(),
        slug,
        content,
        meta_title: meta_title.unwrap_or_default().into_string(),
        meta_description: meta_description.unwrap_or_default().into_string(),
        is_active: is_active.unwrap_or(true),
        block_changes: 0_i64.to_be_bytes(),
        created_at: edit.now(),
        updated_at: edit.now(),
    };
    page.id = store::insert(edit, &page).await.map_err(taken(&[SLUG]))?;
    Ok(Change::created(page))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<Page>,
    changes: PageChanges,
) -> Result<Change<Page>> {
    let PageChanges {
        title,
        slug,
        content,
        meta_title,
        meta_description,
        is_active,
    } = changes;
    let mut page = Page {
        title: title.or(&before.title).into_string(),
        slug: slug.or(before.slug.clone()),
        content: content.or(before.content.clone()),
        meta_title: meta_title.or(&before.meta_title).into_string(),
        meta_description: meta_description.or(&before.meta_description).into_string(),
        is_active: is_active.or(before.is_active),
        ..before.clone()
    };
    page.updated_at = edit.updated_at(&*before, &page, before.updated_at);
    store::update(edit, &page).await.map_err(taken(&[SLUG]))?;
    Ok(Change::updated("update", &before, page))
}

/// Checks a page to create against the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewPage>) -> Result<Faults> {
    let slug = new.slug.map(|slug| slug.folded());
    SLUG.check(conn, 0, slug).await
}

/// Checks changes to a page against the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<PageChanges>,
) -> Result<Faults> {
    let slug = changes.slug.and_then(Patch::given);
    let slug = slug.map(|slug| slug.folded());
    SLUG.check(conn, id, slug).await
}

/// Counts a change of a block, which changes the page's entity tag. Returns the changed page.
pub async fn record_block_change(edit: &mut Edit, page: &Target<Page>) -> Result<Page> {
    let now = edit.now();
    store::count_block_change(edit, page.id, now).await?;
    let changes = i64::from_be_bytes(page.block_changes);
    Ok(Page {
        block_changes: (changes + 1).to_be_bytes(),
        updated_at: now,
        ..Page::clone(page)
    })
}

pub async fn delete(edit: &mut Edit, page: Target<Page>) -> Result<Change<Page>> {
    store::delete(edit, page.id).await?;
    Ok(Change::deleted(page))
}
