//! The navigation menu.

use serde_json::json;

use super::catalogue::{MENU, MenuEntry};
use super::input::input;
use super::plan::{Part, Plan};
use super::rng::Rng;
use super::roles::Roles;
use super::words::{ADJECTIVES, NOUNS};
use content::navigation::{self, Item};
use db::Progress;
use kernel::Result;
use kernel::write::Edit;

/// Creates a menu of up to three levels: first the entries of the catalogue, then random ones below
/// them.
pub async fn make(
    edit: &mut Edit,
    plan: &Plan,
    roles: &Roles,
    progress: &mut impl Progress,
) -> Result<()> {
    let mut rng = plan.rng(Part::Menu);
    let role_ids = roles.ids();
    progress.begin("navigation items", plan.navigation.into());
    let mut top = Vec::new();
    let mut below = Vec::new();
    let children = || {
        let with_index = |(index, (_, entries)): (usize, &'static (_, &'static [_]))| {
            entries.iter().map(move |entry| (index, entry))
        };
        MENU.iter().enumerate().flat_map(with_index)
    };
    for number in 0..plan.navigation as usize {
        let (parent, entry) = if let Some((entry, _)) = MENU.get(number) {
            (None, owned(entry))
        } else if let Some((index, entry)) = children().nth(number - MENU.len()) {
            (Some(top[index]), owned(entry))
        } else {
            // The third level gets more entries than the second.
            let parents: &[i64] = if rng.chance(60) { &below } else { &top };
            (Some(*rng.pick(parents)), invented(&mut rng))
        };
        let item = create(edit, parent, entry, number, &role_ids, &mut rng).await?;
        match item.parent_id {
            None => top.push(item.id),
            Some(parent) if top.contains(&parent) => below.push(item.id),
            Some(_) => {}
        }
        progress.advance(1);
    }
    Ok(())
}

type Entry = (String, String, String);

fn owned((title, url, icon): &MenuEntry) -> Entry {
    ((*title).into(), (*url).into(), (*icon).into())
}

fn invented(rng: &mut Rng) -> Entry {
    let (adjective, noun) = (*rng.pick(ADJECTIVES), *rng.pick(NOUNS));
    let url = format!("/archive/{adjective}-{noun}").to_ascii_lowercase();
    (format!("{adjective} {noun}"), url, "archive".into())
}

async fn create(
    edit: &mut Edit,
    parent: Option<i64>,
    (title, url, icon): Entry,
    number: usize,
    role_ids: &[i64],
    rng: &mut Rng,
) -> Result<Item> {
    let for_guests = title == "Sign in";
    let for_members = !for_guests && rng.chance(10);
    let roles: Vec<i64> = match role_ids {
        [] => Vec::new(),
        some if title == "Moderation" => some.iter().take(2).copied().collect(),
        some if rng.chance(12) => vec![*rng.pick(some)],
        _ => Vec::new(),
    };
    let new = json!({
        "title": title,
        "new_tab": url.starts_with("https:"),
        "url": url,
        "icon": icon,
        "position": (number + 1) * 10,
        "visible_only_for_guests": for_guests,
        "visible_only_for_logged_in": for_members,
        "visibility": rng.pick_weighted(&[(90, "all"), (5, "desktop"), (5, "mobile")]),
        "parent_id": parent,
        "roles": roles,
    });
    Ok(navigation::create(edit, input(&new)?).await?.into_part())
}
