//! Reports all faults at once, including those that only the database can find.
//!
//! A write stops at the first rule that fails, so that a valid request needs no further checks.
//! Once it has failed because of faults, an [`Explained`] writer reads the body again and lets the
//! slice check every field that parsed, so that one reply names all faults.

use std::marker::PhantomData;

use db::Conn;
use serde::Serialize;

use super::Writer;
use crate::auth::permission::Right;
use crate::http::body::{self, Body};
use crate::http::reply::Reply;
use crate::input::{Faults, Input, Partial};
use crate::write::{Change, Edit};
use crate::{Error, Kernel, Result};

/// A [`Writer`] that can find further faults of a refused request.
pub struct Explained<R, B, I, C> {
    writer: Writer<R, B>,
    check: C,
    input: PhantomData<I>,
}

impl<R: Right, I: Input> Writer<R, I> {
    /// Attaches a check that finds all faults of a refused request which need the database or
    /// several fields. It runs after the rollback, and only if the request already has faults.
    pub fn explain<C>(self, check: C) -> Explained<R, I, I, C>
    where
        C: AsyncFnOnce(&mut Conn, Partial<I>) -> Result<Faults>,
    {
        Explained::new(self, check)
    }
}

impl<R: Right, I: Input> Writer<R, Option<I>> {
    /// Attaches such a check to a body that may be absent.
    pub fn explain<C>(self, check: C) -> Explained<R, Option<I>, I, C>
    where
        C: AsyncFnOnce(&mut Conn, Partial<I>) -> Result<Faults>,
    {
        Explained::new(self, check)
    }
}

impl<R: Right, B, I: Input, C> Explained<R, B, I, C>
where
    C: AsyncFnOnce(&mut Conn, Partial<I>) -> Result<Faults>,
{
    fn new(writer: Writer<R, B>, check: C) -> Self {
        Self {
            writer,
            check,
            input: PhantomData,
        }
    }

    /// Like [`Writer::prepare`].
    pub async fn prepare<P, F>(self, work: F) -> Explained<R, P, I, C>
    where
        F: AsyncFnOnce(B) -> Result<P>,
    {
        let writer = self.writer.prepare(work);
        Explained {
            writer: writer.await,
            check: self.check,
            input: PhantomData,
        }
    }

    /// Like [`Writer::run`].
    pub async fn run<const STATUS: u16, T, F>(self, work: F) -> Result<Reply<STATUS, T>>
    where
        T: Serialize,
        F: AsyncFnOnce(&mut Edit, Body<B>) -> Result<Change<T>>,
    {
        let kernel = self.writer.request.kernel.clone();
        let bytes = self.writer.body.bytes().cloned();
        let strict = self.writer.body.is_strict();
        let outcome = self.writer.run(work).await;
        match (outcome, bytes) {
            (Err(Error::Invalid(faults)), Some(bytes)) => {
                let explained = explain::<I, C>(&kernel, faults, &bytes, strict, self.check);
                Err(explained.await?.into())
            }
            (outcome, _) => outcome,
        }
    }
}

/// Returns the known faults of a body, and all that the check finds.
pub async fn explain<I, C>(
    kernel: &Kernel,
    mut faults: Faults,
    bytes: &[u8],
    strict: bool,
    check: C,
) -> Result<Faults>
where
    I: Input,
    C: AsyncFnOnce(&mut Conn, Partial<I>) -> Result<Faults>,
{
    if let Some(partial) = read_partial::<I>(bytes, strict) {
        let mut read = kernel.core.db.read().await?;
        faults.extend(check(&mut read, partial).await?);
    }
    faults.sort_by_field(I::position);
    Ok(faults)
}

/// The fields that parsed, or `None` if the body is not an object.
fn read_partial<I: Input>(bytes: &[u8], strict: bool) -> Option<Partial<I>> {
    let fields = body::fields(bytes).ok().flatten()?;
    Some(I::read_partial(
        &fields,
        &mut Faults::default().root(strict),
    ))
}
