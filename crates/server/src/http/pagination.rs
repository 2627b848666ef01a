//! Lists that are always paged and say so in their bodies.

use schemars::JsonSchema;
use serde::Serialize;

use super::page::{Links, Place, link_header, per_page};
use crate::input::Positive;

/// Where a page stands in its list.
#[derive(Serialize, JsonSchema)]
pub struct Pagination {
    total: i64,
    per_page: i64,
    current_page: i64,
    last_page: i64,
}

/// The page that is asked for.
pub struct Sheet {
    links: Links,
    /// What the size of a page is called in the query.
    size: &'static str,
    page: i64,
    per_page: i64,
}

impl Sheet {
    pub fn new(
        links: Links,
        size: &'static str,
        page: Option<Positive>,
        asked: Option<Positive>,
    ) -> Self {
        Self {
            links,
            size,
            page: page.map_or(1, |page| page.0),
            per_page: per_page(asked),
        }
    }

    /// How many to read: one more than is shown, to know whether there is a next page.
    pub fn limit(&self) -> i64 {
        self.per_page + 1
    }

    /// How many to skip where no cursor says where to begin.
    pub fn offset(&self) -> i64 {
        (self.page - 1).saturating_mul(self.per_page)
    }

    /// Cuts `items` to the page and says where it stands. `cursor` is what the next page begins
    /// after; beside it the page's number only serves to count on.
    pub fn place<T>(
        self,
        total: i64,
        items: &mut Vec<T>,
        cursor: impl Fn(&T) -> String,
    ) -> (Place, Pagination) {
        let Self {
            links,
            size,
            page,
            per_page,
        } = self;
        let has_next = items.len() as i64 > per_page;
        items.truncate(per_page as usize);
        let last_page = ((total + per_page - 1) / per_page).max(1);
        let to_page = |page: i64| links.to(&[("page", &page), (size, &per_page)]);
        let mut relations = vec![(to_page(1), "first")];
        if page > 1 {
            relations.push((to_page(page - 1), "prev"));
        }
        if let Some(last) = items.last().filter(|_| has_next) {
            let (page, after) = (page.saturating_add(1), cursor(last));
            let next = links.to(&[("page", &page), (size, &per_page), ("after", &after)]);
            relations.push((next, "next"));
        }
        relations.push((to_page(last_page), "last"));
        let place = Place {
            total,
            link: Some(link_header(&relations)),
        };
        let pagination = Pagination {
            total,
            per_page,
            current_page: page,
            last_page,
        };
        (place, pagination)
    }
}
