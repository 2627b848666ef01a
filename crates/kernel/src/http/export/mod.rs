//! Exports: whole lists of any size, streamed as they are read.
//!
//! A list is read in batches, each a short read that continues after the last item of the previous
//! one. So a slow client holds no database connection, and at most one batch is in memory.

mod format;

use std::error::Error as StdError;

use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use db::Conn;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};
use serde::Serialize;

pub use self::format::Format;

use super::accept::Accept;
use super::caller::Caller;
use super::paging::ListInput;
use super::query::Query;
use crate::auth::Actor;
use crate::auth::permission::{Confirmed, Right};
use crate::list::{ListQuery, Order};
use crate::types::Timestamp;
use crate::write::Change;
use crate::{Error, Kernel, Result};

/// A request for an export of a list.
pub struct ExportRequest<Q> {
    pub filters: Q,
    pub order: Order,
    format: Format,
}

impl<Q: ListQuery, S: Sync> FromRequestParts<S> for ExportRequest<Q> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(input) = Query::<ListInput<Q, true>>::from_request_parts(parts, state).await?;
        let format = Format::choose(input.page.format, &Accept::of(&parts.headers))?;
        let ListInput { page, filters } = input.checked()?;
        Ok(Self {
            filters,
            order: page.order,
            format,
        })
    }
}

/// The file of an export.
#[derive(Clone, Copy)]
pub struct ExportFile {
    /// The name, without its extension.
    pub name: &'static str,
    /// The resource in the audit log.
    pub resource: &'static str,
    /// The fields of a row, in the order of the columns.
    pub columns: &'static [&'static str],
    /// The number of rows read at a time.
    pub batch: i64,
}

/// Reads the rows after a cursor, and the cursor to continue with. Fewer rows than
/// [`ExportFile::batch`] are the last ones.
pub type ReadBatch<Q, C, R> = for<'a> fn(
    &'a ExportRequest<Q>,
    &'a mut Conn,
    Timestamp,
    Option<C>,
) -> BoxFuture<'a, Result<(Vec<R>, Option<C>)>>;

/// The response to an export.
pub struct Export {
    name: &'static str,
    format: Format,
    body: Body,
}

impl Export {
    /// Reads the first batch, whose error is returned like any other, and writes the audit entry. An
    /// error in a later batch aborts the response, which has begun by then.
    pub async fn begin<R: Right, Q, C, T>(
        caller: &Caller<Confirmed<R>>,
        request: ExportRequest<Q>,
        file: ExportFile,
        read: ReadBatch<Q, C, T>,
    ) -> Result<Self>
    where
        Q: Send + Sync + 'static,
        C: Send + Sync + 'static,
        T: Serialize + 'static,
    {
        let format = request.format;
        let mut reading = Reading {
            kernel: caller.kernel().clone(),
            actor: caller.actor().clone(),
            request,
            file,
            read,
            after: None,
            ended: false,
        };
        let mut first = format.head(file.columns)?;
        first.extend(reading.batch().await?);
        let exported = Exported {
            format: format.as_str(),
        };
        let change = Change::of_read("export", file.resource, 0, &exported);
        caller.record(change).await?;
        let rest = stream::try_unfold(reading, Reading::step);
        let whole = stream::iter([Ok(Bytes::from(first))]).chain(rest);
        Ok(Self {
            name: file.name,
            format,
            body: Body::from_stream(whole),
        })
    }
}

/// The audit entry. It has no filters, which may contain names and addresses.
#[derive(Serialize)]
struct Exported {
    format: &'static str,
}

/// An export in progress.
struct Reading<Q, C, T> {
    kernel: Kernel,
    actor: Actor,
    request: ExportRequest<Q>,
    file: ExportFile,
    read: ReadBatch<Q, C, T>,
    after: Option<C>,
    ended: bool,
}

impl<Q, C, T: Serialize> Reading<Q, C, T> {
    async fn step(mut self) -> Result<Option<(Bytes, Self)>> {
        if self.ended {
            return Ok(None);
        }
        // Yield, so that a fast client does not block other tasks of this worker thread.
        tokio::task::yield_now().await;
        match self.next().await {
            Ok(batch) => Ok(Some((batch.into(), self))),
            Err(error) => {
                let cause = error.source().unwrap_or(&error);
                let request_id = &self.actor.request_id;
                let client_request_id = &self.actor.client_request_id;
                tracing::error!(request_id, client_request_id, %cause, "export aborted");
                Err(error)
            }
        }
    }

    /// Reads the next batch. The key is checked again, since it may have been revoked since.
    async fn next(&mut self) -> Result<Vec<u8>> {
        let keys = &self.kernel.keys;
        keys.confirm(&self.kernel.core, &self.actor).await?;
        self.batch().await
    }

    async fn batch(&mut self) -> Result<Vec<u8>> {
        let after = self.after.take();
        let reading = async {
            let mut read = self.kernel.core.db.read_alone().await?;
            let now = self.kernel.core.expiry_now();
            (self.read)(&self.request, &mut read, now, after).await
        };
        // The body is made outside of the request's task-locals, so the client is set again.
        let share = self.actor.key_id.map(i64::unsigned_abs);
        let client = db::Client::new(None).with_share(share);
        let (rows, next) = client.scope(reading).await?;
        self.ended = (rows.len() as i64) < self.file.batch;
        self.after = next;
        self.request
            .format
            .rows(self.file.columns, rows.into_iter())
    }
}

impl IntoResponse for Export {
    fn into_response(self) -> Response {
        let file = format!("{}.{}", self.name, self.format.as_str());
        let headers = [
            (CONTENT_TYPE, self.format.content_type().to_owned()),
            (
                CONTENT_DISPOSITION,
                format!("attachment; filename=\"{file}\""),
            ),
        ];
        (headers, self.body).into_response()
    }
}
