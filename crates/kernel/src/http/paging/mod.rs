//! Requests for a list, and the headers that lead from one page to the next.

mod links;

use std::fmt::Display;

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::Serialize;

use self::links::{Links, link_header};
use super::money_form;
use super::query::Query;
use crate::Error;
use crate::list::{ListQuery, PageCursor, PagingForm, Parameter, Total, Window};

/// A request for a list.
pub struct ListRequest<Q> {
    pub query: Q,
    links: Links,
}

impl<Q: ListQuery> ListRequest<Q> {
    /// The part of the list to read: one item more than the page has.
    pub fn window(&self) -> Window<<Q::Cursor as PageCursor>::After> {
        self.query.paging().window()
    }

    /// Truncates `items`, which were read by [`Self::window`], to the page and returns its headers.
    pub fn headers<T, C: Display>(
        &self,
        total: i64,
        items: &mut Vec<T>,
        cursor: impl Fn(&T) -> C,
    ) -> ListHeaders {
        let paging = self.query.paging();
        if paging.is_all() {
            return ListHeaders::whole(items.len());
        }
        let has_next = items.len() as i64 > paging.size();
        items.truncate(paging.size() as usize);
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

    /// What the body says about the page.
    pub fn pagination(&self, total: i64) -> Pagination {
        let paging = self.query.paging();
        Pagination {
            total,
            per_page: paging.size(),
            current_page: paging.number(),
            last_page: last_page(total, paging.size()),
        }
    }

    fn link_to_next(&self, cursor: &dyn Display) -> String {
        let paging = self.query.paging();
        let (number, size) = (paging.number().saturating_add(1), paging.size());
        let has_cursor = has_parameter::<Q>(Parameter::After);
        let mut parameters: Vec<(&str, &dyn Display)> = Vec::new();
        if Q::Form::HAS_PAGINATION || !has_cursor {
            parameters.push(("page", &number));
        }
        parameters.push((Q::Form::SIZE_NAME, &size));
        if has_cursor {
            parameters.push(("after", cursor));
        }
        self.links.to(&parameters)
    }

    fn link_header(&self, total: i64, next: Option<String>) -> Option<String> {
        let paging = self.query.paging();
        let to_page = |page: i64| {
            self.links
                .to(&[("page", &page), (Q::Form::SIZE_NAME, &paging.size())])
        };
        let has_numbers = has_parameter::<Q>(Parameter::Page);
        let knows_number = Q::Form::HAS_PAGINATION || !paging.has_cursor();
        let mut links = Vec::with_capacity(4);
        if has_numbers {
            links.push((to_page(1), "first"));
        }
        if has_numbers && knows_number && paging.number() > 1 {
            links.push((to_page(paging.number() - 1), "prev"));
        }
        links.extend(next.map(|next| (next, "next")));
        if has_numbers {
            links.push((to_page(last_page(total, paging.size())), "last"));
        }
        link_header(&links)
    }
}

fn has_parameter<Q: ListQuery>(parameter: Parameter) -> bool {
    Q::Form::PARAMETERS.contains(&parameter)
}

/// An empty list has one page.
fn last_page(total: i64, size: i64) -> i64 {
    ((total + size - 1) / size).max(1)
}

impl<Q: ListQuery, S: Sync> FromRequestParts<S> for ListRequest<Q> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let Query(query) = Query::from_request_parts(parts, state).await?;
        let is_filter = |name: &str| {
            name == money_form::PARAMETER || !is_paging(name) && Q::position(name).is_some()
        };
        let links = Links::new(&parts.uri, is_filter);
        Ok(Self { query, links })
    }
}

/// Whether any list has a paging parameter of this name.
fn is_paging(name: &str) -> bool {
    ["page", "per_page", "limit", "after"].contains(&name)
}

impl<Q: ListQuery> OperationInput for ListRequest<Q> {
    fn operation_input(ctx: &mut GenContext, operation: &mut Operation) {
        Query::<Q>::operation_input(ctx, operation);
    }

    fn inferred_early_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        Query::<Q>::inferred_early_responses(ctx, operation)
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
    /// For a list that is served whole.
    pub fn whole(total: usize) -> Self {
        Self {
            total: Total::Exactly(total as i64),
            link: None,
        }
    }
}
