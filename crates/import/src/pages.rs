//! Pages and their blocks.

use std::collections::{BTreeMap, HashMap, HashSet};

use content::pages::blocks::{self, Block};
use content::pages::{self, Content, Page, Slug};
use futures_util::future::LocalBoxFuture;
use kernel::Result;
use kernel::input::{Word, json_fault};
use kernel::types::Timestamp;
use kernel::write::Edit;
use serde_json::value::RawValue;

use crate::pass::Stage;
use crate::record::{Kept, Moment, Record};
use crate::report::Output;
use crate::small::{BlockPlace, Small};
use crate::text::{cut, key, line, valid, with_id};

const PAGES: &str = "pages";
const BLOCKS: &str = "page_blocks";
const HOME: &str = "home";
const MOST_SLUG: usize = 255;
const MOST_DESCRIPTION: usize = 1_000;
const MOST_TYPE: usize = 50;
/// Bytes of the content of a block.
const MOST_CONTENT: usize = 256 << 10;
/// Types of blocks that have rules of their own here.
const OWN_TYPES: [&str; 2] = ["text", "image"];

/// The slug of each page, and the page that has the one it would have had.
pub struct Slugs(HashMap<i64, (String, Option<i64>)>);

impl Slugs {
    /// Of several pages, the one with the lowest id keeps a slug.
    pub fn of(small: &Small) -> Self {
        let routes: BTreeMap<i64, &str> = small
            .routes
            .iter()
            .map(|(id, route)| (*id, route.as_str()))
            .collect();
        let mut holders: HashMap<String, i64> = HashMap::new();
        let mut slugs = HashMap::new();
        for (id, route) in &routes {
            let wanted = slug(*id, route);
            let (mut slug, mut holder) = (wanted.clone(), None);
            let mut number = 1;
            while let Some(other) = holders.get(&slug.to_ascii_lowercase()) {
                holder = holder.or(Some(*other));
                slug = match number {
                    1 => with_id(&wanted, *id, MOST_SLUG),
                    _ => crate::text::with_suffix(&wanted, &format!("-{id}-{number}"), MOST_SLUG),
                };
                number += 1;
            }
            holders.insert(slug.to_ascii_lowercase(), *id);
            slugs.insert(*id, (slug, holder));
        }
        Self(slugs)
    }
}

/// A route as a slug, which has only some ASCII characters.
fn slug(id: i64, route: &str) -> String {
    if route.trim().trim_matches('/').is_empty() {
        return HOME.to_owned();
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let segments = route.split('/').map(|segment| {
        let segment = key(segment, allowed, '-', MOST_SLUG);
        match segment.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            true => segment,
            false => segment.replace('-', ""),
        }
    });
    let segments: Vec<String> = segments.filter(|segment| !segment.is_empty()).collect();
    let mut slug = segments.join("/");
    slug.truncate(MOST_SLUG);
    match slug.trim_end_matches('/') {
        "" => format!("page-{id}"),
        slug => slug.to_owned(),
    }
}

pub struct Pages<'a> {
    now: Timestamp,
    slugs: &'a Slugs,
    batch: Vec<(Page, Vec<String>)>,
}

impl<'a> Pages<'a> {
    pub fn new(now: Timestamp, slugs: &'a Slugs) -> Self {
        Self {
            now,
            slugs,
            batch: Vec::new(),
        }
    }

    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let mut written = Vec::with_capacity(batch.len());
        for (page, changes) in batch {
            output.write(PAGES, page.id, &changes)?;
            written.push(page);
        }
        Ok(pages::load(edit, &written).await?)
    }
}

impl Stage for Pages<'_> {
    fn table(&self) -> &'static str {
        PAGES
    }

    fn take(&mut self, record: Record<'_>, output: &mut Output<'_>) -> Result<usize> {
        let kept = record.keep()?;
        let id = kept.id;
        let Some((slug, holder)) = self.slugs.0.get(&id).filter(|_| id > 0) else {
            output.leave_out(PAGES, &kept, "the id is not positive")?;
            return Ok(0);
        };
        let mut changes = Vec::new();
        let route = record.string("route")?;
        let plain = route.strip_prefix('/').unwrap_or(route);
        if let Some(holder) = holder {
            changes.push(format!("page {holder} has the slug, so it is {slug}"));
        } else if slug != plain && !(plain.is_empty() && slug == HOME) {
            changes.push(format!("the slug is made valid: {slug}"));
        }
        let created_at = record.moment("created_at")?;
        let created_at = created_at.or("created_at", self.now, &mut changes);
        let updated_at = match record.moment("updated_at")? {
            Moment::Null => created_at,
            other => other.or("updated_at", created_at, &mut changes),
        };
        let title = record.string("title")?;
        let fallback = || format!("page-{id}");
        let description = record.string("description")?;
        let page = Page {
            id,
            title: line(title, 255, fallback, "the title", &mut changes),
            slug: Slug::from_stored(slug.clone()),
            content: Content::from_stored(String::new()),
            meta_title: String::new(),
            meta_description: cut(
                description,
                MOST_DESCRIPTION,
                "the description",
                &mut changes,
            ),
            is_active: true,
            block_changes: 0_i64.to_be_bytes(),
            created_at,
            updated_at,
        };
        self.batch.push((page, changes));
        Ok(record.size())
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}

/// The order of each block on its page: by line, then by column.
pub fn orders(blocks: &mut [BlockPlace]) -> HashMap<i64, i64> {
    blocks.sort_unstable();
    let (mut page, mut next) = (None, 0);
    let orders = blocks.iter().map(|block| {
        if page.replace(block.page_id) != Some(block.page_id) {
            next = 0;
        }
        next += 1;
        (block.id, next - 1)
    });
    orders.collect()
}

pub struct Blocks<'a> {
    orders: &'a HashMap<i64, i64>,
    batch: Vec<(Kept, i64, Block, Vec<String>)>,
}

impl<'a> Blocks<'a> {
    pub fn new(orders: &'a HashMap<i64, i64>) -> Self {
        Self {
            orders,
            batch: Vec::new(),
        }
    }

    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let page_ids: HashSet<i64> = batch.iter().map(|(_, page_id, ..)| *page_id).collect();
        let page_ids: Vec<i64> = page_ids.into_iter().collect();
        let pages = pages::existing_ids(edit, &page_ids).await?;
        let mut written = Vec::with_capacity(batch.len());
        for (kept, page_id, block, changes) in batch {
            if !pages.contains(&page_id) {
                let reason = format!("page {page_id} is not taken over");
                output.leave_out(BLOCKS, &kept, &reason)?;
                continue;
            }
            output.write(BLOCKS, kept.id, &changes)?;
            written.push((page_id, block));
        }
        Ok(blocks::load(edit, &written).await?)
    }
}

impl Stage for Blocks<'_> {
    fn table(&self) -> &'static str {
        BLOCKS
    }

    fn take(&mut self, record: Record<'_>, output: &mut Output<'_>) -> Result<usize> {
        let kept = record.keep()?;
        let mut changes = Vec::new();
        let mut parts = Vec::new();
        for name in ["settings", "gridstack", "conditions"] {
            let text = record.text(name)?.unwrap_or("null");
            parts.push(match json_part(text) {
                Ok(json) => format!("\"{name}\":{json}"),
                Err(reason) => {
                    changes.push(format!("{name} {reason}, so it is null"));
                    format!("\"{name}\":null")
                }
            });
        }
        let content = format!("{{{}}}", parts.join(","));
        let content = match RawValue::from_string(content) {
            Ok(content) if content.get().len() <= MOST_CONTENT => content,
            _ => {
                let limit = MOST_CONTENT >> 10;
                let reason = format!("the settings have more than {limit} KiB");
                output.leave_out(BLOCKS, &kept, &reason)?;
                return Ok(0);
            }
        };
        let block = Block {
            id: kept.id,
            kind: kind(record.string("widget")?, &mut changes),
            content,
            order: self.orders.get(&kept.id).copied().unwrap_or(0),
        };
        let page_id = record.required("page_id")?;
        self.batch.push((kept, page_id, block, changes));
        Ok(record.size())
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}

/// JSON that may be a part of a block, or why it may not.
fn json_part(text: &str) -> std::result::Result<&str, &'static str> {
    if serde_json::from_str::<&RawValue>(text).is_err() {
        return Err("is not JSON");
    }
    match json_fault(text) {
        Some(_) => Err("is JSON that cannot be stored"),
        None => Ok(text.trim()),
    }
}

/// The type of a block, from the name of a widget.
fn kind(widget: &str, changes: &mut Vec<String>) -> String {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let mut kind = key(&widget.to_lowercase(), allowed, '-', MOST_TYPE);
    if OWN_TYPES.contains(&kind.as_str()) {
        kind.insert_str(0, "flute-");
    }
    let kind = match valid::<Word<MOST_TYPE>>(&kind) {
        Some(kind)
            if kind
                .as_str()
                .bytes()
                .any(|byte| byte.is_ascii_alphanumeric()) =>
        {
            kind.into_string()
        }
        _ => "unknown".to_owned(),
    };
    if kind != widget {
        changes.push(format!("the type is made valid: {kind}"));
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_becomes_a_slug() {
        for (route, expected) in [
            ("/", "home"),
            ("", "home"),
            ("//", "home"),
            ("/home", "home"),
            ("/rules/", "rules"),
            ("no-slash", "no-slash"),
            ("/shop/vip//gold", "shop/vip/gold"),
            ("/почему-мы", "page-5"),
            ("/a b?c=d", "a-b-c-d"),
            ("/почему/vip", "vip"),
        ] {
            assert_eq!(slug(5, route), expected, "{route}");
        }
        assert_eq!(slug(5, &format!("/{}", "r".repeat(300))).len(), 255);
    }

    #[test]
    fn the_lowest_id_keeps_a_slug() {
        let routes = [
            (4, "/home"),
            (1, "/"),
            (3, "/rules/"),
            (2, "/Rules"),
            (9, "rules-3"),
        ];
        let routes = routes.map(|(id, route)| (id, route.to_owned()));
        let mut small = Small::default();
        small.routes.extend(routes);
        let Slugs(slugs) = Slugs::of(&small);
        let slug = |id| (slugs[&id].0.as_str(), slugs[&id].1);
        assert_eq!(slug(1), ("home", None));
        assert_eq!(slug(4), ("home-4", Some(1)));
        assert_eq!(slug(2), ("Rules", None));
        assert_eq!(slug(3), ("rules-3", Some(2)));
        assert_eq!(slug(9), ("rules-3-9", Some(3)));
    }

    #[test]
    fn blocks_are_in_the_order_of_lines_then_columns() {
        let place = |page_id, y, x, id| BlockPlace { page_id, y, x, id };
        let mut places = [
            place(1, 4, 0, 11),
            place(2, 0, 0, 12),
            place(1, -1, 9, 13),
            place(1, 4, 0, 10),
            place(1, 0, 6, 14),
            place(1, 0, 2, 15),
        ];
        let orders = orders(&mut places);
        let ordered = [13, 15, 14, 10, 11].map(|id| orders[&id]);
        assert_eq!(ordered, [0, 1, 2, 3, 4]);
        assert_eq!(orders[&12], 0);
    }
}
