//! Request bodies of navigation items. `url.rs` and `visibility.rs` have rules of single fields.

mod url;
mod visibility;

pub use self::url::Url;
pub use self::visibility::Visibility;
use super::store::POSITION;
use kernel::input;
use kernel::input::{Ids, Int, Line, List, Nullable, Patch, Positive, Text};
use kernel::list::{ListQuery, ListSpec};

type Position = Int<0, 2_147_483_647>;

input! {
    /// The query of the list.
    pub struct NavbarItemPaging {}
}

impl ListQuery for NavbarItemPaging {
    const LIST: &'static ListSpec = &ListSpec {
        default_order: POSITION,
        ..ListSpec::PAGED
    };
}

input! {
    /// A navigation item to create.
    pub struct NewNavbarItem {
        title: Line<1, 255>,
        /// A relative address, `#`, or one of the schemes `http`, `https` and `mailto`.
        url: Option<Url>,
        new_tab: Option<bool>,
        icon: Option<Text<0, 100>>,
        /// Items are sorted by position, then by id; 0 by default.
        position: Option<Position>,
        visible_only_for_guests: Option<bool>,
        visible_only_for_logged_in: Option<bool>,
        /// The devices that show the item; `all` by default.
        visibility: Option<Visibility>,
        /// The id of the parent item.
        parent_id: Option<Positive>,
        /// The ids of the roles that see the item.
        roles: Option<Ids>,
    }
    not both visible_only_for_guests and visible_only_for_logged_in
}

input! {
    /// Changes to a navigation item. Absent fields keep their value.
    pub struct NavbarItemChanges {
        title: Patch<Line<1, 255>>,
        /// A relative address, `#`, or one of the schemes `http`, `https` and `mailto`.
        url: Patch<Nullable<Url>>,
        new_tab: Patch<bool>,
        icon: Patch<Nullable<Text<0, 100>>>,
        /// Items are sorted by position, then by id.
        position: Patch<Position>,
        visible_only_for_guests: Patch<bool>,
        visible_only_for_logged_in: Patch<bool>,
        /// The devices that show the item.
        visibility: Patch<Visibility>,
        /// The id of the parent item: neither the item itself nor one of its descendants.
        parent_id: Patch<Nullable<Positive>>,
        /// The ids of the roles that see the item. They replace the previous list.
        roles: Patch<Ids>,
    }
    not both visible_only_for_guests and visible_only_for_logged_in
}

input! {
    /// A new order of navigation items.
    pub struct NavbarItemOrder {
        /// Each item at most once. Items that are not listed keep their position. If one
        /// is invalid, none is changed.
        items: List<NavbarItemPlacement>,
    }
}

input! {
    /// The new position of one navigation item.
    pub struct NavbarItemPlacement {
        id: Positive,
        position: Position,
    }
}

input! {
    /// Roles to add to a navigation item, or to remove from it.
    pub struct NavbarItemRoles {
        roles: Ids,
    }
}
