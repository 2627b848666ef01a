//! Operations of the blocks of a page.

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Block, NewPageBlock, PageBlockChanges, PageBlockOrder};
use crate::pages::{self, blocks};
use kernel::auth::permission::{Pages, PagesRead};
use kernel::http::paging::ListHeaders;
use kernel::http::path::{BlockId, Id};
use kernel::http::reply::{Created, Done, List, Message};
use kernel::http::routing::{ApiRouter, get_with, named, post_with, put_with};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::{Kernel, Result};

/// A part of a page.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PageBlock")]
struct BlockItem {
    id: i64,
    /// The type of the block, such as `text` or `image`.
    #[serde(rename = "type")]
    kind: String,
    /// HTML for `text`; an object with `url`, `alt`, `width` and `height` for `image`.
    #[schemars(with = "serde_json::Value")]
    content: Box<RawValue>,
    order: i64,
}

impl From<Block> for BlockItem {
    fn from(block: Block) -> Self {
        Self {
            id: block.id,
            kind: block.kind,
            content: block.content,
            order: block.order,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct PageBlockList {
    blocks: Vec<BlockItem>,
}

#[derive(Serialize, JsonSchema)]
struct PageBlockReply {
    message: &'static str,
    block: BlockItem,
}

async fn list(caller: Caller<PagesRead>, id: Id) -> Result<List<PageBlockList>> {
    let mut read = caller.read_alone().await?;
    let found = blocks::list(&mut read, id.0).await?;
    let blocks: Vec<_> = found.into_iter().map(BlockItem::from).collect();
    List::new(ListHeaders::whole(blocks.len()), &PageBlockList { blocks })
}

async fn add(id: Id, writer: Writer<Pages, NewPageBlock>) -> Result<Created<PageBlockReply>> {
    let explained = writer.explain(async |_, new| blocks::check_new(new));
    let run = explained.run(async |edit, body| {
        let page = pages::target(edit, id.0).await?;
        let added = blocks::add(edit, page, body.valid()?).await?;
        Ok(added.map(|block| PageBlockReply {
            message: "Block added.",
            block: block.into(),
        }))
    });
    run.await
}

async fn update(
    id: Id,
    block: BlockId,
    writer: Writer<Pages, PageBlockChanges>,
) -> Result<Done<PageBlockReply>> {
    let explained = writer
        .explain(async |conn, changes| blocks::check_changes(conn, id.0, block.0, changes).await);
    let run = explained.run(async |edit, body| {
        let page = pages::target(edit, id.0).await?;
        let block = blocks::get(edit, &page, block.0).await?;
        let updated = blocks::update(edit, page, block, body.valid()?).await?;
        Ok(updated.map(|block| PageBlockReply {
            message: "Block updated.",
            block: block.into(),
        }))
    });
    run.await
}

async fn remove(id: Id, block: BlockId, writer: Writer<Pages>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let page = pages::target(edit, id.0).await?;
        let block = blocks::get(edit, &page, block.0).await?;
        let removed = blocks::remove(edit, page, block).await?;
        Ok(removed.map(|_| Message::new("Block removed.")))
    });
    run.await
}

async fn reorder(id: Id, writer: Writer<Pages, PageBlockOrder>) -> Result<Done<Message>> {
    let explained =
        writer.explain(async |conn, order| blocks::check_order(conn, id.0, order).await);
    let run = explained.run(async |edit, body| {
        let page = pages::target(edit, id.0).await?;
        let reordered = blocks::reorder(edit, page, body.valid()?).await?;
        Ok(reordered.map(|()| Message::new("Blocks reordered.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/cms-pages/{id}/blocks",
            get_with(list, named("listPageBlocks", "List the blocks of a page"))
                .post_with(add, named("addPageBlock", "Add a block to a page")),
        )
        .api_route(
            "/api/cms-pages/{id}/blocks/reorder",
            post_with(
                reorder,
                named("reorderPageBlocks", "Reorder the blocks of a page"),
            ),
        )
        .api_route(
            "/api/cms-pages/{id}/blocks/{blockId}",
            put_with(update, named("updatePageBlock", "Change a block of a page")).delete_with(
                remove,
                named("removePageBlock", "Remove a block from a page"),
            ),
        )
        .with_path_items(|item| item.tag("Pages"))
}
