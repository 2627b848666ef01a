//! Lists that are always paged and say so in their bodies.

use schemars::JsonSchema;
use serde::Serialize;

use super::page::{Links, Place, cut, last_page, per_page};
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
        let next = cut(items, per_page).map(|last| {
            let (page, after) = (page.saturating_add(1), cursor(last));
            links.to(&[("page", &page), (size, &per_page), ("after", &after)])
        });
        let place = links.place((size, per_page), total, Some(page - 1), next);
        let pagination = Pagination {
            total,
            per_page,
            current_page: page,
            last_page: last_page(total, per_page),
        };
        (place, pagination)
    }
}
