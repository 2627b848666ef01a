//! Navigation items: the menu of the website, a tree. Each item has a position and the roles that
//! see it.
//!
//! Every write takes one lock for the whole tree, so that checks of parents and children still hold
//! at commit. Menus are small and rarely change, so the wait is short.

pub mod http;
mod input;
mod store;

use std::collections::{BTreeMap, HashMap, HashSet};

use db::Conn;
use serde::Serialize;

pub use self::input::{
    NavbarItemChanges, NavbarItemOrder, NavbarItemPaging, NavbarItemPlacement, NavbarItemRoles,
    NewNavbarItem, Url, Visibility,
};
pub use self::store::{children, count, list, load};
use accounts::roles;
use kernel::input::{
    Fault, Faults, Ids, Int, List, Nullable, Partial, Patch, Positive, Referent, Text,
};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};

const NOT_AN_ITEM: Fault = Fault::unknown_id(Referent::NavigationItem);

#[derive(Clone, Debug, Serialize)]
pub struct Item {
    pub id: i64,
    pub title: String,
    pub url: Option<String>,
    pub new_tab: bool,
    pub icon: Option<String>,
    pub position: i64,
    pub visible_only_for_guests: bool,
    pub visible_only_for_logged_in: bool,
    pub visibility: Visibility,
    pub parent_id: Option<i64>,
    /// The ids of the roles that see the item, sorted.
    pub roles: Vec<i64>,
}

impl Resource for Item {
    const PLURAL: &'static str = "navbar_items";
    const SINGULAR: &'static str = "navigation item";

    fn id(&self) -> i64 {
        self.id
    }
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Item> {
    let item = store::find(conn, id).await?;
    item.ok_or(Error::NotFound(Item::SINGULAR))
}

/// The item to change. The whole tree is locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Item>> {
    store::lock_tree(edit).await?;
    let item = store::find(edit, id).await?;
    edit.target(item)
}

pub async fn create(edit: &mut Edit, new: NewNavbarItem) -> Result<Change<Item>> {
    store::lock_tree(edit).await?;
    let NewNavbarItem {
        title,
        url,
        new_tab,
        icon,
        position,
        visible_only_for_guests,
        visible_only_for_logged_in,
        visibility,
        parent_id,
        roles,
    } = new;
    let mut item = Item {
        id: 0,
        title: title.into_string(),
        url: url.map(Url::into_string),
        new_tab: new_tab.unwrap_or_default(),
        icon: icon.map(Text::into_string),
        position: position.map_or(0, |position| position.0),
        visible_only_for_guests: visible_only_for_guests.unwrap_or_default(),
        visible_only_for_logged_in: visible_only_for_logged_in.unwrap_or_default(),
        visibility: visibility.unwrap_or_default(),
        parent_id: parent_id.map(|id| id.0),
        roles: Vec::new(),
    };
    let roles = roles.unwrap_or_default();
    let mut faults = Faults::default();
    check_parent(edit, 0, item.parent_id, &mut faults).await?;
    faults.gather(roles::require(edit, "roles", &roles).await)?;
    faults.check()?;

    item.id = store::insert(edit, &item).await?;
    item.roles = roles.into_vec();
    store::add_roles(edit, item.id, &item.roles).await?;
    Ok(Change::created(item))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<Item>,
    changes: NavbarItemChanges,
) -> Result<Change<Item>> {
    let NavbarItemChanges {
        title,
        url,
        new_tab,
        icon,
        position,
        visible_only_for_guests,
        visible_only_for_logged_in,
        visibility,
        parent_id,
        roles,
    } = changes;
    let mut item = Item {
        id: before.id,
        title: title.or(&before.title).into_string(),
        url: url.or(before.url.as_ref()).0.map(Url::into_string),
        new_tab: new_tab.or(before.new_tab),
        icon: icon.or(before.icon.as_ref()).0.map(Text::into_string),
        position: position.or(Int(before.position)).0,
        visible_only_for_guests: visible_only_for_guests.or(before.visible_only_for_guests),
        visible_only_for_logged_in: visible_only_for_logged_in
            .or(before.visible_only_for_logged_in),
        visibility: visibility.or(before.visibility),
        parent_id: parent_id
            .or(before.parent_id.map(Positive))
            .0
            .map(|id| id.0),
        roles: before.roles.clone(),
    };
    let mut faults = Faults::default();
    let audience = (
        item.visible_only_for_guests,
        item.visible_only_for_logged_in,
    );
    check_audience(&before, audience, &mut faults);
    check_parent(edit, item.id, item.parent_id, &mut faults).await?;
    if let Patch::Set(roles) = &roles {
        faults.gather(roles::require(edit, "roles", roles).await)?;
    }
    faults.check()?;

    store::update(edit, &item).await?;
    if let Patch::Set(roles) = roles {
        item.roles = roles.into_vec();
        store::retain_roles(edit, item.id, &item.roles).await?;
        store::add_roles(edit, item.id, &item.roles).await?;
    }
    Ok(Change::updated("update", &before, item))
}

/// Checks an item to create against the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewNavbarItem>) -> Result<Faults> {
    let mut faults = Faults::default();
    let parent_id = new.parent_id.flatten().map(|id| id.0);
    check_parent(conn, 0, parent_id, &mut faults).await?;
    if let Some(Some(roles)) = new.roles {
        roles::check(conn, "roles", &roles, &mut faults).await?;
    }
    Ok(faults)
}

/// Checks changes to an item against the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<NavbarItemChanges>,
) -> Result<Faults> {
    let mut faults = Faults::default();
    let Some(before) = store::find(conn, id).await? else {
        return Ok(faults);
    };
    let guests = changes.visible_only_for_guests;
    if let (Some(guests), Some(logged_in)) = (guests, changes.visible_only_for_logged_in) {
        let guests = guests.or(before.visible_only_for_guests);
        let logged_in = logged_in.or(before.visible_only_for_logged_in);
        check_audience(&before, (guests, logged_in), &mut faults);
    }
    if let Some(Patch::Set(Nullable(parent_id))) = changes.parent_id {
        check_parent(conn, id, parent_id.map(|id| id.0), &mut faults).await?;
    }
    if let Some(Patch::Set(roles)) = changes.roles {
        roles::check(conn, "roles", &roles, &mut faults).await?;
    }
    Ok(faults)
}

/// Checks roles to add or remove against the database.
pub async fn check_roles(conn: &mut Conn, roles: Partial<NavbarItemRoles>) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(roles) = roles.roles {
        roles::check(conn, "roles", &roles, &mut faults).await?;
    }
    Ok(faults)
}

/// Refuses both flags at once. An update may set one while the other is set already.
fn check_audience(before: &Item, (guests, logged_in): (bool, bool), faults: &mut Faults) {
    if guests && logged_in {
        let [guests, logged_in] = ["visible_only_for_guests", "visible_only_for_logged_in"];
        let (set, other) = match before.visible_only_for_guests {
            true => (logged_in, guests),
            false => (guests, logged_in),
        };
        faults.at(set).add(Fault::NotBoth { other });
    }
}

/// Requires that the parent of an item exists and is neither the item nor a descendant.
async fn check_parent(
    conn: &mut Conn,
    id: i64,
    parent_id: Option<i64>,
    faults: &mut Faults,
) -> Result<()> {
    let Some(parent_id) = parent_id else {
        return Ok(());
    };
    let above = store::path_to_root(conn, parent_id).await?;
    let mut place = faults.at("parent_id");
    if above.is_empty() {
        place.add(NOT_AN_ITEM);
    } else if above.contains(&id) {
        place.add(Fault::Cycle {});
    }
    Ok(())
}

pub async fn delete(edit: &mut Edit, item: Target<Item>) -> Result<Change<Item>> {
    if store::has_children(edit, item.id).await? {
        return Err(Error::Rejected {
            code: ErrorCode::HasChildren,
            message: "This navigation item has children. Move or delete them first.",
        });
    }
    store::delete(edit, item.id).await?;
    Ok(Change::deleted(item))
}

/// Changes the positions of all listed items, or of none.
pub async fn reorder(edit: &mut Edit, order: NavbarItemOrder) -> Result<Change<()>> {
    store::lock_tree(edit).await?;
    let NavbarItemOrder { items } = order;
    let ids = ids_of(&items);
    let current = positions(edit, &ids).await?;
    check_ids(&ids, &current).check()?;

    let mut before = Positions::default();
    let mut after = Positions::default();
    for NavbarItemPlacement { id, position } in items.items {
        let old = current.get(&id.0).copied();
        if let Some(old) = old.filter(|old| *old != position.0) {
            store::set_position(edit, id.0, position.0).await?;
            before.positions.insert(id.0, old);
            after.positions.insert(id.0, position.0);
        }
    }
    Ok(Change::of_many::<Item>("reorder", &before, &after, ()))
}

/// Checks new positions against the database.
pub async fn check_order(conn: &mut Conn, order: Partial<NavbarItemOrder>) -> Result<Faults> {
    let ids = order.items.as_ref().map(ids_of).unwrap_or_default();
    let current = positions(conn, &ids).await?;
    Ok(check_ids(&ids, &current))
}

/// The id of each item in a list; `None` where it could not be read.
fn ids_of(items: &List<NavbarItemPlacement>) -> Vec<Option<i64>> {
    let whole = items.items.iter().map(|item| Some(item.id.0));
    let partial = items.partial.iter().map(|item| Some(item.id?.0));
    whole.chain(partial).collect()
}

async fn positions(conn: &mut Conn, ids: &[Option<i64>]) -> Result<HashMap<i64, i64>> {
    let ids: Vec<i64> = ids.iter().copied().flatten().collect();
    Ok(store::positions(conn, &ids).await?)
}

/// Requires that each id is that of an item and appears once.
fn check_ids(ids: &[Option<i64>], current: &HashMap<i64, i64>) -> Faults {
    let mut faults = Faults::default();
    let mut seen = HashSet::new();
    for (i, id) in ids.iter().enumerate() {
        let Some(id) = id else { continue };
        let field = format!("items.{i}.id");
        if !current.contains_key(id) {
            faults.at(&field).add(NOT_AN_ITEM);
        }
        if !seen.insert(id) {
            faults.at(&field).add(Fault::Repeated {});
        }
    }
    faults
}

/// The positions of items by id, for the audit log.
#[derive(Default, Serialize)]
struct Positions {
    positions: BTreeMap<i64, i64>,
}

/// Adds roles to an item. Roles that it already has are ignored.
pub async fn add_roles(edit: &mut Edit, before: Target<Item>, ids: Ids) -> Result<Change<Item>> {
    roles::require(edit, "roles", &ids).await?;
    store::add_roles(edit, before.id, ids.as_slice()).await?;
    let mut item = before.clone();
    item.roles.extend(ids.as_slice());
    item.roles.sort_unstable();
    item.roles.dedup();
    Ok(Change::updated("add_roles", &before, item))
}

/// Removes roles from an item. Roles that it does not have are ignored.
pub async fn remove_roles(edit: &mut Edit, before: Target<Item>, ids: Ids) -> Result<Change<Item>> {
    roles::require(edit, "roles", &ids).await?;
    store::remove_roles(edit, before.id, ids.as_slice()).await?;
    let mut item = before.clone();
    item.roles.retain(|role| !ids.contains(*role));
    Ok(Change::updated("remove_roles", &before, item))
}
