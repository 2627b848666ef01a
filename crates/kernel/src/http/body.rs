//! Request bodies: received early, validated late.
//!
//! A body is read before the transaction begins, so that a slow client holds no lock. Its errors
//! are returned only when a handler asks for the body, after the checks that come first.

use axum::body::Body as HttpBody;
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use db::Conn;
use http_body_util::BodyExt;
use serde_json::value::RawValue;

use super::writer::explain;
use crate::input::{Faults, Fields, Input, Partial};
use crate::{Error, ErrorCode, Kernel, Limits, Result};

/// The number of bytes beyond the limit that are still read, and dropped.
const READ_BEYOND_LIMIT: usize = 4 << 20;

/// For operations that take no body. A body that is sent anyway is ignored.
pub struct NoBody;

/// The type of body that an operation expects.
pub trait Payload: Sized + Send {
    const EXPECTED: bool;

    fn parse(bytes: &[u8], strict: bool) -> Result<Self>;
}

impl Payload for NoBody {
    const EXPECTED: bool = false;

    fn parse(_: &[u8], _: bool) -> Result<Self> {
        Ok(Self)
    }
}

impl<T: Input + Send> Payload for T {
    const EXPECTED: bool = true;

    fn parse(bytes: &[u8], strict: bool) -> Result<Self> {
        let missing = Error::Rejected {
            code: ErrorCode::MissingBody,
            message: "This request needs a body.",
        };
        Option::parse(bytes, strict)?.ok_or(missing)
    }
}

/// A body that may be absent.
impl<T: Input + Send> Payload for Option<T> {
    const EXPECTED: bool = true;

    fn parse(bytes: &[u8], strict: bool) -> Result<Self> {
        match fields(bytes)? {
            Some(fields) => Ok(Some(T::read(&fields, strict)?)),
            None => Ok(None),
        }
    }
}

/// The fields of a body that is a JSON object; `None` without a body.
pub(super) fn fields(bytes: &[u8]) -> Result<Option<Fields<'_>>> {
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    let not_json = || Error::Rejected {
        code: ErrorCode::InvalidJson,
        message: "The body is not valid JSON.",
    };
    let whole: &RawValue = serde_json::from_slice(bytes).map_err(|_| not_json())?;
    if !whole.get().starts_with('{') {
        return Err(Error::Rejected {
            code: ErrorCode::InvalidBody,
            message: "The body must be a JSON object.",
        });
    }
    Fields::of_object(whole).map(Some).ok_or_else(not_json)
}

/// The bytes of a body, or the reason why they are refused.
pub(super) struct Received {
    bytes: Result<Bytes>,
    strict: bool,
}

impl Received {
    /// Receives nothing unless a body is [expected](Payload::EXPECTED). Fails at once only if the
    /// client is too slow or disconnects.
    pub async fn new(
        parts: &Parts,
        body: HttpBody,
        limits: &Limits,
        is_expected: bool,
    ) -> Result<Self> {
        let bytes = match is_expected {
            true => receive_bytes(parts, body, limits).await?,
            false => Ok(Bytes::new()),
        };
        Ok(Self {
            bytes,
            strict: is_expected && super::query::prefers_strict(parts),
        })
    }

    pub fn bytes(&self) -> Option<&Bytes> {
        self.bytes.as_ref().ok()
    }

    pub fn parse<T: Payload>(self) -> Body<T> {
        let Self { bytes, strict } = self;
        Body {
            bytes: bytes.as_ref().ok().cloned(),
            strict,
            parsed: bytes.and_then(|bytes| T::parse(&bytes, strict)),
        }
    }
}

/// A body that was received, or the reason why it is refused.
pub struct Body<T> {
    bytes: Option<Bytes>,
    strict: bool,
    parsed: Result<T>,
}

impl<T> Body<T> {
    /// The bytes, if their size and content type are accepted.
    pub fn bytes(&self) -> Option<&Bytes> {
        self.bytes.as_ref()
    }

    /// Returns `true` if unknown fields are faults.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// The body, or all its faults.
    pub fn valid(self) -> Result<T> {
        self.parsed
    }

    /// Converts a valid body. If that fails, [`Body::valid`] returns the error.
    pub async fn prepare<U>(self, work: impl AsyncFnOnce(T) -> Result<U>) -> Body<U> {
        Body {
            bytes: self.bytes,
            strict: self.strict,
            parsed: match self.parsed {
                Ok(body) => work(body).await,
                Err(error) => Err(error),
            },
        }
    }
}

/// The outer error ends the request at once; the inner one is returned by validation.
async fn receive_bytes(parts: &Parts, body: HttpBody, limits: &Limits) -> Result<Result<Bytes>> {
    let whole = whole(body, limits.body_bytes);
    let whole = tokio::time::timeout(limits.body_time, whole).await;
    let received = whole.map_err(|_| Error::SlowRequest)??;
    Ok(received.and_then(|bytes| accept(&parts.headers, bytes)))
}

/// Reads the whole body, unless it is too large. Some bytes beyond the limit are read all the same:
/// a client that is still sending may not read the reply.
async fn whole(mut body: HttpBody, limit: usize) -> Result<Result<Bytes>> {
    let mut kept = BytesMut::new();
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Error::SlowRequest)?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        size += data.len();
        if size <= limit {
            kept.extend_from_slice(&data);
        } else if size > limit + READ_BEYOND_LIMIT {
            break;
        }
    }
    Ok(if size <= limit {
        Ok(kept.freeze())
    } else {
        Err(Error::BodyTooLarge)
    })
}

fn accept(headers: &HeaderMap, bytes: Bytes) -> Result<Bytes> {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind
        .and_then(|kind| kind.split(';').next())
        .unwrap_or_default();
    let is_json = kind.trim().eq_ignore_ascii_case("application/json");
    let encoding = headers.get(CONTENT_ENCODING);
    let is_plain = encoding.is_none_or(|encoding| encoding == "identity");
    if bytes.is_empty() || is_json && is_plain {
        Ok(bytes)
    } else {
        Err(Error::UnsupportedMediaType)
    }
}

/// For a read whose parameters are too long for a query string. It comes after a
/// [`Caller`](super::caller::Caller), which authenticates first.
impl<T: Payload, S: Sync> FromRequest<S> for Body<T>
where
    Kernel: FromRef<S>,
{
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let (parts, body) = request.into_parts();
        let kernel = Kernel::from_ref(state);
        let received = Received::new(&parts, body, &kernel.limits, T::EXPECTED).await?;
        Ok(received.parse())
    }
}

impl<T: Input> Body<T> {
    /// The body, or all its faults, including those that need the database: `check` finds them in
    /// the fields that parsed.
    pub async fn valid_or_explained<C>(self, kernel: &Kernel, check: C) -> Result<T>
    where
        C: AsyncFnOnce(&mut Conn, Partial<T>) -> Result<Faults>,
    {
        match (self.parsed, self.bytes) {
            (Err(Error::Invalid(faults)), Some(bytes)) => {
                let explained = explain::<T, C>(kernel, faults, &bytes, self.strict, check);
                Err(explained.await?.into())
            }
            (parsed, _) => parsed,
        }
    }
}
