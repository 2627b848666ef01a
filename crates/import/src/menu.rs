//! The menu of the website.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use content::navigation::{self, Item, Url, Visibility};
use kernel::Result;
use kernel::write::Edit;

use crate::report::Output;
use crate::small::{MenuItem, Pair, Small};
use crate::text::{line, valid};

const TABLE: &str = "navbar_items";
const ROLES: &str = "navbar_item_roles";
const MOST_TITLE: usize = 255;
const MOST_ICON: usize = 100;
const MOST_POSITION: i64 = 2_147_483_647;

pub async fn write(edit: &mut Edit, small: &Small, output: &mut Output<'_>) -> Result<()> {
    let tree = Tree::of(small);
    let mut roles = roles(small, &tree, output)?;
    let mut items: BTreeMap<i64, Item> = BTreeMap::new();
    for (kept, found) in &small.menu {
        let id = kept.id;
        if let Some(hidden) = tree.hidden_by(id) {
            let reason = match hidden == id {
                true => "it is for guests only and for members only, so nobody sees it".to_owned(),
                false => format!("it is below {hidden}, which nobody sees"),
            };
            output.leave_out(TABLE, kept, &reason)?;
            continue;
        }
        let mut changes = Vec::new();
        let roles = roles.remove(&id).unwrap_or_default();
        if let Some(added) = roles.added() {
            changes.push(added);
        }
        let mut item = item(id, found, &mut changes);
        item.parent_id = match tree.parents.get(&id).copied().flatten() {
            None if found.parent_id.is_some() => {
                changes.push("the parent is not there or below it, so there is none".to_owned());
                None
            }
            parent => parent,
        };
        item.roles = roles.all.into_iter().collect();
        items.insert(id, item);
        output.write(TABLE, id, &changes)?;
    }
    // A parent comes before its children.
    let mut ordered = Vec::with_capacity(items.len());
    let mut written: HashSet<i64> = HashSet::new();
    while !items.is_empty() {
        let is_next = |item: &Item| {
            item.parent_id
                .is_none_or(|parent| written.contains(&parent))
        };
        let next: Vec<i64> = items
            .values()
            .filter(|item| is_next(item))
            .map(|i| i.id)
            .collect();
        if next.is_empty() {
            break;
        }
        for id in next {
            written.insert(id);
            ordered.extend(items.remove(&id));
        }
    }
    Ok(navigation::load(edit, &ordered).await?)
}

fn item(id: i64, found: &MenuItem, changes: &mut Vec<String>) -> Item {
    let url = found.url.as_deref().filter(|url| !url.is_empty());
    let valid_url = url.and_then(valid::<Url>);
    if url.is_some() && valid_url.is_none() {
        changes.push("the address is not one of a link, so there is none".to_owned());
    }
    let icon = found.icon.as_deref().filter(|icon| !icon.is_empty());
    let fits = |icon: &&str| icon.chars().count() <= MOST_ICON && !icon.contains('\0');
    let valid_icon = icon.filter(fits);
    if icon.is_some() && valid_icon.is_none() {
        changes.push(format!(
            "the icon has more than {MOST_ICON} characters, so there is none"
        ));
    }
    let position = found.position.clamp(0, MOST_POSITION);
    if position != found.position {
        changes.push(format!(
            "the position is {position}, the nearest that can be"
        ));
    }
    let visibility = Visibility::from_name(&found.visibility);
    if visibility.is_none() {
        changes.push("the visibility is not known, so it is for all devices".to_owned());
    }
    let fallback = || format!("item-{id}");
    Item {
        id,
        title: line(&found.title, MOST_TITLE, fallback, "the title", changes),
        url: valid_url.map(Url::into_string),
        new_tab: found.new_tab,
        icon: valid_icon.map(str::to_owned),
        position,
        visible_only_for_guests: found.for_guests,
        visible_only_for_logged_in: found.for_logged_in,
        visibility: visibility.unwrap_or_default(),
        parent_id: None,
        roles: Vec::new(),
    }
}

/// The items, each with its parent if that is there and not below it.
struct Tree {
    parents: HashMap<i64, Option<i64>>,
    hidden: HashSet<i64>,
}

impl Tree {
    fn of(small: &Small) -> Self {
        let ids: BTreeSet<i64> = small.menu.iter().map(|(kept, _)| kept.id).collect();
        let found: HashMap<i64, Option<i64>> = small
            .menu
            .iter()
            .map(|(kept, item)| (kept.id, item.parent_id.filter(|id| ids.contains(id))))
            .collect();
        let hidden = small.menu.iter();
        let hidden = hidden.filter(|(_, item)| item.for_guests && item.for_logged_in);
        let mut tree = Self {
            hidden: hidden.map(|(kept, _)| kept.id).collect(),
            parents: ids.iter().map(|id| (*id, None)).collect(),
        };
        // One after the other, so that of a circle the last connection is left out.
        for id in &ids {
            let parent = found.get(id).copied().flatten();
            if parent.is_some_and(|parent| !tree.path(parent).any(|above| above == *id)) {
                tree.parents.insert(*id, parent);
            }
        }
        tree
    }

    /// An item and all above it.
    fn path(&self, id: i64) -> impl Iterator<Item = i64> {
        std::iter::successors(Some(id), |id| self.parents.get(id).copied().flatten())
    }

    /// The item that hides this one: itself or one above it.
    fn hidden_by(&self, id: i64) -> Option<i64> {
        self.path(id).find(|id| self.hidden.contains(id))
    }
}

/// The roles that see an item.
#[derive(Default)]
struct Seeing {
    all: BTreeSet<i64>,
    added: BTreeSet<i64>,
}

impl Seeing {
    fn added(&self) -> Option<String> {
        let ids: Vec<String> = self.added.iter().map(i64::to_string).collect();
        (!ids.is_empty()).then(|| {
            let ids = ids.join(", ");
            format!("the roles {ids} are added, because they see it by their name or priority")
        })
    }
}

/// The roles of each item, with those that have a higher priority than one of them, or its name.
fn roles(small: &Small, tree: &Tree, output: &mut Output<'_>) -> Result<HashMap<i64, Seeing>> {
    let known: HashMap<i64, (&str, i64)> = small
        .roles
        .iter()
        .map(|(kept, role)| (kept.id, (role.name.as_str(), role.priority)))
        .collect();
    let mut seeing: HashMap<i64, Seeing> = HashMap::new();
    for (kept, Pair { left, right }) in &small.menu_roles {
        let Some((name, priority)) = known.get(right) else {
            output.leave_out(ROLES, kept, &format!("role {right} is not there"))?;
            continue;
        };
        if !tree.parents.contains_key(left) || tree.hidden_by(*left).is_some() {
            output.leave_out(ROLES, kept, &format!("item {left} is not taken over"))?;
            continue;
        }
        let item = seeing.entry(*left).or_default();
        item.all.insert(*right);
        let also = known
            .iter()
            .filter(|(_, other)| other.1 > *priority || other.0 == *name);
        item.added.extend(also.map(|(id, _)| *id));
        output.write(ROLES, kept.id, &[])?;
    }
    for item in seeing.values_mut() {
        let Seeing { all, added } = item;
        added.retain(|id| !all.contains(id));
        all.extend(added.iter());
    }
    Ok(seeing)
}
