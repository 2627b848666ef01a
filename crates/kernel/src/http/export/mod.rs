//! Whole lists of any size, handed out as they are read.
//!
//! A list is read in batches, each in a short read of its own that goes on where the one before
//! ended. So while a client takes its time, no connection to the database is held, and in memory
//! there is never more than one batch.

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
use super::openapi;
use crate::auth::Actor;
use crate::auth::permission::{PermissionSet, Right};
use crate::list::{Cursor, Key, Sort, Sorted, Window};
use crate::types::Timestamp;
use crate::{Error, Kernel, Result};

/// How many items are read at once.
const BATCH: i64 = 500;

/// A list that can be exported: filters, and what they lead to.
pub trait Exported: Send + Sync + 'static {
    /// What the file is called, without its ending.
    const NAME: &'static str;
    /// The fields of a row, in the order of their columns.
    const COLUMNS: &'static [&'static str];
    type Key: Key;
    type Item: Sorted<Self::Key> + Send;
    /// An item as the list shows it.
    type Row: From<Self::Item> + Serialize;

    fn sort(&self) -> Sort<Self::Key>;

    fn read(
        &self,
        conn: &mut Conn,
        now: Timestamp,
        window: &Window<Option<Cursor<Self::Key>>>,
    ) -> impl Future<Output = Result<Vec<Self::Item>>> + Send;
}

/// The answer to an export.
pub struct Export {
    name: &'static str,
    format: Format,
    body: Body,
}

impl Export {
    /// What goes wrong with the first batch is an error like any other. Later on the response has
    /// begun, and all that is left is to break it off.
    pub async fn begin<R: Right, L: Exported>(
        caller: &Caller<R>,
        format: Format,
        list: L,
    ) -> Result<Self> {
        let mut reading = Reading {
            kernel: caller.kernel().clone(),
            actor: caller.actor().clone(),
            is_enough: R::is_held,
            format,
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

/// An export under way.
struct Reading<L: Exported> {
    kernel: Kernel,
    actor: Actor,
    is_enough: fn(PermissionSet) -> bool,
    format: Format,
    list: L,
    after: Option<Cursor<L::Key>>,
    ended: bool,
}

impl<L: Exported> Reading<L> {
    async fn step(mut self) -> Result<Option<(Bytes, Self)>> {
        if self.ended {
            return Ok(None);
        }
        // A client that takes everything at once must not keep a thread from others.
        tokio::task::yield_now().await;
        match self.next().await {
            Ok(batch) => Ok(Some((batch.into(), self))),
            Err(error) => {
                let cause = error.source().unwrap_or(&error);
                let request_id = &self.actor.request_id;
                tracing::error!(request_id, %cause, "an export was broken off");
                Err(error)
            }
        }
    }

    /// It may go on for long, and a key that is revoked meanwhile is to get nothing more.
    async fn next(&mut self) -> Result<Vec<u8>> {
        let keys = &self.kernel.keys;
        let admitted = keys.still_admits(&self.kernel, &self.actor, self.is_enough);
        if !admitted.await? {
            return Err(Error::Unauthorized);
        }
        self.batch().await
    }

    async fn batch(&mut self) -> Result<Vec<u8>> {
        let window = Window {
            after: self.after.take(),
            limit: BATCH,
            offset: 0,
            from_end: false,
        };
        let now = self.kernel.clock.now();
        let mut read = self.kernel.db.read_alone().await?;
        let items = self.list.read(&mut read, now, &window).await?;
        drop(read);
        self.ended = (items.len() as i64) < BATCH;
        self.after = items.last().map(|last| self.list.sort().cursor(last));
        let rows = items.into_iter().map(L::Row::from);
        self.format.rows(L::COLUMNS, rows)
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
        vec![(Some(200), openapi::file(&Format::MEDIA_TYPES))]
    }
}
