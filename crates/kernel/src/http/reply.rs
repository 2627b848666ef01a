//! What operations answer with. The type says which status and headers a success has.

use std::marker::PhantomData;

use aide::OperationOutput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response as Documented};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LINK};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use super::openapi;
use super::paging::ListHeaders;
use crate::{Error, Result};

pub const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
pub const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// The whole body where there is nothing to show but that it worked.
#[derive(Serialize, JsonSchema)]
pub struct Message {
    message: &'static str,
}

impl Message {
    pub fn new(message: &'static str) -> Self {
        Self { message }
    }
}

/// A body with a status, and nothing else to it.
pub struct Reply<const STATUS: u16, T> {
    body: Vec<u8>,
    replayed: bool,
    shape: PhantomData<T>,
}

/// The answer to an action or an update.
pub type Done<T> = Reply<200, T>;
/// The answer to a create.
pub type Created<T> = Reply<201, T>;

impl<const STATUS: u16, T: Serialize> Reply<STATUS, T> {
    pub fn new(body: &T) -> Result<Self> {
        Ok(Self::of_bytes(to_json(body)?, false))
    }
}

impl<const STATUS: u16, T> Reply<STATUS, T> {
    pub fn replayed(body: Vec<u8>) -> Self {
        Self::of_bytes(body, true)
    }

    fn of_bytes(body: Vec<u8>, replayed: bool) -> Self {
        Self {
            body,
            replayed,
            shape: PhantomData,
        }
    }

    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

impl<const STATUS: u16, T> IntoResponse for Reply<STATUS, T> {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(STATUS).unwrap_or_default();
        let mut response = json(status, self.body);
        if self.replayed {
            let headers = response.headers_mut();
            headers.insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}

/// A single resource, with its entity tag.
pub struct Single<T> {
    etag: String,
    // `None` when the caller has it already.
    body: Option<Vec<u8>>,
    shape: PhantomData<T>,
}

impl<T> Single<T> {
    pub fn new(etag: String, body: Vec<u8>) -> Self {
        Self {
            etag,
            body: Some(body),
            shape: PhantomData,
        }
    }

    pub fn not_modified(etag: String) -> Self {
        Self {
            etag,
            body: None,
            shape: PhantomData,
        }
    }
}

impl<T> IntoResponse for Single<T> {
    fn into_response(self) -> Response {
        let mut response = match self.body {
            Some(body) => json(StatusCode::OK, body),
            None => StatusCode::NOT_MODIFIED.into_response(),
        };
        let headers = response.headers_mut();
        insert(headers, ETAG, &self.etag);
        // It may be kept, but not used without asking.
        insert(headers, CACHE_CONTROL, "private, no-cache");
        response
    }
}

/// A list, with its total and, when it is paged, where to go on.
pub struct List<T> {
    list: ListHeaders,
    body: Vec<u8>,
    shape: PhantomData<T>,
}

impl<T: Serialize> List<T> {
    pub fn new(list: ListHeaders, body: &T) -> Result<Self> {
        Ok(Self {
            list,
            body: to_json(body)?,
            shape: PhantomData,
        })
    }
}

impl<T> IntoResponse for List<T> {
    fn into_response(self) -> Response {
        let mut response = json(StatusCode::OK, self.body);
        let headers = response.headers_mut();
        headers.insert(TOTAL_COUNT, self.list.total.into());
        if let Some(link) = &self.list.link {
            insert(headers, LINK, link);
        }
        response
    }
}

pub fn to_json(body: &impl Serialize) -> Result<Vec<u8>> {
    // Most fit, and few grow more than twice.
    let mut json = Vec::with_capacity(1024);
    serde_json::to_writer(&mut json, body).map_err(Error::internal)?;
    Ok(json)
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    (status, [(CONTENT_TYPE, kind)], body).into_response()
}

fn insert(headers: &mut axum::http::HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

impl<const STATUS: u16, T: JsonSchema> OperationOutput for Reply<STATUS, T> {
    type Inner = T;

    fn inferred_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Documented)> {
        vec![(Some(STATUS), openapi::success::<T>(ctx, &[]))]
    }
}

impl<T: JsonSchema> OperationOutput for Single<T> {
    type Inner = T;

    fn inferred_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Documented)> {
        vec![
            (Some(200), openapi::success::<T>(ctx, &[openapi::ETAG])),
            (Some(304), openapi::not_modified()),
        ]
    }
}

impl<T: JsonSchema> OperationOutput for List<T> {
    type Inner = T;

    fn inferred_responses(
        ctx: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<u16>, Documented)> {
        let headers = [openapi::TOTAL_COUNT, openapi::LINK];
        vec![(Some(200), openapi::success::<T>(ctx, &headers))]
    }
}
