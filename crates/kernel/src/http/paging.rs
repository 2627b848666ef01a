//! Pages of lists, and the headers that lead from one to the next.

use std::fmt::Display;

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response};
use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::Serialize;

use super::query::Query;
use crate::input::Positive;
use crate::list::Window;
use crate::{Error, input};

const DEFAULT_PER_PAGE: i64 = 20;
const MAX_PER_PAGE: i64 = 100;
/// The largest page there is.
pub const LARGEST: Positive = Positive(MAX_PER_PAGE);

/// How many items a page has, given what was asked for.
pub fn per_page(asked: Option<Positive>) -> i64 {
    asked.map_or(DEFAULT_PER_PAGE, |asked| asked.0.min(MAX_PER_PAGE))
}

input! {
    /// Which page of a list.
    pub struct PageQuery {
        /// The page, from 1.
        page: Option<Positive>,
        /// How many items a page has, 20 unless said otherwise; above 100 is served as 100.
        per_page: Option<Positive>,
        /// Items after the one of this id; `Link` carries it.
        after: Option<Positive>,
    }
}

/// The part of a list, ordered by id, that the caller asks for: everything, unless a page is
/// named.
pub struct Paging {
    page: Option<Page>,
    after: i64,
}

impl Paging {
    /// For a list whose query has more in it than the page.
    pub fn new(query: &PageQuery, links: Links) -> Self {
        let PageQuery {
            page,
            per_page,
            after,
        } = *query;
        let is_paged = page.is_some() || per_page.is_some() || after.is_some();
        Self {
            page: is_paged.then(|| Page::new(links, page, per_page, after.is_some())),
            after: after.map_or(0, |after| after.0),
        }
    }

    pub fn window(&self) -> Window {
        let page = self.page.as_ref();
        page.map_or(Window::ALL, |page| page.window(self.after))
    }

    /// Cuts `items` to the page and says where it stands.
    pub fn place<T>(&self, total: i64, items: &mut Vec<T>, id: impl Fn(&T) -> i64) -> Place {
        match &self.page {
            Some(page) => page.place(total, items, id),
            None => Place::whole(items.len()),
        }
    }
}

/// A page of a list in any order. It is found by its number, or by the cursor of the item that
/// it follows: whatever the list is ordered by, as text.
pub struct Page {
    links: Links,
    /// What the query calls the size of a page.
    size: &'static str,
    per_page: i64,
    number: i64,
    follows: bool,
    counted: bool,
}

impl Page {
    /// A cursor that is followed counts for more than a number.
    pub fn new(
        links: Links,
        number: Option<Positive>,
        asked: Option<Positive>,
        follows: bool,
    ) -> Self {
        Self {
            links,
            size: "per_page",
            per_page: per_page(asked),
            number: number.map_or(1, |number| number.0),
            follows,
            counted: false,
        }
    }

    pub fn sized_by(self, size: &'static str) -> Self {
        Self { size, ..self }
    }

    /// For a list that says in its body where a page stands: beside a cursor its number serves to
    /// count on.
    pub fn counted(self) -> Self {
        Self {
            counted: true,
            ..self
        }
    }

    /// What to read: one item more than is shown, to know whether there is a next page.
    pub fn window<K>(&self, after: K) -> Window<K> {
        let skipped = if self.follows { 0 } else { self.number - 1 };
        Window {
            after,
            limit: self.per_page + 1,
            offset: skipped.saturating_mul(self.per_page),
            from_end: false,
        }
    }

    /// Cuts `items` to the page and says where it stands.
    pub fn place<T, C: Display>(
        &self,
        total: i64,
        items: &mut Vec<T>,
        cursor: impl Fn(&T) -> C,
    ) -> Place {
        let last = cut(items, self.per_page);
        let next = last.map(|last| self.next(Some(&cursor(last))));
        self.between(total, next)
    }

    /// The same for a list without a cursor.
    pub fn place_by_number<T>(&self, total: i64, items: &mut Vec<T>) -> Place {
        let next = cut(items, self.per_page).map(|_| self.next(None));
        self.between(total, next)
    }

    fn next(&self, after: Option<&dyn Display>) -> String {
        let number = self.number.saturating_add(1);
        let mut to: Vec<(&str, &dyn Display)> = Vec::new();
        if self.counted || after.is_none() {
            to.push(("page", &number));
        }
        to.push((self.size, &self.per_page));
        to.extend(after.map(|after| ("after", after)));
        self.links.to(&to)
    }

    fn between(&self, total: i64, next: Option<String>) -> Place {
        let is_known = self.counted || !self.follows;
        let prev = is_known.then_some(self.number - 1);
        let size = (self.size, self.per_page);
        self.links.place(size, total, prev, next)
    }

    /// What the body says of it.
    pub fn pagination(&self, total: i64) -> Pagination {
        Pagination {
            total,
            per_page: self.per_page,
            current_page: self.number,
            last_page: last_page(total, self.per_page),
        }
    }
}

/// Where a page stands in its list.
#[derive(Serialize, JsonSchema)]
pub struct Pagination {
    total: i64,
    per_page: i64,
    current_page: i64,
    last_page: i64,
}

impl<S: Sync> FromRequestParts<S> for Paging {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let links = Links::new(&parts.uri);
        let Query(query) = Query::from_request_parts(parts, state).await?;
        Ok(Self::new(&query, links))
    }
}

impl OperationInput for Paging {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Query::<PageQuery>::operation_input(ctx, operation);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        Query::<PageQuery>::inferred_early_responses(ctx, operation)
    }
}

/// What the headers of a list say.
pub struct Place {
    pub total: i64,
    pub link: Option<String>,
}

impl Place {
    /// Of a list that is never paged.
    pub fn whole(total: usize) -> Self {
        Self {
            total: total as i64,
            link: None,
        }
    }
}

/// Addresses of other parts of the same list, under the same filters.
pub struct Links {
    path: String,
    /// As they stand in a query.
    filters: String,
}

impl Links {
    pub fn new(uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        let paging = ["page", "per_page", "limit", "after"];
        let filters = form_urlencoded::parse(query.as_bytes())
            .filter(|(name, _)| !paging.contains(&name.as_ref()));
        Self {
            path: uri.path().to_owned(),
            filters: form_urlencoded::Serializer::new(String::new())
                .extend_pairs(filters)
                .finish(),
        }
    }

    /// What the headers say of a page: its neighbours, and the ends of the list. `size` is what
    /// the query calls the size of a page, and the size.
    pub fn place(
        &self,
        size: (&str, i64),
        total: i64,
        prev: Option<i64>,
        next: Option<String>,
    ) -> Place {
        let to_page = |page: i64| self.to(&[("page", &page), (size.0, &size.1)]);
        let mut relations = vec![(to_page(1), "first")];
        if let Some(prev) = prev.filter(|prev| *prev > 0) {
            relations.push((to_page(prev), "prev"));
        }
        relations.extend(next.map(|next| (next, "next")));
        relations.push((to_page(last_page(total, size.1)), "last"));
        Place {
            total,
            link: Some(link_header(&relations)),
        }
    }

    pub fn to(&self, place: &[(&str, &dyn Display)]) -> String {
        let mut address = String::with_capacity(self.path.len() + self.filters.len() + 64);
        for part in [&self.path, "?", &self.filters] {
            address.push_str(part);
        }
        for (name, value) in place {
            if !address.ends_with('?') {
                address.push('&');
            }
            address.push_str(name);
            address.push('=');
            let value = value.to_string();
            address.extend(form_urlencoded::byte_serialize(value.as_bytes()));
        }
        address
    }
}

/// Cuts to the page what was read with one item more; the last one shown, if more follow.
pub fn cut<T>(items: &mut Vec<T>, per_page: i64) -> Option<&T> {
    let has_next = items.len() as i64 > per_page;
    items.truncate(per_page as usize);
    items.last().filter(|_| has_next)
}

/// An empty list has one page, too.
fn last_page(total: i64, per_page: i64) -> i64 {
    ((total + per_page - 1) / per_page).max(1)
}

impl<S: Sync> FromRequestParts<S> for Links {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::new(&parts.uri))
    }
}

impl OperationInput for Links {}

pub fn link_header(links: &[(String, &str)]) -> String {
    let mut header = String::with_capacity(links.len() * 96);
    for (address, relation) in links {
        let joint = if header.is_empty() { "<" } else { ", <" };
        for part in [joint, address, ">; rel=\"", relation, "\""] {
            header.push_str(part);
        }
    }
    header
}
