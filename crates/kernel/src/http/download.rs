//! A file of any size, sent as the client takes it.

use std::fs::File;
use std::io::Read;
use std::marker::PhantomData;

use aide::OperationOutput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response as Documented};
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use futures_util::stream;

use super::caller::Caller;
use super::openapi;
use crate::auth::Actor;
use crate::write::{Resource, etag};
use crate::{Error, Kernel, Result};

/// How much of the file is in memory at a time.
const PART: usize = 256 << 10;

/// The media type of a file, as a type.
pub trait MediaType {
    const NAME: &'static str;
}

/// The response to a download, or 304 if `If-None-Match` names the entity tag of the resource.
pub struct Download<M> {
    etag: String,
    file: Option<(String, u64, Body)>,
    media_type: PhantomData<M>,
}

impl<M> Download<M> {
    /// Sends the first `size` bytes of the file. `held` is dropped at the end.
    pub fn new<R>(
        caller: &Caller<R>,
        resource: &impl Resource,
        name: String,
        file: File,
        size: u64,
        held: impl Send + 'static,
    ) -> Self {
        let etag = etag::of(resource);
        if let Some(etag) = caller.known_tag(&etag) {
            return Self {
                etag,
                file: None,
                media_type: PhantomData,
            };
        }
        let sending = Sending {
            kernel: caller.kernel().clone(),
            actor: caller.actor().clone(),
            file,
            left: size,
            _held: held,
        };
        let body = Body::from_stream(stream::try_unfold(sending, Sending::step));
        Self {
            etag,
            file: Some((name, size, body)),
            media_type: PhantomData,
        }
    }
}

/// A download in progress.
struct Sending<H> {
    kernel: Kernel,
    actor: Actor,
    file: File,
    left: u64,
    _held: H,
}

impl<H: Send + 'static> Sending<H> {
    /// A download can take long. A key that has been revoked since gets nothing more.
    async fn step(self) -> Result<Option<(Bytes, Self)>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.kernel.keys.confirm(&self.kernel, &self.actor).await?;
        let read = tokio::task::spawn_blocking(move || self.read()).await;
        read.map_err(Error::internal)?.map(Some)
    }

    fn read(mut self) -> Result<(Bytes, Self)> {
        let size = PART.min(usize::try_from(self.left).unwrap_or(PART));
        let mut part = vec![0; size];
        self.file.read_exact(&mut part).map_err(Error::internal)?;
        self.left -= size as u64;
        Ok((part.into(), self))
    }
}

impl<M: MediaType> IntoResponse for Download<M> {
    fn into_response(self) -> Response {
        let etag = [
            (ETAG, self.etag),
            (CACHE_CONTROL, "private, no-cache".into()),
        ];
        let Some((name, size, body)) = self.file else {
            return (StatusCode::NOT_MODIFIED, etag).into_response();
        };
        let headers = [
            (CONTENT_TYPE, M::NAME.to_owned()),
            (CONTENT_LENGTH, size.to_string()),
            (
                CONTENT_DISPOSITION,
                format!("attachment; filename=\"{name}\""),
            ),
        ];
        (etag, headers, body).into_response()
    }
}

impl<M: MediaType> OperationOutput for Download<M> {
    type Inner = String;

    fn inferred_responses(_: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Documented)> {
        vec![
            (Some(200), openapi::file(&[M::NAME], &[openapi::ETAG])),
            (Some(304), openapi::not_modified()),
        ]
    }
}
