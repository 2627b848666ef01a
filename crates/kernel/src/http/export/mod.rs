//! Whole lists of any size, streamed as they are read.
//!
//! A list is read in batches. Each batch is a short read that continues after the last item of the
//! one before. So a slow client occupies no database connection, and at most one batch is in memory.

mod format;

use std::error::Error as StdError;

use aide::OperationOutput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response as Documented};
use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use db::Conn;
use futures_util::stream::{self, StreamExt};
use serde::Serialize;

pub use self::format::Format;

use super::caller::Caller;
use super::{money_form, openapi};
use crate::auth::Actor;
use crate::auth::permission::Right;
use crate::list::{Cursor, CursorWindow, Key, Sort, Sorted, Window};
use crate::types::{Timestamp, money};
use crate::{Kernel, Result};

/// The filters of a list that can be exported.
pub trait Exported: Send + Sync + 'static {
    /// The name of the file, without its extension.
    const NAME: &'static str;
    /// The fields of a row, in the order of the columns.
    const COLUMNS: &'static [&'static str];
    /// How many items are read at a time.
    const BATCH: i64 = 500;
    type Key: Key;
    type Item: Sorted<Self::Key> + Send;
    /// An item as it is serialised.
    type Row: From<Self::Item> + Serialize;

    fn sort(&self) -> Sort<Self::Key>;

    fn read(
        &self,
        conn: &mut Conn,
        now: Timestamp,
        window: &CursorWindow<Self::Key>,
    ) -> impl Future<Output = Result<Vec<Self::Item>>> + Send;
}

/// The response to an export.
pub struct Export {
    name: &'static str,
    format: Format,
    body: Body,
}

impl Export {
    /// An error in the first batch is returned like any other. An error in a later batch aborts the
    /// response, which has begun by then.
    pub async fn begin<R: Right, L: Exported>(
        caller: &Caller<R>,
        format: Format,
        list: L,
    ) -> Result<Self> {
        let mut reading = Reading {
            kernel: caller.kernel().clone(),
            actor: caller.actor().clone(),
            format,
            has_text_amounts: money_form::is_text(),
            list,
            after: None,
            ended: false,
        };
        let mut first = format.head(L::COLUMNS)?;
        first.extend(reading.batch().await?);
        let rest = stream::try_unfold(reading, Reading::step);
        let whole = stream::iter([Ok(Bytes::from(first))]).chain(rest);
        Ok(Self {
            name: L::NAME,
            format,
            body: Body::from_stream(whole),
        })
    }
}

/// An export in progress.
struct Reading<L: Exported> {
    kernel: Kernel,
    actor: Actor,
    format: Format,
    /// The body is made outside of the task-local form of its request.
    has_text_amounts: bool,
    list: L,
    after: Option<Cursor<L::Key>>,
    ended: bool,
}

impl<L: Exported> Reading<L> {
    async fn step(mut self) -> Result<Option<(Bytes, Self)>> {
        if self.ended {
            return Ok(None);
        }
        // A fast client must not block the worker thread for other tasks.
        tokio::task::yield_now().await;
        match self.next().await {
            Ok(batch) => Ok(Some((batch.into(), self))),
            Err(error) => {
                let cause = error.source().unwrap_or(&error);
                let request_id = &self.actor.request_id;
                let client_request_id = &self.actor.client_request_id;
                tracing::error!(request_id, client_request_id, %cause, "an export was broken off");
                Err(error)
            }
        }
    }

    /// An export can take long. A key that has been revoked since gets nothing more.
    async fn next(&mut self) -> Result<Vec<u8>> {
        let keys = &self.kernel.keys;
        keys.confirm(&self.kernel, &self.actor).await?;
        self.batch().await
    }

    async fn read(&self, window: &CursorWindow<L::Key>) -> Result<Vec<L::Item>> {
        let mut read = self.kernel.db.read_alone().await?;
        let now = self.kernel.expiry_now();
        self.list.read(&mut read, now, window).await
    }

    async fn batch(&mut self) -> Result<Vec<u8>> {
        let window = Window {
            after: self.after.take(),
            limit: L::BATCH,
            offset: 0,
            from_end: false,
        };
        // The body of a response is made outside the task-local client of its request.
        let share = self.actor.key_id.map(i64::unsigned_abs);
        let client = db::Client::new(None).with_share(share);
        let items = client.scope(self.read(&window)).await?;
        self.ended = (items.len() as i64) < L::BATCH;
        self.after = items.last().map(|last| self.list.sort().cursor(last));
        let rows = items.into_iter().map(L::Row::from);
        let write = || self.format.rows(L::COLUMNS, rows);
        match self.has_text_amounts {
            true => money::as_text(write),
            false => write(),
        }
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

impl OperationOutput for Export {
    type Inner = String;

    fn inferred_responses(_: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Documented)> {
        vec![(Some(200), openapi::file(&Format::MEDIA_TYPES, &[]))]
    }
}
