//! Blocks, the parts of a page. A write locks the page, and a change of a block changes the page.

pub mod http;
mod input;
mod store;

use std::collections::{BTreeMap, HashMap, HashSet};

use db::Conn;
use serde_json::value::{RawValue, to_raw_value};

use self::input::{Content, MAX_ORDER};
pub use self::input::{NewPageBlock, PageBlockChanges, PageBlockOrder, PageBlockPlacement};
pub use self::store::load;
use super::Page;
use crate::pages;
use kernel::input::{Fault, Faults, Int, List, Partial, Patch, Referent};
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result};

#[derive(Clone, Debug)]
pub struct Block {
    pub id: i64,
    /// The type, such as `text` or `image`.
    pub kind: String,
    pub content: Box<RawValue>,
    pub order: i64,
}

impl Block {
    fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.content.get() == other.content.get()
            && self.order == other.order
    }
}

/// The blocks of a page, in order.
pub async fn list(conn: &mut Conn, page_id: i64) -> Result<Vec<Block>> {
    pages::require(conn, page_id).await?;
    Ok(store::list(conn, page_id).await?)
}

/// A block of a locked page.
pub async fn get(conn: &mut Conn, page: &Target<Page>, id: i64) -> Result<Block> {
    let block = store::find(conn, page.id, id).await?;
    block.ok_or(Error::NotFound("block"))
}

pub async fn add(edit: &mut Edit, page: Target<Page>, new: NewPageBlock) -> Result<Change<Block>> {
    let NewPageBlock {
        r#type,
        content,
        order,
    } = new;
    let content = content.validate(r#type.as_str())?;
    let order = match order {
        Some(order) => order.0,
        None => next_order(edit, page.id).await?,
    };
    let mut block = Block {
        id: 0,
        kind: r#type.into_string(),
        content,
        order,
    };
    block.id = store::insert(edit, page.id, &block).await?;
    let changed = pages::record_block_change(edit, &page).await?;
    let (id, after) = (block.id, audit_fields([&block]));
    let change = Change::of_part("add_block", &page, &audit_fields([]), &after, block);
    Ok(change.creating_part(id).with_etag_of(&changed))
}

/// One more than the last block's order. At the maximum, blocks are sorted by id.
async fn next_order(conn: &mut Conn, page_id: i64) -> Result<i64> {
    let last = store::last_order(conn, page_id).await?;
    Ok(last.map_or(0, |last| (last + 1).clamp(0, MAX_ORDER)))
}

pub async fn update(
    edit: &mut Edit,
    page: Target<Page>,
    before: Block,
    changes: PageBlockChanges,
) -> Result<Change<Block>> {
    let PageBlockChanges {
        r#type,
        content,
        order,
    } = changes;
    let mut block = Block {
        kind: r#type.or(&before.kind).into_string(),
        order: order.or(Int(before.order)).0,
        ..before.clone()
    };
    if block.kind != before.kind || content != Patch::Keep {
        let content = content.or(Content::from_stored(before.content.clone()));
        block.content = content.validate(&block.kind)?;
    }
    let changed = match block.is_same(&before) {
        true => None,
        false => {
            store::update(edit, &block).await?;
            Some(pages::record_block_change(edit, &page).await?)
        }
    };
    let (old, new) = (audit_fields([&before]), audit_fields([&block]));
    let change = Change::of_part("update_block", &page, &old, &new, block);
    Ok(change.with_etag_of(changed.as_ref().unwrap_or(&page)))
}

/// Validates the content of a block to add against its type.
pub fn check_new(new: Partial<NewPageBlock>) -> Result<Faults> {
    let mut faults = Faults::default();
    if let (Some(kind), Some(content)) = (new.r#type, new.content) {
        faults.gather(content.validate(kind.as_str()).map(|_| ()))?;
    }
    Ok(faults)
}

/// Validates the content of a changed block against its type.
pub async fn check_changes(
    conn: &mut Conn,
    page_id: i64,
    id: i64,
    changes: Partial<PageBlockChanges>,
) -> Result<Faults> {
    let mut faults = Faults::default();
    let before = store::find(conn, page_id, id).await?;
    if let (Some(before), Some(kind), Some(content)) = (before, changes.r#type, changes.content) {
        let kind = kind.or(&before.kind).into_string();
        if kind != before.kind || content != Patch::Keep {
            let content = content.or(Content::from_stored(before.content));
            faults.gather(content.validate(&kind).map(|_| ()))?;
        }
    }
    Ok(faults)
}

pub async fn remove(edit: &mut Edit, page: Target<Page>, block: Block) -> Result<Change<Block>> {
    store::delete(edit, block.id).await?;
    let changed = pages::record_block_change(edit, &page).await?;
    let before = audit_fields([&block]);
    let change = Change::of_part("remove_block", &page, &before, &audit_fields([]), block);
    Ok(change.with_etag_of(&changed))
}

/// Changes the order of all listed blocks, or of none.
pub async fn reorder(
    edit: &mut Edit,
    page: Target<Page>,
    order: PageBlockOrder,
) -> Result<Change<()>> {
    let PageBlockOrder { items } = order;
    let current = store::orders(edit, page.id).await?;
    check_order_of(&items, &current).check()?;

    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    for PageBlockPlacement { id, order } in items.items {
        let old = current.get(&id.0).copied();
        if let Some(old) = old.filter(|old| *old != order.0) {
            store::set_order(edit, id.0, order.0).await?;
            before.insert(field(id.0, "order"), old);
            after.insert(field(id.0, "order"), order.0);
        }
    }
    let changed = match after.is_empty() {
        true => None,
        false => Some(pages::record_block_change(edit, &page).await?),
    };
    let change = Change::of_part("reorder_blocks", &page, &before, &after, ());
    Ok(change.with_etag_of(changed.as_ref().unwrap_or(&page)))
}

/// Checks a new order against the database.
pub async fn check_order(
    conn: &mut Conn,
    page_id: i64,
    order: Partial<PageBlockOrder>,
) -> Result<Faults> {
    let current = store::orders(conn, page_id).await?;
    let mut faults = Faults::default();
    if let Some(items) = &order.items {
        faults.extend(check_order_of(items, &current));
    }
    Ok(faults)
}

/// Requires that each id is that of a block of the page and appears once.
fn check_order_of(items: &List<PageBlockPlacement>, current: &HashMap<i64, i64>) -> Faults {
    let whole = items.items.iter().map(|item| Some(item.id.0));
    let partial = items.partial.iter().map(|item| Some(item.id?.0));
    let mut faults = Faults::default();
    let mut seen = HashSet::new();
    for (i, id) in whole.chain(partial).enumerate() {
        let Some(id) = id else { continue };
        let field = format!("items.{i}.id");
        if !current.contains_key(&id) {
            let fault = Fault::unknown_id(Referent::PageBlock);
            faults.at(&field).add(fault);
        }
        if !seen.insert(id) {
            faults.at(&field).add(Fault::Repeated {});
        }
    }
    faults
}

/// The fields of blocks for the audit log, each under its path from the page, so that an entry has
/// only the changed ones.
fn audit_fields<'a>(
    blocks: impl IntoIterator<Item = &'a Block>,
) -> BTreeMap<String, Box<RawValue>> {
    let raw = |text: &str| to_raw_value(text).expect("text serialises");
    let mut fields = BTreeMap::new();
    for block in blocks {
        let order = to_raw_value(&block.order).expect("a number serialises");
        fields.insert(field(block.id, "type"), raw(&block.kind));
        fields.insert(field(block.id, "content"), block.content.clone());
        fields.insert(field(block.id, "order"), order);
    }
    fields
}

fn field(id: i64, name: &str) -> String {
    format!("blocks.{id}.{name}")
}
