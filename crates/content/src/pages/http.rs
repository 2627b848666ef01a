//! Operations of pages.

use serde::Serialize;

use super::{Content, NewPage, Page, PageChanges, PageSummary, Slug};
use crate::pages;
use kernel::auth::permission::{Pages, PagesRead};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct CreatedPage {
    id: i64,
    title: String,
    slug: Slug,
    content: Content,
    meta_title: String,
    meta_description: String,
    is_active: bool,
    created_at: Timestamp,
}

impl From<Page> for CreatedPage {
    fn from(page: Page) -> Self {
        Self {
            id: page.id,
            title: page.title,
            slug: page.slug,
            content: page.content,
            meta_title: page.meta_title,
            meta_description: page.meta_description,
            is_active: page.is_active,
            created_at: page.created_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct PageDetail {
    #[serde(flatten)]
    page: CreatedPage,
    updated_at: Timestamp,
}

impl From<Page> for PageDetail {
    fn from(page: Page) -> Self {
        Self {
            updated_at: page.updated_at,
            page: page.into(),
        }
    }
}

/// A page without its content.
#[derive(Serialize, JsonSchema)]
struct PageItem {
    id: i64,
    title: String,
    slug: Slug,
    is_active: bool,
    created_at: Timestamp,
}

impl From<PageSummary> for PageItem {
    fn from(page: PageSummary) -> Self {
        Self {
            id: page.id,
            title: page.title,
            slug: page.slug,
            is_active: page.is_active,
            created_at: page.created_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct PageList {
    pages: Vec<PageItem>,
}

#[derive(Serialize, JsonSchema)]
struct SinglePage {
    page: PageDetail,
}

#[derive(Serialize, JsonSchema)]
struct CreatedPageReply {
    message: &'static str,
    page: CreatedPage,
}

#[derive(Serialize, JsonSchema)]
struct UpdatedPageReply {
    message: &'static str,
    page: PageDetail,
}

async fn list(
    caller: Caller<PagesRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<PageList>> {
    let mut read = caller.read_alone().await?;
    let total = pages::count(&mut read).await?;
    let mut found = pages::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut found, |page| page.id);
    let pages = found.into_iter().map(PageItem::from).collect();
    List::new(headers, &PageList { pages })
}

async fn get(caller: Caller<PagesRead>, id: Id) -> Result<Single<SinglePage>> {
    let mut read = caller.read().await?;
    let page = pages::get(&mut read, id.0).await?;
    let tag = etag::of(&page);
    caller.single(tag, &SinglePage { page: page.into() })
}

async fn create(writer: Writer<Pages, NewPage>) -> Result<Created<CreatedPageReply>> {
    let explained = writer.explain(pages::check_new);
    let run = explained.run(async |edit, body| {
        let created = pages::create(edit, body.valid()?).await?;
        Ok(created.map(|page| CreatedPageReply {
            message: "Page created.",
            page: page.into(),
        }))
    });
    run.await
}

async fn update(id: Id, writer: Writer<Pages, PageChanges>) -> Result<Done<UpdatedPageReply>> {
    let explained =
        writer.explain(async |conn, changes| pages::check_changes(conn, id.0, changes).await);
    let run = explained.run(async |edit, body| {
        let page = pages::target(edit, id.0).await?;
        let updated = pages::update(edit, page, body.valid()?).await?;
        Ok(updated.map(|page| UpdatedPageReply {
            message: "Page updated.",
            page: page.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Pages>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let page = pages::target(edit, id.0).await?;
        let deleted = pages::delete(edit, page).await?;
        Ok(deleted.map(|_| Message::new("Page deleted.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/cms-pages",
            get_with(list, named("listPages", "List pages"))
                .post_with(create, named("createPage", "Create a page")),
        )
        .api_route(
            "/api/cms-pages/{id}",
            get_with(get, named("getPage", "Show a page"))
                .put_with(update, named("updatePage", "Change a page"))
                .delete_with(delete, named("deletePage", "Delete a page and its blocks")),
        )
        .with_path_items(|item| item.tag("Pages"))
}
