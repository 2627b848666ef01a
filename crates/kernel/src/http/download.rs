//! Downloads of files of any size, streamed at the client's pace.

use std::fs::File;
use std::io::Read;
use std::marker::PhantomData;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;

use super::caller::Caller;
use crate::auth::Actor;
use crate::auth::permission::Confirmed;
use crate::write::{Change, Resource, etag};
use crate::{Error, Kernel, Result};

/// The size of the part of a file that is in memory.
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
    /// Sends the first `size` bytes of the file, once the audit entry is written. `held` is dropped
    /// at the end.
    pub async fn begin<R, T: Resource>(
        caller: &Caller<Confirmed<R>>,
        resource: &T,
        name: String,
        file: File,
        size: u64,
        held: impl Send + 'static,
    ) -> Result<Self> {
        let etag = etag::of(resource);
        if let Some(etag) = caller.known_tag(&etag) {
            return Ok(Self {
                etag,
                file: None,
                media_type: PhantomData,
            });
        }
        let change = Change::of_read("download", T::PLURAL, resource.id(), &Downloaded { size });
        caller.record(change).await?;
        let sending = Sending {
            kernel: caller.kernel().clone(),
            actor: caller.actor().clone(),
            file,
            left: size,
            _held: held,
        };
        let body = Body::from_stream(stream::try_unfold(sending, Sending::step));
        Ok(Self {
            etag,
            file: Some((name, size, body)),
            media_type: PhantomData,
        })
    }
}

/// The audit entry.
#[derive(Serialize)]
struct Downloaded {
    size: u64,
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
    /// Reads the next part. A download can take long, so the key is checked again before each part.
    async fn step(self) -> Result<Option<(Bytes, Self)>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.kernel
            .keys
            .confirm(&self.kernel.core, &self.actor)
            .await?;
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
            // A browser must not keep a copy.
            (CACHE_CONTROL, "no-store".into()),
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
