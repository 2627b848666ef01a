//! Successful replies. The type determines the status and the headers.

use std::marker::PhantomData;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LINK, LOCATION};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::accept::JSON;
use super::encoding::Encoding;
use super::paging::ListHeaders;
use crate::list::Total;
use crate::schema::JsonSchema;
use crate::{Error, Result};

pub const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
pub const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");
const TOTAL_COUNT_RELATION: HeaderName = HeaderName::from_static("x-total-count-relation");

/// The size from which a stored reply is compressed. Less would cost time in every write, and the
/// database little.
const MIN_COMPRESSED_SIZE: usize = 8 << 10;
/// How compressed replies begin, and no others.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A body that only says that the operation succeeded.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MessageReply")]
pub struct Message {
    message: &'static str,
}

impl Message {
    pub fn new(message: &'static str) -> Self {
        Self { message }
    }
}

/// A body with a status.
pub struct Reply<const STATUS: u16, T> {
    parts: ReplyParts,
    shape: PhantomData<T>,
}

/// The reply to an action or an update.
pub type Done<T> = Reply<200, T>;
/// The reply to a create.
pub type Created<T> = Reply<201, T>;
/// The reply to an action that continues in the background.
pub type Accepted<T> = Reply<202, T>;

impl<const STATUS: u16, T: Serialize> Reply<STATUS, T> {
    pub fn new(body: &T) -> Result<Self> {
        to_json(body).map(|body| ReplyParts::of_body(body).into())
    }
}

impl<const STATUS: u16, T> From<ReplyParts> for Reply<STATUS, T> {
    fn from(parts: ReplyParts) -> Self {
        Self {
            parts,
            shape: PhantomData,
        }
    }
}

/// The parts of a [`Reply`], whatever its type.
pub(super) struct ReplyParts {
    body: Vec<u8>,
    /// The entity tag of the resource that was created or changed.
    etag: Option<String>,
    /// The path of the created resource.
    location: Option<String>,
    replayed: bool,
}

impl ReplyParts {
    pub fn new(body: Vec<u8>, etag: Option<String>, location: Option<String>) -> Self {
        Self {
            body,
            etag,
            location,
            replayed: false,
        }
    }

    pub fn of_body(body: Vec<u8>) -> Self {
        Self::new(body, None, None)
    }

    /// The form that is stored under an `Idempotency-Key`: the entity tag, which is in quotes, the
    /// location, which is a path, and the body, which is an object. A large one is compressed.
    pub fn to_stored(&self) -> Result<Vec<u8>> {
        let etag = self.etag.as_deref().unwrap_or_default();
        let location = self.location.as_deref().unwrap_or_default();
        let plain = [etag.as_bytes(), location.as_bytes(), &self.body].concat();
        match plain.len() {
            ..MIN_COMPRESSED_SIZE => Ok(plain),
            _ => Encoding::Zstd.compress(&plain).map_err(Error::internal),
        }
    }

    pub fn replayed(stored: Vec<u8>) -> Result<Self> {
        let plain = match stored.starts_with(&ZSTD_MAGIC) {
            true => zstd::decode_all(&stored[..]).map_err(Error::internal)?,
            false => stored,
        };
        let (etag, location, body) = split_stored(plain);
        Ok(Self {
            replayed: true,
            ..Self::new(body, etag, location)
        })
    }

    fn into_response(self, status: StatusCode) -> Response {
        let mut response = json(status, self.body);
        let headers = response.headers_mut();
        if let Some(etag) = &self.etag {
            insert(headers, ETAG, etag);
        }
        if let Some(location) = &self.location {
            insert(headers, LOCATION, location);
        }
        if self.replayed {
            headers.insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}

/// The entity tag, the location and the body of a stored reply.
fn split_stored(mut stored: Vec<u8>) -> (Option<String>, Option<String>, Vec<u8>) {
    let start = stored.iter().position(|byte| *byte == b'{').unwrap_or(0);
    let body = stored.split_off(start);
    let head = String::from_utf8(stored).unwrap_or_default();
    let end = head.rfind('"').map_or(0, |quote| quote + 1);
    let (etag, location) = head.split_at(end);
    let given = |part: &str| (!part.is_empty()).then(|| part.to_owned());
    (given(etag), given(location), body)
}

impl<const STATUS: u16, T> IntoResponse for Reply<STATUS, T> {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(STATUS).unwrap_or_default();
        self.parts.into_response(status)
    }
}

/// The reply to a PUT, or to an action that can create: 201 if it created the resource, otherwise
/// 200.
pub struct Put<T>(pub Done<T>);

impl<T> IntoResponse for Put<T> {
    fn into_response(self) -> Response {
        let parts = self.0.parts;
        let status = match parts.location {
            Some(_) => StatusCode::CREATED,
            None => StatusCode::OK,
        };
        parts.into_response(status)
    }
}

/// The reply to an action that creates something without a path, or changes a resource: 200 with the
/// entity tag of that resource, otherwise 201.
pub struct Acted<T>(pub Done<T>);

impl<T> IntoResponse for Acted<T> {
    fn into_response(self) -> Response {
        let parts = self.0.parts;
        let status = match parts.etag {
            Some(_) => StatusCode::OK,
            None => StatusCode::CREATED,
        };
        parts.into_response(status)
    }
}

/// The reply to an action that continues in the background, or to its dry run: 202 with the entity
/// tag of what it works on, otherwise 200.
pub struct Tried<T>(pub Done<T>);

impl<T> IntoResponse for Tried<T> {
    fn into_response(self) -> Response {
        let parts = self.0.parts;
        let status = match parts.etag {
            Some(_) => StatusCode::ACCEPTED,
            None => StatusCode::OK,
        };
        parts.into_response(status)
    }
}

/// A single resource, with its entity tag.
pub struct Single<T> {
    etag: String,
    // `None` if the client's copy is current.
    body: Option<Vec<u8>>,
    cache_control: &'static str,
    shape: PhantomData<T>,
}

impl<T> Single<T> {
    pub fn new(etag: String, body: Option<Vec<u8>>) -> Self {
        Self {
            etag,
            body,
            // Clients may cache it, but must revalidate it before each use.
            cache_control: "private, no-cache",
            shape: PhantomData,
        }
    }

    /// For a browser, which would keep a copy on its disk.
    pub fn not_stored(self) -> Self {
        Self {
            cache_control: "no-store",
            ..self
        }
    }
}

impl<T> IntoResponse for Single<T> {
    fn into_response(self) -> Response {
        single(&self.etag, self.body, self.cache_control)
    }
}

fn single(etag: &str, body: Option<Vec<u8>>, cache_control: &str) -> Response {
    let mut response = match body {
        Some(body) => json(StatusCode::OK, body),
        None => StatusCode::NOT_MODIFIED.into_response(),
    };
    let headers = response.headers_mut();
    insert(headers, ETAG, etag);
    insert(headers, CACHE_CONTROL, cache_control);
    response
}

/// A list with its total and, if it is paged, links to other pages.
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
        list(&self.list, self.body)
    }
}

fn list(list: &ListHeaders, body: Vec<u8>) -> Response {
    let mut response = json(StatusCode::OK, body);
    let headers = response.headers_mut();
    headers.insert(TOTAL_COUNT, list.total.number().into());
    if let Total::AtLeast(_) = list.total {
        headers.insert(TOTAL_COUNT_RELATION, HeaderValue::from_static("at-least"));
    }
    if let Some(link) = &list.link {
        insert(headers, LINK, link);
    }
    response
}

/// A list that is counted only up to a limit.
pub struct CountedList<T>(List<T>);

impl<T: Serialize> CountedList<T> {
    pub fn new(list: ListHeaders, body: &T) -> Result<Self> {
        List::new(list, body).map(Self)
    }
}

impl<T> IntoResponse for CountedList<T> {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

pub fn to_json(body: &impl Serialize) -> Result<Vec<u8>> {
    crate::json::to_vec(body).map_err(Error::internal)
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(JSON);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn insert(headers: &mut axum::http::HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::split_stored;

    #[test]
    fn a_stored_reply_gives_its_etag_its_location_and_its_body_back() {
        let split = |stored: &str| {
            let (etag, location, body) = split_stored(stored.into());
            (etag, location, String::from_utf8(body).expect("text"))
        };
        let body = r#"{"message":"Done."}"#;
        for etag in [None, Some("\"abc\"")] {
            for location in [None, Some("/api/roles/7")] {
                let (etag, location) = (etag.map(str::to_owned), location.map(str::to_owned));
                let stored = [etag.as_deref(), location.as_deref(), Some(body)];
                let stored: String = stored.into_iter().flatten().collect();
                assert_eq!(split(&stored), (etag, location, body.to_owned()));
            }
        }
    }
}
