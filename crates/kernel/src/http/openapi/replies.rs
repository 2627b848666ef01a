//! The responses of an operation, by the type of its reply.

use aide::OperationOutput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response};
use schemars::JsonSchema;

use super::{ETAG, LINK, TOTAL_COUNT, TOTAL_COUNT_RELATION, file, not_modified, success};
use crate::Error;
use crate::http::download::{Download, MediaType};
use crate::http::error::ErrorBody;
use crate::http::export::{Export, Format};
use crate::http::reply::{Acted, CountedList, List, Put, Reply, Single, Tried};
use crate::http::visitor::WithCookies;

impl<const STATUS: u16, T: JsonSchema> OperationOutput for Reply<STATUS, T> {
    type Inner = T;

    fn inferred_responses(ctx: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Response)> {
        vec![(Some(STATUS), success::<T>(ctx, &[]))]
    }
}

impl<T: JsonSchema> OperationOutput for Put<T> {
    type Inner = T;

    fn inferred_responses(ctx: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Response)> {
        vec![
            (Some(200), success::<T>(ctx, &[])),
            (Some(201), success::<T>(ctx, &[])),
        ]
    }
}

impl<T: JsonSchema> OperationOutput for Acted<T> {
    type Inner = T;

    fn inferred_responses(ctx: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Response)> {
        vec![
            (Some(200), success::<T>(ctx, &[ETAG])),
            (Some(201), success::<T>(ctx, &[])),
        ]
    }
}

impl<T: JsonSchema> OperationOutput for Tried<T> {
    type Inner = T;

    fn inferred_responses(ctx: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Response)> {
        vec![
            (Some(200), success::<T>(ctx, &[])),
            (Some(202), success::<T>(ctx, &[ETAG])),
        ]
    }
}

impl<T: JsonSchema> OperationOutput for Single<T> {
    type Inner = T;

    fn inferred_responses(ctx: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Response)> {
        vec![
            (Some(200), success::<T>(ctx, &[ETAG])),
            (Some(304), not_modified()),
        ]
    }
}

impl<T: JsonSchema> OperationOutput for List<T> {
    type Inner = T;

    fn inferred_responses(ctx: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Response)> {
        let headers = [TOTAL_COUNT, LINK];
        vec![(Some(200), success::<T>(ctx, &headers))]
    }
}

impl<T: JsonSchema> OperationOutput for CountedList<T> {
    type Inner = T;

    fn inferred_responses(ctx: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Response)> {
        let relation = TOTAL_COUNT_RELATION;
        let headers = [TOTAL_COUNT, relation, LINK];
        vec![(Some(200), success::<T>(ctx, &headers))]
    }
}

impl OperationOutput for Export {
    type Inner = String;

    fn inferred_responses(_: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Response)> {
        vec![(Some(200), file(&Format::MEDIA_TYPES, &[]))]
    }
}

impl<M: MediaType> OperationOutput for Download<M> {
    type Inner = String;

    fn inferred_responses(_: &mut GenContext, _: &mut Operation) -> Vec<(Option<u16>, Response)> {
        vec![
            (Some(200), file(&[M::NAME], &[ETAG])),
            (Some(304), not_modified()),
        ]
    }
}

impl<T: OperationOutput> OperationOutput for WithCookies<T> {
    type Inner = T::Inner;

    fn inferred_responses(
        ctx: &mut GenContext,
        operation: &mut Operation,
    ) -> Vec<(Option<u16>, Response)> {
        T::inferred_responses(ctx, operation)
    }
}

/// The documented error statuses of an operation come from its extractors.
impl OperationOutput for Error {
    type Inner = ErrorBody<'static>;
}
