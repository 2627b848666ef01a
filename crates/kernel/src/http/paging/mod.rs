//! Requests for a list, and the headers that link its pages.

mod input;
mod links;
#[cfg(feature = "openapi")]
mod schema;

use std::fmt::Display;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use db::Conn;
use serde::Serialize;

pub use self::input::ListInput;
use self::input::Page;
use self::links::{Links, link_header};
use super::query::Query;
use crate::list::{
    self, Cursor, CursorWindow, ListQuery, Order, Parameter, Position, Source, Total, Window,
};
use crate::schema::JsonSchema;
use crate::{Error, Result};

/// A request for a list.
pub struct ListRequest<Q> {
    pub filters: Q,
    pub order: Order,
    page: Page,
    links: Links,
}

impl<Q> ListRequest<Q> {
    /// Reads the page of a list, and its headers.
    pub async fn read<S: Source>(
        &self,
        conn: &mut Conn,
        list: &S,
    ) -> Result<(Vec<S::Item>, ListHeaders)> {
        // On the heap: the future is large, and axum moves that of a handler six times.
        let reading = Box::pin(list::read_and_count(conn, list, self.page.window()));
        let (mut items, total) = reading.await?;
        let headers = self.headers(total, &mut items, |item| {
            list::cursor(list, item).to_text(self.page.list)
        });
        Ok((items, headers))
    }

    /// The part of a list by id to read: one item more than the page has.
    pub fn window(&self) -> Window {
        let window = self.page.window();
        let after = match window.after {
            Some(Cursor {
                position: Position::Id(id),
                ..
            }) => id,
            _ => 0,
        };
        Window {
            after,
            limit: window.limit,
            offset: window.offset,
            from_end: window.from_end,
        }
    }

    /// Like [`Self::window`], for a list in any order.
    pub fn cursor_window(&self) -> CursorWindow {
        self.page.window()
    }

    /// Truncates `items`, which were read by [`Self::window`], to the page and returns its headers.
    pub fn headers<T, C: Display>(
        &self,
        total: i64,
        items: &mut Vec<T>,
        cursor: impl Fn(&T) -> C,
    ) -> ListHeaders {
        if self.page.is_all() {
            return ListHeaders::whole(items.len());
        }
        let has_next = items.len() as i64 > self.page.size();
        items.truncate(self.page.size() as usize);
        let last = items.last().filter(|_| has_next);
        self.headers_before(Total::Exactly(total), last.map(cursor))
    }

    /// The headers of a page; `next` is the cursor of its last item, if more items follow.
    pub fn headers_before<C: Display>(&self, total: Total, next: Option<C>) -> ListHeaders {
        let next = next.map(|cursor| self.link_to_next(&cursor));
        ListHeaders {
            total,
            link: self.link_header(total.number(), next),
        }
    }

    /// The position of the page, for the body.
    pub fn pagination(&self, total: i64) -> Pagination {
        Pagination {
            total,
            per_page: self.page.size(),
            current_page: self.page.number(),
            last_page: last_page(total, self.page.size()),
        }
    }

    fn link_to_next(&self, cursor: &dyn Display) -> String {
        let list = self.page.list;
        let (number, size) = (self.page.number().saturating_add(1), self.page.size());
        let has_cursor = list.has(Parameter::After);
        let mut parameters: Vec<(&str, &dyn Display)> = Vec::new();
        if list.has_pagination || !has_cursor {
            parameters.push(("page", &number));
        }
        parameters.push((list.size_name, &size));
        if has_cursor {
            parameters.push(("after", cursor));
        }
        self.links.to(&parameters)
    }

    fn link_header(&self, total: i64, next: Option<String>) -> Option<String> {
        let (list, number, size) = (self.page.list, self.page.number(), self.page.size());
        let to_page = |page: i64| self.links.to(&[("page", &page), (list.size_name, &size)]);
        let has_numbers = list.has(Parameter::Page);
        let knows_number = list.has_pagination || self.page.after.is_none();
        let mut links = Vec::with_capacity(4);
        if has_numbers {
            links.push((to_page(1), "first"));
        }
        if has_numbers && knows_number && number > 1 {
            links.push((to_page(number - 1), "prev"));
        }
        links.extend(next.map(|next| (next, "next")));
        if has_numbers {
            links.push((to_page(last_page(total, size)), "last"));
        }
        link_header(&links)
    }
}

/// An empty list has one page.
fn last_page(total: i64, size: i64) -> i64 {
    ((total + size - 1) / size).max(1)
}

impl<Q: ListQuery, S: Sync> FromRequestParts<S> for ListRequest<Q> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(input) = Query::<ListInput<Q>>::from_request_parts(parts, state).await?;
        let ListInput { page, filters } = input.checked()?;
        let has_sort = !page.list.orders.is_empty();
        let is_kept = |name: &str| Q::position(name).is_some() || has_sort && name == "sort";
        Ok(Self {
            filters,
            order: page.order,
            links: Links::new(&parts.uri, is_kept),
            page,
        })
    }
}

/// Where a page is in its list.
#[derive(Serialize, JsonSchema)]
pub struct Pagination {
    total: i64,
    per_page: i64,
    current_page: i64,
    last_page: i64,
}

/// `X-Total-Count` and `Link`.
pub struct ListHeaders {
    pub total: Total,
    pub link: Option<String>,
}

impl ListHeaders {
    /// The headers of a list that is served whole.
    pub fn whole(total: usize) -> Self {
        Self {
            total: Total::Exactly(total as i64),
            link: None,
        }
    }
}
