//! Operations of navigation items.

use serde::Serialize;

use super::{
    Item, NavbarItemChanges, NavbarItemOrder, NavbarItemPaging, NavbarItemRoles, NewNavbarItem,
    Visibility,
};
use crate::navigation;
use accounts::roles::{self, Color, Role};
use kernel::auth::permission::{Navigation, NavigationRead};
use kernel::http::paging::{ListHeaders, ListRequest};
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, post_with};
use kernel::http::{Caller, Writer};
use kernel::list::Position;
use kernel::schema::JsonSchema;
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct NavbarItem {
    id: i64,
    title: String,
    url: Option<String>,
    new_tab: bool,
    icon: Option<String>,
    position: i64,
    visible_only_for_guests: bool,
    visible_only_for_logged_in: bool,
    visibility: Visibility,
    parent_id: Option<i64>,
}

impl From<Item> for NavbarItem {
    fn from(item: Item) -> Self {
        Self {
            id: item.id,
            title: item.title,
            url: item.url,
            new_tab: item.new_tab,
            icon: item.icon,
            position: item.position,
            visible_only_for_guests: item.visible_only_for_guests,
            visible_only_for_logged_in: item.visible_only_for_logged_in,
            visibility: item.visibility,
            parent_id: item.parent_id,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct NavbarItemDetail {
    #[serde(flatten)]
    item: NavbarItem,
    /// The roles that see the item.
    roles: Vec<NavbarItemRole>,
    /// The children of the item, in order.
    children: Vec<NavbarItem>,
}

#[derive(Serialize, JsonSchema)]
struct NavbarItemRole {
    id: i64,
    name: String,
}

impl From<Role> for NavbarItemRole {
    fn from(role: Role) -> Self {
        Self {
            id: role.id,
            name: role.name,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct NavbarItemRoleEntry {
    id: i64,
    name: String,
    color: Color,
}

impl From<Role> for NavbarItemRoleEntry {
    fn from(role: Role) -> Self {
        Self {
            id: role.id,
            name: role.name,
            color: role.color,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct NavbarItemList {
    navbar_items: Vec<NavbarItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleNavbarItem {
    navbar_item: NavbarItemDetail,
}

#[derive(Serialize, JsonSchema)]
struct NavbarItemReply {
    message: &'static str,
    navbar_item: NavbarItem,
}

#[derive(Serialize, JsonSchema)]
struct NavbarItemRoleList {
    roles: Vec<NavbarItemRoleEntry>,
}

async fn list(
    caller: Caller<NavigationRead>,
    request: ListRequest<NavbarItemPaging>,
) -> Result<List<NavbarItemList>> {
    let mut read = caller.read_alone().await?;
    let total = navigation::count(&mut read).await?;
    let mut found = navigation::list(&mut read, &request.cursor_window()).await?;
    let headers = request.headers(total, &mut found, |item| {
        Position::NumberThenId(item.position, item.id)
    });
    let navbar_items = found.into_iter().map(NavbarItem::from).collect();
    List::new(headers, &NavbarItemList { navbar_items })
}

async fn get(caller: Caller<NavigationRead>, id: Id) -> Result<Single<SingleNavbarItem>> {
    let mut read = caller.read().await?;
    let item = navigation::get(&mut read, id.0).await?;
    let roles = roles::by_ids(&mut read, &item.roles).await?;
    let children = navigation::children(&mut read, item.id).await?;
    let tag = etag::of(&item);
    let navbar_item = NavbarItemDetail {
        item: item.into(),
        roles: roles.into_iter().map(NavbarItemRole::from).collect(),
        children: children.into_iter().map(NavbarItem::from).collect(),
    };
    caller.single_with_others(&tag, &SingleNavbarItem { navbar_item })
}

async fn create(writer: Writer<Navigation, NewNavbarItem>) -> Result<Created<NavbarItemReply>> {
    let explained = writer.explain(navigation::check_new);
    let run = explained.run(async |edit, body| {
        let created = navigation::create(edit, body.valid()?).await?;
        Ok(created.map(|item| NavbarItemReply {
            message: "Navigation item created.",
            navbar_item: item.into(),
        }))
    });
    run.await
}

async fn update(
    id: Id,
    writer: Writer<Navigation, NavbarItemChanges>,
) -> Result<Done<NavbarItemReply>> {
    let explained =
        writer.explain(async |conn, changes| navigation::check_changes(conn, id.0, changes).await);
    let run = explained.run(async |edit, body| {
        let item = navigation::target(edit, id.0).await?;
        let updated = navigation::update(edit, item, body.valid()?).await?;
        Ok(updated.map(|item| NavbarItemReply {
            message: "Navigation item updated.",
            navbar_item: item.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Navigation>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let item = navigation::target(edit, id.0).await?;
        let deleted = navigation::delete(edit, item).await?;
        Ok(deleted.map(|_| Message::new("Navigation item deleted.")))
    });
    run.await
}

async fn reorder(writer: Writer<Navigation, NavbarItemOrder>) -> Result<Done<Message>> {
    let explained = writer.explain(navigation::check_order);
    let run = explained.run(async |edit, body| {
        let reordered = navigation::reorder(edit, body.valid()?).await?;
        Ok(reordered.map(|()| Message::new("Navigation items reordered.")))
    });
    run.await
}

async fn roles(caller: Caller<NavigationRead>, id: Id) -> Result<List<NavbarItemRoleList>> {
    let mut read = caller.read_alone().await?;
    let item = navigation::get(&mut read, id.0).await?;
    let roles = roles::by_ids(&mut read, &item.roles).await?;
    let headers = ListHeaders::whole(roles.len());
    let roles = roles.into_iter().map(NavbarItemRoleEntry::from).collect();
    List::new(headers, &NavbarItemRoleList { roles })
}

async fn add_roles(id: Id, writer: Writer<Navigation, NavbarItemRoles>) -> Result<Done<Message>> {
    let explained = writer.explain(navigation::check_roles);
    let run = explained.run(async |edit, body| {
        let item = navigation::target(edit, id.0).await?;
        let NavbarItemRoles { roles } = body.valid()?;
        let added = navigation::add_roles(edit, item, roles).await?;
        Ok(added.map(|_| Message::new("Roles added to the navigation item.")))
    });
    run.await
}

async fn remove_roles(
    id: Id,
    writer: Writer<Navigation, NavbarItemRoles>,
) -> Result<Done<Message>> {
    let explained = writer.explain(navigation::check_roles);
    let run = explained.run(async |edit, body| {
        let item = navigation::target(edit, id.0).await?;
        let NavbarItemRoles { roles } = body.valid()?;
        let removed = navigation::remove_roles(edit, item, roles).await?;
        Ok(removed.map(|_| Message::new("Roles removed from the navigation item.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/navbar-items",
            get_with(list, named("listNavbarItems", "List navigation items")).post_with(
                create,
                named("createNavbarItem", "Create a navigation item"),
            ),
        )
        .api_route(
            "/api/navbar-items/reorder",
            post_with(
                reorder,
                named("reorderNavbarItems", "Reorder navigation items"),
            ),
        )
        .api_route(
            "/api/navbar-items/{id}",
            get_with(
                get,
                named(
                    "getNavbarItem",
                    "Show a navigation item, its roles and its children",
                ),
            )
            .put_with(
                update,
                named("updateNavbarItem", "Change a navigation item"),
            )
            .delete_with(
                delete,
                named(
                    "deleteNavbarItem",
                    "Delete a navigation item that has no children",
                ),
            ),
        )
        .api_route(
            "/api/navbar-items/{id}/roles",
            get_with(
                roles,
                named(
                    "listNavbarItemRoles",
                    "List the roles that see a navigation item",
                ),
            )
            .post_with(
                add_roles,
                named("addNavbarItemRoles", "Add roles to a navigation item"),
            )
            .delete_with(
                remove_roles,
                named(
                    "removeNavbarItemRoles",
                    "Remove roles from a navigation item",
                ),
            ),
        )
        .with_path_items(|item| item.tag("Navigation items"))
}
