//! The extractor of every write: [`Writer`] authenticates like a
//! [`Caller`](super::caller::Caller), receives the body, and runs the transaction.
//!
//! Code that depends on neither the body nor the reply is in [`request`], which is compiled once
//! and not once for each operation.

mod explained;
mod external;
mod request;

use std::marker::PhantomData;
use std::ops::ControlFlow;

use axum::extract::{FromRef, FromRequest, Request};
use serde::Serialize;

pub(super) use self::explained::explain;

use self::request::WriteRequest;
use super::body::{Body, NoBody, Payload};
use super::caller::Needed;
use super::reply::{Reply, to_json};
use crate::auth::Actor;
use crate::auth::permission::Right;
use crate::types::Timestamp;
use crate::write::{Change, Edit};
use crate::{Error, Kernel, Result};

/// A caller who may write, with the body that was sent.
pub struct Writer<R, B = NoBody> {
    /// On the heap, since an extractor is moved several times.
    request: Box<WriteRequest>,
    body: Body<B>,
    right: PhantomData<R>,
}

impl<R: Right, B: Payload, S: Sync> FromRequest<S> for Writer<R, B>
where
    Kernel: FromRef<S>,
{
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let kernel = Kernel::from_ref(state);
        let received = WriteRequest::receive(kernel, request, Needed::of::<R>(), B::EXPECTED);
        let (request, body) = received.await?;
        Ok(Self {
            request,
            body: body.parse(),
            right: PhantomData,
        })
    }
}

impl<R: Right, B> Writer<R, B> {
    pub fn actor(&self) -> &Actor {
        &self.request.actor
    }

    /// The time to compare expiry with.
    pub fn now(&self) -> Timestamp {
        self.request.kernel.core.expiry_now()
    }

    /// Does slow work before the transaction begins, so that it holds no lock. `work` converts a
    /// valid body into what the transaction needs. If it fails, or the body is invalid, the error
    /// is returned inside the transaction, after the checks that come first.
    pub async fn prepare<P, F>(self, work: F) -> Writer<R, P>
    where
        F: AsyncFnOnce(B) -> Result<P>,
    {
        let body = self.body.prepare(work);
        Writer {
            body: body.await,
            request: self.request,
            right: PhantomData,
        }
    }

    /// Runs a write in one transaction, with its audit entry and its stored reply. If an earlier
    /// request had the same `Idempotency-Key`, its reply is sent again. When this returns, the
    /// write is either durable or rolled back.
    pub async fn run<const STATUS: u16, T, F>(self, work: F) -> Result<Reply<STATUS, T>>
    where
        T: Serialize,
        F: AsyncFnOnce(&mut Edit, Body<B>) -> Result<Change<T>>,
    {
        // On the heap: the future is large, and axum moves that of a handler six times.
        Box::pin(self.run_in_place(work)).await
    }

    async fn run_in_place<const STATUS: u16, T, F>(self, work: F) -> Result<Reply<STATUS, T>>
    where
        T: Serialize,
        F: AsyncFnOnce(&mut Edit, Body<B>) -> Result<Change<T>>,
    {
        let mut write = match self.request.begin().await? {
            ControlFlow::Continue(write) => write,
            ControlFlow::Break(earlier) => return Ok(earlier.into()),
        };
        let worked = work(&mut write.edit, self.body).await;
        let worked = worked.and_then(|change| change.try_map(|value| to_json(&value)));
        write.finish(worked).await.map(Reply::from)
    }
}
